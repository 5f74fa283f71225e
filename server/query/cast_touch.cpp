// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/cast_touch.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "narrow/convex_tests.h"
#include "narrow/mesh_tests.h"
#include "narrow/mesh_walk.h"
#include "narrow/shape_tests.h"

namespace vicinity {
namespace {

using narrow::PlacedCore;
using narrow::PlacedMesh;

/// A touch in the frame of the mesh, and how far apart the two are: negative when they overlap.
struct TriangleTouch {
  double gap_m = 0;
  Touch touch;
};

TriangleTouch touch_triangle(const PlacedCore& moving, const PlacedCore& triangle) {
  if (!narrow::overlap(moving, triangle)) {
    const narrow::SurfaceGap gap = narrow::gap_between(moving, triangle);
    return {gap.distance_m, {gap.on_b, negated(gap.normal)}};
  }
  const narrow::Penetration deep = narrow::penetration_of(moving, triangle);
  return {-deep.depth_m, {deep.point, negated(deep.normal)}};
}

/// In the frame whose origin is the position of the moving shape.
std::optional<Touch> touch_front(const PlacedCore& moving, Vec3 delta, const PlacedMesh& mesh) {
  const PlacedCore local = narrow::in_frame(moving, mesh.axes, mesh.centre);
  const Vec3 local_delta = transposed_times(mesh.axes, delta);
  std::optional<TriangleTouch> best;
  narrow::nearest_triangles(mesh.mesh, narrow::box_around(local), [&](std::uint32_t triangle) {
    const TriangleMesh::Corners corners = mesh.mesh.corners(triangle);
    const Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    if (dot(normal, local_delta) < 0) {
      const TriangleTouch found = touch_triangle(local, narrow::place_triangle(corners));
      if (!best || found.gap_m < best->gap_m) best = found;
    }
    const double beyond_m = best ? std::max(best->gap_m, 0.0) : 0;
    return best ? beyond_m * beyond_m : std::numeric_limits<double>::infinity();
  });
  if (!best) return std::nullopt;
  return Touch{mesh.centre + mesh.axes * best->touch.point, mesh.axes * best->touch.normal};
}

}  // namespace

Touch cast_touch(const Primitive& moving, const Pose& pose, Vec3 delta, const Primitive& target,
                 const Pose& target_pose) {
  if (target.kind == PrimitiveKind::Mesh && !target.mesh->two_sided()) {
    const PlacedCore core = narrow::place(moving, {}, pose.rotation);
    const Vec3 way = target_pose.position - pose.position;
    const PlacedMesh mesh = narrow::place_mesh(target, way, target_pose.rotation);
    if (auto front = touch_front(core, delta, mesh))
      return {pose.position + front->point, front->normal};
  }
  const ShapeDistance gap = distance(moving, pose, target, target_pose);
  return {gap.on_b, negated(gap.normal)};
}

}  // namespace vicinity
