// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Cases about sessions and streams in real time: the same player twice, sockets that never say who
// they are, a clock that jumps, clients that read slowly, late or not at all. Over TCP only, a
// fresh server in timer mode for every case.
//
// Times of a case, and the server's own timeouts with them, run ten times as fast, but for cases
// that state a bandwidth or have a large world; limits that a case sets to how long something may
// take stay as they are. Because a machine may be busy, a case has up to three attempts. What is
// measured:
//
//   bytes queued             the server's own account of its outboxes, in its last log line, over
//                            the whole case
//   ticks in a time          by the server's monotonic clock, between two answers to pings
//   player slots taken       how many of the places a server of so many players gives to newcomers
//   memory                   resident memory of the process
//
// The index has no say in these cases; where brute force is asked for, the server has another one,
// for the worlds are too large for it.

#include "cases/special_case.h"
#include "index/index.h"

namespace vicinity::cases {

SpecialRunner live_cases(IndexKind kind, std::string server_path);

}  // namespace vicinity::cases
