// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/command_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace vicinity {
namespace {

Command despawn(std::uint64_t session, std::uint64_t sequence, std::uint64_t tag = 0) {
  return {SessionId{session}, sequence, DespawnCommand{{EntityId::from_raw(tag), 0}}};
}

std::vector<Command> frame(std::uint64_t session, std::uint64_t first, std::size_t count) {
  std::vector<Command> commands;
  for (std::size_t i = 0; i < count; ++i) commands.push_back(despawn(session, first + i));
  return commands;
}

std::uint64_t tag_of(const Command& command) {
  return std::get<DespawnCommand>(command.body).entity.id.raw();
}

TEST(CommandQueue, DrainsBySessionThenSequence) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(SessionId{2}, frame(2, 5, 2)));
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 9, 1)));
  ASSERT_TRUE(queue.push(SessionId{2}, frame(2, 1, 1)));
  std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
  for (const Command& command : queue.drain()) {
    order.emplace_back(command.session.value, command.sequence);
  }
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected{
      {1, 9}, {2, 1}, {2, 5}, {2, 6}};
  EXPECT_EQ(order, expected);
}

TEST(CommandQueue, EqualSequencesKeepTheirOrderOfArrival) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(SessionId{1}, {despawn(1, 7, 30), despawn(1, 7, 10)}));
  ASSERT_TRUE(queue.push(SessionId{1}, {despawn(1, 7, 20)}));
  const std::vector<Command> drained = queue.drain();
  ASSERT_EQ(drained.size(), 3u);
  EXPECT_EQ(tag_of(drained[0]), 30u);
  EXPECT_EQ(tag_of(drained[1]), 10u);
  EXPECT_EQ(tag_of(drained[2]), 20u);
}

TEST(CommandQueue, IsEmptyAfterADrain) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 3)));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.drain().size(), 3u);
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_TRUE(queue.drain().empty());
}

TEST(CommandQueue, RefusesAWholeFrameThatDoesNotFitTheSession) {
  CommandQueue queue(100, 5);
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 3)));
  EXPECT_FALSE(queue.push(SessionId{1}, frame(1, 4, 3)));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_TRUE(queue.push(SessionId{1}, frame(1, 4, 2))) << "exactly full";
  EXPECT_TRUE(queue.push(SessionId{2}, frame(2, 1, 5))) << "one session does not limit another";
  EXPECT_FALSE(queue.push(SessionId{2}, frame(2, 6, 1)));
}

TEST(CommandQueue, RefusesAWholeFrameThatDoesNotFitTheTotal) {
  CommandQueue queue(6, 5);
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 5)));
  EXPECT_FALSE(queue.push(SessionId{2}, frame(2, 1, 2)));
  EXPECT_TRUE(queue.push(SessionId{2}, frame(2, 1, 1)));
}

TEST(CommandQueue, DrainMakesRoomForTheSessionAgain) {
  CommandQueue queue(4, 4);
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 4)));
  ASSERT_FALSE(queue.push(SessionId{1}, frame(1, 5, 1)));
  (void)queue.drain();
  EXPECT_TRUE(queue.push(SessionId{1}, frame(1, 5, 4)));
}

TEST(CommandQueue, AlwaysTakesTheOpeningAndTheEndOfASession) {
  CommandQueue queue(2, 2);
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 2)));
  EXPECT_TRUE(queue.push(SessionId{1}, {{SessionId{1}, 9, CloseSessionCommand{}}}));
  EXPECT_TRUE(queue.push(SessionId{2}, {{SessionId{2}, 0, OpenSessionCommand{}}}));
  EXPECT_EQ(queue.size(), 4u);
  EXPECT_FALSE(queue.push(SessionId{2}, frame(2, 1, 1))) << "the total is above its limit";
}

std::vector<Command> opening(std::uint64_t session, Role role) {
  return {{SessionId{session}, 0, OpenSessionCommand{role, ContactScope::None}}};
}
std::vector<Command> end(std::uint64_t session) {
  return {{SessionId{session}, 99, CloseSessionCommand{}}};
}

TEST(CommandQueue, StaysEmptyWhileSessionsComeAndGoUndrained) {
  CommandQueue queue(10, 10);
  std::uint64_t session = 0;
  for (int i = 0; i < 100; ++i) {
    for (const Role role : {Role::Observer, Role::Player, Role::Authority}) {
      ++session;
      ASSERT_TRUE(queue.push(SessionId{session}, opening(session, role)));
      if (role != Role::Authority) {
        ASSERT_TRUE(queue.push(SessionId{session}, frame(session, 1, 2)));
      }
      ASSERT_TRUE(queue.push(SessionId{session}, end(session)));
    }
  }
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_TRUE(queue.push(SessionId{1000}, frame(1000, 1, 10))) << "room was not given back";
  EXPECT_EQ(queue.drain().size(), 10u);
}

TEST(CommandQueue, KeepsWhatAnAuthorityCommandedBeforeItLeft) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(SessionId{1}, opening(1, Role::Authority)));
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 3)));
  ASSERT_TRUE(queue.push(SessionId{1}, end(1)));
  EXPECT_EQ(queue.drain().size(), 5u);
}

TEST(CommandQueue, KeepsTheEndOfASessionThatATickHasSeen) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(SessionId{1}, opening(1, Role::Player)));
  ASSERT_EQ(queue.drain().size(), 1u);
  ASSERT_TRUE(queue.push(SessionId{1}, frame(1, 1, 1)));
  ASSERT_TRUE(queue.push(SessionId{1}, end(1)));
  EXPECT_EQ(queue.drain().size(), 2u);
}

TEST(CommandQueue, KeepsTheEndOfASessionWhoseClientBeganAnew) {
  CommandQueue queue;
  const SessionId session{1};
  ASSERT_TRUE(queue.push(session, {{session, 0, OpenSessionCommand{Role::Player}}}));
  ASSERT_EQ(queue.drain().size(), 1u);
  ASSERT_TRUE(queue.push(
      session, {{session, 0, OpenSessionCommand{Role::Player, ContactScope::None, false, 1}}}));
  ASSERT_TRUE(queue.push(session, {{session, ~std::uint64_t{0}, CloseSessionCommand{}}}));
  const std::vector<Command> drained = queue.drain();
  ASSERT_FALSE(drained.empty());
  EXPECT_TRUE(std::holds_alternative<CloseSessionCommand>(drained.back().body));
}

TEST(CommandQueue, LosesNothingWithManyPushers) {
  CommandQueue queue;
  std::vector<std::thread> pushers;
  std::atomic<int> running{4};
  for (std::uint64_t session = 1; session <= 4; ++session) {
    pushers.emplace_back([&queue, &running, session] {
      for (std::uint64_t i = 0; i < 500; ++i)
        EXPECT_TRUE(queue.push(SessionId{session}, frame(session, 2 * i, 2)));
      --running;
    });
  }
  std::vector<std::uint64_t> next(5, 0);
  auto take = [&] {
    for (const Command& command : queue.drain()) {
      EXPECT_EQ(command.sequence, next[command.session.value]++);
    }
  };
  while (running > 0) take();
  for (std::thread& pusher : pushers) pusher.join();
  take();
  EXPECT_EQ(next, (std::vector<std::uint64_t>{0, 1000, 1000, 1000, 1000}));
}

}  // namespace
}  // namespace vicinity
