// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Overlap, distance and contact of two placed cores with their radii. Pure.
//
// Overlap means that there is no plane with one on each side: the interiors meet, touching is not
// enough. For two shapes without volume that is decided as for boxes in base/aabb.h: a segment
// that crosses a plate overlaps it, one that lies in it does not, and neither do two segments.

#include "narrow/gjk.h"
#include "narrow/placed_core.h"

namespace vicinity::narrow {

/// Closest points of the cores alone. Points, segments and boxes (but for box and box) in closed
/// form, with `distance_m` 0 and Unsure when the cores meet; all others by GJK.
ClosestCores closest_cores(const PlacedCore& a, const PlacedCore& b);

/// Good to 1e-12 of the sizes of the cores; see the tests for what was measured.
bool overlap(const PlacedCore& a, const PlacedCore& b);

/// Between the surfaces. 0 when they overlap or touch.
struct SurfaceGap {
  double distance_m = 0;
  Vec3 on_a;  ///< the same as on_b when distance_m is 0
  Vec3 on_b;
  Vec3 normal;  ///< unit, from a to b
};
SurfaceGap gap_between(const PlacedCore& a, const PlacedCore& b);

struct Penetration {
  Vec3 point;          ///< in the middle of what the two share, along the normal
  Vec3 normal;         ///< unit, from a to b
  double depth_m = 0;  ///< moving b by that much along the normal parts them; negative: a gap
};
/// Expects two that overlap, or touch.
Penetration penetration_of(const PlacedCore& a, const PlacedCore& b);

}  // namespace vicinity::narrow
