// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Measures implementations on one scene, round by round in turn, and verifies every tick of each.
//
//      round 1:  vicinity │ embree │ bullet │ ...      each on its own copy of the scene, from the
//      round 2:  vicinity │ embree │ bullet │ ...      same seed: the same boxes in every tick
//
//      tick:     move the scene │ implementation.tick() │ collect, compare with the oracle
//                               └────── measured ───────┘

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/implementation.h"
#include "bench/pair_oracle.h"
#include "bench/scene.h"

namespace vicinity::bench {

struct MeasureOptions {
  int threads = 1;
  std::uint32_t rounds = 3;
  std::uint32_t warm_up_ticks = 0;
  std::uint32_t ticks = 1;
  double budget_s = 10;  ///< measured time per round; beyond it only `ticks_min` ticks are made
  std::uint64_t seed = 1;
};
inline constexpr std::uint32_t ticks_min = 3;

struct StageResult {
  std::string_view name;
  double p50_ms = 0;
};

/// Medians over the rounds; counts are means over the ticks.
struct Result {
  std::string implementation;
  bool is_peer = true;
  bool gives_events = false;
  std::string skipped;  ///< why there are no figures; empty = there are
  std::string scene;
  std::uint32_t world_count = 0;  ///< what the scene was asked for
  std::uint32_t entities = 0;     ///< alive at once, at most
  int threads = 1;
  std::uint32_t ticks = 0;  ///< measured, of the shortest round
  std::uint32_t rounds = 0;
  double p50_ms = 0, p99_ms = 0, mean_ms = 0;
  std::vector<StageResult> stages;
  double candidates = 0, pairs = 0, begins = 0, ends = 0;
  double bytes_per_entity = 0;
  std::string mismatch;  ///< the first tick that was wrong, and how; empty = all verified
  std::optional<double> ratio_to_best_peer;  ///< above 1: faster than it
};

/// What the pairs of a scene must be, tick by tick; [0] is before the first step.
struct SceneTruth {
  std::vector<PairSum> ticks;
  std::uint32_t entities_max = 0;
};
/// Null when the scene cannot be made. O(ticks).
std::optional<SceneTruth> find_truth(const std::string& scene, std::uint32_t count,
                                     std::uint64_t seed, std::uint32_t ticks);

/// One result per implementation, in their order.
std::vector<Result> measure(const std::string& scene, std::uint32_t count, const SceneTruth& truth,
                            const std::vector<ImplementationInfo>& implementations,
                            const MeasureOptions& options);

}  // namespace vicinity::bench
