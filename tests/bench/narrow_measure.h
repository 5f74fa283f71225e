// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Measures who says fastest whether two shapes overlap, and compares what they say.
//
//      round 1:  vicinity │ bullet │ bullet_gjk │ fcl      the same pairs, over and over for 0.1 s
//      round 2:  vicinity │ bullet │ ...                   other pairs
//
// There are so many pairs that the processor does not know by heart which way the branches of each
// go: with 2 000 it does, and Bullet's tests of capsules and boxes look twice as fast (2026-11-30).
//
// A pair counts as compared when it is farther from touching than the band of the tester, by our
// own distance or depth. Where those were wrong, the peers would disagree.

#include <optional>
#include <string>
#include <vector>

#include "bench/overlap_tester.h"

namespace vicinity::bench {

struct NarrowOptions {
  std::uint32_t pairs = 8192;  ///< of one round; an eighth of it with meshes
  std::uint32_t rounds = 5;
  double round_ms = 100;  ///< CPU time of one tester in one round, at least
  std::uint64_t seed = 1;
};

struct NarrowResult {
  std::string pair;
  std::string tester;
  bool is_peer = true;
  std::uint32_t pairs = 0;                   ///< of all rounds
  double overlapping_part = 0;               ///< of the pairs, [0, 1]
  double pairs_per_s = 0;                    ///< CPU time; median of the rounds
  std::optional<double> ratio_to_best_peer;  ///< above 1: faster than it
  double band_m = 0;
  std::uint32_t verified = 0;       ///< pairs that were compared
  std::uint32_t disagreements = 0;  ///< of those
  bool is_right = true;             ///< no more disagreements than the known faults of the tester
};

/// One result for each tester that knows such pairs, in their order.
std::vector<NarrowResult> measure_pairs(PairKinds kinds,
                                        const std::vector<OverlapTesterInfo>& testers,
                                        const NarrowOptions& options);

}  // namespace vicinity::bench
