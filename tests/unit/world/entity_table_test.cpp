// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/entity_table.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

constexpr SessionId alice{1};
constexpr SessionId bob{2};

SpawnCommand unit_box_at(Vec3 position, Vec3 velocity = {}) {
  SpawnCommand command;
  command.position = position;
  command.velocity = velocity;
  command.shape = Shape::box({0.5, 0.5, 0.5});
  command.user_data = 77;
  return command;
}

EntityTableSettings quick_reuse(std::uint32_t delay = 0) {
  EntityTableSettings settings;
  settings.reuse_delay_ticks = delay;
  return settings;
}

/// A table in its first tick; next() ends a tick and starts the following one.
class Table {
 public:
  explicit Table(const EntityTableSettings& settings = {}) : table(settings) {
    table.begin_tick(tick);
  }
  EntityId spawn(const SpawnCommand& command, SessionId owner = alice) {
    const auto id = table.spawn(owner, command);
    EXPECT_TRUE(id.ok());
    return id.ok() ? id.value() : EntityId();
  }
  Snapshot next() {
    Snapshot snapshot;
    table.advance(0.5, workers);
    table.freeze(0.5, workers, snapshot);
    table.begin_tick(++tick);
    return snapshot;
  }

  Workers workers{1};
  Tick tick = 1;
  EntityTable table;
};

// --- Slots and generations -------------------------------------------------------------------

TEST(EntityTable, FirstIdIsSlotZeroGenerationOne) {
  Table world;
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(0, 1));
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(1, 1));
}

TEST(EntityTable, TellsAliveStaleAndUnknownApart) {
  Table world;
  const EntityId id = world.spawn(unit_box_at({}));
  EXPECT_EQ(world.table.status(id), EntityStatus::Alive);
  EXPECT_EQ(world.table.status(EntityId(0, 2)), EntityStatus::Unknown);
  EXPECT_EQ(world.table.status(EntityId(1, 1)), EntityStatus::Unknown);
  EXPECT_EQ(world.table.status(EntityId(0, 0)), EntityStatus::Unknown);
  EXPECT_EQ(world.table.despawn(id, DespawnReason::Command), ErrorCode::None);
  EXPECT_EQ(world.table.status(id), EntityStatus::Stale);
}

TEST(EntityTable, EveryChangeOfADeadEntityIsStale) {
  Table world(quick_reuse());
  const EntityId dead = world.spawn(unit_box_at({}));
  ASSERT_EQ(world.table.despawn(dead, DespawnReason::Command), ErrorCode::None);
  const EntityId heir = world.spawn(unit_box_at({}));
  ASSERT_EQ(heir, EntityId(0, 2)) << "the slot is used again at once";
  EXPECT_EQ(world.table.despawn(dead, DespawnReason::Command), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_velocity(dead, {1, 0, 0}), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.move_to(dead, {9, 0, 0}, false), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.teleport(dead, {9, 0, 0}), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_shape(dead, Shape::sphere(9)), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_filter(dead, {}), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_user_data(dead, 9), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_user_data(EntityId(8, 1), 9), ErrorCode::UnknownEntity);
  const Snapshot snapshot = world.next();
  ASSERT_EQ(snapshot.entity_count, 1u);
  EXPECT_EQ(snapshot.id[0], heir);
  EXPECT_EQ(snapshot.position[0], Vec3{});
  EXPECT_EQ(snapshot.user_data[0], 77u);
}

TEST(EntityTable, UsesASlotAgainOnlyAfterTheDelay) {
  Table world(quick_reuse(2));
  const EntityId first = world.spawn(unit_box_at({}));
  ASSERT_EQ(world.table.despawn(first, DespawnReason::Command), ErrorCode::None);  // tick 1
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(1, 1));
  world.next();
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(2, 1));
  world.next();
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(0, 2)) << "tick 3 = 1 + 2";
}

TEST(EntityTable, UsesTheLongestDeadSlotFirst) {
  Table world(quick_reuse());
  EntityId id[3];
  for (EntityId& each : id) each = world.spawn(unit_box_at({}));
  for (const int i : {2, 0, 1}) world.table.despawn(id[i], DespawnReason::Command);
  for (const std::uint32_t slot : {2u, 0u, 1u}) {
    EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(slot, 2));
  }
}

TEST(EntityTable, RetiresASlotWhoseGenerationsAreUsedUp) {
  EntityTableSettings settings = quick_reuse();
  settings.generation_max = 3;
  Table world(settings);
  for (std::uint32_t generation = 1; generation <= 3; ++generation) {
    const EntityId id = world.spawn(unit_box_at({}));
    EXPECT_EQ(id, EntityId(0, generation));
    world.table.despawn(id, DespawnReason::Command);
  }
  EXPECT_EQ(world.spawn(unit_box_at({})), EntityId(1, 1));
  EXPECT_EQ(world.table.status(EntityId(0, 3)), EntityStatus::Stale);
  EXPECT_EQ(world.table.status(EntityId(0, 1)), EntityStatus::Stale);
}

