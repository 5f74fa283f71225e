// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The shape of an entity. A value that is cheap to copy: hulls and meshes are shared and never
// change. Any room.

#include <cstdint>
#include <memory>

#include "geometry/convex_hull.h"
#include "geometry/pose.h"
#include "geometry/triangle_mesh.h"

namespace vicinity {

enum class PrimitiveKind : std::uint8_t { Sphere = 0, Capsule = 1, Box = 2, Hull = 3, Mesh = 4 };
inline constexpr std::size_t primitive_kind_count = 5;

/// A shape relative to the entity's origin, metres. Build one with the functions below. Zero sizes
/// are legal for sphere, capsule and box: a sphere of radius 0 is a point.
/// Invariant: `hull` is there for a Hull, `mesh` for a Mesh; sizes are finite and >= 0.
struct Primitive {
  PrimitiveKind kind = PrimitiveKind::Sphere;
  double radius_m = 0;       ///< sphere, capsule
  double half_height_m = 0;  ///< capsule: half the distance between the two centres, along local y
  Vec3 half_extent_m;        ///< box
  Pose offset;               ///< of the shape's frame from the entity's origin
  std::shared_ptr<const ConvexHull> hull;
  std::shared_ptr<const TriangleMesh> mesh;
};

inline Primitive sphere_primitive(double radius_m, Vec3 offset = {}) {
  return {PrimitiveKind::Sphere, radius_m, 0, {}, {offset, {}}, nullptr, nullptr};
}
inline Primitive capsule_primitive(double radius_m, double half_height_m, const Pose& offset = {}) {
  return {PrimitiveKind::Capsule, radius_m, half_height_m, {}, offset, nullptr, nullptr};
}
inline Primitive box_primitive(Vec3 half_extent_m, const Pose& offset = {}) {
  return {PrimitiveKind::Box, 0, 0, half_extent_m, offset, nullptr, nullptr};
}
inline Primitive hull_primitive(std::shared_ptr<const ConvexHull> hull, const Pose& offset = {}) {
  return {PrimitiveKind::Hull, 0, 0, {}, offset, std::move(hull), nullptr};
}
inline Primitive mesh_primitive(std::shared_ptr<const TriangleMesh> mesh, const Pose& offset = {}) {
  return {PrimitiveKind::Mesh, 0, 0, {}, offset, nullptr, std::move(mesh)};
}

}  // namespace vicinity
