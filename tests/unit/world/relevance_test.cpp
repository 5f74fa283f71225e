// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Relevance, followers and owners that go: what of an entity decides who sees it.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "world/entity_table.h"

namespace vicinity {
namespace {

constexpr Relevance seen_from_afar{true, 7, 100, 120};

class World {
 public:
  World() : table(EntityTableSettings{.world_half_size_m = 1000, .reuse_delay_ticks = 0}) {
    table.begin_tick(1);
  }
  EntityId spawn(const Relevance& relevance = {}, SessionId owner = {1}, Vec3 velocity = {}) {
    SpawnCommand command;
    command.shape = Shape::sphere(0.5);
    command.relevance = relevance;
    command.velocity = velocity;
    return table.spawn(owner, command).value();
  }
  void follow(EntityId child, EntityId parent, OnParentEnd on_end = OnParentEnd::Detach,
              bool follow_visibility = true) {
    EXPECT_EQ(table.attach(child, parent, {}, on_end, std::numeric_limits<double>::infinity(),
                           follow_visibility),
              ErrorCode::None);
  }
  /// Ends the tick; the snapshot that is kept is brought up to date, and the next tick begins.
  void end_tick() {
    table.advance(1, workers);
    table.freeze(1, workers, snapshot);
    table.begin_tick(snapshot.tick + 1);
  }
  const EntityVersions& changed(EntityId id) const { return snapshot.changed.at(id.index()); }

  Workers workers{1};
  EntityTable table;
  Snapshot snapshot;
};

std::vector<Follower> followers(std::initializer_list<std::pair<EntityId, EntityId>> pairs) {
  std::vector<Follower> out;
  for (const auto& [child, parent] : pairs) out.push_back({child.index(), parent.index()});
  return out;
}

// --- Relevance ---------------------------------------------------------------------------------

TEST(Relevance, IsNotKeptAsLongAsAllHaveTheDefault) {
  World world;
  const EntityId id = world.spawn();
  EXPECT_EQ(world.table.set_relevance(id, {}), ErrorCode::None);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.relevance.empty());
}

TEST(Relevance, OfOneEntityGivesEverybodyAPlace) {
  World world;
  const EntityId plain = world.spawn();
  world.end_tick();
  const EntityId seen = world.spawn(seen_from_afar);
  world.end_tick();
  const EntityId later = world.spawn();
  world.end_tick();
  ASSERT_EQ(world.snapshot.relevance.size(), world.snapshot.slot_count());
  EXPECT_EQ(world.snapshot.relevance[plain.index()], Relevance{});
  EXPECT_EQ(world.snapshot.relevance[seen.index()], seen_from_afar);
  EXPECT_EQ(world.snapshot.relevance[later.index()], Relevance{});
}

TEST(Relevance, HasTheVersionOfItsSpawnAndOfItsChanges) {
  World world;
  const EntityId id = world.spawn();
  world.end_tick();
  EXPECT_EQ(world.changed(id).relevance, 1u);
  world.end_tick();
  world.table.set_relevance(id, seen_from_afar);
  world.end_tick();
  EXPECT_EQ(world.changed(id).relevance, 3u);
  EXPECT_EQ(world.changed(id).filter, 1u);
  world.table.set_relevance(id, seen_from_afar);
  world.end_tick();
  EXPECT_EQ(world.changed(id).relevance, 3u) << "an equal value is no change";
  world.table.set_relevance(id, {});
  world.end_tick();
  EXPECT_EQ(world.changed(id).relevance, 5u);
  EXPECT_EQ(world.snapshot.relevance.at(id.index()), Relevance{});
}

TEST(Relevance, OfAnEntityThatEndedIsNotThatOfTheNextInItsSlot) {
  World world;
  const EntityId id = world.spawn(seen_from_afar);
  world.end_tick();
  world.table.despawn(id, DespawnReason::Command);
  world.end_tick();
  const EntityId next = world.spawn();
  ASSERT_EQ(next.index(), id.index());
  world.end_tick();
  EXPECT_EQ(world.snapshot.relevance.at(next.index()), Relevance{});
}

TEST(Relevance, OfWhatDoesNotLiveIsRefused) {
  World world;
  const EntityId id = world.spawn();
  world.table.despawn(id, DespawnReason::Command);
  EXPECT_EQ(world.table.set_relevance(id, seen_from_afar), ErrorCode::StaleEntity);
  EXPECT_EQ(world.table.set_relevance(EntityId(9, 1), seen_from_afar), ErrorCode::UnknownEntity);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.relevance.empty());
}

