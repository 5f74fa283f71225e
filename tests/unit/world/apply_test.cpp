// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/apply.h"

#include <gtest/gtest.h>

#include <utility>

namespace vicinity {
namespace {

constexpr SessionId alice{1};
constexpr SessionId bob{2};

class Apply : public testing::Test {
 protected:
  Apply() { table.begin_tick(1); }

  ApplyOutcome apply(SessionId session, Role role, CommandBody body) {
    return apply_entity_command({session, ++sequence, std::move(body)}, role, limits_of_players,
                                table, spawned);
  }
  EntityId spawn(SessionId session, Role role = Role::Authority) {
    const ApplyOutcome outcome = apply(session, role, SpawnCommand{});
    EXPECT_EQ(outcome.code, ErrorCode::None);
    return outcome.entity;
  }
  void end_tick() {
    table.advance(1, workers);
    table.begin_tick(++tick);
    spawned.clear();
  }

  Workers workers{1};
  EntityTable table{EntityTableSettings{.reuse_delay_ticks = 0}};
  PlayerLimits limits_of_players{3, 10};
  SpawnedThisTick spawned;
  std::uint64_t sequence = 0;
  Tick tick = 1;
};

TEST_F(Apply, ObserversCommandNothing) {
  const EntityId id = spawn(alice);
  EXPECT_EQ(apply(bob, Role::Observer, SpawnCommand{}).code, ErrorCode::WrongRole);
  EXPECT_EQ(apply(bob, Role::Observer, DespawnCommand{{id, 0}}).code, ErrorCode::WrongRole);
  EXPECT_EQ(table.status(id), EntityStatus::Alive);
  EXPECT_EQ(table.owned_count(bob), 0u);
}

TEST_F(Apply, PlayersCommandOnlyTheirOwn) {
  const EntityId of_alice = spawn(alice, Role::Player);
  const EntityId of_bob = spawn(bob, Role::Player);
  const ApplyOutcome refused = apply(bob, Role::Player, TeleportCommand{{of_alice, 0}, {5, 0, 0}});
  EXPECT_EQ(refused.code, ErrorCode::NotOwner);
  EXPECT_EQ(refused.entity, of_alice);
  EXPECT_EQ(apply(bob, Role::Player, TeleportCommand{{of_bob, 0}, {5, 0, 0}}).code,
            ErrorCode::None);
  Snapshot snapshot;
  table.advance(1, workers);
  table.freeze(1, workers, snapshot);
  EXPECT_EQ(snapshot.position[0], Vec3{});
  EXPECT_EQ(snapshot.position[1], (Vec3{5, 0, 0}));
}

TEST_F(Apply, AuthoritiesCommandAnybodys) {
  const EntityId id = spawn(alice, Role::Player);
  EXPECT_EQ(apply(bob, Role::Authority, DespawnCommand{{id, 0}}).code, ErrorCode::None);
  EXPECT_EQ(table.status(id), EntityStatus::Stale);
}

TEST_F(Apply, EveryCommandReachesTheTable) {
  const EntityId id = spawn(alice);
  const EntityRef ref{id, 0};
  EXPECT_EQ(apply(alice, Role::Authority, SetVelocityCommand{ref, {1, 2, 3}}).entity, id);
  apply(alice, Role::Authority, MoveToCommand{ref, {4, 5, 6}, true});
  apply(alice, Role::Authority, SetShapeCommand{ref, Shape::sphere(2)});
  apply(alice, Role::Authority, SetFilterCommand{ref, {.instance = 8}});
  apply(alice, Role::Authority, SetUserDataCommand{ref, 99});
  Snapshot snapshot;
  table.advance(1, workers);
  table.freeze(1, workers, snapshot);
  EXPECT_EQ(snapshot.velocity[0], (Vec3{1, 2, 3}));
  EXPECT_EQ(snapshot.position[0], (Vec3{4, 5, 6}));
  EXPECT_EQ(snapshot.motion[0], Motion::Continuous);
  EXPECT_EQ(snapshot.shape[0], Shape::sphere(2));
  EXPECT_EQ(snapshot.filter[0].instance, 8u);
  EXPECT_EQ(snapshot.user_data[0], 99u);
  EXPECT_EQ(snapshot.owner[0], alice);
  EXPECT_EQ(apply(alice, Role::Authority, DespawnCommand{ref}).code, ErrorCode::None);
  EXPECT_EQ(table.status(id), EntityStatus::Stale);
}

TEST_F(Apply, PassesOnWhatTheTableRefuses) {
  const EntityId id = spawn(alice);
  const ApplyOutcome far = apply(alice, Role::Authority, TeleportCommand{{id, 0}, {1e15, 0, 0}});
  EXPECT_EQ(far.code, ErrorCode::OutOfWorld);
  EXPECT_EQ(far.entity, id);
  SpawnCommand outside;
  outside.position = {1e15, 0, 0};
  const ApplyOutcome spawn_far = apply(alice, Role::Authority, outside);
  EXPECT_EQ(spawn_far.code, ErrorCode::OutOfWorld);
  EXPECT_EQ(spawn_far.entity, EntityId());
}

TEST_F(Apply, NamesAnEntityByTheCommandThatSpawnedIt) {
  const EntityId id = spawn(alice);
  const std::uint64_t by = sequence;
  spawn(alice);
  const ApplyOutcome outcome = apply(alice, Role::Authority, SetUserDataCommand{{{}, by}, 5});
  EXPECT_EQ(outcome.code, ErrorCode::None);
  EXPECT_EQ(outcome.entity, id);
}

TEST_F(Apply, ASpawnIsForgottenWithTheTick) {
  spawn(alice);
  const std::uint64_t by = sequence;
  end_tick();
  EXPECT_EQ(apply(alice, Role::Authority, DespawnCommand{{{}, by}}).code, ErrorCode::UnknownEntity);
}

TEST_F(Apply, ReferencesToNothingToTheDeadAndToTheUnbornAreToldApart) {
  const EntityId id = spawn(alice);
  const std::uint64_t by = sequence;
  apply(alice, Role::Authority, DespawnCommand{{id, 0}});
  EXPECT_EQ(resolve(table, spawned, {}).error(), ErrorCode::MissingField);
  EXPECT_EQ(resolve(table, spawned, {id, 0}).error(), ErrorCode::StaleEntity);
  EXPECT_EQ(resolve(table, spawned, {{}, by}).error(), ErrorCode::StaleEntity);
  EXPECT_EQ(resolve(table, spawned, {{}, by + 1}).error(), ErrorCode::UnknownEntity);
  EXPECT_EQ(resolve(table, spawned, {EntityId(5, 5), 0}).error(), ErrorCode::UnknownEntity);
}

TEST_F(Apply, APlayerOwnsNoMoreThanItsLimit) {
  for (int i = 0; i < 3; ++i) spawn(alice, Role::Player);
  EXPECT_EQ(apply(alice, Role::Player, SpawnCommand{}).code, ErrorCode::EntityLimit);
  spawned.clear();
  EXPECT_EQ(apply(bob, Role::Player, SpawnCommand{}).code, ErrorCode::None);
  for (int i = 0; i < 4; ++i) spawn(bob, Role::Authority);
}

TEST_F(Apply, APlayerCannotUseUpTheSlotsWithinOneTick) {
  for (int i = 0; i < 3; ++i) {
    apply(alice, Role::Player, DespawnCommand{{spawn(alice, Role::Player), 0}});
  }
  EXPECT_EQ(apply(alice, Role::Player, SpawnCommand{}).code, ErrorCode::EntityLimit);
  end_tick();
  EXPECT_EQ(apply(alice, Role::Player, SpawnCommand{}).code, ErrorCode::None);
}

TEST_F(Apply, PlayersLeaveTheLastSlotsToAuthorities) {
  table = EntityTable({.entity_count_max = 1000, .reuse_delay_ticks = 100});
  table.begin_tick(1);
  limits_of_players.entities_max = 1000;
  std::uint32_t used = 0;
  ErrorCode refused = ErrorCode::None;
  while (refused == ErrorCode::None) {
    const ApplyOutcome outcome = apply(alice, Role::Player, SpawnCommand{});
    refused = outcome.code;
    if (refused != ErrorCode::None && spawned.count() == 1000) {
      end_tick();
      refused = ErrorCode::None;
    } else if (refused == ErrorCode::None) {
      apply(alice, Role::Player, DespawnCommand{{outcome.entity, 0}});
      ++used;
    }
  }
  EXPECT_EQ(refused, ErrorCode::EntityLimit);
  EXPECT_EQ(used, table.slot_count_max() - table.slot_count_max() / 8);
  EXPECT_EQ(apply(bob, Role::Player, SpawnCommand{}).code, ErrorCode::EntityLimit);
  EXPECT_EQ(apply(bob, Role::Authority, SpawnCommand{}).code, ErrorCode::None);
  for (int i = 0; i < 100; ++i) end_tick();
  EXPECT_EQ(apply(alice, Role::Player, SpawnCommand{}).code, ErrorCode::None);
}

TEST_F(Apply, PlayersAttachAndExcludeOnlyTheirOwn) {
  const EntityId mine = spawn(alice, Role::Player);
  const EntityId also_mine = spawn(alice, Role::Player);
  const EntityId of_bob = spawn(bob, Role::Player);
  for (const auto& [first, second] : {std::pair{mine, of_bob}, std::pair{of_bob, mine}}) {
    const EntityRef a{first, 0}, b{second, 0};
    EXPECT_EQ(apply(alice, Role::Player, AttachCommand{a, b}).code, ErrorCode::NotOwner);
    EXPECT_EQ(apply(alice, Role::Player, ExcludePairCommand{a, b}).code, ErrorCode::NotOwner);
    EXPECT_EQ(apply(alice, Role::Observer, AttachCommand{a, b}).code, ErrorCode::WrongRole);
  }
  const EntityRef a{mine, 0}, b{also_mine, 0};
  EXPECT_EQ(apply(alice, Role::Player, ExcludePairCommand{a, b}).code, ErrorCode::None);
  EXPECT_EQ(apply(alice, Role::Player, ExcludePairCommand{a, a}).code, ErrorCode::InvalidFilter);
  EXPECT_EQ(apply(alice, Role::Player, AttachCommand{a, b}).code, ErrorCode::None);
  EXPECT_EQ(apply(alice, Role::Player, AttachCommand{b, a}).code, ErrorCode::AttachmentCycle);
  EXPECT_EQ(apply(bob, Role::Player, DetachCommand{a}).code, ErrorCode::NotOwner);
  EXPECT_EQ(apply(alice, Role::Player, DetachCommand{a}).code, ErrorCode::None);
  EXPECT_EQ(apply(alice, Role::Player, AttachCommand{a, {EntityId(9, 9), 0}}).code,
            ErrorCode::UnknownEntity);
}

TEST_F(Apply, WhatPlayersAttachHangsNoFartherThanTheirShapesReach) {
  const EntityRef child{spawn(alice, Role::Player), 0};
  const EntityRef parent{spawn(alice, Role::Player), 0};
  AttachCommand attach{child, parent, Pose{{10.5, 0, 0}, {}}};
  EXPECT_EQ(apply(alice, Role::Player, attach).code, ErrorCode::LimitExceeded);
  EXPECT_EQ(apply(bob, Role::Authority, attach).code, ErrorCode::None);
  attach.relative = Pose{{9.5, 0, 0}, {}};
  EXPECT_EQ(apply(alice, Role::Player, attach).code, ErrorCode::None);
}

TEST_F(Apply, EntitiesOfPlayersSpinOnlySoFast) {
  SpawnCommand spawn_it;
  spawn_it.angular_velocity = {50, 40, 0};  // 64 rad/s
  EXPECT_EQ(apply(alice, Role::Player, spawn_it).code, ErrorCode::LimitExceeded);
  EXPECT_EQ(apply(bob, Role::Authority, spawn_it).code, ErrorCode::None);
  const EntityRef own{spawn(alice, Role::Player), 0};
  SetVelocityCommand velocity{own, {}};
  velocity.angular_velocity = spawn_it.angular_velocity;
  EXPECT_EQ(apply(alice, Role::Player, velocity).code, ErrorCode::LimitExceeded);
  EXPECT_EQ(apply(bob, Role::Authority, velocity).code, ErrorCode::None);
  velocity.angular_velocity = Vec3{50, 30, 0};
  EXPECT_EQ(apply(alice, Role::Player, velocity).code, ErrorCode::None);
}

TEST_F(Apply, ShapesOfPlayersReachOnlySoFar) {
  const auto spawn_with = [&](Role role, const Shape& shape) {
    SpawnCommand command;
    command.shape = shape;
    return apply(role == Role::Player ? alice : bob, role, command);
  };
  const Shape too_large[] = {Shape::sphere(10.5), Shape::sphere(1, {0, -9.5, 0}),
                             Shape::capsule(1, 9.5), Shape::box_corners({0, 0, -11}, {0, 0, 0}),
                             Shape::box_corners({0, 0, 0}, {11, 0, 0})};
  for (const Shape& shape : too_large) {
    EXPECT_EQ(spawn_with(Role::Player, shape).code, ErrorCode::LimitExceeded);
    EXPECT_EQ(spawn_with(Role::Authority, shape).code, ErrorCode::None);
  }
  spawned.clear();
  const ApplyOutcome largest = spawn_with(Role::Player, Shape::sphere(10));
  ASSERT_EQ(largest.code, ErrorCode::None);
  const EntityRef ref{largest.entity, 0};
  for (const Shape& shape : too_large) {
    const ApplyOutcome refused = apply(alice, Role::Player, SetShapeCommand{ref, shape});
    EXPECT_EQ(refused.code, ErrorCode::LimitExceeded);
    EXPECT_EQ(refused.entity, largest.entity);
    EXPECT_EQ(apply(bob, Role::Player, SetShapeCommand{ref, shape}).code, ErrorCode::NotOwner);
  }
  EXPECT_EQ(apply(alice, Role::Player, SetShapeCommand{ref, Shape::box({10, 10, 10})}).code,
            ErrorCode::None);
  Snapshot snapshot;
  table.advance(1, workers);
  table.freeze(1, workers, snapshot);
  EXPECT_EQ(snapshot.shape.at(largest.entity.index()), Shape::box({10, 10, 10}));
}

TEST_F(Apply, TakesEntityCommandsOnly) {
  EXPECT_TRUE(is_entity_command(SpawnCommand{}));
  EXPECT_TRUE(is_entity_command(DespawnCommand{}));
  EXPECT_TRUE(is_entity_command(SetUserDataCommand{}));
  EXPECT_FALSE(is_entity_command(AddAreaCommand{}));
  EXPECT_FALSE(is_entity_command(ChangeAreaCommand{}));
  EXPECT_FALSE(is_entity_command(RemoveAreaCommand{}));
  EXPECT_FALSE(is_entity_command(OpenSessionCommand{}));
  EXPECT_FALSE(is_entity_command(CloseSessionCommand{}));
}

TEST(SpawnedThisTick, FindsTheNewestOfEqualSequences) {
  SpawnedThisTick spawned;
  spawned.add(3, EntityId(0, 1));
  spawned.add(3, EntityId(1, 1));
  spawned.add(9, EntityId(2, 1));
  EXPECT_EQ(spawned.find(3), EntityId(1, 1));
  EXPECT_EQ(spawned.find(9), EntityId(2, 1));
  EXPECT_FALSE(spawned.find(4).has_value());
  EXPECT_FALSE(spawned.find(10).has_value());
  spawned.clear();
  EXPECT_FALSE(spawned.find(3).has_value());
}

SpawnCommand with_relevance(const Relevance& relevance) {
  SpawnCommand out;
  out.relevance = relevance;
  return out;
}

TEST_F(Apply, PlayersAreNeitherAlwaysSeenNorFarAheadOfOthers) {
  const EntityId own = spawn(alice, Role::Player);
  const struct {
    Relevance relevance;
    ErrorCode code;
  } cases[] = {
      {{false, 16, 10, 10}, ErrorCode::None},
      {{true, 0, 0, 0}, ErrorCode::WrongRole},
      {{false, 17, 0, 0}, ErrorCode::WrongRole},
      {{false, 0, 10.5, 10.5}, ErrorCode::LimitExceeded},
      {{false, 0, 10, 11}, ErrorCode::LimitExceeded},
  };
  for (const auto& c : cases) {
    const SetRelevanceCommand change{{own, 0}, c.relevance};
    EXPECT_EQ(apply(alice, Role::Player, change).code, c.code);
    const ApplyOutcome spawned_so = apply(alice, Role::Player, with_relevance(c.relevance));
    EXPECT_EQ(spawned_so.code, c.code);
    if (spawned_so.code == ErrorCode::None)
      apply(alice, Role::Player, DespawnCommand{{spawned_so.entity, 0}});
    EXPECT_EQ(apply(bob, Role::Authority, change).code, ErrorCode::None);
    EXPECT_EQ(apply(bob, Role::Authority, with_relevance(c.relevance)).code, ErrorCode::None);
    spawned.clear();
  }
}

TEST_F(Apply, RelevanceIsForOwnersAndAuthorities) {
  const EntityId id = spawn(alice, Role::Player);
  const SetRelevanceCommand change{{id, 0}, {false, 3, 0, 0}};
  EXPECT_EQ(apply(bob, Role::Player, change).code, ErrorCode::NotOwner);
  EXPECT_EQ(apply(bob, Role::Observer, change).code, ErrorCode::WrongRole);
  EXPECT_EQ(apply(alice, Role::Player, change).code, ErrorCode::None);
  EXPECT_EQ(apply(bob, Role::Authority, change).code, ErrorCode::None);
  Snapshot snapshot;
  table.advance(1, workers);
  table.freeze(1, workers, snapshot);
  EXPECT_EQ(snapshot.relevance.at(id.index()).boost, 3);
}

TEST_F(Apply, FollowersAreMadeByPlayersAndAuthorities) {
  const EntityId a = spawn(alice, Role::Player);
  const EntityId b = spawn(alice, Role::Player);
  AttachCommand attach{{b, 0}, {a, 0}};
  attach.follow_visibility = true;
  for (const Role role : {Role::Player, Role::Authority}) {
    EXPECT_EQ(apply(alice, role, attach).code, ErrorCode::None);
    Snapshot snapshot;
    table.advance(1, workers);
    table.freeze(1, workers, snapshot);
    EXPECT_EQ(snapshot.followers, (std::vector<Follower>{{b.index(), a.index()}}));
    table.begin_tick(++tick);
    EXPECT_EQ(apply(alice, role, DetachCommand{{b, 0}}).code, ErrorCode::None);
  }
}

}  // namespace
}  // namespace vicinity
