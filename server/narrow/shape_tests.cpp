// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/shape_tests.h"

#include <algorithm>

#include "geometry/primitive_bounds.h"
#include "narrow/mesh_tests.h"
#include "narrow/pair_order.h"
#include "narrow/quick_overlap.h"

namespace vicinity {
namespace {

using narrow::Penetration;
using narrow::PlacedCore;
using narrow::PlacedMesh;
using narrow::SurfaceGap;

/// Two shapes in the order of comes_first, so that a mesh is never before anything else.
struct Pair {
  const Primitive* a;
  const Primitive* b;
  const Pose* pose_a;
  const Pose* pose_b;
  bool swapped;

  Vec3 origin() const { return pose_a->position; }
  PlacedCore core_a() const { return narrow::place(*a, {}, pose_a->rotation); }
  PlacedCore core_b() const { return narrow::place(*b, way(), pose_b->rotation); }
  PlacedMesh mesh_a() const { return narrow::place_mesh(*a, {}, pose_a->rotation); }
  PlacedMesh mesh_b() const { return narrow::place_mesh(*b, way(), pose_b->rotation); }

 private:
  Vec3 way() const { return pose_b->position - pose_a->position; }
};

Pair in_order(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b) {
  if (narrow::comes_first(b, pose_b, a, pose_a)) return {&b, &a, &pose_b, &pose_a, true};
  return {&a, &b, &pose_a, &pose_b, false};
}

/// What can be asked of a pair, for one combination of solids and meshes.
struct Tests {
  bool (*overlap)(const Pair&);
  SurfaceGap (*gap)(const Pair&);
  std::optional<Penetration> (*penetration)(const Pair&);
};

constexpr Tests solid_solid = {
    [](const Pair& pair) { return narrow::overlap(pair.core_a(), pair.core_b()); },
    [](const Pair& pair) { return narrow::gap_between(pair.core_a(), pair.core_b()); },
    [](const Pair& pair) -> std::optional<Penetration> {
      return narrow::penetration_of(pair.core_a(), pair.core_b());
    }};
constexpr Tests solid_mesh = {
    [](const Pair& pair) { return narrow::overlap(pair.core_a(), pair.mesh_b()); },
    [](const Pair& pair) { return narrow::gap_between(pair.core_a(), pair.mesh_b()); },
    [](const Pair& pair) { return narrow::penetration_of(pair.core_a(), pair.mesh_b()); }};
constexpr Tests mesh_mesh = {
    [](const Pair& pair) { return narrow::overlap(pair.mesh_a(), pair.mesh_b()); },
    [](const Pair& pair) { return narrow::gap_between(pair.mesh_a(), pair.mesh_b()); },
    [](const Pair& pair) { return narrow::penetration_of(pair.mesh_a(), pair.mesh_b()); }};

const Tests& tests_of(const Pair& pair) {
  if (pair.b->kind != PrimitiveKind::Mesh) return solid_solid;
  return pair.a->kind != PrimitiveKind::Mesh ? solid_mesh : mesh_mesh;
}

bool is_unturned_box(const Primitive& primitive, const Pose& pose) {
  return primitive.kind == PrimitiveKind::Box && is_identity(pose.rotation) &&
         is_identity(primitive.offset.rotation);
}

bool boxes_overlap(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b) {
  return overlaps(box_around(a, pose_a), box_around(b, pose_b));
}

}  // namespace

bool overlaps(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b) {
  const bool box_a = is_unturned_box(a, pose_a);
  const bool box_b = is_unturned_box(b, pose_b);
  if (box_a && box_b) return boxes_overlap(a, pose_a, b, pose_b);
  if (const auto sure = narrow::quick_overlap(a, pose_a, b, pose_b)) return *sure;
  const Pair pair = in_order(a, pose_a, b, pose_b);
  // Boxes last: they cost as much as the test itself, and only after a yes do they matter.
  return tests_of(pair).overlap(pair) && boxes_overlap(a, pose_a, b, pose_b);
}

std::optional<ContactGeometry> contact(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                       const Pose& pose_b) {
  if (!overlaps(a, pose_a, b, pose_b)) return std::nullopt;
  const Pair pair = in_order(a, pose_a, b, pose_b);
  std::optional<Penetration> deep = tests_of(pair).penetration(pair);
  // Meshes: the mesh was found to overlap above, by the same test of the same triangles.
  CHECK(deep.has_value());
  if (pair.swapped) deep->normal = negated(deep->normal);
  return ContactGeometry{pair.origin() + deep->point, deep->normal, std::max(0.0, deep->depth_m)};
}

ShapeDistance distance(const Primitive& a, const Pose& pose_a, const Primitive& b,
                       const Pose& pose_b) {
  if (const std::optional<ContactGeometry> deep = contact(a, pose_a, b, pose_b))
    return {0, deep->point, deep->point, deep->normal};
  const Pair pair = in_order(a, pose_a, b, pose_b);
  SurfaceGap gap = tests_of(pair).gap(pair);
  if (pair.swapped) {
    std::swap(gap.on_a, gap.on_b);
    gap.normal = negated(gap.normal);
  }
  return {gap.distance_m, pair.origin() + gap.on_a, pair.origin() + gap.on_b, gap.normal};
}

double distance_to_point(const Primitive& primitive, const Pose& pose, Vec3 point) {
  const PlacedCore at_point = narrow::place(sphere_primitive(0), {}, {});
  const Vec3 way = pose.position - point;
  if (primitive.kind == PrimitiveKind::Mesh)
    return narrow::gap_between(at_point, narrow::place_mesh(primitive, way, pose.rotation))
        .distance_m;
  return narrow::gap_between(at_point, narrow::place(primitive, way, pose.rotation)).distance_m;
}

}  // namespace vicinity
