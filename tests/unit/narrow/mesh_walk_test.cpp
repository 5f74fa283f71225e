// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/mesh_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.h"
#include "geometry/triangle_mesh.h"

namespace vicinity::narrow {
namespace {

using Indices = TriangleMesh::Indices;

Aabb box_of(const TriangleMesh::Corners& corners) {
  Aabb box{corners[0], corners[0]};
  for (const Vec3 corner : corners) box = merge(box, {corner, corner});
  return box;
}

/// Triangles whose box touches the given one, ascending.
std::vector<std::uint32_t> touching(const TriangleMesh& mesh, const Aabb& box) {
  std::vector<std::uint32_t> found;
  any_triangle(
      mesh, [&](const Aabb& node) { return touches(node, box); },
      [&](std::uint32_t triangle) {
        if (touches(box_of(mesh.corners(triangle)), box)) found.push_back(triangle);
        return false;
      });
  std::ranges::sort(found);
  return found;
}

TEST(MeshWalk, FindsWhatLookingAtAllFinds) {
  Prng prng(8);
  std::vector<Vec3> vertices;
  std::vector<Indices> triangles;
  for (std::uint32_t i = 0; i < 500; ++i) {
    const Vec3 at = {prng.between(-10, 10), prng.between(-10, 10), prng.between(-10, 10)};
    for (int corner = 0; corner < 3; ++corner)
      vertices.push_back(at + Vec3{prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)});
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const auto mesh = TriangleMesh::build(vertices, triangles, false, "mesh");
  ASSERT_TRUE(mesh.ok());
  std::size_t found_count = 0;
  for (int round = 0; round < 300; ++round) {
    const Vec3 at = {prng.between(-11, 11), prng.between(-11, 11), prng.between(-11, 11)};
    const Aabb box = {at, at + Vec3{4 * prng.unit(), prng.unit(), 4 * prng.unit()}};
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 500; ++i)
      if (touches(box_of(mesh.value().corners(i)), box)) expected.push_back(i);
    const std::vector<std::uint32_t> found = touching(mesh.value(), box);
    EXPECT_EQ(found, expected);
    found_count += found.size();
  }
  EXPECT_GT(found_count, 100u);
}

TEST(MeshWalk, GoesThroughManyEqualTriangles) {
  const auto mesh = TriangleMesh::build({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                                        std::vector<Indices>(65'536, {0, 1, 2}), false, "mesh");
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(touching(mesh.value(), {{0.5, 0.5, -1}, {0.6, 0.6, 1}}).size(), 65'536u);
  EXPECT_TRUE(touching(mesh.value(), {{0.5, 0.5, 1}, {0.6, 0.6, 2}}).empty());
}

TEST(MeshWalk, StopsAtTheFirstThatIsWanted) {
  const auto mesh = TriangleMesh::build({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                                        std::vector<Indices>(100, {0, 1, 2}), false, "mesh");
  ASSERT_TRUE(mesh.ok());
  int visits = 0;
  EXPECT_TRUE(any_triangle(
      mesh.value(), [](const Aabb&) { return true; },
      [&](std::uint32_t) { return ++visits == 3; }));
  EXPECT_EQ(visits, 3);
}

}  // namespace
}  // namespace vicinity::narrow
