// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/archive_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

std::shared_ptr<const ConvexHull> some_hull(std::uint64_t seed) {
  Prng prng(seed);
  std::vector<Vec3> points;
  for (int i = 0; i < 30; ++i)
    points.push_back({prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)});
  return std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value());
}

Shape some_compound() {
  auto mesh = TriangleMesh::build({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 1, 1}},
                                  {{0, 1, 2}, {1, 3, 2}}, true, "mesh");
  return Shape::of_parts(
      {sphere_primitive(1, {1, 2, 3}), capsule_primitive(0.5, 2, {{}, normalized({1, 2, 3, 4})}),
       box_primitive({1, 2, 3}), hull_primitive(some_hull(1)),
       mesh_primitive(std::make_shared<const TriangleMesh>(std::move(mesh.value())))});
}

AreaSpec some_area() {
  AreaSpec spec;
  spec.kind = AreaKind::Prism;
  spec.reach = Reach::Centre;
  spec.anchor = {EntityId(3, 4), 5};
  spec.include_anchor = true;
  spec.centre = {1, 2, 3};
  spec.filter = {6, 7};
  spec.min_dwell_ticks = 8;
  spec.follow = AreaFollow::PositionAndHeading;
  spec.rotation = normalized({0, 1, 0, 2});
  spec.leave_margin_m = 0.5;
  spec.outline = {{0, 0}, {0, 1}, {1, 0}};
  spec.rings = {{1, 2}, {3, 4}};
  spec.nearest_max = 9;
  spec.suspend = true;
  return spec;
}

/// One of every kind, with no field left as it is by default.
std::vector<CommandBody> one_of_each() {
  const EntityRef a{EntityId(1, 2), 3};
  const EntityRef b{EntityId(4, 5), 6};
  const Quat turned = normalized({1, 2, 3, 4});
  FilterPatch patch;
  patch.category = 1;
  patch.mask = 2;
  patch.group = -3;
  patch.enabled = false;
  SpawnCommand spawn{{1, 2, 3}, {4, 5, 6}, some_compound(), {2, 3, -4, 5, true, false, false, true},
                     6,         turned,    {7, 8, 9},       {true, 10, 11, 12}};
  return {spawn,
          DespawnCommand{a},
          SetVelocityCommand{a, {1, 2, 3}, Vec3{4, 5, 6}},
          MoveToCommand{a, {1, 2, 3}, true, turned},
          TeleportCommand{a, {1, 2, 3}, turned},
          SetShapeCommand{a, Shape::capsule(1, 2, {3, 4, 5})},
          SetFilterCommand{a, patch},
          SetUserDataCommand{a, 99},
          AddAreaCommand{ObserverId{1}, AreaId{2}, some_area()},
          ChangeAreaCommand{AreaId{3}, some_area()},
          RemoveAreaCommand{AreaId{4}},
          OpenSessionCommand{Role::Player, ContactScope::Own, true, 7},
          CloseSessionCommand{true},
          AttachCommand{a, b, Pose{{1, 2, 3}, turned}, OnParentEnd::Despawn, true},
          DetachCommand{a},
          ExcludePairCommand{a, b, false},
          SetPolicyCommand{{{1, 2, PolicyAction::Ignore, 3, 4}}},
          SubscribeCommand{1, SubscriptionKind::Area, a, 2, 3, {{1, 2, 3}, {4, 5, 6}}},
          UnsubscribeCommand{5},
          SetRelevanceCommand{a, {true, 1, 2, 3}},
          SetVisibilityCommand{ObserverId{1}, a, Visibility::Never},
          DespawnOwnedCommand{},
          RestartCommand{}};
}

std::vector<std::uint8_t> bytes_of(const Command& command) {
  ArchiveWriter out;
  out(command);
  return out.take();
}

TEST(ArchiveCommand, GivesBackEveryKind) {
  const std::vector<CommandBody> bodies = one_of_each();
  ASSERT_EQ(bodies.size(), std::variant_size_v<CommandBody>);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(bodies[i].index(), i);
    const Command command{SessionId{7}, 8, bodies[i]};
    const auto bytes = bytes_of(command);
    ArchiveReader in(bytes);
    Command back;
    in(back);
    ASSERT_TRUE(in.done());
    EXPECT_EQ(back.session, command.session);
    EXPECT_EQ(back.sequence, command.sequence);
    ASSERT_EQ(back.body.index(), i);
    // Compounds are compared by what they are, not by where they lie.
    EXPECT_EQ(bytes_of(back), bytes);
    if (i > 0) {
      EXPECT_EQ(back.body, command.body);
    }
  }
}

