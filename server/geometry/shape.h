// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Shapes of entities. Values; both rooms. Most entities are one sphere, one upright capsule or one
// box along the axes of the entity: these are *plain*, a few numbers. Everything else (turned
// parts, hulls, meshes, several parts) is a *compound*, which copies of the shape share.
//
// A plain box keeps its corners, not centre and half size, so that a caller who thinks in corners
// gets exactly those back; while its entity is not turned, its corners in the world are position +
// corner, rounded to the nearest, and that box is what it is (Form::Box).

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/vec.h"
#include "geometry/primitive.h"

namespace vicinity {

enum class ShapeKind : std::uint8_t {
  Sphere = 0,
  Capsule = 1,  ///< along its own y axis
  Box = 2,
  Hull = 3,
  Mesh = 4,
  Compound = 5,  ///< several parts
};

/// What is not plain. Immutable.
struct Compound {
  std::vector<Primitive> parts;  ///< 1 to limits::shape_parts_max
  Aabb local;                    ///< around all parts, relative to the entity's origin, not turned
  double thickness_m = 0;        ///< of the thinnest part; a mesh has none
  double reach_m = 0;            ///< farthest point from the entity's origin, rounded up
  std::uint64_t digest = 0;      ///< of the parts; the same for the same parts on every machine
};
/// Parts must be valid (wire/decode sees to it) and at least one.
std::shared_ptr<const Compound> make_compound(std::vector<Primitive> parts);

/// A shape relative to the entity's origin, metres. Build one with the functions below.
/// Zero sizes are legal: a sphere of radius 0 is a point.
struct Shape {
  ShapeKind kind = ShapeKind::Box;
  // Of a plain shape only:
  double radius_m = 0;       ///< sphere, capsule
  double half_height_m = 0;  ///< capsule: half the distance between the two centres, along y
  Vec3 offset;               ///< sphere, capsule: centre, from the entity's origin
  Vec3 box_min;              ///< box: exact local corners
  Vec3 box_max;
  /// Null for a plain shape.
  std::shared_ptr<const Compound> compound = nullptr;

  static Shape sphere(double radius_m, Vec3 offset = {}) {
    return {ShapeKind::Sphere, radius_m, 0, offset, {}, {}};
  }
  static Shape capsule(double radius_m, double half_height_m, Vec3 offset = {}) {
    return {ShapeKind::Capsule, radius_m, half_height_m, offset, {}, {}};
  }
  static Shape box(Vec3 half_extent_m, Vec3 offset = {}) {
    return {ShapeKind::Box, 0, 0, {}, offset - half_extent_m, offset + half_extent_m};
  }
  static Shape box_corners(Vec3 min, Vec3 max) { return {ShapeKind::Box, 0, 0, {}, min, max}; }
  /// Any parts. One sphere, or one capsule or box that is not turned, becomes plain. Of none, or of
  /// more than limits::shape_parts_max, it is a value that every server refuses.
  static Shape of_parts(std::vector<Primitive> parts);

  bool is_plain() const { return compound == nullptr; }
  /// Equal numbers, or the very same compound.
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// A plain shape as a primitive.
Primitive primitive_of(const Shape& shape);

/// Calls `use(const Primitive&)` for every part, in their order.
template <class Use>
void for_each_part(const Shape& shape, const Use& use) {
  if (shape.is_plain()) {
    use(primitive_of(shape));
  } else {
    for (const Primitive& part : shape.compound->parts) use(part);
  }
}

/// The same part seen from the frame that its entity stands in at that pose.
Primitive in_frame(const Primitive& part, const Pose& frame);

/// Box around the shape relative to the entity's origin, not turned.
inline Aabb local_box(const Shape& shape) {
  if (!shape.is_plain()) return shape.compound->local;
  if (shape.kind == ShapeKind::Box) return {shape.box_min, shape.box_max};
  const double r = shape.radius_m;
  const double h = shape.kind == ShapeKind::Capsule ? r + shape.half_height_m : r;
  return {shape.offset - Vec3{r, h, r}, shape.offset + Vec3{r, h, r}};
}

/// Box around the shape of a turned entity relative to its origin; contains it.
Aabb turned_box(const Shape& shape, const Quat& rotation);
/// Contains the shape at every instant of the path; `frame`: where its entity is in what moves
/// along the path.
Aabb swept_box(const Shape& shape, const Path& path, const Pose& frame = {});

/// Of the thinnest part: a shape that moves less against another cannot pass through it unseen.
double thickness_m(const Shape& shape);
/// Farthest point of the shape from the entity's origin, rounded up.
double reach_m(const Shape& shape);

}  // namespace vicinity
