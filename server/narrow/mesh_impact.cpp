// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/mesh_impact.h"

#include "geometry/primitive_bounds.h"
#include "narrow/mesh_walk.h"

namespace vicinity::narrow {
namespace {

Primitive box_as_primitive(const Aabb& box) {
  return box_primitive((box.max - box.min) * (0.5 + 0x1p-50), {centre(box), {}});
}

/// A box that contains all places, in the mesh's own frame, that the shape comes to while both
/// move. First the shape's path as seen from the mesh's position, along its axes at the start; then
/// turned back by all that the mesh turns; then into the frame of its offset.
Aabb reach_in_mesh(const Primitive& shape, const Path& path, const Primitive& mesh,
                   const Path& mesh_path) {
  const Quat back = conjugate(mesh_path.start.rotation);
  const Vec3 start = path.start.position - mesh_path.start.position;
  const Vec3 end = path.end.position - mesh_path.end.position;
  const Path relative = {{rotate(back, start), back * path.start.rotation},
                         {rotate(back, end), back * path.end.rotation},
                         rotate(back, path.rotation_vector)};
  Aabb box = box_around_path(shape, relative);
  if (!(mesh_path.rotation_vector == Vec3{})) {
    const Vec3 turning = negated(rotate(back, mesh_path.rotation_vector));
    const Path turn = {{}, {{}, from_rotation_vector(turning)}, turning};
    box = box_around_path(box_as_primitive(box), turn);
  }
  if (mesh.offset == Pose{}) return box;
  return box_around(box_as_primitive(box), inverse(mesh.offset));
}

/// Roundings of the way into the mesh's frame.
Aabb grown(const Aabb& box) {
  const double by_m = 0x1p-46 * (largest_component(box.min) + largest_component(box.max));
  return {box.min - Vec3{by_m, by_m, by_m}, box.max + Vec3{by_m, by_m, by_m}};
}

/// Whether the middle of the other one moves against the front of the triangle at time t.
bool moves_against_front(const Mover& other, const Mover& triangle, double t) {
  const Pose pose = pose_at(triangle.path(), t);
  const Pose other_pose = pose_at(other.path(), t);
  const PlacedCore placed = triangle.placed(pose, pose.position);
  const PlacedCore other_placed = other.placed(other_pose, pose.position);
  const Vec3 from_other = pose.position - other_pose.position;
  const Vec3 velocity =
      other.velocity_at(middle(other_placed) + from_other) - triangle.velocity_at(middle(placed));
  return dot(velocity, cross(placed.corners[1], placed.corners[2])) < 0;
}

/// The earliest of impacts, each looked for only until the best so far.
class Earliest {
 public:
  explicit Earliest(const ImpactPrecision& precision) : precision_(precision) {}

  void offer(const Mover& other, bool other_one_sided, const Mover& triangle, bool one_sided) {
    const double until = best_ ? best_->toi : 1;
    const std::optional<Advance> found =
        advance(other, triangle, precision_.tolerance_m, precision_.iterations_max, until);
    if (!found || (best_ && found->toi >= best_->toi)) return;
    if (one_sided && !moves_against_front(other, triangle, found->toi)) return;
    if (other_one_sided && !moves_against_front(triangle, other, found->toi)) return;
    best_ = found;
  }
  const std::optional<Advance>& best() const { return best_; }

 private:
  const ImpactPrecision& precision_;
  std::optional<Advance> best_;
};

template <class Visit>
void for_reached_triangles(const Primitive& shape, const Path& path, const Primitive& mesh,
                           const Path& mesh_path, const Visit& visit) {
  const Aabb reach = grown(reach_in_mesh(shape, path, mesh, mesh_path));
  any_triangle(
      *mesh.mesh, [&reach](const Aabb& node) { return touches(node, reach); },
      [&visit](std::uint32_t triangle) {
        visit(triangle);
        return false;
      });
}

Aabb box_of(const std::array<Vec3, 3>& corners) {
  return merge(merge({corners[0], corners[0]}, {corners[1], corners[1]}), {corners[2], corners[2]});
}

}  // namespace

std::optional<Advance> mesh_impact(const Primitive& shape, const Path& path, const Primitive& mesh,
                                   const Path& mesh_path, const ImpactPrecision& precision) {
  Earliest earliest(precision);
  const bool one_sided = !mesh.mesh->two_sided();
  const auto against_mesh = [&](const Mover& mover, const Primitive& around, bool shape_one_sided) {
    for_reached_triangles(around, path, mesh, mesh_path, [&](std::uint32_t triangle) {
      earliest.offer(mover, shape_one_sided, Mover(mesh, triangle, mesh_path), one_sided);
    });
  };
  if (shape.kind != PrimitiveKind::Mesh) {
    against_mesh(Mover(shape, path), shape, false);
    return earliest.best();
  }
  for_reached_triangles(mesh, mesh_path, shape, path, [&](std::uint32_t triangle) {
    const Mover mover(shape, triangle, path);
    against_mesh(mover, box_as_primitive(box_of(mover.corners())), !shape.mesh->two_sided());
  });
  return earliest.best();
}

}  // namespace vicinity::narrow
