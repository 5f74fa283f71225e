// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/outbox.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace vicinity::net {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// What the kernel would get if it took everything that is in flight now.
Bytes in_flight(Outbox& outbox) {
  Bytes all;
  for (const auto chunk : outbox.take_in_flight())
    all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

TEST(Outbox, HandsOutBytesInOrderHoweverTheyAreTaken) {
  Outbox outbox(100'000);
  Bytes sent;
  for (int i = 0; i < 200; ++i) {
    Bytes piece(static_cast<std::size_t>(i * 7 % 500 + 1));
    std::iota(piece.begin(), piece.end(), static_cast<std::uint8_t>(i));
    sent.insert(sent.end(), piece.begin(), piece.end());
    ASSERT_TRUE(outbox.push(std::move(piece)));
  }
  Bytes received;
  for (std::size_t take = 1; !outbox.empty(); take = take * 2 % 997 + 1) {
    Bytes offered = in_flight(outbox);
    offered.resize(std::min(take, offered.size()));
    received.insert(received.end(), offered.begin(), offered.end());
    outbox.consume(offered.size());
    EXPECT_EQ(outbox.bytes(), sent.size() - received.size());
  }
  EXPECT_EQ(received, sent);
}

TEST(Outbox, TakesUpToItsLimitAndRefusesTheNextByteWhole) {
  Outbox outbox(100);
  EXPECT_TRUE(outbox.push(Bytes(60)));
  EXPECT_FALSE(outbox.push(Bytes(41)));
  EXPECT_EQ(outbox.bytes(), 60u);
  EXPECT_TRUE(outbox.push(Bytes(40)));
  EXPECT_FALSE(outbox.push(Bytes(1)));
  EXPECT_EQ(outbox.bytes(), 100u);
}

TEST(Outbox, CountsBytesInFlightAgainstTheLimit) {
  Outbox outbox(100);
  ASSERT_TRUE(outbox.push(Bytes(100)));
  ASSERT_EQ(in_flight(outbox).size(), 100u);
  EXPECT_FALSE(outbox.push(Bytes(1)));
  outbox.consume(30);
  EXPECT_TRUE(outbox.push(Bytes(30)));
  EXPECT_FALSE(outbox.push(Bytes(1)));
}

TEST(Outbox, JoinsSmallPushesIntoOneBuffer) {
  Outbox outbox(100'000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(outbox.push(Bytes(10)));
  EXPECT_EQ(outbox.take_in_flight().size(), 1u);
}

TEST(Outbox, DoesNotMoveMemoryThatIsInFlight) {
  Outbox outbox(100'000);
  ASSERT_TRUE(outbox.push(Bytes{1, 2, 3}));
  const auto buffers = outbox.take_in_flight();
  ASSERT_EQ(buffers.size(), 1u);
  const auto* before = buffers[0].data();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(outbox.push(Bytes(50, 9)));
  outbox.consume(1);  // the kernel took a part; the rest is still where it was
  const auto rest = outbox.take_in_flight();
  EXPECT_EQ(rest[0].data(), before + 1);
  EXPECT_EQ(rest[0].size(), 2u);
  EXPECT_EQ(rest[0][0], 2);
}

TEST(Outbox, DropsWhatWaitsButNeverHalfOfAChunk) {
  Outbox outbox(1'000'000);
  ASSERT_TRUE(outbox.push(Bytes(20'000, 1)));
  ASSERT_TRUE(outbox.push(Bytes(20'000, 2)));
  (void)outbox.take_in_flight();
  outbox.consume(5);
  outbox.drop_waiting();
  outbox.push_farewell(Bytes{7, 7});
  Bytes expected(19'995, 1);
  expected.insert(expected.end(), {7, 7});
  EXPECT_EQ(in_flight(outbox), expected);
  EXPECT_EQ(outbox.bytes(), expected.size());
}

TEST(Outbox, DropsEverythingWhenNothingWasBegun) {
  Outbox outbox(1'000);
  ASSERT_TRUE(outbox.push(Bytes(500)));
  outbox.drop_waiting();
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.bytes(), 0u);
}

TEST(Outbox, TakesAFarewellBeyondTheLimit) {
  Outbox outbox(10);
  ASSERT_TRUE(outbox.push(Bytes(10)));
  outbox.push_farewell(Bytes(5));
  EXPECT_EQ(in_flight(outbox).size(), 15u);
}

}  // namespace
}  // namespace vicinity::net
