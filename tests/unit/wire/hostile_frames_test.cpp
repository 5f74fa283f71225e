// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Frames that lie about themselves, and streams that come in odd pieces. What is asked for
// everywhere: an answer, no crash, and nothing that validate() would not have let through.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/framing.h"
#include "base/limits.h"
#include "base/prng.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr DecodeLimits world{4096};

/// The committed frames of all protocols: all that a client can say.
std::vector<Bytes> golden_client_frames() {
  std::vector<std::filesystem::path> paths;
  const std::string folder = std::string(VICINITY_SOURCE_DIR) + "/tests/golden";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("client_") && name.ends_with(".bin")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> frames;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    frames.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return frames;
}

/// Decodes and checks that everything that was accepted is good.
bool accepted(const Bytes& body) {
  const auto result = decode_client_message(body, world);
  if (!result.ok()) {
    EXPECT_NE(result.error().code, ErrorCode::None);
    EXPECT_FALSE(result.error().text.empty());
    return false;
  }
  if (const auto* batch = std::get_if<CommandsMessage>(&result.value())) {
    for (const DecodedCommand& command : batch->commands) {
      if (const auto* value = std::get_if<CommandBody>(&command.outcome)) {
        EXPECT_EQ(validate(*value, world).code, ErrorCode::None);
      }
    }
  }
  if (const auto* query = std::get_if<QueryMessage>(&result.value())) {
    if (const auto* value = std::get_if<Query>(&query->outcome)) {
      EXPECT_EQ(validate(*value, world).code, ErrorCode::None);
    }
  }
  return true;
}

TEST(HostileFrames, GoldenFramesAreAllThere) {
  // Protocol 1: Hello, Commands, Step, Ping, Goodbye and six kinds of query; protocol 2: Hello,
  // Commands and three kinds of query; protocol 3: Hello, Commands, Ping, two explanations.
  EXPECT_EQ(golden_client_frames().size(), 21u);
  for (const Bytes& body : golden_client_frames()) EXPECT_TRUE(accepted(body));
}

TEST(HostileFrames, TruncatedFramesNeverCrash) {
  for (const Bytes& body : golden_client_frames()) {
    std::size_t refused = 0;
    for (std::size_t size = 0; size < body.size(); ++size)
      refused +=
          accepted(Bytes(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size))) ? 0u : 1u;
    // Only padding at the very end may be missing without harm.
    EXPECT_GE(refused + 8, body.size());
  }
}

TEST(HostileFrames, EveryOffsetAndLengthReplacedByLiesNeverCrashes) {
  constexpr std::uint32_t lies[] = {0,           1,           2,          3,          4,
                                    0x7F,        0xFF,        0xFFFF,     0x7FFFFFFF, 0x80000000,
                                    0xFFFFFFF0u, 0xFFFFFFFEu, 0xFFFFFFFFu};
  for (const Bytes& body : golden_client_frames()) {
    for (std::size_t at = 0; at + 4 <= body.size(); at += 2) {
      for (const std::uint32_t lie : lies) {
        Bytes lying = body;
        std::memcpy(lying.data() + at, &lie, sizeof lie);
        accepted(lying);
      }
    }
  }
}

TEST(HostileFrames, EveryByteReplacedByEveryValueNeverCrashes) {
  for (const Bytes& body : golden_client_frames()) {
    Bytes lying = body;
    for (std::size_t at = 0; at < body.size(); ++at) {
      for (int value = 0; value < 256; value += 5) {
        lying[at] = static_cast<std::uint8_t>(value);
        accepted(lying);
      }
      lying[at] = body[at];
    }
  }
}

TEST(HostileFrames, RandomMutationsNeverCrash) {
  constexpr std::uint64_t seed = 20260;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Prng random(seed);
  for (const Bytes& body : golden_client_frames()) {
    for (int round = 0; round < 2000; ++round) {
      Bytes lying = body;
      for (std::uint64_t n = 1 + random.below(6); n > 0; --n)
        lying[random.below(lying.size())] = static_cast<std::uint8_t>(random.next());
      accepted(lying);
    }
  }
}

