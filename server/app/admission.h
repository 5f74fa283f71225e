// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether the server has room for what is new, whoever asks. Net room.

#include "app/memory_guard.h"
#include "base/error.h"
#include "tick/load_governor.h"

namespace vicinity::app {

/// None, or ServerFull for a hello that does not resume. `memory` may be null.
Error check_newcomer(Shedding shedding, MemoryGuard* memory);

}  // namespace vicinity::app
