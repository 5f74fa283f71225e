// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/session_stream.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "watched.h"

namespace vicinity::test {
namespace {

TEST_F(Watched, TellsWhatMovesInEightBytesAndWhatRestsInNone) {
  watch(sphere_of(50));
  const EntityId walker = spawn(box_at({}, {1, 0, 0}));
  const EntityId stone = spawn(box_at({0, 0, 20}));
  steps(10);
  EXPECT_NEAR(seen(walker).position.x, world_.snapshot().position[walker.index()].x,
              resolution_m / 2);
  EXPECT_EQ(seen(walker).updated, world_.tick());
  EXPECT_LT(seen(stone).updated, world_.tick() - 8);
  EXPECT_GE(client_.near_moves, 10u);
}

TEST_F(Watched, NeverHearsOfWhatCameAndWentBetweenTwoFrames) {
  watch(sphere_of(50));
  step();
  world_.link(watcher).room = false;
  const EntityId brief = spawn(box_at({}));
  world_.send(world_owner, DespawnCommand{{brief, 0}});
  steps(3);
  world_.link(watcher).room = true;
  step();
  EXPECT_TRUE(client_.view.empty());
}

TEST_F(Watched, KeepsAnEntityThatWasAwayWhileNothingCouldBeSent) {
  watch(sphere_of(50));
  const EntityId traveller = spawn(box_at({}));
  steps(2);
  world_.link(watcher).room = false;
  world_.send(world_owner, TeleportCommand{{traveller, 0}, {500, 0, 0}});
  steps(2);
  world_.send(world_owner, TeleportCommand{{traveller, 0}, {10, 0, 0}});
  steps(2);
  world_.link(watcher).room = true;
  step();  // neither a leave nor a second enter: the model would complain
  EXPECT_EQ(seen(traveller).position.x, 10);
}

TEST_F(Watched, GetsTheLatestStateAfterAStallNotTheOldOnes) {
  watch(sphere_of(50));
  const EntityId walker = spawn(box_at({}, {1, 0, 0}));
  steps(2);
  world_.link(watcher).room = false;
  for (int i = 0; i < 20; ++i) world_.step();
  EXPECT_TRUE(world_.link(watcher).on_the_way.empty());
  world_.link(watcher).room = true;
  step();
  EXPECT_NEAR(seen(walker).position.x, world_.snapshot().position[walker.index()].x,
              resolution_m / 2);
}

TEST_F(Watched, NeedsNoMoreMemoryHoweverLongItStalls) {
  watch(sphere_of(500));
  for (int i = 0; i < 50; ++i) spawn(box_at({4.0 * i, 0, 0}, {0, 0.5, 0}));
  world_.link(watcher).room = false;
  for (int i = 0; i < 5; ++i) world_.step();
  const std::size_t before = world_.stream(watcher).size_bytes();
  for (int i = 0; i < 150; ++i) world_.step();
  EXPECT_EQ(world_.stream(watcher).size_bytes(), before);
  EXPECT_LT(before, 50u * 2 * sizeof(StreamRecord) + 16'384);
}

TEST_F(Watched, HearsOfEveryContactInOrderHoweverLongItStalled) {
  watch(sphere_of(50));
  const EntityId a = spawn(box_at({}));
  const EntityId b = spawn(box_at({10, 0, 0}));
  steps(2);
  world_.link(watcher).room = false;
  for (int round = 0; round < 5; ++round) {
    world_.send(world_owner, TeleportCommand{{b, 0}, {0.5, 0, 0}});
    step();
    world_.send(world_owner, TeleportCommand{{b, 0}, {10, 0, 0}});
    step();
  }
  world_.link(watcher).room = true;
  step();
  EXPECT_EQ(client_.begins, world_.true_begins(watcher));
  EXPECT_EQ(client_.begins.size(), 5u);
  EXPECT_TRUE(client_.contacts.empty());
  static_cast<void>(a);
}

TEST_F(Watched, UpdatesFarRingsAtTheirIntervalAndSpreadsThemOverTheTicks) {
  watch(sphere_of(100, {{20, 1}, {100, 10}}));
  std::vector<EntityId> far;
  for (int i = 0; i < 40; ++i) far.push_back(spawn(box_at({40, 0, 1.0 * i}, {0, 0.5, 0})));
  const EntityId near = spawn(box_at({5, 0, 0}, {0, 0.5, 0}));
  steps(20);
  std::map<Tick, int> told;
  std::map<EntityId, int> updates;
  for (int i = 0; i < 40; ++i) {
    step();
    for (const EntityId id : far)
      if (seen(id).updated == world_.tick()) ++told[world_.tick()], ++updates[id];
    EXPECT_EQ(seen(near).updated, world_.tick());
  }
  for (const EntityId id : far) EXPECT_EQ(updates[id], 4);
  for (const auto& [tick, count] : told) EXPECT_LE(count, 8) << "of 4 in the mean, tick " << tick;
}

TEST_F(Watched, TellsItsHealthAndSlowsDownWhileTheLinkIsSlow) {
  watch(sphere_of(50));
  const EntityId walker = spawn(box_at({}, {1, 0, 0}));
  steps(2);
  world_.link(watcher).room = false;
  for (int i = 0; i < 10; ++i) world_.step();
  world_.link(watcher).room = true;
  step();
  EXPECT_EQ(client_.health, StreamHealth::Degraded);
  int updates = 0;
  for (int i = 0; i < 10; ++i) {
    step();
    updates += seen(walker).updated == world_.tick();
  }
  EXPECT_EQ(updates, 5);
  steps(20);
  EXPECT_EQ(client_.health, StreamHealth::Ok);
}

TEST_F(Watched, IsStarvedAfterALongStallAndComesBackToHealth) {
  watch(sphere_of(50));
  spawn(box_at({}, {1, 0, 0}));
  steps(2);
  world_.link(watcher).room = false;
  for (int i = 0; i < 60; ++i) world_.step();
  EXPECT_EQ(world_.stream(watcher).health(), StreamHealth::Starved);
  world_.link(watcher).room = true;
  steps(60);
  EXPECT_EQ(client_.health, StreamHealth::Ok);
  EXPECT_EQ(known(), world_.truth(watcher));
}

TEST(SlowConsumer, IsWhoseOutboxDoesNotShrinkForTheTimeOfTheSetting) {
  StreamSettings settings;
  settings.slow_consumer_ms = 500;
  SessionStream stream(watcher, settings);
  std::uint64_t now_us = 1'000'000;
  const auto look = [&](std::size_t outbox_bytes) {
    return stream.observe(false, outbox_bytes, now_us += 50'000);
  };
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(look(1000));
  EXPECT_TRUE(look(900));  // something was read
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(look(900));
  EXPECT_FALSE(look(900));
}

TEST(SlowConsumer, IsKeptNoLongerWhenTicksAreLate) {
  StreamSettings settings;
  settings.slow_consumer_ms = 500;
  SessionStream stream(watcher, settings);
  EXPECT_TRUE(stream.observe(false, 1000, 1'000'000));
  EXPECT_TRUE(stream.observe(false, 1000, 1'200'000));
  EXPECT_TRUE(stream.observe(false, 1000, 1'400'000));
  EXPECT_FALSE(stream.observe(false, 1000, 1'600'000));
}

TEST(SlowConsumer, IsKeptNoShorterWhenTicksFollowAtOnce) {
  StreamSettings settings;
  settings.slow_consumer_ms = 500;
  SessionStream stream(watcher, settings);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(stream.observe(false, 1000, i));
}

TEST(SlowConsumer, IsNobodyBecauseTheServerWasStopped) {
  constexpr std::uint64_t hour_us = 3'600'000'000;
  StreamSettings settings;
  settings.slow_consumer_ms = 500;
  SessionStream stream(watcher, settings);
  EXPECT_TRUE(stream.observe(true, 0, 1'000'000));
  EXPECT_TRUE(stream.observe(false, 1000, hour_us));
  EXPECT_TRUE(stream.observe(false, 1000, 2 * hour_us));
  EXPECT_TRUE(stream.observe(false, 900, 2 * hour_us + 50'000));
}

class Budgeted : public Watched {
 protected:
  Budgeted() { world_.configure(watcher, Role::Observer, 20'000); }
};

TEST_F(Budgeted, SpreadsAJoinOverTimeTheNearestFirst) {
  for (int i = 0; i < 1000; ++i) world_.send(world_owner, box_at({1.0 + 0.09 * i, 0, 0}));
  step();
  watch(sphere_of(100));
  step();
  const std::size_t first = client_.view.size();
  EXPECT_GT(first, 20u);
  EXPECT_LT(first, 110u);  // a second's budget at 200 bytes each
  EXPECT_EQ(client_.enters_waiting, 1000 - first);
  double farthest = 0;
  for (const auto& [name, entity] : client_.view) farthest = std::max(farthest, entity.position.x);
  EXPECT_LT(farthest, 1.0 + 0.09 * static_cast<double>(first) + 0.1);
  steps(20 * 12);
  EXPECT_EQ(client_.view.size(), 1000u);
  EXPECT_EQ(client_.enters_waiting, 0u);
}

TEST_F(Budgeted, KeepsToItsBytesAndStarvesNobody) {
  for (int i = 0; i < 400; ++i)
    world_.send(world_owner, box_at({0.2 * i, 0, 0}, {0, 0, i % 2 == 0 ? 1.0 : -1.0}));
  watch(sphere_of(200));
  steps(20 * 8);
  ASSERT_EQ(client_.view.size(), 400u);
  for (int i = 0; i < 60; ++i) {
    step();
    for (const auto& [name, entity] : client_.view)
      ASSERT_LE(world_.tick() - entity.updated, 20u + 20u) << "beyond the maximum age";
  }
}

}  // namespace
}  // namespace vicinity::test
