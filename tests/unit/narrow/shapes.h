// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Shapes and poses by the handful for tests of the exact tests.

#include <memory>
#include <vector>

#include "geometry/primitive.h"

namespace vicinity::test {

inline Pose at(double x, double y, double z, const Quat& rotation = {}) {
  return {{x, y, z}, rotation};
}

inline Primitive cube_hull(double half) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i)
    points.push_back(
        {(i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half, (i & 4) != 0 ? half : -half});
  return hull_primitive(
      std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value()));
}

/// The square from -half to half in x and z at y = 0, its front up.
inline Primitive floor_mesh(double half, bool two_sided) {
  return mesh_primitive(std::make_shared<const TriangleMesh>(
      TriangleMesh::build({{-half, 0, -half}, {half, 0, -half}, {half, 0, half}, {-half, 0, half}},
                          {{0, 2, 1}, {0, 3, 2}}, two_sided, "mesh")
          .value()));
}

}  // namespace vicinity::test
