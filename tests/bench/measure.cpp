// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/measure.h"

#include <malloc.h>

#include <algorithm>

#include "base/check.h"
#include "bench/progress.h"
#include "bench/statistics.h"

namespace vicinity::bench {
namespace {

std::size_t allocated_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// One implementation on one scene, once.
struct Round {
  std::vector<double> total_ms;
  std::vector<StageResult> stages;  ///< median over the ticks
  double candidates = 0, pairs = 0, begins = 0, ends = 0;
  double bytes_per_entity = 0;
  double slowest_ms = 0;
  std::string mismatch;
};

class RoundRun {
 public:
  RoundRun(const ImplementationInfo& info, std::unique_ptr<Scene> scene, const SceneTruth& truth,
           const MeasureOptions& options)
      : info_(info),
        scene_(std::move(scene)),
        truth_(truth),
        options_(options),
        clock_(options.threads),
        bytes_before_(allocated_bytes()),
        implementation_(info.make(scene_->state(), options.threads)) {}

  Round run() {
    tick();  // everything appears
    verify(0);
    double spent_ms = 0;
    std::uint32_t warm_up_left = options_.warm_up_ticks;
    const double budget_ms = options_.budget_s * 1e3;
    for (std::size_t at = 1; at < truth_.ticks.size() && is_wanted(spent_ms); ++at) {
      scene_->step();
      tick();
      spent_ms += clock_.total_ms();
      if (warm_up_left == 0) {
        record();
      } else {
        // An implementation that is slow has less time to warm up, rather than to be measured.
        warm_up_left = spent_ms > budget_ms / 3 ? 0 : warm_up_left - 1;
      }
      verify(at);
      round_.slowest_ms = std::max(round_.slowest_ms, clock_.total_ms());
    }
    finish();
    return std::move(round_);
  }

 private:
  bool is_wanted(double spent_ms) const {
    const std::size_t done = round_.total_ms.size();
    return done < options_.ticks && (done < ticks_min || spent_ms < options_.budget_s * 1e3);
  }

  void tick() {
    clock_.begin_tick();
    implementation_->tick(scene_->state(), clock_);
  }

  void record() {
    round_.total_ms.push_back(clock_.total_ms());
    stage_ms_.resize(clock_.stage_count());
    for (std::size_t i = 0; i < stage_ms_.size(); ++i)
      stage_ms_[i].push_back(clock_.stage(i).took_ms);
    const TickCounts counts = implementation_->counts();
    round_.candidates += static_cast<double>(counts.candidates);
    round_.begins += static_cast<double>(counts.begins);
    round_.ends += static_cast<double>(counts.ends);
  }

  /// The candidates of a peer may be pairs of fattened boxes; ours may not.
  void verify(std::size_t at) {
    pairs_.clear();
    std::string wrong = implementation_->collect(scene_->state(), pairs_);
    PairSum sum;
    for (const SlotPair pair : pairs_)
      if (!info_.is_peer || is_pair(scene_->state(), pair)) sum.add(pair);
    const PairSum& expected = truth_.ticks[at];
    if (!round_.total_ms.empty()) round_.pairs += static_cast<double>(expected.count);
    if (wrong.empty() && sum != expected)
      wrong = std::to_string(sum.count) + " pairs instead of " + std::to_string(expected.count);
    if (!wrong.empty() && round_.mismatch.empty())
      round_.mismatch = "tick " + std::to_string(at) + ": " + wrong;
  }

  void finish() {
    const auto ticks = static_cast<double>(round_.total_ms.size());
    for (double* sum : {&round_.candidates, &round_.pairs, &round_.begins, &round_.ends})
      *sum /= ticks;
    for (std::size_t i = 0; i < stage_ms_.size(); ++i)
      round_.stages.push_back({clock_.stage(i).name, median(stage_ms_[i])});
    const std::size_t harness =
        implementation_->harness_bytes() + pairs_.capacity() * sizeof(SlotPair);
    const auto bytes = static_cast<double>(allocated_bytes() + implementation_->unseen_bytes()) -
                       static_cast<double>(bytes_before_ + harness);
    round_.bytes_per_entity = std::max(0.0, bytes / truth_.entities_max);
  }

