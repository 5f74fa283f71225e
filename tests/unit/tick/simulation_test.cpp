// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId player{2};
constexpr SessionId watcher{3};

SimulationSettings small_world() {
  SimulationSettings settings;
  settings.dt_s = 1;
  settings.world_half_size_m = 1000;
  settings.entities_per_player_max = 2;
  settings.worker_count = 1;
  return settings;
}

/// Queues commands with rising sequences and runs ticks with them.
class SimulationTest : public testing::Test {
 protected:
  std::uint64_t send(SessionId session, CommandBody body) {
    commands_.push_back({session, ++sequence_, std::move(body)});
    return sequence_;
  }
  void open(SessionId session, Role role, ContactScope contacts = ContactScope::None) {
    send(session, OpenSessionCommand{role, contacts});
  }
  static SpawnCommand unit_box(Vec3 position, Vec3 velocity = {}) {
    return {position, velocity, Shape::box({0.5, 0.5, 0.5}), {}, 0};
  }
  void step() {
    std::stable_sort(commands_.begin(), commands_.end(), [](const Command& a, const Command& b) {
      return std::pair(a.session, a.sequence) < std::pair(b.session, b.sequence);
    });
    output_ = simulation_.run_tick(std::exchange(commands_, {}));
  }
  const SessionOutput& told(SessionId session) const {
    const auto found = std::find_if(output_.sessions.begin(), output_.sessions.end(),
                                    [&](const SessionOutput& o) { return o.session == session; });
    CHECK(found != output_.sessions.end());
    return *found;
  }
  CommandResult result(SessionId session, std::uint64_t sequence) const {
    for (const CommandResult& r : told(session).results)
      if (r.sequence == sequence) return r;
    ADD_FAILURE() << "no result for sequence " << sequence;
    return {};
  }
  /// Spawns now, in a tick of its own.
  EntityId spawned(SessionId session, SpawnCommand command) {
    const std::uint64_t sequence = send(session, std::move(command));
    step();
    const CommandResult r = result(session, sequence);
    EXPECT_EQ(r.code, ErrorCode::None);
    return r.entity;
  }
  bool alive(EntityId id) const { return output_.frame->snapshot->contains(id); }

  Simulation simulation_{small_world()};
  std::vector<Command> commands_;
  std::uint64_t sequence_ = 0;
  TickOutput output_;
};

AreaSpec sphere_area(double radius_m, EntityRef anchor = {}) {
  AreaSpec spec;
  spec.anchor = anchor;
  spec.enter_radius_m = radius_m;
  spec.leave_radius_m = radius_m;
  return spec;
}

TEST_F(SimulationTest, HasAnEmptyFrameBeforeTheFirstTick) {
  const auto frame = simulation_.frame();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->tick, 0u);
  EXPECT_EQ(frame->index_version, 0u);
  EXPECT_EQ(frame->snapshot->slot_count(), 0u);
  EXPECT_THAT(answer_query(*frame, {NearestQuery{{}, 3, -1}, {}, 10}).hits, IsEmpty());
}

TEST_F(SimulationTest, LeavesAPinnedFrameAloneWhenSnapshotsAreUsedAgain) {
  send(authority, OpenSessionCommand{Role::Authority, ContactScope::All});
  SpawnCommand mover = unit_box({0, 0, 0});
  mover.velocity = {1, 0, 0};
  const EntityId id = spawned(authority, mover);
  std::vector<std::shared_ptr<const PublishedFrame>> pinned;
  for (int i = 0; i < 40; ++i) {
    step();
    if (i % 3 == 0) pinned.push_back(simulation_.frame());  // the others may be used again
  }
  send(authority, DespawnCommand{{id, 0}});
  step();
  for (const auto& frame : pinned) {
    EXPECT_EQ(frame->snapshot->tick, frame->tick);
    ASSERT_TRUE(frame->snapshot->contains(id));
    EXPECT_EQ(frame->snapshot->position[id.index()].x, static_cast<double>(frame->tick - 1));
    const Query here{BoxQuery{frame->snapshot->tight_box[id.index()]}, {}, 10};
    EXPECT_THAT(answer_query(*frame, here).hits, SizeIs(1));
  }
}

