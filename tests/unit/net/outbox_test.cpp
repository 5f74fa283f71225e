// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/outbox.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "support/raw_socket.h"

namespace vicinity::net {
namespace {

using test::Bytes;

/// A complete frame of `size` bytes, prefix included.
Bytes frame(std::size_t size, std::uint8_t fill = 0) { return test::framed(Bytes(size - 4, fill)); }

Bytes frames(std::size_t count, std::size_t size) {
  Bytes all;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes one = frame(size, static_cast<std::uint8_t>(i));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::vector<std::span<const std::uint8_t>> take(Outbox& outbox) {
  std::vector<std::span<const std::uint8_t>> buffers;
  outbox.take_in_flight(buffers);
  return buffers;
}

/// What the kernel would get if it took everything that is in flight now.
Bytes in_flight(Outbox& outbox) {
  Bytes all;
  for (const auto chunk : take(outbox)) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

TEST(Outbox, HandsOutBytesInOrderHoweverTheyAreTaken) {
  Outbox outbox(1'000'000);
  Bytes sent;
  for (int i = 0; i < 200; ++i) {
    Bytes body(static_cast<std::size_t>(i * 7 % 500 + 1));
    std::iota(body.begin(), body.end(), static_cast<std::uint8_t>(i));
    const Bytes piece = i % 50 == 7 ? frames(40, 4000) : test::framed(body);
    sent.insert(sent.end(), piece.begin(), piece.end());
    ASSERT_TRUE(outbox.push(piece));
  }
  Bytes received;
  for (std::size_t take = 1; !outbox.empty(); take = take * 2 % 99'991 + 1) {
    Bytes offered = in_flight(outbox);
    offered.resize(std::min(take, offered.size()));
    received.insert(received.end(), offered.begin(), offered.end());
    outbox.consume(offered.size());
    EXPECT_EQ(outbox.bytes(), sent.size() - received.size());
  }
  EXPECT_EQ(received, sent);
}

TEST(Outbox, TakesUpToItsLimitAndRefusesTheNextFrameWhole) {
  Outbox outbox(100);
  EXPECT_TRUE(outbox.push(frame(60)));
  EXPECT_FALSE(outbox.push(frame(41)));
  EXPECT_EQ(outbox.bytes(), 60u);
  EXPECT_TRUE(outbox.push(frame(40)));
  EXPECT_FALSE(outbox.push(frame(5)));
  EXPECT_EQ(outbox.bytes(), 100u);
}

TEST(Outbox, CountsBytesInFlightAgainstTheLimit) {
  Outbox outbox(100);
  ASSERT_TRUE(outbox.push(frame(100)));
  ASSERT_EQ(in_flight(outbox).size(), 100u);
  EXPECT_FALSE(outbox.push(frame(5)));
  outbox.consume(30);
  EXPECT_TRUE(outbox.push(frame(30)));
  EXPECT_FALSE(outbox.push(frame(5)));
}

TEST(Outbox, JoinsSmallPushesIntoOneBuffer) {
  Outbox outbox(100'000);
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(outbox.push(frame(10)));
  EXPECT_EQ(take(outbox).size(), 1u);
}

TEST(Outbox, TakesAWholeFrameWithoutACopyBehindWhatIsInFlight) {
  Outbox outbox(1'000);
  ASSERT_TRUE(outbox.push(frame(10, 1)));
  (void)take(outbox);
  ASSERT_TRUE(outbox.push_frame(frame(20, 2)));
  ASSERT_TRUE(outbox.push_frame(frame(30, 3)));  // joined to the one that waits
  EXPECT_FALSE(outbox.push_frame(frame(941, 4)));
  EXPECT_EQ(outbox.bytes(), 60u);
  outbox.consume(10);
  const auto buffers = take(outbox);
  ASSERT_EQ(buffers.size(), 1u);
  EXPECT_EQ(buffers[0].size(), 50u);
  Outbox alone(1'000);
  Bytes frame_alone = frame(20, 2);
  const auto* memory = frame_alone.data();
  ASSERT_TRUE(alone.push_frame(std::move(frame_alone)));
  EXPECT_EQ(take(alone)[0].data(), memory);
}

TEST(Outbox, DoesNotMoveMemoryThatIsInFlight) {
  Outbox outbox(100'000);
  ASSERT_TRUE(outbox.push(frame(6, 2)));
  const auto buffers = take(outbox);
  ASSERT_EQ(buffers.size(), 1u);
  const auto* before = buffers[0].data();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(outbox.push(frame(50, 9)));
  outbox.consume(4);  // the kernel took a part; the rest is still where it was
  const auto rest = take(outbox);
  EXPECT_EQ(rest[0].data(), before + 4);
  EXPECT_EQ(rest[0].size(), 2u);
  EXPECT_EQ(rest[0][0], 2);
}

TEST(Outbox, DropsWhatWaitsButNeverHalfOfAFrame) {
  Outbox outbox(1'000'000);
  const Bytes begun = frame(70'000, 1);
  ASSERT_TRUE(outbox.push(begun));
  ASSERT_TRUE(outbox.push(frame(70'000, 2)));
  (void)take(outbox);
  outbox.consume(5);
  outbox.drop_waiting();
  const Bytes farewell = frame(6, 7);
  outbox.push_farewell(farewell);
  Bytes expected(begun.begin() + 5, begun.end());
  expected.insert(expected.end(), farewell.begin(), farewell.end());
  EXPECT_EQ(in_flight(outbox), expected);
  EXPECT_EQ(outbox.bytes(), expected.size());
}

TEST(Outbox, KeepsLittleOfALongPushInFrontOfAFarewell) {
  // One push of 10 MB, as a long tick is: had it to be sent whole, a farewell would come too late.
  constexpr std::size_t frame_bytes = 1000;
  Outbox outbox(20'000'000);
  ASSERT_TRUE(outbox.push(frames(10'000, frame_bytes)));
  const std::size_t flying = in_flight(outbox).size();
  EXPECT_GT(flying, 0u);
  EXPECT_LT(flying, 400'000u);
  outbox.consume(frame_bytes + 1);
  (void)take(outbox);
  outbox.drop_waiting();
  EXPECT_LT(outbox.bytes(), 400'000u);
  EXPECT_EQ((outbox.bytes() + frame_bytes + 1) % frame_bytes, 0u) << "cut within a frame";
}

TEST(Outbox, DropsEverythingWhenNothingWasBegun) {
  Outbox outbox(1'000);
  ASSERT_TRUE(outbox.push(frame(500)));
  outbox.drop_waiting();
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.bytes(), 0u);
}

TEST(Outbox, TakesAFarewellBeyondTheLimit) {
  Outbox outbox(10);
  ASSERT_TRUE(outbox.push(frame(10)));
  outbox.push_farewell(frame(5));
  EXPECT_EQ(in_flight(outbox).size(), 15u);
}

}  // namespace
}  // namespace vicinity::net
