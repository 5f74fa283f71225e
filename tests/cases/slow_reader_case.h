// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about one client that does not read beside many that do, against a real server in timer
// mode. Over TCP only. What is compared is meant for busy machines:
//
//   p99 tick time       processor time of the server per tick, all threads, taken as the mean of a
//                       second; the median of all seconds is compared
//   p99 latency of g*   from the start of a tick in the server until the last of the g* has read
//                       the tick's frame; the median of all ticks is compared
//
// Other programs delay some ticks and may make all of them dearer for a while. A client that slows
// the others slows every tick of every attempt, hence medians, and up to three attempts.

#include "cases/special_case.h"
#include "index/index.h"

namespace vicinity::cases {

SpecialRunner slow_reader_cases(IndexKind kind, std::string server_path);

}  // namespace vicinity::cases
