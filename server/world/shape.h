// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Shapes of entities. Values; both rooms. In this version shapes keep the world's axes (no
// rotation), a capsule stands along y, and every stage reads a shape through its tight box.

#include <cstdint>

#include "base/aabb.h"
#include "base/vec.h"

namespace vicinity {

enum class ShapeKind : std::uint8_t { Sphere = 0, Capsule = 1, Box = 2 };

/// A shape relative to the entity's origin, metres. Build one with the functions below.
/// Zero sizes are legal: a sphere of radius 0 is a point.
struct Shape {
  ShapeKind kind = ShapeKind::Box;
  double radius_m = 0;       ///< sphere, capsule
  double half_height_m = 0;  ///< capsule: half the distance between the two centres, along y
  Vec3 offset;               ///< sphere, capsule: centre, from the entity's origin
  /// Box: exact local corners. Kept as corners, not as centre and half size, so that a caller who
  /// thinks in corners gets exactly those back.
  Vec3 box_min;
  Vec3 box_max;

  static constexpr Shape sphere(double radius_m, Vec3 offset = {}) {
    return {ShapeKind::Sphere, radius_m, 0, offset, {}, {}};
  }
  static constexpr Shape capsule(double radius_m, double half_height_m, Vec3 offset = {}) {
    return {ShapeKind::Capsule, radius_m, half_height_m, offset, {}, {}};
  }
  static constexpr Shape box(Vec3 half_extent_m, Vec3 offset = {}) {
    return {ShapeKind::Box, 0, 0, {}, offset - half_extent_m, offset + half_extent_m};
  }
  static constexpr Shape box_corners(Vec3 min, Vec3 max) {
    return {ShapeKind::Box, 0, 0, {}, min, max};
  }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// Box around the shape relative to the entity's origin.
constexpr Aabb local_box(const Shape& shape) {
  if (shape.kind == ShapeKind::Box) return {shape.box_min, shape.box_max};
  const double r = shape.radius_m;
  const double h = shape.kind == ShapeKind::Capsule ? r + shape.half_height_m : r;
  return {shape.offset - Vec3{r, h, r}, shape.offset + Vec3{r, h, r}};
}

/// The tight box: around the shape of an entity whose origin is at `position`.
constexpr Aabb tight_box(const Shape& shape, Vec3 position) {
  const Aabb local = local_box(shape);
  return {position + local.min, position + local.max};
}

}  // namespace vicinity