TEST_F(SimulationTest, CountsPairsThatNoTickLooksAtAnyMore) {
  SimulationSettings settings = small_world();
  settings.index.kind = IndexKind::Rows;
  settings.index.rest_after_ticks = 1;
  settings.index.rest_eagerly = true;
  Simulation simulation(settings);
  simulation.run_tick({{authority, 1, OpenSessionCommand{Role::Authority, ContactScope::All}},
                       {authority, 2, unit_box({0, 0, 0})},
                       {authority, 3, unit_box({0.5, 0, 0})}});
  TickOutput output;
  for (int i = 0; i < 5; ++i) output = simulation.run_tick({});
  EXPECT_EQ(output.report.index.resting, 2u);
  EXPECT_EQ(output.report.candidate_pairs, 1u);
  EXPECT_EQ(output.report.contacts, 1u);
  EXPECT_EQ(output.frame->contacts.size(), 1u);
  output = simulation.run_tick({{authority, 4, TeleportCommand{{EntityId(1, 1), 0}, {9, 0, 0}}}});
  EXPECT_EQ(output.report.candidate_pairs, 0u);
  EXPECT_EQ(output.report.ends, 1u);
}

TEST_F(SimulationTest, CountsTicksAndIndexVersionsUpByOne) {
  for (Tick tick = 1; tick <= 5; ++tick) {
    step();
    EXPECT_EQ(output_.report.tick, tick);
    EXPECT_EQ(output_.report.index_version, tick);
    EXPECT_EQ(output_.frame->snapshot->tick, tick);
    EXPECT_EQ(output_.frame->index->version(), tick);
    EXPECT_EQ(simulation_.frame(), output_.frame);
  }
}

TEST_F(SimulationTest, FillsInTheWorldSize) {
  EXPECT_EQ(simulation_.settings().world_half_size_m, 1000);
  SimulationSettings settings;
  settings.worker_count = 1;
  EXPECT_EQ(Simulation(settings).settings().world_half_size_m, limits::world_half_size_m);
}

TEST_F(SimulationTest, TellsEveryOpenSessionOfEveryTick) {
  open(watcher, Role::Observer);
  open(authority, Role::Authority);
  step();
  ASSERT_THAT(output_.sessions, SizeIs(2));
  EXPECT_EQ(output_.sessions[0].session, authority);
  EXPECT_EQ(output_.sessions[1].session, watcher);
  EXPECT_THAT(output_.sessions[0].results, IsEmpty());
  send(watcher, CloseSessionCommand{});
  step();
  ASSERT_THAT(output_.sessions, SizeIs(1));
  EXPECT_EQ(output_.report.sessions, 1u);
}

TEST_F(SimulationTest, AnswersEveryCommandOnceAndInOrder) {
  open(authority, Role::Authority);
  const auto spawn = send(authority, unit_box({1, 2, 3}));
  const auto move = send(authority, TeleportCommand{{{}, spawn}, {4, 5, 6}});
  const auto unknown = send(authority, DespawnCommand{{EntityId(77, 1), 0}});
  const auto nameless = send(authority, DespawnCommand{});
  step();
  const EntityId id = result(authority, spawn).entity;
  ASSERT_TRUE(alive(id));
  EXPECT_EQ(output_.frame->snapshot->position[0], (Vec3{4, 5, 6}));
  EXPECT_EQ(result(authority, move).entity, id);
  EXPECT_EQ(result(authority, unknown).code, ErrorCode::UnknownEntity);
  EXPECT_EQ(result(authority, nameless).code, ErrorCode::MissingField);
  ASSERT_THAT(told(authority).results, SizeIs(4));
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_LT(told(authority).results[i - 1].sequence, told(authority).results[i].sequence);
  EXPECT_EQ(output_.report.commands, 4u);
  EXPECT_EQ(output_.report.commands_refused, 2u);
}

TEST_F(SimulationTest, SpawnReferencesEndAtTheSessionAndTheTick) {
  open(authority, Role::Authority);
  open(player, Role::Player);
  const auto spawn = send(authority, unit_box({}));
  const auto foreign = send(player, DespawnCommand{{{}, spawn}});
  step();
  EXPECT_EQ(result(player, foreign).code, ErrorCode::UnknownEntity);
  const auto late = send(authority, DespawnCommand{{{}, spawn}});
  step();
  EXPECT_EQ(result(authority, late).code, ErrorCode::UnknownEntity);
}

