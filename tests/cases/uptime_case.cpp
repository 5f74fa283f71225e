// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/uptime_case.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

#include "cases/values.h"
#include "store/snapshot_schedule.h"
#include "tick/simulation.h"
#include "tick/tick_clock.h"

namespace vicinity::cases {

namespace {

constexpr std::uint32_t tick_rate_hz = 20;
constexpr std::int64_t ns_per_s = 1'000'000'000;

const std::string ticks_run = "ticks at 20 Hz";
const std::string jobs_run = "runs of a 1 s periodic job";
const std::string tick_length = "swept move over one tick uses dt";

bool is_known(const Operation& operation) {
  if (operation.name == "run_for_s") return has_just(operation.fields, {"s"});
  return operation.name == "param" && has_just(operation.fields, {"set", "value"}) &&
         operation.fields["set"] == "uptime_s";
}

bool is_known(const Expectation& expectation) {
  if (expectation.kind == "note") return true;
  if (expectation.kind != "assert") return false;
  const std::string metric = expectation.value.value("metric", "");
  return metric == ticks_run || metric == jobs_run || metric == tick_length;
}

/// "10 +-1" or "0.05 exactly": middle and how far from it is good.
std::pair<double, double> range(const Json& value) {
  static const std::regex words(R"(([0-9.]+) (?:\+-([0-9.]+)|exactly))");
  std::smatch match;
  const std::string text = value.get<std::string>();
  if (!std::regex_match(text, match, words)) throw ScriptError("not a range: " + text);
  return {std::stod(match[1]), match[2].matched ? std::stod(match[2]) : 0};
}

/// How far an entity at one metre per second comes in a tick.
double way_of_a_tick() {
  SimulationSettings settings;
  settings.dt_s = 1.0 / tick_rate_hz;
  Simulation simulation(settings);
  SpawnCommand spawn;
  spawn.shape = Shape::sphere(1);
  simulation.run_tick(
      {{SessionId{1}, 0, OpenSessionCommand{Role::Authority}}, {SessionId{1}, 1, spawn}});
  const auto before = simulation.frame();
  simulation.run_tick(
      {{SessionId{1}, 2, SetVelocityCommand{{before->snapshot->id[0], 0}, {1, 0, 0}}}});
  return simulation.frame()->snapshot->position[0].x - before->snapshot->position[0].x;
}

class LongRun {
 public:
  void run_step(const Step& step, CaseOutcome& outcome) {
    for (const Operation& operation : step.operations) {
      const auto seconds = static_cast<std::int64_t>(
          number(operation.fields.at(operation.name == "param" ? "value" : "s")));
      operation.name == "param" ? begin_after(seconds) : run_for(seconds);
    }
    for (const Expectation& expectation : step.expectations) {
      if (expectation.kind == "note") continue;
      const std::string metric = expectation.value.at("metric").get<std::string>();
      const double got = metric == ticks_run  ? static_cast<double>(ticks_)
                         : metric == jobs_run ? static_cast<double>(jobs_)
                                              : way_of_a_tick();
      const auto [middle, off] = range(expectation.value.at("value"));
      if (std::abs(got - middle) > off) {
        outcome.differences.push_back(metric + ": expected " + expectation.value["value"].dump() +
                                      ", got " + Json(got).dump());
      }
    }
  }

 private:
  /// A server that began to tick so long ago.
  void begin_after(std::int64_t seconds) {
    now_ns_ = seconds * ns_per_s;
    while (clock_.take(now_ns_).run) continue;
    tick_ = static_cast<Tick>(seconds) * tick_rate_hz;
    schedule_ = store::SnapshotSchedule(1, tick_rate_hz, tick_);
  }
  void run_for(std::int64_t seconds) {
    const std::int64_t end_ns = now_ns_ + seconds * ns_per_s;
    while (now_ns_ < end_ns) {
      if (!clock_.take(now_ns_).run) {
        now_ns_ = std::min(end_ns, clock_.next_deadline_ns());
        continue;
      }
      ++tick_, ++ticks_;
      if (!schedule_.is_due(tick_)) continue;
      schedule_.taken(tick_);
      ++jobs_;
    }
  }

  std::int64_t now_ns_ = 0;
  TickClock clock_{0, tick_rate_hz};
  Tick tick_ = 0;
  store::SnapshotSchedule schedule_{1, tick_rate_hz, 0};
  std::uint64_t ticks_ = 0;
  std::uint64_t jobs_ = 0;
};

}  // namespace

SpecialRunner uptime_cases() {
  SpecialRunner runner;
  runner.takes = [](const Case& script) {
    return has_operation(script, "run_for_s") &&
           all_known(
               script, [](const Operation& operation) { return is_known(operation); },
               [](const Expectation& expectation) { return is_known(expectation); });
  };
  runner.run = [](const Case& script) {
    LongRun run;
    return run_steps(script,
                     [&](const Step& step, CaseOutcome& outcome) { run.run_step(step, outcome); });
  };
  return runner;
}

}  // namespace vicinity::cases
