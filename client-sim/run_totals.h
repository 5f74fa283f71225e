// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Counters that all bots of a run add to. One thread: the one that runs the io_context.

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"
#include "client-sim/histogram.h"

namespace vicinity::sim {

using Counts = std::map<std::string, std::uint64_t>;

struct RunTotals {
  /// Latencies are recorded only while this is set: not while the bots still join or leave.
  /// Connecting is; most of it happens before.
  bool measuring = false;
  Histogram connect;          ///< connect() to welcome
  Histogram first_view;       ///< connect() to the first frame that nothing waits behind
  Histogram update_age;       ///< start of the tick to receipt of its frame
  Histogram contact_latency;  ///< start of the tick in which a contact began to receipt
  Histogram query_latency;    ///< due to answered
  Histogram command_echo;     ///< due to acknowledged
  std::uint64_t frames = 0;
  std::uint64_t skipped_ticks = 0;  ///< ticks between two frames of one session
  std::uint64_t queries = 0;        ///< answered
  std::uint64_t commands = 0;       ///< sent
  std::uint64_t cuts = 0;           ///< connections that were cut on purpose
  std::uint64_t reconnects = 0;     ///< of bots that came back
  std::uint64_t resumes = 0;        ///< of these: the session went on
  /// Frames by what they said: ok, degraded, starved; none, outer rings, queries, sessions.
  std::array<std::uint64_t, 3> health{};
  std::array<std::uint64_t, 4> shedding{};
  Counts command_errors;
  Counts query_errors;
  Counts hostile_errors;     ///< refused commands and queries of hostile bots
  Counts hostile_evictions;  ///< sessions of hostile bots that the server ended
  std::uint64_t hostile_disconnects = 0;

  static void count(Counts& counts, ErrorCode code) { ++counts[std::string(to_string(code))]; }
};

}  // namespace vicinity::sim
