// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// How entities of the table move: where paths begin, what the velocity does, and the world's end.

#include <gtest/gtest.h>

#include "world/entity_table.h"

namespace vicinity {
namespace {

constexpr double dt_s = 0.5;
const Shape unit_box = Shape::box({0.5, 0.5, 0.5});

Aabb unit_box_at(double x) { return {{x - 0.5, -0.5, -0.5}, {x + 0.5, 0.5, 0.5}}; }

/// One entity in a world of 100 m half size, spawned at x in tick 1; tick 2 has begun.
class OneEntity {
 public:
  explicit OneEntity(double x = 0, Vec3 velocity = {}, const Filter& filter = {})
      : table(EntityTableSettings{.world_half_size_m = 100}) {
    table.begin_tick(1);
    id = table.spawn(SessionId{1}, {{x, 0, 0}, velocity, unit_box, filter, 0}).value();
    end_tick();
  }
  void end_tick() {
    table.advance(dt_s, workers);
    table.freeze(dt_s, workers, snapshot);
    table.begin_tick(snapshot.tick + 1);
  }
  double x() const { return snapshot.position.at(0).x; }
  Aabb start() const { return snapshot.start_box.at(0); }
  Aabb end() const { return snapshot.tight_box.at(0); }
  Motion motion() const { return snapshot.motion.at(0); }

