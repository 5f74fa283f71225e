// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the server itself says about sessions at door 1.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "world/command_queue.h"

namespace vicinity {
namespace {

constexpr SessionId player{7};

std::vector<Command> one(std::uint64_t sequence, CommandBody body) {
  std::vector<Command> commands;
  commands.push_back({player, sequence, std::move(body)});
  return commands;
}
std::vector<Command> opening() { return one(0, OpenSessionCommand{Role::Player, {}}); }

std::string drained(CommandQueue& queue) {
  std::string names;
  for (const Command& command : queue.drain()) {
    if (std::holds_alternative<OpenSessionCommand>(command.body)) names += "open ";
    if (std::holds_alternative<CloseSessionCommand>(command.body)) names += "close ";
    if (std::holds_alternative<DespawnOwnedCommand>(command.body)) names += "despawn ";
    if (std::holds_alternative<SpawnCommand>(command.body)) names += "spawn ";
  }
  return names;
}

TEST(CommandQueueSession, TakesTheDespawnOfWhatASessionOwnsThoughItIsFull) {
  CommandQueue queue(2, 1);
  ASSERT_TRUE(queue.push(player, one(4, SpawnCommand{})));
  ASSERT_FALSE(queue.push(player, one(5, SpawnCommand{})));
  EXPECT_TRUE(queue.push(player, one(4, DespawnOwnedCommand{})));
  EXPECT_EQ(drained(queue), "spawn despawn ");
}

TEST(CommandQueueSession, KeepsOneOfSeveralDespawnsInARow) {
  CommandQueue queue;
  ASSERT_TRUE(queue.push(player, opening()));
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(queue.push(player, one(0, DespawnOwnedCommand{})));
  EXPECT_EQ(queue.size(), 2u);
  ASSERT_TRUE(queue.push(player, one(1, SpawnCommand{})));
  ASSERT_TRUE(queue.push(player, one(1, DespawnOwnedCommand{})));
  EXPECT_EQ(drained(queue), "open despawn spawn despawn ");
}

TEST(CommandQueueSession, ForgetsASessionThatNoTickSawUnlessItsEntitiesAreKept) {
  constexpr std::uint64_t last = ~std::uint64_t{0};
  CommandQueue queue;
  ASSERT_TRUE(queue.push(player, opening()));
  ASSERT_TRUE(queue.push(player, one(1, SpawnCommand{})));
  ASSERT_TRUE(queue.push(player, one(last, CloseSessionCommand{true})));
  EXPECT_EQ(drained(queue), "open spawn close ");
  ASSERT_TRUE(queue.push(player, opening()));
  ASSERT_TRUE(queue.push(player, one(1, SpawnCommand{})));
  ASSERT_TRUE(queue.push(player, one(last, CloseSessionCommand{false})));
  EXPECT_EQ(drained(queue), "");
  ASSERT_TRUE(queue.push(player, opening()));
  ASSERT_TRUE(queue.push(player, one(last, CloseSessionCommand{true})));
  EXPECT_EQ(drained(queue), "") << "there is nothing to keep";
}

}  // namespace
}  // namespace vicinity
