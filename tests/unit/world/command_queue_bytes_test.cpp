// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The bound of door 1 in bytes: commands of which a few bytes are sent and many are kept.

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "world/command_queue.h"
#include "world/command_size.h"

namespace vicinity {
namespace {

constexpr SessionId first{1};
constexpr SessionId second{2};

std::vector<Command> plain(SessionId session, std::size_t count = 1) {
  return std::vector<Command>(count, Command{session, 1, DespawnCommand{}});
}
std::vector<Command> reshape(SessionId session, const Shape& shape) {
  return {{session, 1, SetShapeCommand{{}, shape}}};
}
Shape sixteen_boxes() {
  return Shape::of_parts(std::vector<Primitive>(16, box_primitive({1, 1, 1})));
}
/// They share one hull, so that a test need not have the memory that it counts.
Shape sixteen_hulls() {
  const std::vector<Vec3> points = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                    {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  const auto hull = std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value());
  return Shape::of_parts(std::vector<Primitive>(16, hull_primitive(hull)));
}
std::uint64_t large_bytes() { return size_bytes(reshape(first, sixteen_boxes())); }

TEST(CommandQueueBytes, OfASessionAreBounded) {
  CommandQueue queue({1'000, 100 * large_bytes()}, {1'000, 3 * large_bytes()});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.push(first, reshape(first, sixteen_boxes())));
  EXPECT_FALSE(queue.push(first, reshape(first, sixteen_boxes())));
  EXPECT_FALSE(queue.push(first, plain(first)));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_TRUE(queue.push(second, reshape(second, sixteen_boxes()))) << "it limits another one";
}

TEST(CommandQueueBytes, OfAllSessionsAreBounded) {
  CommandQueue queue({1'000, 4 * large_bytes()}, {1'000, 3 * large_bytes()});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.push(first, reshape(first, sixteen_boxes())));
  ASSERT_TRUE(queue.push(second, reshape(second, sixteen_boxes())));
  EXPECT_FALSE(queue.push(second, reshape(second, sixteen_boxes())));
  EXPECT_EQ(queue.size(), 4u);
}

TEST(CommandQueueBytes, OfAWholeFrameMustFit) {
  CommandQueue queue({1'000, 3 * large_bytes()}, {1'000, 3 * large_bytes()});
  std::vector<Command> frame = reshape(first, sixteen_boxes());
  for (int i = 0; i < 3; ++i) frame.push_back(frame.front());
  EXPECT_FALSE(queue.push(first, frame));
  EXPECT_EQ(queue.size(), 0u);
  frame.pop_back();
  EXPECT_TRUE(queue.push(first, frame)) << "exactly full";
}

TEST(CommandQueueBytes, AreFreeAgainWhenATickTookTheCommands) {
  CommandQueue queue({1'000, 3 * large_bytes()}, {1'000, 3 * large_bytes()});
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.push(first, reshape(first, sixteen_boxes())));
    ASSERT_FALSE(queue.push(first, reshape(first, sixteen_boxes())));
    EXPECT_EQ(queue.drain().size(), 3u);
  }
}

TEST(CommandQueueBytes, AreFreeAgainWhenASessionLeavesNoTrace) {
  CommandQueue queue({1'000, 3 * large_bytes()}, {1'000, 3 * large_bytes()});
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(queue.push(first, {{first, 0, OpenSessionCommand{Role::Player}}}));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.push(first, reshape(first, sixteen_boxes())));
    ASSERT_FALSE(queue.push(first, plain(first)));
    ASSERT_TRUE(queue.push(first, {{first, 9, CloseSessionCommand{}}}));
    EXPECT_EQ(queue.size(), 0u);
  }
}

TEST(CommandQueueBytes, NeverKeepOutTheOpeningAndTheEndOfASession) {
  CommandQueue queue({1'000, large_bytes()}, {1'000, large_bytes()});
  ASSERT_TRUE(queue.push(first, reshape(first, sixteen_boxes())));
  EXPECT_TRUE(queue.push(first, {{first, 9, CloseSessionCommand{}}}));
  EXPECT_TRUE(queue.push(second, {{second, 0, OpenSessionCommand{}}}));
}

TEST(CommandQueueBytes, OfPlainCommandsSufficeForTheirNumber) {
  constexpr std::size_t count = 1'000;
  const QueueRoom room{count, count * limits::plain_command_bytes};
  CommandQueue queue(room, room);
  EXPECT_TRUE(queue.push(first, plain(first, count)));
  EXPECT_FALSE(queue.push(first, plain(first)));
}

TEST(CommandQueueBytes, AreBoundedWithTheUsualRoom) {
  CommandQueue queue;
  const Shape hulls = sixteen_hulls();
  const std::uint64_t each = size_bytes(reshape(first, hulls));
  std::uint64_t taken = 0;
  while (queue.push(first, reshape(first, hulls))) {
    taken += each;
    ASSERT_LE(taken, limits::queued_bytes_per_session_max);
  }
  EXPECT_GT(taken + each, limits::queued_bytes_per_session_max);
  EXPECT_LT(queue.size(), limits::queued_commands_per_session_max);
}

}  // namespace
}  // namespace vicinity