  Workers workers{1};
  EntityTable table;
  EntityId id;
  Snapshot snapshot;
};

TEST(Motion, StandsWhereItWasSpawnedUntilTheNextTick) {
  OneEntity entity(3, {10, 0, 0});
  EXPECT_EQ(entity.x(), 3.0);
  EXPECT_EQ(entity.start(), entity.end());
  EXPECT_EQ(entity.motion(), Motion::None);
  entity.end_tick();
  EXPECT_EQ(entity.x(), 8.0);
}

TEST(Motion, VelocityMovesAlongAPathEveryTick) {
  OneEntity entity;
  entity.table.set_velocity(entity.id, {4, 0, 0});
  for (int tick = 1; tick <= 3; ++tick) {
    entity.end_tick();
    EXPECT_EQ(entity.x(), 2.0 * tick);
    EXPECT_EQ(entity.start(), unit_box_at(2.0 * (tick - 1)));
    EXPECT_EQ(entity.motion(), Motion::Path);
    EXPECT_EQ(entity.snapshot.changed[0].pose, entity.snapshot.tick);
  }
}

TEST(Motion, UnmovedHasNoPathAndKeepsItsVersion) {
  OneEntity entity;
  entity.end_tick();
  EXPECT_EQ(entity.start(), entity.end());
  EXPECT_EQ(entity.motion(), Motion::None);
  EXPECT_EQ(entity.snapshot.changed[0].pose, 1u);
}

TEST(Motion, AnEntityThatAsksForItIsContinuousOnEveryPath) {
  OneEntity entity(0, {4, 0, 0});
  FilterPatch patch;
  patch.continuous = true;
  EXPECT_EQ(entity.table.set_filter(entity.id, patch), ErrorCode::None);
  entity.end_tick();
  EXPECT_EQ(entity.motion(), Motion::Continuous);
  entity.table.move_to(entity.id, {20, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.motion(), Motion::Continuous);
  entity.table.set_velocity(entity.id, {});
  entity.end_tick();
  EXPECT_EQ(entity.motion(), Motion::None);
}

TEST(Motion, MoveToReplacesTheStepOfTheVelocityForOneTick) {
  OneEntity entity(0, {4, 0, 0});
  entity.table.move_to(entity.id, {20, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.x(), 20.0);
  EXPECT_EQ(entity.start(), unit_box_at(0));
  EXPECT_EQ(entity.motion(), Motion::Path);
  entity.end_tick();
  EXPECT_EQ(entity.x(), 22.0);
}

TEST(Motion, TeleportReplacesTheStepAndLeavesNoPath) {
  OneEntity entity(0, {4, 0, 0});
  entity.table.teleport(entity.id, {20, 0, 0});
  entity.end_tick();
  EXPECT_EQ(entity.x(), 20.0);
  EXPECT_EQ(entity.start(), unit_box_at(20));
  EXPECT_EQ(entity.motion(), Motion::None);
  entity.end_tick();
  EXPECT_EQ(entity.start(), unit_box_at(20));
  EXPECT_EQ(entity.x(), 22.0);
}

TEST(Motion, TheLastMoveOfATickWins) {
  OneEntity entity;
  entity.table.move_to(entity.id, {5, 0, 0}, true);
  entity.table.move_to(entity.id, {9, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.start(), unit_box_at(0));
  EXPECT_EQ(entity.end(), unit_box_at(9));
  EXPECT_EQ(entity.motion(), Motion::Path);
}

TEST(Motion, PathAfterATeleportBeginsAtItsTarget) {
  OneEntity entity;
  entity.table.teleport(entity.id, {50, 0, 0});
  entity.table.move_to(entity.id, {53, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.start(), unit_box_at(50));
  EXPECT_EQ(entity.end(), unit_box_at(53));
  EXPECT_EQ(entity.snapshot.changed[0].teleported, 2u);
}

TEST(Motion, TeleportAfterAPathForgetsThePath) {
  OneEntity entity;
  entity.table.move_to(entity.id, {53, 0, 0}, true);
  entity.table.teleport(entity.id, {50, 0, 0});
  entity.end_tick();
  EXPECT_EQ(entity.start(), unit_box_at(50));
  EXPECT_EQ(entity.motion(), Motion::None);
}

TEST(Motion, TeleportToTheTargetOfAPathIsATeleport) {
  for (const bool continuous : {false, true}) {
    OneEntity entity;
    entity.table.move_to(entity.id, {50, 0, 0}, continuous);
    entity.table.teleport(entity.id, {50, 0, 0});
    entity.end_tick();
    EXPECT_EQ(entity.motion(), Motion::None);
    EXPECT_EQ(entity.snapshot.changed[0].teleported, 2u);
  }
}

TEST(Motion, PathOfANewEntityBeginsWhereItWasSpawned) {
  OneEntity entity;
  const EntityId fresh =
      entity.table.spawn(SessionId{1}, {{10, 0, 0}, {}, unit_box, {}, 0}).value();
  entity.table.move_to(fresh, {12, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.snapshot.start_box[1], unit_box_at(10));
  EXPECT_EQ(entity.snapshot.tight_box[1], unit_box_at(12));
}

TEST(Motion, ReshapingAloneIsNoPath) {
  OneEntity entity;
  entity.table.set_shape(entity.id, Shape::sphere(2));
  entity.end_tick();
  EXPECT_EQ(entity.end(), (Aabb{{-2, -2, -2}, {2, 2, 2}}));
  EXPECT_EQ(entity.start(), entity.end());
  EXPECT_EQ(entity.motion(), Motion::None);
}

TEST(Motion, PathOfAReshapedBoxBeginsWithTheOldBoxAmongBoxes) {
  OneEntity entity;
  entity.table.set_shape(entity.id, Shape::box({2, 2, 2}));
  entity.table.move_to(entity.id, {10, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.start(), unit_box_at(0));
  EXPECT_EQ(entity.end(), (Aabb{{8, -2, -2}, {12, 2, 2}}));
  EXPECT_EQ(entity.snapshot.begin_box(0), (Aabb{{-2, -2, -2}, {2, 2, 2}}));
  entity.end_tick();
  EXPECT_EQ(entity.snapshot.begin_box(0), entity.start());
}

TEST(Motion, WhatIsNoBoxHasItsNewShapeAllAlongItsPath) {
  OneEntity entity;
  entity.table.set_shape(entity.id, Shape::sphere(2));
  entity.table.move_to(entity.id, {10, 0, 0}, false);
  entity.end_tick();
  EXPECT_EQ(entity.start(), (Aabb{{-2, -2, -2}, {2, 2, 2}}));
  EXPECT_EQ(entity.end(), (Aabb{{8, -2, -2}, {12, 2, 2}}));
}

TEST(Motion, AReshapedEntityDriftsWithItsNewShapeFromTheStart) {
  OneEntity entity(0, {4, 0, 0});
  entity.table.set_shape(entity.id, Shape::sphere(2));
  entity.end_tick();
  EXPECT_EQ(entity.start(), (Aabb{{-2, -2, -2}, {2, 2, 2}}));
  EXPECT_EQ(entity.end(), (Aabb{{0, -2, -2}, {4, 2, 2}}));
  EXPECT_EQ(entity.motion(), Motion::Path);
}

TEST(Motion, TeleportedAndReshapedHasNoPath) {
  OneEntity entity;
  entity.table.teleport(entity.id, {10, 0, 0});
  entity.table.set_shape(entity.id, Shape::sphere(2));
  entity.end_tick();
  EXPECT_EQ(entity.start(), (Aabb{{8, -2, -2}, {12, 2, 2}}));
  EXPECT_EQ(entity.start(), entity.end());
}

TEST(Motion, ContinuousMoveSaysSoEvenWithoutAPath) {
  OneEntity entity;
  entity.table.move_to(entity.id, {0, 0, 0}, true);
  entity.end_tick();
  EXPECT_EQ(entity.motion(), Motion::Continuous);
  entity.end_tick();
  EXPECT_EQ(entity.motion(), Motion::None);
}

TEST(Motion, DisabledEntitiesMoveOn) {
  OneEntity entity(0, {4, 0, 0});
  entity.table.set_filter(entity.id, {.enabled = false});
  entity.end_tick();
  EXPECT_EQ(entity.x(), 2.0);
}

TEST(Motion, StaticEntitiesTakeNoVelocityAndNoPathButATeleport) {
  Filter filter;
  filter.is_static = true;
  OneEntity entity(0, {}, filter);
  EXPECT_EQ(entity.table.set_velocity(entity.id, {1, 0, 0}), ErrorCode::StaticMotion);
  EXPECT_EQ(entity.table.move_to(entity.id, {1, 0, 0}, false), ErrorCode::StaticMotion);
  EXPECT_EQ(entity.table.set_velocity(entity.id, {0, 0, 0}), ErrorCode::None);
  EXPECT_EQ(entity.table.teleport(entity.id, {7, 0, 0}), ErrorCode::None);
  entity.end_tick();
  EXPECT_EQ(entity.x(), 7.0);
  SpawnCommand moving{{}, {1, 0, 0}, unit_box, filter, 0};
  EXPECT_EQ(entity.table.spawn(SessionId{1}, moving).error(), ErrorCode::StaticMotion);
}

TEST(Motion, BecomingStaticStopsTheEntity) {
  OneEntity entity(0, {4, 0, 0});
  entity.end_tick();
  entity.table.set_filter(entity.id, {.is_static = true});
  entity.end_tick();
  EXPECT_EQ(entity.x(), 2.0);
  EXPECT_EQ(entity.snapshot.velocity[0], Vec3{});
  EXPECT_EQ(entity.snapshot.changed[0].pose, 3u);
  entity.table.set_filter(entity.id, {.is_static = false});
  entity.end_tick();
  EXPECT_EQ(entity.x(), 2.0) << "it does not start again by itself";
}

TEST(Motion, WhatTheVelocityCarriesOutOfTheWorldEndsInThatTick) {
  OneEntity entity(99, {1, 0, 0});
  entity.end_tick();
  ASSERT_EQ(entity.snapshot.entity_count, 1u) << "box ends at 100, still inside";
  EXPECT_EQ(entity.end().max.x, 100.0);
  entity.end_tick();
  EXPECT_EQ(entity.snapshot.entity_count, 0u);
  ASSERT_EQ(entity.snapshot.despawned.size(), 1u);
  EXPECT_EQ(entity.snapshot.despawned[0].id, entity.id);
  EXPECT_EQ(entity.snapshot.despawned[0].reason, DespawnReason::LeftWorld);
}

TEST(Motion, ChangesThatWouldLeaveTheWorldAreRefusedAndChangeNothing) {
  OneEntity entity(99);
  EXPECT_EQ(entity.table.move_to(entity.id, {99.75, 0, 0}, true), ErrorCode::OutOfWorld);
  EXPECT_EQ(entity.table.teleport(entity.id, {0, 0, -99.75}), ErrorCode::OutOfWorld);
  EXPECT_EQ(entity.table.set_shape(entity.id, Shape::sphere(1.5)), ErrorCode::OutOfWorld);
  const auto refused = entity.table.spawn(SessionId{1}, {{0, -100, 0}, {}, unit_box, {}, 0});
  EXPECT_EQ(refused.error(), ErrorCode::OutOfWorld);
  entity.end_tick();
  ASSERT_EQ(entity.snapshot.entity_count, 1u);
  EXPECT_EQ(entity.end(), unit_box_at(99));
  EXPECT_EQ(entity.motion(), Motion::None);
  EXPECT_EQ(entity.snapshot.changed[0].pose, 1u);
  EXPECT_EQ(entity.snapshot.changed[0].shape, 1u);
  EXPECT_EQ(entity.table.move_to(entity.id, {99.5, 0, 0}, false), ErrorCode::None) << "the edge";
}

TEST(Motion, OriginOutsideTheWorldIsRefusedAlthoughTheShapeIsInside) {
  OneEntity entity;
  SpawnCommand command{{101, 0, 0}, {}, Shape::sphere(1, {-50, 0, 0}), {}, 0};
  EXPECT_EQ(entity.table.spawn(SessionId{1}, command).error(), ErrorCode::OutOfWorld);
}

}  // namespace
}  // namespace vicinity
