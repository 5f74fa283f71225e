// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The faces and edges of the convex hull of at most 64 points. Only for ConvexHull. Pure.
//
// Every triple of points spans a plane; those with all points on one side (up to a tolerance) are
// faces, and the set of points in the plane, 64 bits, is the name of the face. That is slower than
// an incremental hull and has no order of insertion that rounding could turn into another result.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "geometry/convex_hull.h"

namespace vicinity {

struct HullFace {
  Plane plane;
  std::uint64_t points = 0;           ///< bit per point in the plane
  std::vector<std::uint8_t> corners;  ///< counter-clockwise as seen from outside
};

/// Faces in ascending order of their triples; nothing when they do not close up to a polytope with
/// two faces at each edge (the roundings of the points are about as large as the tolerance).
/// `points` are distinct and not all in a plane.
std::optional<std::vector<HullFace>> find_hull_faces(std::span<const Vec3> points,
                                                     double tolerance_m);

}  // namespace vicinity
