// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Distance of two convex cores from their support points: the algorithm of Gilbert, Johnson and
// Keerthi (1988) with the closest point of a simplex by its Voronoi regions (Ericson 2005, 5.1).
// Pure, no state between calls, never fails: what rounding leaves open is called Unsure, and its
// caller asks the separating axes.
//
// Rejected: libccd 2.1 and FCL 0.7 on top of it. On random pairs, most of them nearly touching and
// scaled to size 1 (5 000 to 20 000 for each of ten combinations; 2026-11-30), libccd's GJK missed
// overlaps as deep as 5e-4, a quarter of all pairs with a round shape; its MPR called hulls that
// are 1.3e-8 apart overlapping (222 of 5 000 pairs); FCL missed overlaps as deep as 9e-7 (a quarter
// of the pairs of capsules, boxes and hulls), distances were off by up to 4e-5, and flat shapes end
// the process with a failed assertion. Here: no wrong overlap at a gap above 1e-14, distances off
// by 2e-12 at the most.

#include <cstdint>

#include "narrow/placed_core.h"

namespace vicinity::narrow {

enum class Verdict : std::uint8_t {
  Separated,  ///< a plane with room on both sides lies between the two
  Inside,     ///< they share more than a surface
  Unsure,     ///< closer to touching than `unsure_part` of their size
};
inline constexpr double unsure_part = 1e-12;

struct ClosestCores {
  Verdict verdict = Verdict::Unsure;
  double distance_m = 0;  ///< between on_a and on_b; 0 when the origin was found inside
  Vec3 on_a;              ///< points of the cores, the closest when Separated
  Vec3 on_b;
  Vec3 normal;  ///< unit, from a to b; only good when Separated
};

/// Stops early, with a distance that is too large or a bound that is too small, as soon as it is
/// sure that the distance is below or above `decide_at_m` when that is not negative: then only
/// `distance_m < decide_at_m` means anything.
ClosestCores closest_by_gjk(const PlacedCore& a, const PlacedCore& b, double decide_at_m = -1);

}  // namespace vicinity::narrow
