// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/explain_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "unit/query/exact_shapes.h"
#include "world_of_sessions.h"

namespace vicinity {
namespace {

constexpr SessionId watcher{1};
constexpr ObserverId observer{1};

/// A session that looks at what was spawned, after two ticks.
class Looked {
 public:
  Looked() { send(OpenSessionCommand{Role::Authority, ContactScope::None}); }

  void spawn(const Shape& shape, Vec3 position) {
    SpawnCommand command;
    command.shape = shape;
    command.position = position;
    command.filter.mask = 0;
    send(command);
  }
  void watch(const AreaSpec& area) { send(AddAreaCommand{observer, AreaId{++areas_}, area}); }
  /// About the entity that was spawned last.
  ViewExplanation explain(ViewLooks& looks) {
    (void)simulation_.run_tick(commands_);
    (void)simulation_.run_tick({});
    const Snapshot& snapshot = *simulation_.frame()->snapshot;
    const EntityId last = snapshot.id[snapshot.entity_count - 1];
    return explain_view(simulation_.interest(), snapshot, {watcher, observer, last}, &looks);
  }

 private:
  void send(CommandBody body) {
    commands_.push_back({watcher, commands_.size() + 1, std::move(body)});
  }
  Simulation simulation_{test::small_world()};
  std::vector<Command> commands_;
  std::uint32_t areas_ = 0;
};

/// About one that is farther away than all the others that its area takes.
ViewExplanation explain_farthest(const Shape& shape, std::uint32_t nearest_max, ViewLooks& looks) {
  Looked looked;
  for (std::uint32_t i = 0; i < nearest_max; ++i) looked.spawn(shape, {});
  looked.spawn(Shape::sphere(1), {50, 0, 0});
  AreaSpec area;
  area.enter_radius_m = area.leave_radius_m = 100;
  area.nearest_max = nearest_max;
  looked.watch(area);
  return looked.explain(looks);
}

TEST(ExplainView, CountsThoseThatAreNearer) {
  ViewLooks looks;
  const ViewExplanation view = explain_farthest(Shape::sphere(1), 1'100, looks);
  EXPECT_EQ(view.stage, ViewStage::Nearest);
  ASSERT_EQ(view.areas.size(), 1u);
  EXPECT_EQ(view.areas[0].nearer_count, 1'100u);
  EXPECT_FALSE(looks.ran_out);
  EXPECT_EQ(looks.count, 1'101u);
}

TEST(ExplainView, LooksAtSoManyPartsAndSaysWhenItNeedsMore) {
  const std::vector<Primitive> parts(limits::shape_parts_max, sphere_primitive(1));
  constexpr std::uint32_t whole = limits::explain_nearest_looks_max / limits::shape_parts_max;
  ViewLooks looks;
  const ViewExplanation view = explain_farthest(Shape::of_parts(parts), whole + 10, looks);
  ASSERT_EQ(view.areas.size(), 1u);
  EXPECT_EQ(view.areas[0].nearer_count, whole);
  EXPECT_TRUE(looks.ran_out);
  EXPECT_LE(looks.count, limits::explain_nearest_looks_max + limits::shape_parts_max);
}

TEST(ExplainView, TrianglesThatAreComeToAreLooks) {
  // Slanted triangles (y = 10 z); the areas are in the box of each, in front of all of them.
  constexpr std::uint32_t count = 4'000;
  std::vector<Vec3> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double y = 0.001 * i;
    vertices.insert(vertices.end(), {{-1, y - 10, -1}, {1, y - 10, -1}, {0, y + 10, 1}});
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  Looked looked;
  looked.spawn(test::mesh(std::move(vertices), std::move(triangles), true), {});
  AreaSpec area;
  area.kind = AreaKind::OrientedBox;
  area.centre = {0, 8, -0.9};
  area.half_extent_m = {0.01, 0.01, 0.01};
  constexpr std::size_t areas = 16;
  for (std::size_t i = 0; i < areas; ++i) looked.watch(area);
  ViewLooks looks;
  const ViewExplanation view = looked.explain(looks);
  EXPECT_FALSE(view.in_view);
  EXPECT_TRUE(looks.ran_out);
  EXPECT_LT(view.areas.size(), areas);
  EXPECT_LE(looks.count, limits::explain_nearest_looks_max + 3 * (count + 1));
}

}  // namespace
}  // namespace vicinity
