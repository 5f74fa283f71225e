// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/mesh_tests.h"

#include <algorithm>
#include <limits>

#include "narrow/mesh_walk.h"

namespace vicinity::narrow {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

Vec3 to_pair(const PlacedMesh& mesh, Vec3 local) { return mesh.centre + mesh.axes * local; }

PlacedCore in_frame_of(const PlacedMesh& mesh, const PlacedCore& placed) {
  return in_frame(placed, mesh.axes, mesh.centre);
}

/// Box of all of mesh b in the frame of mesh a.
Aabb box_in_frame(const PlacedMesh& a, const PlacedMesh& b) {
  const Aabb& box = b.mesh.box();
  const Primitive solid = box_primitive((box.max - box.min) * (0.5 + 0x1p-50));
  PlacedCore placed = place(solid, to_pair(b, centre(box)), {});
  placed.axes = b.axes;
  return box_around(in_frame_of(a, placed));
}

/// The best of what triangles gave: the smallest measure, then the smallest number.
template <class Found>
struct Best {
  std::optional<Found> found;
  double measure = infinite;
  std::uint32_t triangle = 0;
  void offer(const Found& other, double other_measure, std::uint32_t number) {
    if (found && (other_measure > measure || (other_measure == measure && number > triangle)))
      return;
    found = other;
    measure = other_measure;
    triangle = number;
  }
};

template <class Gap>
SurfaceGap nearest(const TriangleMesh& mesh, const Aabb& box, const Gap& gap_of) {
  Best<SurfaceGap> best;
  nearest_triangles(mesh, box, [&best, &gap_of](std::uint32_t triangle) {
    const SurfaceGap gap = gap_of(triangle);
    best.offer(gap, gap.distance_m, triangle);
    return best.measure * best.measure;
  });
  return *best.found;
}

/// `deep_of` gives what is deep in a triangle, or nothing.
template <class Deep>
std::optional<Penetration> deepest(const TriangleMesh& mesh, const Aabb& box, const Deep& deep_of) {
  Best<Penetration> best;
  any_triangle(
      mesh, [&box](const Aabb& node) { return touches(node, box); },
      [&best, &deep_of](std::uint32_t triangle) {
        if (const std::optional<Penetration> deep = deep_of(triangle))
          best.offer(*deep, -deep->depth_m, triangle);
        return false;
      });
  return best.found;
}

template <class Test>
bool any_touched(const TriangleMesh& mesh, const Aabb& box, const Test& test) {
  return any_triangle(
      mesh, [&box](const Aabb& node) { return touches(node, box); }, test);
}

/// Room that rounding cannot use up, in parts of the sizes.
constexpr double apart_part = 1e-9;

/// Whether the plane of the triangle has all of the core on one side, with room for its radius.
bool apart_by_plane(const PlacedCore& core, const TriangleMesh::Corners& triangle, double room_m) {
  const Vec3 normal = cross(triangle[1] - triangle[0], triangle[2] - triangle[0]);
  const double low = dot(normal, support(core, negated(normal)) - triangle[0]);
  const double high = dot(normal, support(core, normal) - triangle[0]);
  const double gap = std::max({0.0, low, -high});  // times the length of the normal
  return gap * gap > room_m * room_m * length_squared(normal);
}

/// Whether one of the faces of a box has all of the triangle in front of it.
bool apart_by_faces(const PlacedCore& box, const TriangleMesh::Corners& triangle, double room_m) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = box.axes.axis(i);
    const double first = dot(axis, triangle[0] - box.centre);
    const double second = dot(axis, triangle[1] - box.centre);
    const double third = dot(axis, triangle[2] - box.centre);
    const double gap_m =
        std::max(std::min({first, second, third}), -std::max({first, second, third})) -
        box.half_extent_m[i];
    if (gap_m > room_m) return true;
  }
  return false;
}

