// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/mesh_tests.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "narrow/shape_tests.h"

namespace vicinity {
namespace {

using Indices = TriangleMesh::Indices;

Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

std::shared_ptr<const TriangleMesh> mesh_of(const std::vector<Vec3>& vertices,
                                            const std::vector<Indices>& triangles) {
  return std::make_shared<const TriangleMesh>(
      TriangleMesh::build(vertices, triangles, false, "mesh").value());
}

/// The surface of the cube from -half to half, two triangles a side, fronts outside.
Primitive cube_mesh(double half) {
  std::vector<Vec3> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.push_back(
        {(i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half, (i & 4) != 0 ? half : -half});
  return mesh_primitive(mesh_of(vertices, {{0, 2, 3},
                                           {0, 3, 1},
                                           {4, 5, 7},
                                           {4, 7, 6},
                                           {0, 1, 5},
                                           {0, 5, 4},
                                           {2, 6, 7},
                                           {2, 7, 3},
                                           {0, 4, 6},
                                           {0, 6, 2},
                                           {1, 3, 7},
                                           {1, 7, 5}}));
}

Pose at(double x, double y, double z) { return {{x, y, z}, {}}; }

TEST(Mesh, IsASurface) {
  const Primitive cube = cube_mesh(2);
  for (const Primitive& solid :
       {sphere_primitive(0.5), capsule_primitive(0.5, 0.25), box_primitive({0.5, 0.5, 0.5})}) {
    EXPECT_FALSE(overlaps(solid, at(0, 0, 0), cube, at(0, 0, 0)));    // wholly inside
    EXPECT_TRUE(overlaps(solid, at(1.75, 0, 0), cube, at(0, 0, 0)));  // from inside through it
    EXPECT_TRUE(overlaps(cube, at(0, 0, 0), solid, at(2.25, 0, 0)));
    EXPECT_FALSE(overlaps(solid, at(2.5, 0, 0), cube, at(0, 0, 0)));  // touches
    const double up_m = solid.kind == PrimitiveKind::Capsule ? 0.75 : 0.5;
    EXPECT_EQ(distance(solid, at(0, 0, 0), cube, at(0, 0, 0)).distance_m, 2 - up_m);
    EXPECT_EQ(distance(cube, at(0, 0, 0), solid, at(0, 0, 5)).distance_m, 2.5);
  }
  // A solid around all of it cuts every triangle.
  EXPECT_TRUE(overlaps(box_primitive({3, 3, 3}), at(0, 0, 0), cube, at(0, 0, 0)));
  EXPECT_EQ(distance_to_point(cube, at(0, 0, 0), {0.5, 0, 0}), 1.5);
}

TEST(Mesh, ContactIsWithTheDeepestTriangle) {
  const auto got = contact(sphere_primitive(1), at(0, 2.75, 0.5), cube_mesh(2), at(0, 0, 0));
  ASSERT_TRUE(got.has_value());
  EXPECT_NEAR(got->normal.y, -1, 1e-15);
  EXPECT_NEAR(got->penetration_m, 0.25, 1e-15);
  EXPECT_NEAR(got->point.y, 1.875, 1e-15);  // surfaces at 2 and 1.75
  EXPECT_NEAR(got->point.z, 0.5, 1e-15);
}

TEST(Mesh, AgainstAMeshCrossesOrDoesNot) {
  const Primitive small = cube_mesh(1);
  const Primitive large = cube_mesh(3);
  EXPECT_FALSE(overlaps(small, at(0, 0, 0), large, at(0, 0, 0)));
  EXPECT_EQ(distance(small, at(0, 0, 0), large, at(0, 0.5, 0)).distance_m, 1.5);
  EXPECT_TRUE(overlaps(small, at(2.5, 0, 0), large, at(0, 0, 0)));
  EXPECT_TRUE(overlaps(large, at(0, 0, 0), small, at(2.5, 0, 0)));
  EXPECT_FALSE(overlaps(small, at(4, 0.1, 0.1), large, at(0, 0, 0)));  // face on face
  EXPECT_TRUE(contact(small, at(2.5, 0, 0), large, at(0, 0, 0)).has_value());
}

/// A mesh of many triangles against each of them as a mesh of its own.
TEST(Mesh, IsTheSumOfItsTriangles) {
  Prng prng(30);
  int overlapping = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> vertices;
    std::vector<Indices> triangles;
    std::vector<Primitive> parts;
    const Pose offset = {any_vector(prng, 3), from_rotation_vector(any_vector(prng, 3))};
    for (std::uint32_t i = 0; i < 40; ++i) {
      const Vec3 middle = any_vector(prng, 10);
      for (int corner = 0; corner < 3; ++corner) vertices.push_back(middle + any_vector(prng, 3));
      triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
      parts.push_back(mesh_primitive(
          mesh_of({vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]}, {{0, 1, 2}}),
          offset));
    }
    const Primitive whole = mesh_primitive(mesh_of(vertices, triangles), offset);
    const Pose pose = {any_vector(prng, 10), from_rotation_vector(any_vector(prng, 3))};
    for (int i = 0; i < 20; ++i) {
      const Primitive solid = i % 4 == 0   ? sphere_primitive(1)
                              : i % 4 == 1 ? capsule_primitive(0.5, 1)
                              : i % 4 == 2 ? box_primitive({1, 0.5, 0.7})
                                           : parts[static_cast<std::size_t>(i)];
      const Pose solid_pose = {pose.position + any_vector(prng, 10),
                               from_rotation_vector(any_vector(prng, 3))};
      bool any = false;
      double least = 1e300;
      double deepest = 0;
      for (const Primitive& part : parts) {
        any = any || overlaps(part, pose, solid, solid_pose);
        least = std::min(least, distance(part, pose, solid, solid_pose).distance_m);
        if (const auto got = contact(part, pose, solid, solid_pose))
          deepest = std::max(deepest, got->penetration_m);
      }
      overlapping += any ? 1 : 0;
      EXPECT_EQ(overlaps(whole, pose, solid, solid_pose), any);
      EXPECT_EQ(overlaps(solid, solid_pose, whole, pose), any);
      EXPECT_NEAR(distance(whole, pose, solid, solid_pose).distance_m, least, 1e-12);
      const auto got = contact(whole, pose, solid, solid_pose);
      EXPECT_EQ(got.has_value(), any);
      if (got) {
        EXPECT_NEAR(got->penetration_m, deepest, 1e-12);
      }
    }
  }
  EXPECT_GT(overlapping, 60);
  EXPECT_LT(overlapping, 1000);
}

}  // namespace
}  // namespace vicinity
