// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/placed_core.h"

#include <algorithm>

#include "base/check.h"

namespace vicinity::narrow {
namespace {

double with_sign_of(double size, double sign) { return sign < 0 ? -size : size; }

Vec3 farthest_of(std::span<const Vec3> points, Vec3 direction) {
  std::size_t best = 0;
  double most = dot(points[0], direction);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double along = dot(points[i], direction);
    if (along > most) {
      most = along;
      best = i;
    }
  }
  return points[best];
}

}  // namespace

PlacedCore place(const Primitive& primitive, Vec3 position, const Quat& rotation) {
  CHECK(primitive.kind != PrimitiveKind::Mesh);
  PlacedCore placed;
  placed.radius_m = primitive.radius_m;
  placed.centre = position + rotate(rotation, primitive.offset.position);
  if (primitive.kind == PrimitiveKind::Sphere) return placed;
  placed.axes = matrix_of(rotation) * matrix_of(primitive.offset.rotation);
  if (primitive.kind == PrimitiveKind::Hull) {
    placed.core = Core::Hull;
    placed.hull = primitive.hull.get();
    placed.size_m =
        length(absolute(placed.hull->box().min)) + length(absolute(placed.hull->box().max));
    return placed;
  }
  const bool capsule = primitive.kind == PrimitiveKind::Capsule;
  placed.half_extent_m = capsule ? Vec3{0, primitive.half_height_m, 0} : primitive.half_extent_m;
  placed.size_m = length(placed.half_extent_m);
  if (placed.half_extent_m == Vec3{}) return placed;  // a point
  placed.core = capsule ? Core::Segment : Core::Box;
  return placed;
}

PlacedCore place_triangle(const std::array<Vec3, 3>& corners) {
  PlacedCore placed;
  placed.core = Core::Triangle;
  placed.centre = corners[0];
  placed.corners = {Vec3{}, corners[1] - corners[0], corners[2] - corners[0]};
  placed.size_m = std::max(length(placed.corners[1]), length(placed.corners[2]));
  return placed;
}

PlacedCore in_frame(const PlacedCore& placed, const Mat3& axes, Vec3 centre) {
  PlacedCore out = placed;
  out.centre = transposed_times(axes, placed.centre - centre);
  out.axes = transposed_times(axes, placed.axes);
  if (placed.core == Core::Triangle)
    for (Vec3& corner : out.corners) corner = transposed_times(axes, corner);
  return out;
}

Vec3 support(const PlacedCore& placed, Vec3 direction) {
  switch (placed.core) {
    case Core::Point: return placed.centre;
    case Core::Segment:
      return placed.centre +
             placed.axes.y * with_sign_of(placed.half_extent_m.y, dot(placed.axes.y, direction));
    case Core::Box: {
      const Vec3 local = transposed_times(placed.axes, direction);
      return placed.centre + placed.axes * Vec3{with_sign_of(placed.half_extent_m.x, local.x),
                                                with_sign_of(placed.half_extent_m.y, local.y),
                                                with_sign_of(placed.half_extent_m.z, local.z)};
    }
    case Core::Hull:
      return placed.centre + placed.axes * farthest_of(placed.hull->vertices(),
                                                       transposed_times(placed.axes, direction));
    case Core::Triangle: return placed.centre + farthest_of(placed.corners, direction);
  }
  CHECK(false);
}

Vec3 middle(const PlacedCore& placed) {
  if (placed.core == Core::Hull) return placed.centre + placed.axes * placed.hull->middle();
  if (placed.core == Core::Triangle)
    return placed.centre + (placed.corners[1] + placed.corners[2]) * (1.0 / 3);
  return placed.centre;
}

Aabb box_around(const PlacedCore& placed) {
  Aabb box;
  const double error_m = 0x1p-46 * (largest_component(placed.centre) + placed.size_m);
  const double grow_m = placed.radius_m * (1 + 0x1p-50) + error_m;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction;
    direction[axis] = 1;
    box.max[axis] = support(placed, direction)[axis] + grow_m;
    box.min[axis] = support(placed, negated(direction))[axis] - grow_m;
  }
  return box;
}

}  // namespace vicinity::narrow
