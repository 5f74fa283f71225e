// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Words for what a session is, in logs, metrics and pages for operators.

#include <string_view>

#include "stream/frame_selection.h"
#include "world/command.h"

namespace vicinity::app {

/// "observer", "player", "authority".
std::string_view name_of(Role role);
/// "ok", "degraded", "starved".
std::string_view name_of(StreamHealth health);

}  // namespace vicinity::app