TEST_F(SimulationTest, RolesAndOwnershipBindCommands) {
  open(authority, Role::Authority);
  open(player, Role::Player);
  open(watcher, Role::Observer);
  const EntityId of_authority = spawned(authority, unit_box({}));
  const EntityId of_player = spawned(player, unit_box({9, 9, 9}));
  const auto by_observer = send(watcher, unit_box({}));
  const auto foreign = send(player, DespawnCommand{{of_authority, 0}});
  const auto by_authority = send(authority, TeleportCommand{{of_player, 0}, {5, 5, 5}});
  send(player, unit_box({}));
  const auto third = send(player, unit_box({}));
  step();
  EXPECT_EQ(result(watcher, by_observer).code, ErrorCode::WrongRole);
  EXPECT_EQ(result(player, foreign).code, ErrorCode::NotOwner);
  EXPECT_EQ(result(player, third).code, ErrorCode::EntityLimit);
  EXPECT_EQ(result(authority, by_authority).code, ErrorCode::None);
}

TEST_F(SimulationTest, ShapesOfPlayersAreBoundByTheSetting) {
  SimulationSettings settings = small_world();
  settings.player_shape_extent_max_m = 2;
  Simulation simulation(settings);
  SpawnCommand small = unit_box({});
  SpawnCommand large = unit_box({});
  large.shape = Shape::sphere(2.5);
  const TickOutput output = simulation.run_tick(
      {{player, 1, OpenSessionCommand{Role::Player, {}}}, {player, 2, small}, {player, 3, large}});
  ASSERT_THAT(output.sessions[0].results, SizeIs(2));
  EXPECT_EQ(output.sessions[0].results[0].code, ErrorCode::None);
  EXPECT_EQ(output.sessions[0].results[1].code, ErrorCode::LimitExceeded);
}

TEST_F(SimulationTest, CommandsOfUnknownSessionsChangeNothing) {
  send(SessionId{99}, unit_box({}));
  send(SessionId{99}, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(1)});
  send(SessionId{99}, CloseSessionCommand{});
  step();
  EXPECT_EQ(output_.report.entities, 0u);
  EXPECT_EQ(output_.report.commands, 2u);
  EXPECT_EQ(output_.report.commands_refused, 2u);
  EXPECT_THAT(output_.sessions, IsEmpty());
}

TEST_F(SimulationTest, PlayersTakeTheirEntitiesWithThemAuthoritiesDoNot) {
  open(authority, Role::Authority);
  open(player, Role::Player);
  const EntityId stays = spawned(authority, unit_box({}));
  const EntityId goes = spawned(player, unit_box({}));
  send(player, unit_box({}));  // spawned and gone in the same tick: never seen
  send(player, CloseSessionCommand{});
  send(player, unit_box({}));  // refused: the session is closed
  send(authority, CloseSessionCommand{});
  step();
  EXPECT_EQ(output_.report.commands_refused, 1u);
  EXPECT_EQ(output_.report.entities, 1u);
  EXPECT_TRUE(alive(stays));
  EXPECT_EQ(output_.frame->snapshot->owner[0], authority);
  ASSERT_THAT(output_.frame->snapshot->despawned, SizeIs(1));
  EXPECT_EQ(output_.frame->snapshot->despawned[0].id, goes);
  EXPECT_EQ(output_.frame->snapshot->despawned[0].reason, DespawnReason::SessionEnded);
  EXPECT_THAT(output_.sessions, IsEmpty());
}

TEST_F(SimulationTest, ClosedSessionsHaveNoAreasLeft) {
  open(authority, Role::Authority);
  open(watcher, Role::Observer);
  send(authority, unit_box({}));
  send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5)});
  step();
  EXPECT_EQ(output_.report.visible, 1u);
  ASSERT_THAT(told(watcher).observers, SizeIs(1));
  send(watcher, CloseSessionCommand{});
  step();
  EXPECT_EQ(output_.report.visible, 0u);
}

