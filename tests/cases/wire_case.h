// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about bytes on a socket: clients that write frames in pieces, together, or at odd places.
// Their steps are not ticks but exchanges with a real server; names of messages are plain words.
// Only over TCP.

#include <string>

#include "cases/case_file.h"
#include "cases/case_run.h"
#include "index/index.h"

namespace vicinity::cases {

/// Whether all that the case does and expects is about bytes, in words known here.
bool is_wire_case(const Case& script);

CaseOutcome run_wire_case(const Case& script, IndexKind kind, const std::string& server_path);

}  // namespace vicinity::cases
