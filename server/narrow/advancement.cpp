// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/advancement.h"

#include <algorithm>

#include "narrow/convex_tests.h"
#include "narrow/polytope.h"
#include "narrow/shape_tests.h"

namespace vicinity::narrow {
namespace {

/// Of the farthest corner of a core, placed with the entity's origin at 0, from an axis through it.
double swing_of(const PlacedCore& placed, Vec3 rotation_vector) {
  if (rotation_vector == Vec3{}) return 0;
  const Vec3 axis = unit_or(rotation_vector, {});
  const Polytope corners(placed);
  double most = 0;
  for (const Vec3 vertex : corners.vertices())
    most = std::max(most, length_squared(cross(axis, vertex)));
  return std::sqrt(most) * (1 + 0x1p-46);
}

bool found_overlapping(const Mover& a, const Pose& pose_a, const Mover& b, const Pose& pose_b,
                       const PlacedCore& placed_a, const PlacedCore& placed_b) {
  if (a.solid() != nullptr && b.solid() != nullptr)
    return overlaps(*a.solid(), pose_a, *b.solid(), pose_b);
  return overlap(placed_a, placed_b);
}

}  // namespace

Mover::Mover(const Primitive& solid, const Path& path)
    : solid_(&solid), path_(&path), velocity_(path.end.position - path.start.position) {
  swing_m_ = swing_of(place(solid, {}, path.start.rotation), path.rotation_vector);
}

Mover::Mover(const Primitive& mesh, std::uint32_t triangle, const Path& path)
    : path_(&path),
      corners_(mesh.mesh->corners(triangle)),
      velocity_(path.end.position - path.start.position) {
  for (Vec3& corner : corners_) corner = apply(mesh.offset, corner);
  swing_m_ = swing_of(placed({{}, path.start.rotation}, {}), path.rotation_vector);
}

PlacedCore Mover::placed(const Pose& pose, Vec3 origin) const {
  const Vec3 way = pose.position - origin;
  if (solid_ != nullptr) return place(*solid_, way, pose.rotation);
  std::array<Vec3, 3> turned = corners_;
  for (Vec3& corner : turned) corner = way + rotate(pose.rotation, corner);
  return place_triangle(turned);
}

double Mover::speed_along(Vec3 normal) const {
  return dot(velocity_, normal) + length(cross(path_->rotation_vector, normal)) * swing_m_;
}

Vec3 Mover::velocity_at(Vec3 point) const {
  return velocity_ + cross(path_->rotation_vector, point);
}

std::optional<Advance> advance(const Mover& a, const Mover& b, double tolerance_m,
                               int iterations_max, double until) {
  double t = 0;
  for (int i = 0; i < iterations_max; ++i) {
    const Pose pose_a = pose_at(a.path(), t);
    const Pose pose_b = pose_at(b.path(), t);
    const PlacedCore placed_a = a.placed(pose_a, pose_a.position);
    const PlacedCore placed_b = b.placed(pose_b, pose_a.position);
    if (found_overlapping(a, pose_a, b, pose_b, placed_a, placed_b)) return Advance{t, false};
    if (t >= until) return std::nullopt;
    const SurfaceGap gap = gap_between(placed_a, placed_b);
    const double approach_m = a.speed_along(gap.normal) + b.speed_along(negated(gap.normal));
    // Nothing comes nearer. The end is looked at nevertheless: it must agree with overlaps().
    if (approach_m <= 0)
      t = until;
    else
      t = std::min(until, t + std::max(gap.distance_m, tolerance_m) / approach_m);
  }
  return Advance{t, true};
}

}  // namespace vicinity::narrow
