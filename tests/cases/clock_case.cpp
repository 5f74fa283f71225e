// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/clock_case.h"

#include <algorithm>

#include "base/limits.h"
#include "cases/values.h"
#include "tick/tick_clock.h"

namespace vicinity::cases {

namespace {

const std::string ticks_run = "ticks run";
const std::string ticks_run_in_second = "ticks run in this second";
const std::string ticks_dropped = "ticks reported as dropped";
const std::vector<std::string> about_clients = {
    "network still served between ticks during the overload",
    "clients timed out because the server itself stood still"};

bool is_about_clients(const std::string& metric) {
  return std::find(about_clients.begin(), about_clients.end(), metric) != about_clients.end();
}

bool is_known(const Operation& operation) {
  if (operation.name == "param") return has_just(operation.fields, {"tick_hz", "max_catch_up"});
  if (operation.name == "work_ms_per_tick") return has_just(operation.fields, {"ms"});
  return (operation.name == "run_for_s" || operation.name == "stall_process_s") &&
         has_just(operation.fields, {"s"});
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind == "note") return true;
  if (expectation.kind != "assert") return false;
  const std::string metric = expectation.value.value("metric", "");
  return metric == ticks_run || metric == ticks_run_in_second || metric == ticks_dropped ||
         is_about_clients(metric);
}

/// The loop of the server in timer mode: ask the clock, run a tick or wait.
class ClockRun {
 public:
  void run_step(const Step& step, CaseOutcome& outcome) {
    ticks_ = 0;
    const std::uint64_t dropped_before = clock_.skipped_count();
    for (const Operation& operation : step.operations) run(operation);
    const auto dropped = static_cast<double>(clock_.skipped_count() - dropped_before);
    for (const Expectation& expectation : step.expectations) {
      if (expectation.kind == "note") continue;
      const Json& value = expectation.value;
      const std::string metric = value.at("metric").get<std::string>();
      if (is_about_clients(metric)) {
        outcome.unmeasured.push_back(metric);
        continue;
      }
      const double got = metric == ticks_dropped ? dropped : static_cast<double>(ticks_);
      const std::string relation = value.at("cmp").get<std::string>();
      if (!holds(got, relation, number(value.at("value"))))
        outcome.differences.push_back(metric + ": expected " + relation + " " +
                                      value["value"].dump() + ", got " + Json(got).dump());
    }
  }

 private:
  static constexpr double ns_per_s = 1e9;
  static constexpr double ns_per_ms = 1e6;

  void run(const Operation& operation) {
    const Json& fields = operation.fields;
    if (operation.name == "param") {
      clock_ = TickClock(now_ns_, fields.at("tick_hz").get<std::uint32_t>());
      // At most so many ticks back to back; the server's own number is lower.
      if (fields.at("max_catch_up").get<std::uint32_t>() < limits::catch_up_ticks_max)
        throw ScriptError("the server catches up more ticks than that");
    } else if (operation.name == "work_ms_per_tick") {
      work_ns_ = static_cast<std::int64_t>(number(fields.at("ms")) * ns_per_ms);
    } else if (operation.name == "stall_process_s") {
      now_ns_ += static_cast<std::int64_t>(number(fields.at("s")) * ns_per_s);
    } else {
      run_until(now_ns_ + static_cast<std::int64_t>(number(fields.at("s")) * ns_per_s));
    }
  }

  /// What the clock decides at the end, or when the tick that runs then is over, belongs to the
  /// run: until then it has reported nothing about the last ticks.
  void run_until(std::int64_t end_ns) {
    for (bool over = false; !over;) {
      over = now_ns_ >= end_ns;
      if (clock_.take(now_ns_).run) {
        ++ticks_;
        now_ns_ += work_ns_;
      } else {
        now_ns_ = std::max(now_ns_, std::min(end_ns, clock_.next_deadline_ns()));
      }
    }
  }

  std::int64_t now_ns_ = 0;
  std::int64_t work_ns_ = 0;
  std::uint64_t ticks_ = 0;  ///< of the step
  TickClock clock_{0, limits::tick_rate_hz_min};
};

}  // namespace

SpecialRunner clock_cases() {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "work_ms_per_tick") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [](const Case& script) {
    ClockRun run;
    return run_steps(script,
                     [&](const Step& step, CaseOutcome& outcome) { run.run_step(step, outcome); });
  };
  return runner;
}

}  // namespace vicinity::cases
