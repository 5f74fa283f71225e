// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// When two shapes meet on their paths during a tick. Pure; tick room and queries.

#include "geometry/primitive.h"

namespace vicinity {

struct ImpactPrecision {
  double tolerance_m = 1e-4;  ///< positive
  int iterations_max = 64;    ///< steps of the advancement, for each pair of convex shapes
};

struct TimeOfImpact {
  bool hit = false;
  bool capped = false;  ///< the steps were used up: they may have met at toi, not before
  double toi = 0;       ///< fraction of the tick, [0, 1]
  Pose pose_a;          ///< at toi
  Pose pose_b;
};

/// First moment at which overlaps() holds, as follows.
/// - They overlap at the start: 0. They overlap at the end: certainly a hit.
/// - Without rotation: spheres and capsules with spheres in closed form, two boxes exactly as by
///   first_overlap() (narrow/contacts.h).
/// - All others by conservative advancement: at toi they overlap, by no more than tolerance_m; an
///   overlap that is never deeper than tolerance_m may go unnoticed. When iterations_max steps did
///   not decide, hit and capped are set, and toi is how far it was clear that they do not meet.
/// - With a and b exchanged the answer is the same, bit for bit.
/// - One-sided meshes are hit where a shape moves against the front of a triangle; what came in
///   from behind counts when it still overlaps at the end, at 1.
TimeOfImpact time_of_impact(const Primitive& a, const Path& path_a, const Primitive& b,
                            const Path& path_b, const ImpactPrecision& precision = {});

}  // namespace vicinity
