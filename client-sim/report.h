// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The result of a run and its two forms: a table for people and JSON for machines. The names of
// metrics are stable: scripts and --require use them. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/histogram.h"
#include "client-sim/truth_check.h"

namespace vicinity::sim {

struct RunReport {
  // What was asked for.
  std::string scenario;
  std::uint32_t bots = 0;
  std::uint64_t seed = 0;
  std::string server_version;
  std::uint32_t tick_rate_hz = 0;  ///< the server's setting
  // What happened. Ticks, rates, update age and query latency are those of the measured part: after
  // the last bot was in the world, until the end of the duration. The rest is of the whole run.
  double duration_s = 0;     ///< of the measured part
  bool interrupted = false;  ///< ended early by a signal
  std::uint64_t ticks = 0;
  std::uint64_t entities = 0;  ///< in the last tick
  CheckStats check;
  Histogram update_age;  ///< start of the tick to receipt of its frame
  Histogram enter_latency;
  Histogram query_latency;  ///< sent to answered
  std::uint64_t queries = 0;
  std::uint64_t bytes_in = 0;  ///< all bots together
  std::uint64_t disconnects = 0;
  /// By name of the code.
  std::map<std::string, std::uint64_t> evictions;
  std::map<std::string, std::uint64_t> command_errors;
  std::map<std::string, std::uint64_t> query_errors;
  /// Why the run broke, as sentences; empty when it did not.
  std::vector<std::string> failures;
  std::vector<std::string> wrong_examples;
};

enum class Unit : std::uint8_t { None, Milliseconds, Seconds, Kilobits };

struct Metric {
  std::string name;
  /// Nothing when there was no sample.
  std::optional<double> value;
  Unit unit = Unit::None;
  bool whole = false;       ///< a count
  bool from_check = false;  ///< means something only when views were checked
};

/// All metrics of a report, always the same names in the same order.
std::vector<Metric> metrics_of(const RunReport& report);

/// One requirement and whether it held.
struct Verdict {
  std::string requirement;
  std::string actual;
  bool held = false;
};

/// 0 when nothing broke and every requirement held, else 1.
int exit_code_of(const RunReport& report, const std::vector<Verdict>& verdicts);

std::string format_value(const Metric& metric);
std::string to_text(const RunReport& report, const std::vector<Verdict>& verdicts);
std::string to_json(const RunReport& report, const std::vector<Verdict>& verdicts);

}  // namespace vicinity::sim
