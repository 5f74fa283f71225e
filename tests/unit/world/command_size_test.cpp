// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/command_size.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "geometry/shape.h"

namespace vicinity {
namespace {

std::uint64_t owned_bytes(CommandBody body) {
  const std::vector<Command> commands = {{SessionId{1}, 1, std::move(body)}};
  return size_bytes(commands) - sizeof(Command);
}
SetShapeCommand reshape(std::vector<Primitive> parts) {
  return {{}, Shape::of_parts(std::move(parts))};
}

TEST(CommandSize, OfPlainCommandsIsThatOfTheirValues) {
  const std::vector<Command> commands = {{SessionId{1}, 1, DespawnCommand{}},
                                         {SessionId{1}, 2, SpawnCommand{}},
                                         {SessionId{1}, 3, AddAreaCommand{}}};
  EXPECT_EQ(size_bytes(commands), 3 * sizeof(Command));
  EXPECT_EQ(size_bytes({}), 0u);
}

TEST(CommandSize, CountsThePartsOfAShape) {
  const std::vector<Primitive> boxes(16, box_primitive({1, 1, 1}));
  EXPECT_EQ(owned_bytes(reshape(boxes)), sizeof(Compound) + 16 * sizeof(Primitive));
  SpawnCommand spawn;
  spawn.shape = Shape::of_parts(boxes);
  EXPECT_EQ(owned_bytes(spawn), sizeof(Compound) + 16 * sizeof(Primitive));
}

TEST(CommandSize, CountsAllThatHullsAndMeshesKeep) {
  const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto hull =
      std::make_shared<const ConvexHull>(ConvexHull::build(corners, "points").value());
  EXPECT_EQ(owned_bytes(reshape({hull_primitive(hull)})),
            sizeof(Compound) + sizeof(Primitive) + sizeof(ConvexHull) + 4 * sizeof(Vec3) +
                4 * sizeof(Plane) + 6 * sizeof(ConvexHull::Edge));
  const auto mesh = std::make_shared<const TriangleMesh>(
      TriangleMesh::build(corners, {{0, 1, 2}, {0, 3, 1}}, true, "mesh").value());
  EXPECT_EQ(owned_bytes(reshape({mesh_primitive(mesh)})),
            sizeof(Compound) + sizeof(Primitive) + sizeof(TriangleMesh) + 4 * sizeof(Vec3) +
                2 * sizeof(TriangleMesh::Indices) + 2 * sizeof(std::uint32_t) +
                mesh->nodes().size() * sizeof(TriangleMesh::Node));
}

TEST(CommandSize, CountsTheListsOfAreasAndPolicies) {
  AreaSpec area;
  area.outline.resize(5);
  area.rings.resize(2);
  EXPECT_EQ(owned_bytes(AddAreaCommand{{}, {}, area}), 5 * sizeof(OutlinePoint) + 2 * sizeof(Ring));
  EXPECT_EQ(owned_bytes(ChangeAreaCommand{{}, area}), 5 * sizeof(OutlinePoint) + 2 * sizeof(Ring));
  EXPECT_EQ(owned_bytes(SetPolicyCommand{std::vector<PolicyRule>(7)}), 7 * sizeof(PolicyRule));
}

}  // namespace
}  // namespace vicinity
