// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A ray against one shape. Pure; tick room and queries.

#include <optional>

#include "geometry/primitive.h"
#include "narrow/placed_core.h"

namespace vicinity {

struct RayHit {
  double fraction = 0;  ///< of delta
  Vec3 point;           ///< world
  /// Unit, of the surface that is hit, on the side that the ray comes from; against the ray where
  /// it starts inside.
  Vec3 normal;
};

/// First place where the ray origin + t delta, 0 <= t < fraction_max, goes into the shape. Solids
/// are open: a ray that grazes the surface, or ends on it, hits nothing, and shapes without an
/// inside (a point, a plate) are never hit. It starts strictly inside: fraction 0. On the surface:
/// 0 if it goes in. A mesh is hit where the ray passes through a triangle from its front, or from
/// either side when it is two-sided; edges and corners belong to the triangles, so that none slips
/// through between two. A two-sided triangle that the ray starts on is not hit.
/// Positions are subtracted first. A delta of zero hits what it is inside of.
std::optional<RayHit> ray_cast(const Primitive& primitive, const Pose& pose, Vec3 origin,
                               Vec3 delta, double fraction_max = 1);

namespace narrow {

struct CoreRayHit {
  double fraction = 0;
  Vec3 normal;
};
/// The same for a point, segment, box or hull and its radius (none around box and hull).
std::optional<CoreRayHit> ray_cast(const PlacedCore& placed, Vec3 origin, Vec3 delta,
                                   double fraction_max);

}  // namespace narrow
}  // namespace vicinity
