// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/framing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

namespace vicinity {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes body_of(std::size_t size) {
  Bytes body(size);
  std::iota(body.begin(), body.end(), std::uint8_t{1});
  return body;
}

Bytes framed(const Bytes& body) {
  Bytes out;
  append_frame(body, out);
  return out;
}

Bytes copy(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

/// Every frame that the reader finds in `stream`, fed in pieces of `piece` bytes.
std::vector<Bytes> read_in_pieces(FrameReader& reader, const Bytes& stream, std::size_t piece) {
  std::vector<Bytes> frames;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    std::span<const std::uint8_t> input(stream);
    input = input.subspan(at, std::min(piece, stream.size() - at));
    while (auto body = reader.next(input)) frames.push_back(copy(*body));
  }
  return frames;
}

TEST(FrameReader, WritesLittleEndianLengthBeforeTheBody) {
  EXPECT_EQ(framed({7, 8, 9}), (Bytes{3, 0, 0, 0, 7, 8, 9}));
  EXPECT_EQ(framed(Bytes(0x0102, 5))[0], 0x02);
  EXPECT_EQ(framed(Bytes(0x0102, 5))[1], 0x01);
}

TEST(FrameReader, ReadsAFrameSplitAtEveryByte) {
  const Bytes body = body_of(20);
  const Bytes stream = framed(body);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader(64);
    std::span<const std::uint8_t> head(stream.data(), cut);
    std::span<const std::uint8_t> tail(stream.data() + cut, stream.size() - cut);
    auto whole = reader.next(head);
    EXPECT_TRUE(head.empty());
    EXPECT_EQ(whole.has_value(), cut == stream.size());
    if (!whole) whole = reader.next(tail);
    ASSERT_TRUE(whole.has_value()) << "cut at " << cut;
    EXPECT_EQ(copy(*whole), body);
  }
}

TEST(FrameReader, ReadsCoalescedFramesInPiecesOfAnySize) {
  Bytes stream;
  std::vector<Bytes> bodies;
  for (const std::size_t size : {1u, 5u, 64u, 2u, 17u}) {
    bodies.push_back(body_of(size));
    append_frame(bodies.back(), stream);
  }
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader(64);
    EXPECT_EQ(read_in_pieces(reader, stream, piece), bodies) << "pieces of " << piece;
    EXPECT_EQ(reader.failed(), ErrorCode::None);
  }
}

TEST(FrameReader, TakesABodyOfExactlyTheLimit) {
  FrameReader reader(64);
  EXPECT_EQ(read_in_pieces(reader, framed(body_of(64)), 100).size(), 1u);
}

TEST(FrameReader, RefusesALengthAboveTheLimitBeforeTheBodyArrives) {
  FrameReader reader(64);
  const Bytes prefix{65, 0, 0, 0};
  std::span<const std::uint8_t> input(prefix);
  EXPECT_FALSE(reader.next(input).has_value());
  EXPECT_EQ(reader.failed(), ErrorCode::FrameTooLarge);
  EXPECT_LE(reader.buffered_bytes(), 4u);
}

TEST(FrameReader, RefusesALyingLengthOfFourGigabytes) {
  FrameReader reader(1 << 20);
  const Bytes prefix{0xFF, 0xFF, 0xFF, 0xFF};
  std::span<const std::uint8_t> input(prefix);
  EXPECT_FALSE(reader.next(input).has_value());
  EXPECT_EQ(reader.failed(), ErrorCode::FrameTooLarge);
}

TEST(FrameReader, RefusesALengthOfZero) {
  FrameReader reader(64);
  const Bytes prefix{0, 0, 0, 0};
  std::span<const std::uint8_t> input(prefix);
  EXPECT_FALSE(reader.next(input).has_value());
  EXPECT_EQ(reader.failed(), ErrorCode::BadFrame);
}

TEST(FrameReader, TakesNothingMoreOnceBroken) {
  FrameReader reader(64);
  const Bytes zero{0, 0, 0, 0};
  std::span<const std::uint8_t> input(zero);
  EXPECT_FALSE(reader.next(input).has_value());
  const Bytes good = framed(body_of(3));
  std::span<const std::uint8_t> more(good);
  EXPECT_FALSE(reader.next(more).has_value());
  EXPECT_EQ(more.size(), good.size());
  EXPECT_EQ(reader.failed(), ErrorCode::BadFrame);
}

TEST(FrameReader, RaisedLimitCountsForTheNextPrefix) {
  FrameReader reader(4);
  EXPECT_EQ(read_in_pieces(reader, framed(body_of(4)), 3).size(), 1u);
  reader.set_body_bytes_max(8);
  EXPECT_EQ(read_in_pieces(reader, framed(body_of(8)), 3).size(), 1u);
}

TEST(FrameReader, HandsOutBodiesAlignedForFlatBuffers) {
  Bytes stream;
  for (const std::size_t size : {1u, 2u, 3u, 31u}) append_frame(body_of(size), stream);
  FrameReader reader(64);
  std::span<const std::uint8_t> input(stream);
  int frames = 0;
  while (auto body = reader.next(input)) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body->data()) % 16, 0u);
    ++frames;
  }
  EXPECT_EQ(frames, 4);
}

TEST(FrameReader, CountsWhatItHoldsOfAnUnfinishedFrame) {
  FrameReader reader(64);
  const Bytes stream = framed(body_of(10));
  std::span<const std::uint8_t> input(stream.data(), 9);
  EXPECT_FALSE(reader.next(input).has_value());
  EXPECT_EQ(reader.buffered_bytes(), 9u);
}

}  // namespace
}  // namespace vicinity