TEST_F(SimulationTest, AreasAttachToLivingEntitiesOnly) {
  open(authority, Role::Authority);
  open(watcher, Role::Observer);
  const EntityId dead = spawned(authority, unit_box({}));
  const EntityId anchor = spawned(authority, unit_box({100, 0, 0}));
  const EntityId near = spawned(authority, unit_box({103, 0, 0}));
  send(authority, DespawnCommand{{dead, 0}});
  const auto stale =
      send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5, {dead, 0})});
  const auto unknown =
      send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5, {EntityId(50, 1), 0})});
  const auto good =
      send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5, {anchor, 0})});
  const auto change = send(watcher, ChangeAreaCommand{AreaId{1}, sphere_area(5, {dead, 0})});
  const auto again = send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5)});
  const auto remove = send(watcher, RemoveAreaCommand{AreaId{2}});
  step();
  EXPECT_EQ(result(watcher, stale).code, ErrorCode::StaleEntity);
  EXPECT_EQ(result(watcher, unknown).code, ErrorCode::UnknownEntity);
  EXPECT_EQ(result(watcher, good).code, ErrorCode::None);
  EXPECT_EQ(result(watcher, good).entity, EntityId{});
  EXPECT_EQ(result(watcher, change).code, ErrorCode::StaleEntity);
  EXPECT_EQ(result(watcher, again).code, ErrorCode::DuplicateArea);
  EXPECT_EQ(result(watcher, remove).code, ErrorCode::UnknownArea);
  ASSERT_THAT(told(watcher).observers, SizeIs(1));
  const ObserverEvents& events = told(watcher).observers[0];
  ASSERT_THAT(events.enters, SizeIs(1));
  EXPECT_EQ(output_.frame->snapshot->id[events.enters[0]], near);
}

TEST_F(SimulationTest, AreaAttachesToWhatTheSameFrameSpawned) {
  open(player, Role::Player);
  const auto body = send(player, unit_box({50, 0, 0}));
  const auto other = send(player, unit_box({53, 0, 0}));
  send(player, AddAreaCommand{ObserverId{1}, AreaId{1}, sphere_area(5, {{}, body})});
  step();
  ASSERT_THAT(told(player).observers, SizeIs(1));
  const auto& enters = told(player).observers[0].enters;
  ASSERT_THAT(enters, SizeIs(1));
  EXPECT_EQ(output_.frame->snapshot->id[enters[0]], result(player, other).entity);
}

TEST_F(SimulationTest, EntitiesThatFlyOutOfTheWorldAreLostToTheirOwner) {
  open(authority, Role::Authority);
  open(player, Role::Player);
  const EntityId flyer = spawned(player, unit_box({990, 0, 0}, {100, 0, 0}));
  step();
  EXPECT_FALSE(alive(flyer));
  ASSERT_THAT(told(player).lost, SizeIs(1));
  EXPECT_EQ(told(player).lost[0].id, flyer);
  EXPECT_EQ(told(player).lost[0].reason, DespawnReason::LeftWorld);
  EXPECT_THAT(told(authority).lost, IsEmpty());
  const EntityId own = spawned(player, unit_box({}));
  send(player, DespawnCommand{{own, 0}});
  step();
  EXPECT_THAT(told(player).lost, IsEmpty());  // ended by its owner: that is in the results
}

TEST_F(SimulationTest, WhatAnotherSessionDespawnsIsLostToItsOwner) {
  const SessionId other{4};
  open(authority, Role::Authority);
  open(other, Role::Authority);
  open(player, Role::Player);
  const EntityId of_player = spawned(player, unit_box({}));
  const EntityId of_authority = spawned(authority, unit_box({50, 0, 0}));
  send(authority, DespawnCommand{{of_player, 0}});
  send(other, DespawnCommand{{of_authority, 0}});
  step();
  for (const auto& [owner, id] : {std::pair(player, of_player), {authority, of_authority}}) {
    ASSERT_THAT(told(owner).lost, SizeIs(1));
    EXPECT_EQ(told(owner).lost[0].id, id);
    EXPECT_EQ(told(owner).lost[0].reason, DespawnReason::Command);
  }
  EXPECT_EQ(told(player).lost[0].by, authority);
  EXPECT_THAT(told(other).lost, IsEmpty());
}

