// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the exact tests work on: a convex core (point, segment, box, hull or triangle) placed in the
// frame of a pair, and a radius around it. A sphere is a point with a radius, a capsule a segment
// with one. Whether two overlap, how far apart they are and how deep they sit in one another are
// then questions about the cores, and the radii are added at the end. Pure; tick room and queries.
//
//      frame of a pair: axes of the world, origin at the position of the first entity, so that
//      places far from the world's origin cost no precision

#include <array>
#include <cstdint>

#include "base/aabb.h"
#include "geometry/primitive.h"

namespace vicinity::narrow {

enum class Core : std::uint8_t { Point = 0, Segment = 1, Box = 2, Hull = 3, Triangle = 4 };
inline constexpr std::size_t core_count = 5;

/// Does not own what `hull` points to.
struct PlacedCore {
  Core core = Core::Point;
  double radius_m = 0;
  double size_m = 0;   ///< no point of the core is farther from `centre`
  Vec3 centre;         ///< where the core's own origin is
  Mat3 axes;           ///< where its own axes point
  Vec3 half_extent_m;  ///< box; segment: along its y axis
  const ConvexHull* hull = nullptr;
  std::array<Vec3, 3> corners;  ///< triangle: from the centre, not along `axes`
};

/// Any shape but a mesh. `position` is that of the entity in the frame of the pair.
PlacedCore place(const Primitive& primitive, Vec3 position, const Quat& rotation);
/// A triangle given by its corners in the frame of the pair.
PlacedCore place_triangle(const std::array<Vec3, 3>& corners);

/// The same in a frame whose origin is at `centre` and whose axes are `axes`.
PlacedCore in_frame(const PlacedCore& placed, const Mat3& axes, Vec3 centre);

/// Point of the core (without the radius) that is farthest along `direction`; any length.
Vec3 support(const PlacedCore& placed, Vec3 direction);

/// Some point inside of the core.
Vec3 middle(const PlacedCore& placed);

/// Contains core and radius, rounding included.
Aabb box_around(const PlacedCore& placed);

}  // namespace vicinity::narrow