TEST(HostileFrames, AVectorThatClaimsMoreElementsThanTheFrameHoldsIsRefused) {
  Bytes body =
      test::client_frame("Commands", R"({first_sequence: 1, commands: [{kind: "Despawn", entity: 1},
                                                    {kind: "Despawn", entity: 2}]})");
  // The only 32-bit 2 that is followed by two offsets is the length of the vector; find it by
  // asking which single word, raised, makes the frame unreadable or changes the count.
  bool found = false;
  for (std::size_t at = 0; at + 4 <= body.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, body.data() + at, 4);
    if (word != 2) continue;
    Bytes lying = body;
    const std::uint32_t claim = 0x10000000;
    std::memcpy(lying.data() + at, &claim, 4);
    if (!accepted(lying)) found = true;
  }
  EXPECT_TRUE(found);
}

TEST(HostileFrames, ATextLongerThanTheFrameIsRefused) {
  Bytes body = test::client_frame("Hello", R"({client_name: "abcdefgh"})");
  constexpr std::string_view name = "abcdefgh";
  const auto text = std::search(body.begin(), body.end(), name.begin(), name.end());
  ASSERT_NE(text, body.end());
  const std::uint32_t claim = 64;  // within the limit of the field, beyond the end of the frame
  std::memcpy(&*(text - 4), &claim, 4);
  EXPECT_FALSE(accepted(body));
}

TEST(HostileFrames, ATableReachedByManyOffsetsIsBoundedByTheCommandLimit) {
  for (const std::size_t count : {std::size_t{1024}, std::size_t{1025}, std::size_t{16'000}}) {
    flatbuffers::FlatBufferBuilder builder;
    auto start = builder.StartTable();
    builder.AddElement<std::uint8_t>(4, 2, 0);  // kind = Despawn
    builder.AddElement<std::uint64_t>(6, 1, 0);
    const flatbuffers::Offset<void> shared(builder.EndTable(start));
    const auto vector = builder.CreateVector(std::vector<flatbuffers::Offset<void>>(count, shared));
    start = builder.StartTable();
    builder.AddElement<std::uint64_t>(4, 1, 0);
    builder.AddOffset(6, vector);
    const flatbuffers::Offset<void> batch(builder.EndTable(start));
    start = builder.StartTable();
    builder.AddElement<std::uint8_t>(4, 2, 0);
    builder.AddOffset(6, batch);
    builder.Finish(flatbuffers::Offset<void>(builder.EndTable(start)), "VCC1");
    const Bytes body(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    ASSERT_LE(body.size(), limits::client_frame_bytes_max);
    EXPECT_EQ(accepted(body), count <= limits::commands_per_frame_max) << count;
  }
}

/// Cuts a stream into pieces and decodes every frame that comes out.
std::vector<std::size_t> kinds_in_pieces(const Bytes& stream, std::size_t piece_bytes) {
  FrameReader reader(limits::client_frame_bytes_max);
  std::vector<std::size_t> kinds;
  for (std::size_t at = 0; at < stream.size(); at += piece_bytes) {
    std::span<const std::uint8_t> input(stream);
    input = input.subspan(at, std::min(piece_bytes, stream.size() - at));
    while (const auto body = reader.next(input)) {
      const auto result = decode_client_message(*body, world);
      EXPECT_TRUE(result.ok());
      if (result.ok()) kinds.push_back(result.value().index());
    }
  }
  EXPECT_EQ(reader.failed(), ErrorCode::None);
  return kinds;
}

TEST(HostileFrames, SplitAndCoalescedStreamsGiveTheSameMessages) {
  Bytes stream;
  std::vector<std::size_t> expected;
  for (const Bytes& body : golden_client_frames()) {
    append_frame(body, stream);
    expected.push_back(decode_client_message(body, world).value().index());
  }
  for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5},
                                  std::size_t{64}, std::size_t{1000}, stream.size()})
    EXPECT_EQ(kinds_in_pieces(stream, piece), expected) << "pieces of " << piece;
}

TEST(HostileFrames, AnOversizedLengthIsRefusedBeforeItsBodyArrives) {
  FrameReader reader(limits::frame_bytes_before_hello_max);
  const Bytes prefix = {0x01, 0x08, 0x00, 0x00};  // 2049
  std::span<const std::uint8_t> input(prefix);
  EXPECT_FALSE(reader.next(input).has_value());
  EXPECT_EQ(reader.failed(), ErrorCode::FrameTooLarge);
  EXPECT_LE(reader.buffered_bytes(), limits::frame_prefix_bytes);
}

}  // namespace
}  // namespace vicinity::wire
