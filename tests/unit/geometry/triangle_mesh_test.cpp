// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/triangle_mesh.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace vicinity
