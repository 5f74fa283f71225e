// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What changes, resumes and large selections cost, in items looked at: never the product of two
// numbers that a client can make large.
#include "watched.h"

namespace vicinity::test {
namespace {

constexpr std::uint32_t entity_count = 1'000;

class Crowd : public Watched {
 protected:
  /// In a row, ten per metre; they do not collide.
  void send_crowd(Vec3 velocity = {}) {
    for (std::uint32_t i = 0; i < entity_count; ++i) {
      SpawnCommand spawn = box_at({0.1 * i, 0, 0}, velocity);
      spawn.filter.mask = 0;
      world_.send(world_owner, spawn);
    }
  }
  void look_away() {
    AreaSpec elsewhere = sphere_of(200);
    elsewhere.centre = {0, 5'000, 0};
    world_.send(watcher, ChangeAreaCommand{area, elsewhere});
  }
  std::uint64_t work() { return world_.stream(watcher).looked_at(); }
};

TEST_F(Crowd, ThatLeavesInOnePassIsGoneOverAFewTimes) {
  watch(sphere_of(200));
  send_crowd();
  steps(5);
  ASSERT_EQ(client_.view.size(), entity_count);
  const std::uint64_t before = work();
  look_away();
  steps(2);
  EXPECT_TRUE(client_.view.empty());
  EXPECT_GE(work() - before, entity_count);
  EXPECT_LE(work() - before, 4 * entity_count);
}

TEST_F(Crowd, ThatWasToldInVainAndLeftIsUndoneInAFewPasses) {
  watch(sphere_of(200));
  step();
  const Tick known = client_.tick;
  send_crowd();
  for (int i = 0; i < 5; ++i) world_.step();  // the enters are told, and get lost
  ModelLink& link = world_.link(watcher);
  link.on_the_way.clear();
  link.connected = false;
  look_away();
  world_.step();
  const std::uint64_t before = work();
  world_.stream(watcher).resume(known);
  EXPECT_GE(work() - before, entity_count);
  EXPECT_LE(work() - before, 4 * entity_count);
  link.connected = true;
  step();  // neither enters nor leaves: the model would complain
  EXPECT_TRUE(client_.view.empty());
}

TEST_F(Crowd, OfObserversEndsInOnePassOverWhatWasTold) {
  constexpr std::uint32_t observer_count = 200;
  for (std::uint32_t i = 0; i < observer_count; ++i)
    world_.send(watcher, AddAreaCommand{ObserverId{100 + i}, AreaId{100 + i}, sphere_of(1.05)});
  send_crowd();
  steps(5);  // told, not acknowledged
  for (std::uint32_t i = 0; i < observer_count; ++i)
    world_.send(watcher, RemoveAreaCommand{AreaId{100 + i}});
  const std::uint64_t told = client_.view.size();
  ASSERT_GT(told, 5 * observer_count);
  const std::uint64_t before = work();
  step();
  EXPECT_GE(work() - before, told);
  EXPECT_LE(work() - before, 2 * told);
}

class ManyViews : public Crowd {
 protected:
  ManyViews() { world_.configure(watcher, Role::Observer, 400'000); }
};

TEST_F(ManyViews, FindTheirListsWithoutLookingThroughThoseOfOthers) {
  constexpr std::uint32_t observer_count = 200;
  for (std::uint32_t i = 0; i < observer_count; ++i) {
    AreaSpec spec = sphere_of(2);
    spec.centre = {0.4 * i, 0, 0};
    world_.send(watcher, AddAreaCommand{ObserverId{100 + i}, AreaId{100 + i}, spec});
  }
  send_crowd({0, 0, 0.1});
  steps(150);
  std::size_t updates = 0, lists = 0;
  world_.step();
  for (const ModelFrame& frame : world_.link(watcher).on_the_way) {
    lists = frame.selection.move_count;
    for (const MoveLists& moves : frame.selection.moves) updates += moves.near.size();
  }
  deliver();
  ASSERT_GT(lists, 10u) << "of several views";
  ASSERT_GT(updates, 2 * lists);
  std::uint64_t looked_at = 0;
  for (const ViewLists& view : world_.scratch.lists) looked_at += view.looked_at();
  EXPECT_LE(looked_at, 4 * updates) << "a view has one page here, so one place to compare";
  EXPECT_EQ(client_.health, StreamHealth::Degraded) << "not everything fits: the best is selected";
}

TEST(Budget, IsNotOwedForLongWhateverHadToBeTold) {
  StreamSettings settings;
  settings.tick_rate_hz = 20;
  SessionStream stream(watcher, settings);
  stream.configure(Role::Observer, 0, 20'000);
  const Snapshot snapshot;
  for (Tick tick = 1; tick <= 5; ++tick) stream.sent(tick, {}, snapshot, 100'000'000);
  const auto pass_s = [&](double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 20); ++i)
      EXPECT_TRUE(stream.absorb({}, {}, 0, snapshot));
  };
  pass_s(0.9);
  EXPECT_EQ(stream.frame_bytes(), 0u) << "what was told is held against it";
  pass_s(0.2);
  EXPECT_GE(stream.frame_bytes(), 1'000u) << "for a second of its budget at most";
}

/// A client that takes its session up again while that is brought to an end or begins anew.
TEST_F(Watched, BeginsAnewWhenItIsGivenUpInTheMiddleOfAResume) {
  watch(sphere_of(50));
  const EntityId stays = spawn(box_at({}));
  const EntityId leaves = spawn(box_at({5, 0, 0}));
  steps(2);
  const Tick got = client_.tick;
  world_.send(world_owner, TeleportCommand{{leaves, 0}, {500, 0, 0}});
  const std::uint64_t sequence = world_.send(world_owner, box_at({9, 0, 0}, {0, 0, 1}));
  world_.step();  // a leave and an enter that get lost
  EntityId comes;
  for (const CommandResult& result : world_.last_results(world_owner))
    if (result.sequence == sequence) comes = result.entity;
  ModelLink& link = world_.link(watcher);
  link.on_the_way.clear();
  SessionStream& stream = world_.stream(watcher);
  stream.resume(got);
  stream.forget_events(world_.tick());  // what the resume undid never went out
  EXPECT_GT(stream.resumable_from(), got) << "that resume cannot be had again";
  stream.reset(1);
  world_.send(watcher, OpenSessionCommand{Role::Observer, ContactScope::All, false, 1});
  client_.forget();
  steps(2);  // no leave of what the client does not know, and no name twice
  EXPECT_EQ(known_ids(), (std::set<EntityId>{stays, comes}));
  world_.send(world_owner, TeleportCommand{{leaves, 0}, {5, 0, 0}});
  steps(2);
  EXPECT_EQ(known(), world_.truth(watcher));
  EXPECT_EQ(client_.view.size(), 3u);
}

TEST_F(Watched, GoesOnWhenTheConnectionOfAResumeBreaksBeforeItsFirstFrame) {
  watch(sphere_of(50));
  const EntityId leaves = spawn(box_at({5, 0, 0}));
  steps(2);
  const Tick got = client_.tick;
  world_.send(world_owner, TeleportCommand{{leaves, 0}, {500, 0, 0}});
  world_.send(world_owner, box_at({9, 0, 0}));
  world_.step();
  world_.link(watcher).on_the_way.clear();
  for (int i = 0; i < 3; ++i) world_.stream(watcher).resume(got);
  steps(2);
  EXPECT_EQ(known(), world_.truth(watcher));
  EXPECT_EQ(client_.view.size(), 1u);
}

}  // namespace
}  // namespace vicinity::test
