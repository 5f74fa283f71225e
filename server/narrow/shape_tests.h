// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The exact tests of two shapes at rest, all kinds against all. Pure, no state between calls, never
// fails; tick room and queries.
//
// Positions are subtracted before anything else, so that results far from the world's origin are as
// exact as positions are, and moving both by the same representable amount changes nothing (but for
// boxes without rotation whose corners are no longer representable: see box_around). Every answer
// is the same bit for bit when a and b change places, with normal and points turned around.

#include <optional>

#include "geometry/primitive.h"

namespace vicinity {

/// The touch rule: interiors meet, touching is not overlapping; a point overlaps when it is
/// strictly inside. Two boxes without rotation: exactly the comparison of corners (base/aabb.h).
/// All others: nothing overlaps whose boxes (box_around) do not, and the answer may be wrong only
/// where gap or depth is below 1e-12 of the size of the shapes. A mesh is its surface: it
/// overlaps what one of its triangles cuts through, on both sides.
bool overlaps(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b);

struct ContactGeometry {
  Vec3 point;   ///< world
  Vec3 normal;  ///< unit, from a to b
  /// Moving one of the two by that much along the normal just parts them (of a mesh: it from the
  /// triangle that sits deepest). The least of all directions, but a face is preferred to two edges
  /// that are better by less than 1e-9 of the size. 0 where rounding leaves nothing else.
  double penetration_m = 0;
};
/// Nothing exactly when they do not overlap. Deeply overlapping hulls of 64 corners take 0.1 ms.
std::optional<ContactGeometry> contact(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                       const Pose& pose_b);

struct ShapeDistance {
  double distance_m = 0;  ///< 0 when they overlap or touch
  Vec3 on_a;              ///< world; the same point for both when distance_m is 0
  Vec3 on_b;
  Vec3 normal;  ///< unit, from a to b, also when they touch or overlap
};
ShapeDistance distance(const Primitive& a, const Pose& pose_a, const Primitive& b,
                       const Pose& pose_b);
/// From a point, 0 inside of a solid.
double distance_to_point(const Primitive& primitive, const Pose& pose, Vec3 point);

}  // namespace vicinity
