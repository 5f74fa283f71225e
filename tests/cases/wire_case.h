// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about bytes on a socket: clients that write frames in pieces, together, or at odd places.
// Their steps are not ticks but exchanges with a real server; names of messages are plain words.
// Only over TCP.

#include "cases/special_case.h"
#include "index/index.h"

namespace vicinity::cases {

SpecialRunner wire_cases(IndexKind kind, std::string server_path);

}  // namespace vicinity::cases