TEST(ArchiveCommand, GivesBackCompoundsBitForBit) {
  ArchiveWriter out;
  const Shape shape = some_compound();
  out(shape);
  ArchiveReader in(out.bytes());
  Shape back;
  in(back);
  ASSERT_TRUE(in.done());
  ASSERT_FALSE(back.is_plain());
  EXPECT_EQ(back.kind, shape.kind);
  EXPECT_EQ(back.compound->digest, shape.compound->digest);
  EXPECT_EQ(back.compound->local, shape.compound->local);
  EXPECT_EQ(back.compound->thickness_m, shape.compound->thickness_m);
  EXPECT_EQ(back.compound->reach_m, shape.compound->reach_m);
}

TEST(ArchiveCommand, RefusesTornAndUnknownCommands) {
  for (const CommandBody& body : one_of_each()) {
    const auto bytes = bytes_of({SessionId{7}, 8, body});
    for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 50) {
      ArchiveReader in{std::span(bytes).first(size)};
      Command back;
      in(back);
      EXPECT_FALSE(in.ok());
    }
  }
  auto unknown = bytes_of({SessionId{7}, 8, RestartCommand{}});
  unknown[16] = static_cast<std::uint8_t>(std::variant_size_v<CommandBody>);
  ArchiveReader in(unknown);
  Command back;
  in(back);
  EXPECT_FALSE(in.ok());
}

TEST(ArchiveValues, RefuseShapesWithoutPartsOrWithTooMany) {
  for (const std::size_t count : {std::size_t{0}, limits::shape_parts_max + 1}) {
    ArchiveWriter out;
    out(false), out(std::vector<Primitive>(count, sphere_primitive(1)));
    ArchiveReader in(out.bytes());
    Shape shape;
    in(shape);
    EXPECT_FALSE(in.ok()) << count;
  }
}

// --- Hulls ---------------------------------------------------------------------------------------

std::vector<Vec3> normals_of(const ConvexHull& hull) {
  std::vector<Vec3> out;
  for (const Plane& face : hull.faces()) out.push_back(face.normal);
  return out;
}
std::vector<Vec3> vertices_of(const ConvexHull& hull) {
  return {hull.vertices().begin(), hull.vertices().end()};
}
std::vector<ConvexHull::Edge> edges_of(const ConvexHull& hull) {
  return {hull.edges().begin(), hull.edges().end()};
}

TEST(ConvexHullRestore, GivesTheHullOfWhichTheseArePartsBitForBit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto hull = some_hull(seed);
    const auto back = ConvexHull::restore(vertices_of(*hull), normals_of(*hull), edges_of(*hull));
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(std::ranges::equal(back->vertices(), hull->vertices()));
    EXPECT_TRUE(
        std::ranges::equal(back->faces(), hull->faces(), [](const Plane& a, const Plane& b) {
          return a.normal == b.normal && a.offset_m == b.offset_m;
        }));
    EXPECT_TRUE(std::ranges::equal(
        back->edges(), hull->edges(), [](const ConvexHull::Edge& a, const ConvexHull::Edge& b) {
          return a.from == b.from && a.to == b.to && a.faces[0] == b.faces[0] &&
                 a.faces[1] == b.faces[1] && a.direction == b.direction;
        }));
    EXPECT_EQ(back->box(), hull->box());
    EXPECT_EQ(back->middle(), hull->middle());
  }
}

TEST(ConvexHullRestore, RefusesPartsThatAreNoHull) {
  const auto hull = some_hull(1);
  const auto is_refused = [&](const auto& change) {
    auto vertices = vertices_of(*hull);
    auto normals = normals_of(*hull);
    auto edges = edges_of(*hull);
    change(vertices, normals, edges);
    return !ConvexHull::restore(std::move(vertices), normals, std::move(edges)).has_value();
  };
  EXPECT_FALSE(is_refused([](auto&, auto&, auto&) {}));
  EXPECT_TRUE(is_refused([](auto& v, auto&, auto&) { v[2].x = std::nan(""); }));
  EXPECT_TRUE(is_refused([](auto& v, auto&, auto&) { std::swap(v[0], v[1]); }));
  EXPECT_TRUE(is_refused([](auto& v, auto&, auto&) { v.pop_back(); }));
  EXPECT_TRUE(is_refused([](auto&, auto& n, auto&) { n[0] = n[0] * 2; }));
  EXPECT_TRUE(is_refused([](auto&, auto& n, auto&) { n.pop_back(); }));
  EXPECT_TRUE(is_refused([](auto&, auto&, auto& e) { e[0].to = 64; }));
  EXPECT_TRUE(is_refused([](auto&, auto&, auto& e) { e[0].faces[1] = 255; }));
  EXPECT_TRUE(is_refused([](auto&, auto&, auto& e) { e[0].faces[1] = e[0].faces[0]; }));
  EXPECT_TRUE(is_refused([](auto&, auto&, auto& e) { std::swap(e[0], e[1]); }));
}

}  // namespace
}  // namespace vicinity
