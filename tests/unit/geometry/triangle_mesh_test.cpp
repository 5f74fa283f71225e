// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/triangle_mesh.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity {
namespace {

using Indices = TriangleMesh::Indices;

const std::vector<Vec3> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};

void expect_refused(const std::vector<Vec3>& vertices, const std::vector<Indices>& triangles,
                    ErrorCode code, const std::string& part) {
  const auto mesh = TriangleMesh::build(vertices, triangles, false, "shape.mesh");
  ASSERT_FALSE(mesh.ok());
  EXPECT_EQ(mesh.error().code, code);
  EXPECT_TRUE(mesh.error().text.starts_with("shape.mesh: ")) << mesh.error().text;
  EXPECT_NE(mesh.error().text.find(part), std::string::npos) << mesh.error().text;
}

TEST(TriangleMesh, KeepsWhatItWasGiven) {
  const auto mesh = TriangleMesh::build(square, {{0, 1, 2}, {0, 2, 3}}, true, "mesh");
  ASSERT_TRUE(mesh.ok());
  EXPECT_EQ(mesh.value().triangle_count(), 2u);
  EXPECT_TRUE(mesh.value().two_sided());
  EXPECT_EQ(mesh.value().box(), (Aabb{{0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(mesh.value().corners(1), (TriangleMesh::Corners{square[0], square[2], square[3]}));
}

TEST(TriangleMesh, RefusesByName) {
  expect_refused(square, {}, ErrorCode::InvalidShape, "at least one");
  expect_refused(square, {{0, 1, 2}, {0, 1, 4}}, ErrorCode::InvalidShape, "triangle 1");
  expect_refused(square, {{0, 1, 1}}, ErrorCode::InvalidShape, "triangle 0 has no area");
  expect_refused({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {{0, 1, 2}}, ErrorCode::InvalidShape, "area");
  expect_refused({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}}, {{0, 1, 2}},
                 ErrorCode::InvalidNumber, "finite");
  expect_refused(std::vector<Vec3>(65'537), {{0, 1, 2}}, ErrorCode::LimitExceeded, "vertices");
  expect_refused(square, std::vector<Indices>(65'537, {0, 1, 2}), ErrorCode::LimitExceeded,
                 "triangles");
}

TEST(TriangleMesh, QueryFindsWhatLookingAtAllFinds) {
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
  std::vector<std::uint32_t> found;
  for (int round = 0; round < 300; ++round) {
    const Vec3 at = {prng.between(-11, 11), prng.between(-11, 11), prng.between(-11, 11)};
    const Aabb box = {at, at + Vec3{4 * prng.unit(), prng.unit(), 4 * prng.unit()}};
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 500; ++i) {
      Aabb around = {vertices[3 * i], vertices[3 * i]};
      for (std::uint32_t k = 1; k < 3; ++k)
        around = merge(around, {vertices[3 * i + k], vertices[3 * i + k]});
      if (touches(around, box)) expected.push_back(i);
    }
    mesh.value().query(box, found);
    EXPECT_EQ(found, expected);
    found_count += found.size();
  }
  EXPECT_GT(found_count, 100u);
}

TEST(TriangleMesh, ManyEqualTrianglesStillMakeATree) {
  const auto mesh =
      TriangleMesh::build(square, std::vector<Indices>(65'536, {0, 1, 2}), false, "m");
  ASSERT_TRUE(mesh.ok());
  std::vector<std::uint32_t> found;
  mesh.value().query({{0.5, 0.5, -1}, {0.6, 0.6, 1}}, found);
  EXPECT_EQ(found.size(), 65'536u);
  mesh.value().query({{0.5, 0.5, 1}, {0.6, 0.6, 2}}, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace vicinity
