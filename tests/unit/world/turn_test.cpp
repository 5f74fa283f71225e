// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// How entities of the table turn: rotation by command, by angular velocity, and the boxes and paths
// that come of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "world/entity_table.h"
#include "world/placed_box.h"

namespace vicinity {
namespace {

constexpr double dt_s = 0.5;
constexpr double quarter = 1.57079632679489661923;
const Shape plank = Shape::box({2, 0.5, 0.5});

Quat about_y(double angle_rad) { return from_rotation_vector({0, angle_rad, 0}); }

class World {
 public:
  World() : table(EntityTableSettings{.world_half_size_m = 100}) { table.begin_tick(1); }
  EntityId spawn(Vec3 position, const Quat& rotation = {}, Vec3 angular_velocity = {},
                 const Shape& shape = plank) {
    const SpawnCommand command{position, {}, shape, {}, 0, rotation, angular_velocity};
    return table.spawn(SessionId{1}, command).value();
  }
  void end_tick() {
    table.advance(dt_s, workers);
    table.freeze(dt_s, workers, snapshot);
    changed.assign(table.changed().begin(), table.changed().end());
    table.begin_tick(snapshot.tick + 1);
  }

  Workers workers{1};
  EntityTable table;
  Snapshot snapshot;
  std::vector<std::uint32_t> changed;  ///< of the last tick
};

void expect_near(Vec3 value, Vec3 expected, double error = 1e-9) {
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(value[axis], expected[axis], error) << axis;
}

TEST(Turn, NothingIsKeptWhileNobodyWasEverTurned) {
  World world;
  world.spawn({});
  world.end_tick();
  EXPECT_TRUE(world.snapshot.turn.empty());
  EXPECT_EQ(world.snapshot.form[0], Form::Box);
  EXPECT_EQ(world.snapshot.pose(0), Pose{});
  EXPECT_EQ(world.snapshot.angular_velocity(0), Vec3{});
}

TEST(Turn, AnEntityIsSpawnedAsTurnedAsItWas) {
  World world;
  world.spawn({10, 0, 0}, about_y(quarter));
  world.spawn({20, 0, 0});
  world.end_tick();
  EXPECT_EQ(world.snapshot.form[0], Form::Other);
  EXPECT_EQ(world.snapshot.form[1], Form::Box);
  EXPECT_EQ(world.snapshot.pose(0).rotation, about_y(quarter));
  // The plank lies along z now.
  expect_near(world.snapshot.tight_box[0].min, {9.5, -0.5, -2});
  expect_near(world.snapshot.tight_box[0].max, {10.5, 0.5, 2});
  EXPECT_EQ(world.snapshot.motion[0], Motion::None);
}

TEST(Turn, AngularVelocityTurnsEveryTickAndIsAPath) {
  World world;
  world.spawn({}, {}, {0, quarter, 0});
  world.end_tick();
  EXPECT_EQ(world.snapshot.pose(0).rotation, Quat{});
  for (int tick = 1; tick <= 5; ++tick) {
    world.end_tick();
    EXPECT_EQ(world.snapshot.motion[0], Motion::Path);
    EXPECT_EQ(world.snapshot.changed[0].pose, world.snapshot.tick);
    const Path path = world.snapshot.path(0);
    expect_near(path.rotation_vector, {0, quarter * dt_s, 0});
    expect_near(rotate(path.end.rotation, {1, 0, 0}),
                rotate(about_y(quarter * dt_s * tick), {1, 0, 0}));
    expect_near(rotate(path.start.rotation, {1, 0, 0}),
                rotate(about_y(quarter * dt_s * (tick - 1)), {1, 0, 0}));
  }
}

TEST(Turn, StopsWhenItsAngularVelocityIsTakenAway) {
  World world;
  const EntityId id = world.spawn({}, {}, {0, quarter, 0});
  world.end_tick();
  world.end_tick();
  EXPECT_EQ(world.table.set_velocity(id, {}, Vec3{}), ErrorCode::None);
  world.end_tick();
  EXPECT_EQ(world.snapshot.motion[0], Motion::None);
  EXPECT_EQ(world.snapshot.path(0).rotation_vector, Vec3{});
  EXPECT_EQ(world.snapshot.start_box[0], world.snapshot.tight_box[0]);
  world.end_tick();
  EXPECT_TRUE(world.changed.empty());
}

TEST(Turn, AVelocityAloneKeepsTheAngularOne) {
  World world;
  const EntityId id = world.spawn({}, {}, {0, quarter, 0});
  world.end_tick();
  world.table.set_velocity(id, {2, 0, 0});
  world.end_tick();
  EXPECT_EQ(world.snapshot.angular_velocity(0), (Vec3{0, quarter, 0}));
  EXPECT_EQ(world.snapshot.position[0], (Vec3{1, 0, 0}));
}

TEST(Turn, MoveToGoesTheShortestArc) {
  World world;
  const EntityId id = world.spawn({}, about_y(0.1));
  world.end_tick();
  world.table.move_to(id, {4, 0, 0}, false, about_y(0.1 - 0.5));
  world.end_tick();
  EXPECT_EQ(world.snapshot.motion[0], Motion::Path);
  expect_near(world.snapshot.path(0).rotation_vector, {0, -0.5, 0});
  EXPECT_EQ(world.snapshot.pose(0), (Pose{{4, 0, 0}, about_y(0.1 - 0.5)}));
  world.table.move_to(id, {4, 0, 0}, false);  // no rotation: as it is
  world.end_tick();
  EXPECT_EQ(world.snapshot.motion[0], Motion::None);
  EXPECT_EQ(world.snapshot.pose(0).rotation, about_y(0.1 - 0.5));
}

TEST(Turn, MoveToReplacesTheStepOfTheAngularVelocityToo) {
  World world;
  const EntityId id = world.spawn({}, {}, {0, quarter, 0});
  world.end_tick();
  world.table.move_to(id, {4, 0, 0}, false);
  world.end_tick();
  EXPECT_EQ(world.snapshot.pose(0).rotation, Quat{});
  world.end_tick();
  EXPECT_NE(world.snapshot.pose(0).rotation, Quat{});
}

TEST(Turn, TeleportTurnsWithoutAPath) {
  World world;
  const EntityId id = world.spawn({});
  world.end_tick();
  world.table.teleport(id, {}, about_y(quarter));
  world.end_tick();
  EXPECT_EQ(world.snapshot.motion[0], Motion::None);
  EXPECT_EQ(world.snapshot.changed[0].teleported, world.snapshot.tick);
  EXPECT_EQ(world.snapshot.start_box[0], world.snapshot.tight_box[0]);
  expect_near(world.snapshot.tight_box[0].max, {0.5, 0.5, 2});
}

TEST(Turn, AShapeThatWouldReachOutOfTheWorldWhenTurnedIsRefused) {
  World world;
  const EntityId id = world.spawn({0, 99, 0});  // 2 m along x, half a metre along y
  world.end_tick();
  const Quat upright = from_rotation_vector({0, 0, quarter});
  EXPECT_EQ(world.table.teleport(id, {0, 99, 0}, upright), ErrorCode::OutOfWorld);
  EXPECT_EQ(world.table.move_to(id, {0, 99, 0}, false, upright), ErrorCode::OutOfWorld);
  world.end_tick();
  EXPECT_TRUE(world.changed.empty());
}

TEST(Turn, WhatTurnsItselfOutOfTheWorldIsLost) {
  World world;
  world.spawn({0, 99, 0}, {}, {0, 0, 0.3});
  for (int tick = 0; tick < 3; ++tick) world.end_tick();
  ASSERT_EQ(world.snapshot.entity_count, 0u);
}

TEST(Turn, AStaticEntityNeverTurnsByItself) {
  World world;
  Filter filter;
  filter.is_static = true;
  const SpawnCommand spins{{}, {}, plank, filter, 0, {}, {0, 1, 0}};
  EXPECT_EQ(world.table.spawn(SessionId{1}, spins).error(), ErrorCode::StaticMotion);
  const EntityId id = world.spawn({}, {}, {0, 1, 0});
  FilterPatch patch;
  patch.is_static = true;
  EXPECT_EQ(world.table.set_filter(id, patch), ErrorCode::None);
  world.end_tick();
  EXPECT_EQ(world.snapshot.angular_velocity(0), Vec3{});
  EXPECT_EQ(world.table.set_velocity(id, {}, Vec3{0, 1, 0}), ErrorCode::StaticMotion);
}

TEST(Turn, ASlotThatIsUsedAgainIsNotTurned) {
  EntityTableSettings settings;
  settings.reuse_delay_ticks = 0;
  World world;
  world.table = EntityTable(settings);
  world.table.begin_tick(1);
  const EntityId id = world.spawn({}, about_y(1), {1, 2, 3});
  world.end_tick();
  world.table.despawn(id, DespawnReason::Command);
  world.spawn({});
  world.end_tick();
  EXPECT_EQ(world.snapshot.pose(0), Pose{});
  EXPECT_EQ(world.snapshot.angular_velocity(0), Vec3{});
  EXPECT_EQ(world.snapshot.form[0], Form::Box);
}

TEST(PlacedBox, AroundContainsTheExactSumAndIsTheNearestWhereThatIsExact) {
  EXPECT_EQ(placed_around({{-1, -2, -3}, {1, 2, 3}}, {10, 20, 30}),
            placed_box({{-1, -2, -3}, {1, 2, 3}}, {10, 20, 30}));
  // 2^60 + 1/3 is far from representable: the box goes to the neighbours on both sides.
  const double far = 0x1p60;
  const Aabb around = placed_around({{-1.0 / 3, 0, 0}, {1.0 / 3, 0, 0}}, {far, 0, 0});
  EXPECT_LT(around.min.x, far);
  EXPECT_GT(around.max.x, far);
  const Aabb far_down = placed_around({{-1.0 / 3, 0, 0}, {1.0 / 3, 0, 0}}, {-far, 0, 0});
  EXPECT_LT(far_down.min.x, -far);
  EXPECT_GT(far_down.max.x, -far);
}

}  // namespace
}  // namespace vicinity
