// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Where commands go that are neither about entities nor areas.

#include "tick/apply_commands.h"

#include <gtest/gtest.h>

#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

constexpr SessionId player{1};
constexpr SessionId authority{2};

class ApplyCommands : public testing::Test {
 protected:
  ApplyCommands() {
    world.open(player, Role::Player);
    world.open(authority, Role::Authority);
    world.step();
  }
  test::WorldOfSessions world{test::small_world()};
};

TEST_F(ApplyCommands, APlayersEntitiesEndWithItsSession) {
  const EntityId id = world.spawned(player, test::unit_box({}));
  world.send(player, CloseSessionCommand{});
  world.step();
  EXPECT_FALSE(world.output().frame->snapshot->contains(id));
}

TEST_F(ApplyCommands, APlayersEntitiesThatAreKeptBelongToNobody) {
  const EntityId id = world.spawned(player, test::unit_box({}));
  const EntityId other = world.spawned(authority, test::unit_box({5, 0, 0}));
  world.send(player, CloseSessionCommand{true});
  world.send(authority, CloseSessionCommand{true});
  world.step();
  const Snapshot& snapshot = *world.output().frame->snapshot;
  ASSERT_TRUE(snapshot.contains(id));
  EXPECT_EQ(snapshot.owner[id.index()], SessionId{});
  EXPECT_EQ(snapshot.owner[other.index()], authority) << "an authority's are kept as ever";
}

TEST_F(ApplyCommands, AnotherPlayerMayNotCommandWhatBelongsToNobody) {
  constexpr SessionId second{3};
  const EntityId id = world.spawned(player, test::unit_box({}));
  world.send(player, CloseSessionCommand{true});
  world.open(second, Role::Player);
  world.step();
  EXPECT_EQ(world.code_of(second, DespawnCommand{{id, 0}}), ErrorCode::NotOwner);
  EXPECT_EQ(world.code_of(authority, DespawnCommand{{id, 0}}), ErrorCode::None);
}

TEST_F(ApplyCommands, VisibilityIsRefusedForWhatIsNotThere) {
  const EntityId id = world.spawned(player, test::unit_box({}));
  EXPECT_EQ(world.code_of(player, SetVisibilityCommand{{1}, {EntityId(99, 1), 0}}),
            ErrorCode::UnknownEntity);
  EXPECT_EQ(world.code_of(player, SetVisibilityCommand{{1}, {id, 0}, Visibility::Always}),
            ErrorCode::UnknownObserver);
  world.send(player, DespawnCommand{{id, 0}});
  world.step();
  EXPECT_EQ(world.code_of(player, SetVisibilityCommand{{1}, {id, 0}}), ErrorCode::StaleEntity);
}

}  // namespace
}  // namespace vicinity
