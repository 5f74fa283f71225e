// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The result of a run and its forms: a table for people, a page with plots, and JSON for machines,
// which can be read again to merge and compare runs. The names of metrics are stable: scripts and
// --require use them. Pure.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client-sim/histogram.h"
#include "client-sim/run_totals.h"
#include "client-sim/truth_check.h"

namespace vicinity::sim {

/// Of the JSON form. 1 had neither this field nor histograms.
inline constexpr int report_schema_version = 2;

struct RunReport {
  // What was asked for.
  std::string scenario;
  std::string behaviours;  ///< how many bots of each
  std::string network;     ///< what was done to it, empty: nothing
  std::string schedule = "closed";
  std::uint32_t bots = 0;
  std::uint64_t seed = 0;
  std::string server_version;
  std::uint32_t tick_rate_hz = 0;  ///< the server's setting
  std::uint32_t processes = 1;     ///< that were merged
  // What happened. Ticks, rates and most latencies are those of the measured part: after the last
  // bot was in the world, until the end of the duration. The rest is of the whole run.
  double duration_s = 0;     ///< of the measured part
  bool interrupted = false;  ///< ended early by a signal
  std::uint64_t ticks = 0;
  std::uint64_t entities = 0;  ///< in the last tick
  CheckStats check;
  RunTotals totals;
  Histogram enter_latency;
  Histogram leave_latency;
  std::array<Histogram, rings_told_apart> ring_age;  ///< age of what was known when news came
  // Of the measured part, all bots together.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_in = 0;
  std::uint64_t disconnects = 0;  ///< of bots that are not hostile
  Counts evictions;               ///< the same by name of the code
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
  std::string meaning = {};
};

/// All metrics of a report, always the same names in the same order.
std::vector<Metric> metrics_of(const RunReport& report);
/// Names and meanings, a line each, for people.
std::string describe_metrics();

/// A counter of the report that is a metric under this name.
struct CounterInfo {
  const char* name;
  std::uint64_t& (*of)(RunReport&);
  bool from_check;
  const char* meaning;
};
const std::vector<CounterInfo>& counters();
/// A histogram whose percentiles are metrics: NAME_p50_ms and so on.
struct LatencyInfo {
  const char* name;
  Histogram& (*of)(RunReport&);
  const char* meaning;
};
const std::vector<LatencyInfo>& latencies();
struct Percentile {
  const char* name;
  double fraction;
};
inline constexpr std::array<Percentile, 6> percentiles = {
    {{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1}}};
/// Maps from names to counts that are part of a report: evictions_by_code and the like.
struct CountsInfo {
  const char* name;
  Counts& (*of)(RunReport&);
};
const std::vector<CountsInfo>& counts_by_code();

/// What a table entry names, of a report that is only read.
template <class Info>
const auto& read_of(const Info& info, const RunReport& report) {
  return info.of(const_cast<RunReport&>(report));
}

/// One requirement and whether it held.
struct Verdict {
  std::string requirement;
  std::string actual;
  bool held = false;
};

/// One metric of two runs.
struct MetricChange {
  std::string name;
  std::optional<double> before;
  std::optional<double> now;
  std::optional<double> ratio;  ///< now / before; nothing when it is 0 or unknown
};

/// What stands beside the report itself.
struct Judgement {
  std::vector<Verdict> verdicts;
  std::vector<MetricChange> comparison;  ///< with the baseline, if there is one
};

/// 0 when nothing broke and every requirement held, else 1.
int exit_code_of(const RunReport& report, const std::vector<Verdict>& verdicts);

/// Metrics that either run has a value for.
std::vector<MetricChange> compare_reports(const RunReport& before, const RunReport& now);

/// Adds another process's report of the same run: counts and samples add up, times are the longer.
void merge_report(RunReport& into, const RunReport& other);

std::string format_value(const Metric& metric);
std::string to_text(const RunReport& report, const Judgement& judgement);
std::string to_json(const RunReport& report, const Judgement& judgement);
std::string to_html(const RunReport& report, const Judgement& judgement);
/// What to_json wrote. The error is a sentence that names the field.
Result<RunReport, std::string> report_from_json(std::string_view json);

}  // namespace vicinity::sim
