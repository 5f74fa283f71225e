// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Shapes whose distances and rays can be worked out by hand.

#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "geometry/shape.h"

namespace vicinity::test {

inline constexpr double root_2 = std::numbers::sqrt2;

/// An eighth of a turn about z.
inline Quat eighth_turn() { return from_rotation_vector({0, 0, std::numbers::pi / 4}); }

/// |x| + |y| < root 2 and |z| < 1.
inline Shape turned_cube() {
  return Shape::of_parts({box_primitive({1, 1, 1}, {{}, eighth_turn()})});
}
/// |x| + |y| + |z| < 1.
inline Shape octahedron() {
  const std::vector<Vec3> points = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                    {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  return Shape::of_parts({hull_primitive(
      std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value()))});
}
inline Shape mesh(std::vector<Vec3> vertices, std::vector<TriangleMesh::Indices> triangles,
                  bool two_sided) {
  return Shape::of_parts({mesh_primitive(std::make_shared<const TriangleMesh>(
      TriangleMesh::build(std::move(vertices), std::move(triangles), two_sided, "mesh").value()))});
}
/// The square from -1 to 1 in x and z at y = 0, its front up. Its tight box is flat.
inline Shape floor(bool two_sided) {
  return mesh({{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}}, {{0, 2, 1}, {0, 3, 2}}, two_sided);
}
/// The square x + y = 0 over z from -1 to 1, from (-1, 1) to (1, -1): half of its tight box lies
/// before it and half behind. Its front is towards +x +y.
inline Shape slope(bool two_sided) {
  return mesh({{-1, 1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, 1, 1}}, {{0, 2, 1}, {0, 3, 2}},
              two_sided);
}
/// Two balls of radius 1 at x = -3 and x = 3.
inline Shape dumbbell() {
  return Shape::of_parts({sphere_primitive(1, {-3, 0, 0}), sphere_primitive(1, {3, 0, 0})});
}

}  // namespace vicinity::test