TEST(EntityTable, RefusesMoreLivingEntitiesThanAllowed) {
  EntityTableSettings settings;
  settings.entity_count_max = 2;
  Table world(settings);
  const EntityId first = world.spawn(unit_box_at({}));
  world.spawn(unit_box_at({}));
  EXPECT_EQ(world.table.spawn(alice, unit_box_at({})).error(), ErrorCode::EntityLimit);
  world.table.despawn(first, DespawnReason::Command);
  EXPECT_TRUE(world.table.spawn(alice, unit_box_at({})).ok()) << "although slot 0 still waits";
}

TEST(EntityTable, ChurnCannotGrowTheSlotsWithoutEnd) {
  EntityTableSettings settings;
  settings.entity_count_max = 1;
  Table world(settings);
  std::uint32_t spawned = 0;
  while (spawned <= world.table.slot_count_max()) {
    const auto id = world.table.spawn(alice, unit_box_at({}));
    if (!id) {
      EXPECT_EQ(id.error(), ErrorCode::EntityLimit);
      break;
    }
    world.table.despawn(id.value(), DespawnReason::Command);
    ++spawned;
  }
  EXPECT_EQ(spawned, world.table.slot_count_max());
  for (std::uint32_t i = 0; i < settings.reuse_delay_ticks; ++i) world.next();
  EXPECT_TRUE(world.table.spawn(alice, unit_box_at({})).ok()) << "room again after the delay";
}

TEST(EntityTable, CountsAndEndsEntitiesByOwner) {
  Table world(quick_reuse());
  const EntityId a = world.spawn(unit_box_at({}), alice);
  const EntityId b = world.spawn(unit_box_at({}), bob);
  const EntityId c = world.spawn(unit_box_at({}), alice);
  const EntityId d = world.spawn(unit_box_at({}), alice);
  EXPECT_EQ(world.table.owned_count(alice), 3u);
  EXPECT_EQ(world.table.owner_of(b), bob);
  world.next();
  world.table.despawn(c, DespawnReason::Command);
  EXPECT_EQ(world.table.owned_count(alice), 2u);
  world.table.despawn_owned_by(alice);
  world.table.despawn_owned_by(SessionId{99});
  EXPECT_EQ(world.table.owned_count(alice), 0u);
  EXPECT_EQ(world.table.owned_count(bob), 1u);
  const Snapshot snapshot = world.next();
  ASSERT_EQ(snapshot.entity_count, 1u);
  EXPECT_TRUE(snapshot.contains(b));
  ASSERT_EQ(snapshot.despawned.size(), 3u);
  EXPECT_EQ(snapshot.despawned[0].id, a);
  EXPECT_EQ(snapshot.despawned[0].reason, DespawnReason::SessionEnded);
  EXPECT_EQ(snapshot.despawned[1].id, c);
  EXPECT_EQ(snapshot.despawned[1].reason, DespawnReason::Command);
  EXPECT_EQ(snapshot.despawned[2].id, d);
  EXPECT_EQ(snapshot.despawned[2].owner, alice);
}

// --- Snapshot --------------------------------------------------------------------------------

TEST(EntityTable, FreezesEverySlotAndKnowsWhoIsInIt) {
  Table world(quick_reuse());
  const EntityId a = world.spawn(unit_box_at({1, 0, 0}));
  const EntityId b = world.spawn(unit_box_at({2, 0, 0}));
  const EntityId c = world.spawn(unit_box_at({3, 0, 0}));
  world.table.despawn(b, DespawnReason::Command);
  const Snapshot snapshot = world.next();
  EXPECT_EQ(snapshot.id, (std::vector<EntityId>{a, EntityId(), c}));
  EXPECT_EQ(snapshot.slot_count(), 3u);
  EXPECT_EQ(snapshot.entity_count, 2u);
  EXPECT_FALSE(snapshot.is_alive(1));
  EXPECT_TRUE(snapshot.contains(c));
  EXPECT_FALSE(snapshot.contains(b));
  EXPECT_FALSE(snapshot.contains(EntityId(c.index(), 2)));
  EXPECT_FALSE(snapshot.contains(EntityId(99, 1)));
  EXPECT_FALSE(snapshot.contains(EntityId()));
  EXPECT_EQ(snapshot.tick, 1u);
  EXPECT_EQ(snapshot.dt_s, 0.5);
  EXPECT_EQ(snapshot.tight_box[2], (Aabb{{2.5, -0.5, -0.5}, {3.5, 0.5, 0.5}}));
}

