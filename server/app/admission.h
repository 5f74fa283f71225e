// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether the server has room for what is new, whoever asks. Net room.

#include "app/memory_guard.h"
#include "base/error.h"
#include "tick/load_governor.h"

namespace vicinity::app {

/// None, or ServerFull for a hello that does not resume. `memory` may be null. Authorities come in
/// without memory, too: they are few, and somebody must be able to end what takes it.
Error check_newcomer(Shedding shedding, Role role, MemoryGuard* memory);

}  // namespace vicinity::app
