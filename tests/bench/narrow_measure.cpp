// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/narrow_measure.h"

#include <algorithm>
#include <cmath>

#include "bench/implementation.h"
#include "bench/progress.h"
#include "bench/statistics.h"

namespace vicinity::bench {
namespace {

/// One tester and what was measured of it.
struct Run {
  NarrowResult result;
  std::unique_ptr<OverlapTester> tester;
  std::vector<std::uint8_t> answers;
  std::vector<double> pairs_per_s;  ///< of each round
  double faults_max = 0;            ///< known ones

  void measure_round(double at_least_ms) {
    StageClock clock(/*threads=*/1);
    double spent_ms = 0;
    double tested = 0;
    while (spent_ms < at_least_ms) {
      clock.begin_tick();
      tester->test(answers);
      clock.end_stage("test");
      spent_ms += clock.total_ms();
      tested += static_cast<double>(answers.size());
    }
    pairs_per_s.push_back(tested / spent_ms * 1e3);
  }

  void verify(const std::vector<double>& clearances_m) {
    result.verified = 0;
    std::uint32_t wrong = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (std::abs(clearances_m[i]) <= result.band_m) continue;
      ++result.verified;
      if ((answers[i] != 0) != (clearances_m[i] < 0)) ++wrong;
    }
    result.disagreements = std::max(result.disagreements, wrong);
    result.is_right = result.disagreements <= faults_max;
  }
};

std::vector<Run> prepare(PairKinds kinds, const std::vector<OverlapTesterInfo>& testers,
                         const std::vector<ShapePair>& pairs) {
  std::vector<Run> runs;
  for (const OverlapTesterInfo& info : testers) {
    const std::optional<double> band_m = info.band_m(kinds);
    if (!band_m) continue;
    Run& run = runs.emplace_back();
    run.result.pair = name_of(kinds);
    run.result.tester = info.name;
    run.result.is_peer = info.is_peer;
    run.result.pairs = static_cast<std::uint32_t>(pairs.size());
    run.result.band_m = *band_m;
    run.tester = info.make(pairs);
    run.faults_max = std::ceil(info.faults_part_max * static_cast<double>(pairs.size()));
    run.answers.assign(pairs.size(), 0);
  }
  return runs;
}

void compare_with_best_peer(std::vector<NarrowResult>& results) {
  double best = 0;
  for (const NarrowResult& result : results)
    if (result.is_peer) best = std::max(best, result.pairs_per_s);
  if (best == 0) return;
  for (NarrowResult& result : results) result.ratio_to_best_peer = result.pairs_per_s / best;
}

}  // namespace

std::vector<NarrowResult> measure_pairs(PairKinds kinds,
                                        const std::vector<OverlapTesterInfo>& testers,
                                        const NarrowOptions& options) {
  progress("pairs");
  const std::vector<ShapePair> pairs = make_shape_pairs(kinds, options.pairs, options.seed);
  std::vector<double> clearances_m;
  for (const ShapePair& pair : pairs) clearances_m.push_back(clearance_m(pair));
  const auto overlapping =
      std::ranges::count_if(clearances_m, [](double clearance) { return clearance < 0; });
  std::vector<Run> runs = prepare(kinds, testers, pairs);
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    for (Run& run : runs) {
      progress("round " + std::to_string(round + 1) + ", " + run.result.tester);
      if (round == 0) run.tester->test(run.answers);  // warms up
      run.measure_round(options.round_ms);
      run.verify(clearances_m);
    }
  }
  std::vector<NarrowResult> results;
  for (Run& run : runs) {
    run.result.overlapping_part =
        static_cast<double>(overlapping) / static_cast<double>(pairs.size());
    run.result.pairs_per_s = median(run.pairs_per_s);
    results.push_back(run.result);
  }
  compare_with_best_peer(results);
  return results;
}

}  // namespace vicinity::bench