TEST_F(SimulationTest, ContactScopesFilterEvents) {
  open(authority, Role::Authority, ContactScope::All);
  open(player, Role::Player, ContactScope::Own);
  open(watcher, Role::Observer);
  send(authority, unit_box({0, 0, 0}));
  send(authority, unit_box({0.5, 0, 0}));
  send(authority, unit_box({100, 0, 0}));
  const auto own = send(player, unit_box({100.5, 0, 0}));
  const auto twin = send(player, unit_box({100.75, 0, 0}));
  step();
  EXPECT_THAT(told(authority).contact_begins, SizeIs(4));
  EXPECT_THAT(told(watcher).contact_begins, IsEmpty());
  const auto& begins = told(player).contact_begins;
  ASSERT_THAT(begins, SizeIs(3));  // both with the box of the authority, and with one another once
  EXPECT_EQ(output_.report.begins, 4u);
  EXPECT_EQ(output_.report.contacts, 4u);
  EXPECT_EQ(output_.frame->contacts.size(), 4u);
  const EntityId first = result(player, own).entity;
  const EntityId second = result(player, twin).entity;
  send(player, DespawnCommand{{first, 0}});
  send(player, DespawnCommand{{second, 0}});
  step();
  EXPECT_THAT(told(authority).contact_ends, SizeIs(3));
  EXPECT_THAT(told(player).contact_ends, SizeIs(3));
  EXPECT_THAT(told(watcher).contact_ends, IsEmpty());
  EXPECT_EQ(told(player).contact_ends[0].reason, EndReason::Despawned);
}

TEST_F(SimulationTest, NewcomerOfScopeAllGetsEveryOpenContactOnce) {
  open(authority, Role::Authority);
  const EntityId a = spawned(authority, unit_box({0, 0, 0}));
  const EntityId b = spawned(authority, unit_box({0.5, 0, 0}));
  const Tick old_begin = output_.report.tick;
  const EntityId ends_now = spawned(authority, unit_box({-0.5, 0, 0}));
  send(authority, DespawnCommand{{ends_now, 0}});
  const auto fresh = send(authority, unit_box({0.75, 0, 0}));
  open(watcher, Role::Observer, ContactScope::All);
  step();
  const EntityId c = result(authority, fresh).entity;
  EXPECT_THAT(told(watcher).contact_ends, IsEmpty());
  std::vector<std::tuple<EntityId, EntityId, Tick>> begins;
  for (const ContactBegin& begin : told(watcher).contact_begins)
    begins.emplace_back(begin.contact.a, begin.contact.b, begin.contact.begin_tick);
  const Tick now = output_.report.tick;
  EXPECT_THAT(begins, ElementsAre(std::tuple(a, b, old_begin), std::tuple(a, c, now),
                                  std::tuple(b, c, now)));
  step();
  EXPECT_THAT(told(watcher).contact_begins, IsEmpty());
  send(authority, DespawnCommand{{a, 0}});
  step();
  EXPECT_THAT(told(watcher).contact_ends, SizeIs(2));
}

TEST_F(SimulationTest, NewcomerHearsOfWhatPassesThroughInItsFirstTick) {
  open(authority, Role::Authority);
  spawned(authority, unit_box({0, 0, 0}));
  const EntityId bullet = spawned(authority, unit_box({-50, 0, 0}));
  send(authority, MoveToCommand{{bullet, 0}, {50, 0, 0}, false});
  open(watcher, Role::Observer, ContactScope::All);
  step();
  ASSERT_THAT(told(watcher).contact_begins, SizeIs(1));
  EXPECT_NEAR(told(watcher).contact_begins[0].toi, 0.49, 1e-12);
  ASSERT_THAT(told(watcher).contact_passed, SizeIs(1));
  EXPECT_EQ(told(watcher).contact_passed[0].reason, EndReason::PassedThrough);
  EXPECT_EQ(output_.report.contacts, 0u);
}

TEST_F(SimulationTest, QueriesReadThePinnedFrameWhileTheWorldGoesOn) {
  open(authority, Role::Authority);
  const EntityId id = spawned(authority, unit_box({}));
  const auto pinned = simulation_.frame();
  send(authority, TeleportCommand{{id, 0}, {500, 0, 0}});
  step();
  const Query query{BoxQuery{{{-1, -1, -1}, {1, 1, 1}}}, {}, 10};
  EXPECT_THAT(answer_query(*pinned, query).hits, SizeIs(1));
  EXPECT_THAT(answer_query(*simulation_.frame(), query).hits, IsEmpty());
}

}  // namespace
}  // namespace vicinity