/// What the exact test says, which is asked only when no simple plane lies in between. Most
/// triangles that the tree leaves over are beside what is looked at. `box`: around the core.
bool overlaps_triangle(const PlacedCore& core, const Aabb& box,
                       const TriangleMesh::Corners& triangle) {
  for (int axis = 0; axis < 3; ++axis) {
    const double a = triangle[0][axis], b = triangle[1][axis], c = triangle[2][axis];
    if (std::min({a, b, c}) > box.max[axis] || std::max({a, b, c}) < box.min[axis]) return false;
  }
  const PlacedCore placed = place_triangle(triangle);
  const double scale_m =
      core.radius_m + core.size_m + placed.size_m + largest_component(core.centre - triangle[0]);
  const double room_m = core.radius_m + apart_part * scale_m;
  if (apart_by_plane(core, triangle, room_m)) return false;
  if (core.core == Core::Box && apart_by_faces(core, triangle, room_m)) return false;
  if (core.core == Core::Triangle) {
    const Vec3 at = core.centre;
    const TriangleMesh::Corners corners = {at + core.corners[0], at + core.corners[1],
                                           at + core.corners[2]};
    if (apart_by_plane(placed, corners, room_m)) return false;
  }
  return overlap(core, placed);
}

}  // namespace

PlacedMesh place_mesh(const Primitive& primitive, Vec3 position, const Quat& rotation) {
  return {*primitive.mesh, matrix_of(rotation) * matrix_of(primitive.offset.rotation),
          position + rotate(rotation, primitive.offset.position)};
}

PlacedCore place_triangle(const PlacedMesh& mesh, std::uint32_t triangle) {
  std::array<Vec3, 3> corners = mesh.mesh.corners(triangle);
  for (Vec3& corner : corners) corner = to_pair(mesh, corner);
  return place_triangle(corners);
}

bool overlap(const PlacedCore& a, const PlacedMesh& b) {
  const PlacedCore local = in_frame_of(b, a);
  const Aabb box = box_around(local);
  return any_touched(b.mesh, box, [&local, &box, &b](std::uint32_t triangle) {
    return overlaps_triangle(local, box, b.mesh.corners(triangle));
  });
}
bool overlap(const PlacedMesh& a, const PlacedMesh& b) {
  return any_touched(a.mesh, box_in_frame(a, b), [&a, &b](std::uint32_t triangle) {
    return overlap(place_triangle(a, triangle), b);
  });
}

SurfaceGap gap_between(const PlacedCore& a, const PlacedMesh& b) {
  const PlacedCore local = in_frame_of(b, a);
  const auto gap_of = [&local, &b](std::uint32_t triangle) {
    return gap_between(local, place_triangle(b.mesh.corners(triangle)));
  };
  const SurfaceGap gap = nearest(b.mesh, box_around(local), gap_of);
  return {gap.distance_m, to_pair(b, gap.on_a), to_pair(b, gap.on_b), b.axes * gap.normal};
}
SurfaceGap gap_between(const PlacedMesh& a, const PlacedMesh& b) {
  return nearest(a.mesh, box_in_frame(a, b), [&a, &b](std::uint32_t triangle) {
    return gap_between(place_triangle(a, triangle), b);
  });
}

std::optional<Penetration> penetration_of(const PlacedCore& a, const PlacedMesh& b) {
  const PlacedCore local = in_frame_of(b, a);
  const Aabb box = box_around(local);
  const auto deep_of = [&local, &box, &b](std::uint32_t triangle) -> std::optional<Penetration> {
    const TriangleMesh::Corners corners = b.mesh.corners(triangle);
    if (!overlaps_triangle(local, box, corners)) return std::nullopt;
    return penetration_of(local, place_triangle(corners));
  };
  const std::optional<Penetration> deep = deepest(b.mesh, box, deep_of);
  if (!deep) return std::nullopt;
  return Penetration{to_pair(b, deep->point), b.axes * deep->normal, deep->depth_m};
}
std::optional<Penetration> penetration_of(const PlacedMesh& a, const PlacedMesh& b) {
  return deepest(a.mesh, box_in_frame(a, b), [&a, &b](std::uint32_t triangle) {
    return penetration_of(place_triangle(a, triangle), b);
  });
}

}  // namespace vicinity::narrow