  const ImplementationInfo& info_;
  std::unique_ptr<Scene> scene_;
  const SceneTruth& truth_;
  const MeasureOptions& options_;
  StageClock clock_;
  std::size_t bytes_before_;
  std::unique_ptr<Implementation> implementation_;
  std::vector<SlotPair> pairs_;
  std::vector<std::vector<double>> stage_ms_;
  Round round_;
};

double median_of(const std::vector<Round>& rounds, const auto& value_of) {
  std::vector<double> values;
  values.reserve(rounds.size());
  for (const Round& round : rounds) values.push_back(value_of(round));
  return median(values);
}

void summarise(const std::vector<Round>& rounds, Result& result) {
  result.rounds = static_cast<std::uint32_t>(rounds.size());
  result.ticks = static_cast<std::uint32_t>(std::ranges::min(rounds, {}, [](const Round& round) {
                                              return round.total_ms.size();
                                            }).total_ms.size());
  result.p50_ms = median_of(rounds, [](const Round& r) { return percentile(r.total_ms, 0.5); });
  result.p99_ms = median_of(rounds, [](const Round& r) { return percentile(r.total_ms, 0.99); });
  result.mean_ms = median_of(rounds, [](const Round& r) { return mean(r.total_ms); });
  for (std::size_t i = 0; i < rounds.front().stages.size(); ++i)
    result.stages.push_back({rounds.front().stages[i].name, median_of(rounds, [i](const Round& r) {
                               return r.stages[i].p50_ms;
                             })});
  result.candidates = median_of(rounds, [](const Round& r) { return r.candidates; });
  result.pairs = median_of(rounds, [](const Round& r) { return r.pairs; });
  result.begins = median_of(rounds, [](const Round& r) { return r.begins; });
  result.ends = median_of(rounds, [](const Round& r) { return r.ends; });
  result.bytes_per_entity = median_of(rounds, [](const Round& r) { return r.bytes_per_entity; });
  for (const Round& round : rounds)
    if (result.mismatch.empty()) result.mismatch = round.mismatch;
}

void compare_with_best_peer(std::vector<Result>& results) {
  double best_ms = 0;
  for (const Result& result : results) {
    if (!result.is_peer || !result.skipped.empty() || !result.mismatch.empty()) continue;
    if (best_ms == 0 || result.p50_ms < best_ms) best_ms = result.p50_ms;
  }
  if (best_ms == 0) return;
  for (Result& result : results)
    if (result.skipped.empty()) result.ratio_to_best_peer = best_ms / result.p50_ms;
}

}  // namespace

std::optional<SceneTruth> find_truth(const std::string& scene_name, std::uint32_t count,
                                     std::uint64_t seed, std::uint32_t ticks) {
  const std::unique_ptr<Scene> scene = make_scene(scene_name, count, seed);
  if (scene == nullptr) return std::nullopt;
  SceneTruth truth;
  for (std::uint32_t at = 0; at <= ticks; ++at) {
    if (at > 0) scene->step();
    progress("oracle, tick " + std::to_string(at));
    truth.ticks.push_back(sum_pairs(scene->state()));
    truth.entities_max = std::max(truth.entities_max, scene->state().alive_count);
  }
  return truth;
}

std::vector<Result> measure(const std::string& scene, std::uint32_t count, const SceneTruth& truth,
                            const std::vector<ImplementationInfo>& implementations,
                            const MeasureOptions& options) {
  CHECK(truth.ticks.size() == options.warm_up_ticks + options.ticks + 1);
  std::vector<std::vector<Round>> rounds(implementations.size());
  std::vector<Result> results;
  for (const ImplementationInfo& info : implementations) {
    Result& result = results.emplace_back();
    result.implementation = info.name;
    result.is_peer = info.is_peer;
    result.gives_events = info.gives_events;
    result.scene = scene;
    result.world_count = count;
    result.entities = truth.entities_max;
    result.threads = options.threads;
    if (truth.entities_max > info.entities_max) result.skipped = info.entities_max_reason;
    if (truth.ticks.front().count > info.pairs_max) result.skipped = info.pairs_max_reason;
  }
  for (std::uint32_t number = 0; number < options.rounds; ++number) {
    for (std::size_t i = 0; i < implementations.size(); ++i) {
      if (!results[i].skipped.empty()) continue;
      // Where ticks outlast the budget, one round has to do.
      if (number > 0 && rounds[i].front().slowest_ms > options.budget_s * 1e3 / ticks_min) continue;
      progress("round " + std::to_string(number + 1) + ", " + implementations[i].name);
      RoundRun run(implementations[i], make_scene(scene, count, options.seed), truth, options);
      rounds[i].push_back(run.run());
    }
  }
  for (std::size_t i = 0; i < implementations.size(); ++i)
    if (results[i].skipped.empty()) summarise(rounds[i], results[i]);
  compare_with_best_peer(results);
  return results;
}

}  // namespace vicinity::bench