// --- Followers ---------------------------------------------------------------------------------

TEST(Followers, AreThoseThatAreAttachedSoAscending) {
  World world;
  const EntityId a = world.spawn();
  const EntityId b = world.spawn();
  const EntityId c = world.spawn();
  const EntityId d = world.spawn();
  world.follow(d, a);
  world.follow(b, d);
  world.follow(c, a, OnParentEnd::Detach, false);
  world.end_tick();
  EXPECT_EQ(world.snapshot.followers, followers({{b, d}, {d, a}}));
  world.end_tick();
  EXPECT_EQ(world.snapshot.followers, followers({{b, d}, {d, a}}));
}

TEST(Followers, EndWithTheAttachment) {
  World world;
  const EntityId parent = world.spawn();
  const EntityId child = world.spawn();
  world.follow(child, parent);
  world.end_tick();
  EXPECT_EQ(world.table.detach(child), ErrorCode::None);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.followers.empty());
  // Attached in another way they follow no longer; nor does what was a follower before.
  world.follow(child, parent);
  world.end_tick();
  world.follow(child, parent, OnParentEnd::Detach, false);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.followers.empty());
}

TEST(Followers, GoWhenTheyOrTheirParentsEnd) {
  World world;
  const EntityId parent = world.spawn();
  const EntityId stays = world.spawn();
  const EntityId ends = world.spawn();
  const EntityId last = world.spawn();
  world.follow(stays, parent, OnParentEnd::Detach);
  world.follow(ends, parent, OnParentEnd::Despawn);
  world.follow(last, stays);
  world.end_tick();
  world.table.despawn(parent, DespawnReason::Command);
  world.end_tick();
  EXPECT_EQ(world.snapshot.followers, followers({{last, stays}}));
  world.table.despawn(last, DespawnReason::Command);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.followers.empty());
}

TEST(Followers, GoInTheTickInWhichTheirParentLeavesTheWorld) {
  World world;
  const EntityId parent = world.spawn({}, {1}, {600, 0, 0});
  const EntityId child = world.spawn();
  world.follow(child, parent);
  world.end_tick();
  EXPECT_EQ(world.snapshot.followers, followers({{child, parent}}));
  world.end_tick();
  world.end_tick();
  ASSERT_FALSE(world.snapshot.contains(parent));
  EXPECT_TRUE(world.snapshot.followers.empty());
}

// --- Owners ------------------------------------------------------------------------------------

TEST(ReleaseOwnedBy, LeavesTheEntitiesToNobody) {
  World world;
  const EntityId a = world.spawn({}, {1});
  const EntityId b = world.spawn({}, {2});
  const EntityId c = world.spawn({}, {1});
  world.end_tick();
  world.table.release_owned_by({1});
  EXPECT_EQ(world.table.owned_count({1}), 0u);
  world.end_tick();
  for (const EntityId id : {a, c}) {
    EXPECT_TRUE(world.snapshot.contains(id));
    EXPECT_EQ(world.table.owner_of(id), SessionId{});
    EXPECT_EQ(world.snapshot.owner[id.index()], SessionId{});
  }
  EXPECT_EQ(world.snapshot.owner[b.index()], SessionId{2});
  // Nobody's entities do not end with a session, and can be ended.
  world.table.despawn_owned_by({1});
  EXPECT_EQ(world.table.despawn(a, DespawnReason::Command), ErrorCode::None);
  world.end_tick();
  EXPECT_TRUE(world.snapshot.contains(c));
  EXPECT_FALSE(world.snapshot.contains(a));
}

}  // namespace
}  // namespace vicinity
