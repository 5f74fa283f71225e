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
  const OverlapTesterInfo* info;
  NarrowResult result;
  std::vector<double> pairs_per_s;  ///< of each round

  void round(std::span<const ShapePair> pairs, const std::vector<double>& clearances_m,
             double at_least_ms) {
    const std::unique_ptr<OverlapTester> tester = info->make(pairs);
    std::vector<std::uint8_t> answers(pairs.size());
    tester->test(answers);  // warms up
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
    verify(answers, clearances_m);
  }

  void verify(const std::vector<std::uint8_t>& answers, const std::vector<double>& clearances_m) {
    result.pairs += static_cast<std::uint32_t>(answers.size());
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (std::abs(clearances_m[i]) <= result.band_m) continue;
      ++result.verified;
      if ((answers[i] != 0) != (clearances_m[i] < 0)) ++result.disagreements;
    }
  }
};

/// Those that know such pairs.
std::vector<Run> runs_for(PairKinds kinds, const std::vector<OverlapTesterInfo>& testers) {
  std::vector<Run> runs;
  for (const OverlapTesterInfo& info : testers) {
    const std::optional<double> band_m = info.band_m(kinds);
    if (!band_m) continue;
    Run& run = runs.emplace_back();
    run.info = &info;
    run.result.pair = name_of(kinds);
    run.result.tester = info.name;
    run.result.is_peer = info.is_peer;
    run.result.band_m = *band_m;
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
  std::vector<Run> runs = runs_for(kinds, testers);
  double overlapping = 0;
  for (std::uint32_t round = 0; round < options.rounds; ++round) {
    progress("round " + std::to_string(round + 1));
    const std::uint32_t count = kinds.b == PrimitiveKind::Mesh ? options.pairs / 8 : options.pairs;
    const std::vector<ShapePair> pairs = make_shape_pairs(kinds, count, options.seed + round);
    std::vector<double> clearances_m;
    for (const ShapePair& pair : pairs) {
      clearances_m.push_back(clearance_m(pair));
      overlapping += clearances_m.back() < 0 ? 1 : 0;
    }
    for (Run& run : runs) run.round(pairs, clearances_m, options.round_ms);
  }
  std::vector<NarrowResult> results;
  for (Run& run : runs) {
    NarrowResult& result = run.result;
    result.overlapping_part = overlapping / result.pairs;
    result.pairs_per_s = median(run.pairs_per_s);
    result.is_right = result.disagreements <= std::ceil(run.info->faults_part_max * result.pairs);
    results.push_back(result);
  }
  compare_with_best_peer(results);
  return results;
}

}  // namespace vicinity::bench
