// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Counters that all bots of a run add to. One thread: the one that runs the io_context.

#include <cstdint>
#include <map>
#include <string>

#include "base/error.h"
#include "client-sim/histogram.h"

namespace vicinity::sim {

struct RunTotals {
  /// Latencies are recorded only while this is set: not while the bots still join or leave.
  bool measuring = false;
  Histogram update_age;
  Histogram query_latency;
  std::uint64_t queries = 0;  ///< answered
  std::map<std::string, std::uint64_t> command_errors;
  std::map<std::string, std::uint64_t> query_errors;

  static void count(std::map<std::string, std::uint64_t>& counts, ErrorCode code) {
    ++counts[std::string(to_string(code))];
  }
};

}  // namespace vicinity::sim