TEST(EntityTable, SpawnedAndDespawnedBetweenTwoTicksIsNowhere) {
  Table world;
  world.table.despawn(world.spawn(unit_box_at({})), DespawnReason::Command);
  const Snapshot snapshot = world.next();
  EXPECT_EQ(snapshot.entity_count, 0u);
  EXPECT_TRUE(snapshot.despawned.empty());
}

TEST(EntityTable, ADespawnNamesWhoDidIt) {
  Table world;
  const EntityId own = world.spawn(unit_box_at({}));
  const EntityId foreign = world.spawn(unit_box_at({}));
  const EntityId left = world.spawn(unit_box_at({}), alice);
  const EntityId other = world.spawn(unit_box_at({}), bob);
  world.next();
  world.table.despawn(own, DespawnReason::Command, alice);
  world.table.despawn(foreign, DespawnReason::Command, bob);
  world.table.set_velocity(left, {1e14, 0, 0});
  world.table.despawn_owned_by(bob);
  const std::vector<Despawn> despawned = world.next().despawned;
  ASSERT_EQ(despawned.size(), 4u);
  EXPECT_EQ(despawned[0].by, alice);
  EXPECT_EQ(despawned[1].by, bob);
  EXPECT_EQ(despawned[2].id, left);
  EXPECT_EQ(despawned[2].by, SessionId{});
  EXPECT_EQ(despawned[3].id, other);
  EXPECT_EQ(despawned[3].by, SessionId{});
}

TEST(EntityTable, ListsADespawnInItsTickOnly) {
  Table world;
  const EntityId id = world.spawn(unit_box_at({}));
  world.next();
  world.table.despawn(id, DespawnReason::Command);
  EXPECT_EQ(world.next().despawned.size(), 1u);
  EXPECT_TRUE(world.next().despawned.empty());
}

TEST(EntityTable, SpawnSetsEveryVersionButTeleported) {
  Table world;
  world.next();
  world.spawn(unit_box_at({}));
  const EntityVersions changed = world.next().changed[0];
  EXPECT_EQ(changed.spawned, 2u);
  EXPECT_EQ(changed.pose, 2u);
  EXPECT_EQ(changed.teleported, 0u);
  EXPECT_EQ(changed.shape, 2u);
  EXPECT_EQ(changed.filter, 2u);
  EXPECT_EQ(changed.enabled, 2u);
  EXPECT_EQ(changed.user_data, 2u);
}

TEST(EntityTable, AChangeToTheSameValueIsNoChange) {
  Table world;
  const EntityId id = world.spawn(unit_box_at({}));
  world.next();
  world.table.set_velocity(id, {-0.0, 0, 0});
  world.table.teleport(id, {});
  world.table.move_to(id, {}, false);
  world.table.set_shape(id, Shape::box({0.5, 0.5, 0.5}));
  world.table.set_filter(id, {.category = 1, .enabled = true});
  world.table.set_user_data(id, 77);
  const EntityVersions changed = world.next().changed[0];
  EXPECT_EQ(changed.pose, 1u);
  EXPECT_EQ(changed.teleported, 0u);
  EXPECT_EQ(changed.shape, 1u);
  EXPECT_EQ(changed.filter, 1u);
  EXPECT_EQ(changed.enabled, 1u);
  EXPECT_EQ(changed.user_data, 1u);
}

TEST(EntityTable, EachChangeSetsItsOwnVersion) {
  Table world;
  const EntityId id = world.spawn(unit_box_at({}));
  world.next();
  world.table.set_filter(id, {.enabled = false});
  EntityVersions changed = world.next().changed[0];
  EXPECT_EQ(changed.enabled, 2u);
  EXPECT_EQ(changed.filter, 1u);
  world.table.set_filter(id, {.instance = 4});
  world.table.set_user_data(id, 5);
  world.table.set_shape(id, Shape::sphere(1));
  changed = world.next().changed[0];
  EXPECT_EQ(changed.enabled, 2u);
  EXPECT_EQ(changed.filter, 3u);
  EXPECT_EQ(changed.user_data, 3u);
  EXPECT_EQ(changed.shape, 3u);
  EXPECT_EQ(changed.pose, 1u);
  world.table.teleport(id, {4, 0, 0});
  changed = world.next().changed[0];
  EXPECT_EQ(changed.pose, 4u);
  EXPECT_EQ(changed.teleported, 4u);
}

TEST(EntityTable, APatchLeavesAbsentFieldsAlone) {
  Table world;
  SpawnCommand command = unit_box_at({});
  command.filter = {6, 5, -3, 9, true, true, false};
  const EntityId id = world.spawn(command);
  world.table.set_filter(id, {.mask = 8});
  Filter expected = command.filter;
  expected.mask = 8;
  EXPECT_EQ(world.next().filter[0], expected);
}

}  // namespace
}  // namespace vicinity
