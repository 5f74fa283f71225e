// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/mesh_tests.h"

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
  return any_touched(b.mesh, box_around(local), [&local, &b](std::uint32_t triangle) {
    return overlap(local, place_triangle(b.mesh.corners(triangle)));
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
  const auto deep_of = [&local, &b](std::uint32_t triangle) -> std::optional<Penetration> {
    const PlacedCore placed = place_triangle(b.mesh.corners(triangle));
    if (!overlap(local, placed)) return std::nullopt;
    return penetration_of(local, placed);
  };
  const std::optional<Penetration> deep = deepest(b.mesh, box_around(local), deep_of);
  if (!deep) return std::nullopt;
  return Penetration{to_pair(b, deep->point), b.axes * deep->normal, deep->depth_m};
}
std::optional<Penetration> penetration_of(const PlacedMesh& a, const PlacedMesh& b) {
  return deepest(a.mesh, box_in_frame(a, b), [&a, &b](std::uint32_t triangle) {
    return penetration_of(place_triangle(a, triangle), b);
  });
}

}  // namespace vicinity::narrow
