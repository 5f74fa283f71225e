// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/view_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "base/prng.h"
#include "client/decode.h"
#include "client/quantised.h"
#include "geometry/quat.h"
#include "support/json_frame.h"
#include "unit/client/frame_json.h"

namespace vicinity::client {
namespace {

using ::testing::HasSubstr;

TEST(Quantised, Binary16IsReadExactly) {
  EXPECT_EQ(from_binary16(0x0000), 0.0);
  EXPECT_TRUE(std::signbit(from_binary16(0x8000)));
  EXPECT_EQ(from_binary16(0x0001), 0x1p-24);          // the smallest
  EXPECT_EQ(from_binary16(0x83FF), -1023 * 0x1p-24);  // the largest without a leading one
  EXPECT_EQ(from_binary16(0x0400), 0x1p-14);
  EXPECT_EQ(from_binary16(0x3C00), 1.0);
  EXPECT_EQ(from_binary16(0xC100), -2.5);
  EXPECT_EQ(from_binary16(0x7BFF), 65504.0);  // the largest
  EXPECT_TRUE(std::isinf(from_binary16(0x7C00)));
  EXPECT_TRUE(std::isnan(from_binary16(0x7E00)));
}

TEST(Quantised, PackedNumbersKeepTheirSigns) {
  // -2^20, 2^20 - 1 and -1 with 21 bits each.
  const std::uint64_t bits = 0x100000ull | (0x0FFFFFull << 21) | (0x1FFFFFull << 42);
  EXPECT_EQ(from_packed21(bits), (std::array<std::int64_t, 3>{-1048576, 1048575, -1}));
  EXPECT_EQ(from_packed21(bits | 1ull << 63)[2], -1) << "bit 63 says nothing";
}

TEST(Quantised, TheLargestOfARotationIsLeftOut) {
  // 341 is -1/(3 sqrt(2)), so that the one left out is sqrt(1 - 3/18).
  const std::uint32_t parts = 341u | 341u << 10 | 341u << 20;
  const double small = -0.23570226039551584, large = 0.91287092917527685;
  for (std::uint32_t left_out = 0; left_out < 4; ++left_out) {
    const auto rotation = from_smallest_three(parts | left_out << 30);
    ASSERT_TRUE(rotation.has_value());
    const double values[] = {rotation->x, rotation->y, rotation->z, rotation->w};
    for (std::uint32_t i = 0; i < 4; ++i)
      EXPECT_NEAR(values[i], i == left_out ? large : small, 1e-15) << left_out << ' ' << i;
  }
  EXPECT_FALSE(from_smallest_three(0).has_value()) << "three times -1/sqrt(2) is longer than 1";
}

/// A session that reads frames written as JSON.
class ViewDecoderTest : public ::testing::Test {
 protected:
  ViewDecoderTest() { views.set_resolution_m(0.5); }

  static std::string leave(int id, int observer) {
    return "leaves: [{id: " + std::to_string(id) +
           ", user_data: 0, observer: " + std::to_string(observer) +
           ", reason: 0, suspended: false}]";
  }
  Result<ServerMessage, Error> read(const std::string& content) {
    return decode_server_message(
        test::server_schema().body("{body_type: 'Frame', body: {tick: 1, " + content + "}}"),
        views);
  }
  /// What a frame that must be good says has moved.
  std::vector<EntityMove> moved(const std::string& content) {
    auto decoded = read(content);
    if (!decoded) {
      ADD_FAILURE() << decoded.error().text;
      return {};
    }
    return std::get<FramePart>(decoded.value()).frame.moved;
  }
  void expect_bad(const std::string& content, const std::string& reason) {
    ViewDecoder before = copy();
    const auto decoded = read(content);
    ASSERT_FALSE(decoded.ok()) << content;
    EXPECT_EQ(decoded.error().code, ErrorCode::BadFrame);
    EXPECT_THAT(decoded.error().text, HasSubstr(reason)) << content;
    views = std::move(before);
  }
  /// Entities 1 (alias 7) and 2 (alias 65536 + 7) of observer 0, and 3 (alias 8) of observer 1.
  void enter_three() {
    moved("enters: [" + entity_json(1, 0, 7) + "," + entity_json(2, 0, 65543) + "," +
          entity_json(3, 1, 8) + "]");
  }
  ViewDecoder copy() {
    ViewDecoder fresh;
    fresh.set_resolution_m(0.5);
    std::swap(fresh, views);
    enter_three();
    std::swap(fresh, views);
    return fresh;
  }

  ViewDecoder views;
};

TEST_F(ViewDecoderTest, PartsThatAreNotToldStayAsTheyWere) {
  enter_three();
  auto moves = moved("moves: [{page: 0, origin_x: 10, near: [{alias: 7, x: 1, y: 2, z: -3}]}]");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(1));
  EXPECT_EQ(moves[0].user_data, 101u);
  EXPECT_EQ(moves[0].position, (Vec3{5.5, 1, -1.5}));
  EXPECT_EQ(moves[0].velocity, (Vec3{1, 2, 3}));
  moves = moved("moves: [{page: 0, velocities: [{alias: 7, x: 0, y: 15360, z: 0}], jumps: [7]}]");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].position, (Vec3{5.5, 1, -1.5}));
  EXPECT_EQ(moves[0].velocity, (Vec3{0, 1, 0}));
  EXPECT_TRUE(moves[0].jumped);
  moves = moved("moves: [{page: 0, far: [{alias: 7, position: {x: 1, y: 1, z: 1}}]}]");
  EXPECT_FALSE(moves.at(0).jumped) << "a jump is of its tick only";
}

TEST_F(ViewDecoderTest, ThePageIsTheUpperHalfOfTheAlias) {
  enter_three();
  const auto moves = moved(
      "moves: [{page: 1, near: [{alias: 7, x: 2, y: 0, z: 0}]},"
      "        {page: 0, near: [{alias: 7, x: 4, y: 0, z: 0}]},"
      "        {observer: 1, page: 0, near: [{alias: 8, x: 6, y: 0, z: 0}]}]");
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(2));
  EXPECT_EQ(moves[0].position.x, 1);
  EXPECT_EQ(moves[1].id, EntityId::from_raw(1));
  EXPECT_EQ(moves[2].observer, ObserverId{1});
}

TEST_F(ViewDecoderTest, ChangesAreTheBaseOfLaterMoves) {
  enter_three();
  moved("changed: [" + entity_json(1, 0, 7, "42") + "]");
  const auto moves = moved("moves: [{page: 0, spins: [{alias: 7, x: 15360, y: 0, z: 0}]}]");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].position.x, 42);
  EXPECT_EQ(moves[0].angular_velocity, (Vec3{1, 0, 0}));
}

TEST_F(ViewDecoderTest, AnAliasIsFreeAfterItsLeave) {
  enter_three();
  const auto moves =
      moved(leave(1, 0) + ", enters: [" + entity_json(4, 1, 7) +
            "], moves: [{observer: 1, page: 0, near: [{alias: 7, x: 2, y: 0, z: 0}]}]");
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(4));
  moved(leave(4, 1));
  expect_bad("moves: [{observer: 1, page: 0, jumps: [9]}]", "unknown alias");
}

/// Aliases are given again, so that those of a view do not ascend with its entities.
TEST_F(ViewDecoderTest, ListsComeInAnyOrder) {
  moved("enters: [" + entity_json(1, 0, 9) + "," + entity_json(2, 0, 7) + "," +
        entity_json(3, 0, 8) + "]");
  const auto moves = moved(
      "moves: [{page: 0, near: [{alias: 9, x: 2, y: 0, z: 0}, {alias: 7, x: 4, y: 0, z: 0}], "
      "spins: [{alias: 8, x: 15360, y: 0, z: 0}, {alias: 7, x: 15360, y: 0, z: 0}], "
      "jumps: [8, 9, 7]}]");
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(1));
  EXPECT_EQ(moves[1].id, EntityId::from_raw(2));
  EXPECT_EQ(moves[1].angular_velocity.x, 1);
  EXPECT_EQ(moves[2].id, EntityId::from_raw(3));
}

TEST_F(ViewDecoderTest, RefusesAliasesThatDoNotFit) {
  enter_three();
  const std::string near7 = "{alias: 7, x: 0, y: 0, z: 0}";
  expect_bad("moves: [{page: 0, near: [{alias: 9, x: 0, y: 0, z: 0}]}]", "unknown alias");
  expect_bad("moves: [{page: 2, near: [" + near7 + "]}]", "unknown alias");
  expect_bad("moves: [{page: 65536, near: [" + near7 + "]}]", "page 65536");
  expect_bad("moves: [{observer: 1, page: 0, near: [" + near7 + "]}]", "another observer");
  expect_bad("moves: [{page: 0, near: [" + near7 + "," + near7 + "]}]", "given twice");
  expect_bad(
      "moves: [{page: 0, near: [" + near7 + "], far: [{alias: 7, position: {x: 0, y: 0, z: 0}}]}]",
      "given twice");
  expect_bad("moves: [{page: 0, near: [" + near7 + "]}, {page: 0, jumps: [7]}]", "two lists");
  expect_bad("moves: [{page: 0, jumps: [7, 7]}]", "given twice");
  const std::string spin7 = "{alias: 7, x: 0, y: 0, z: 0}";
  expect_bad("moves: [{page: 0, spins: [" + spin7 + "," + spin7 + "]}]", "given twice");
  expect_bad("enters: [" + entity_json(4, 0, 7) + "]", "two entities");
  expect_bad("changed: [" + entity_json(1, 0, 8) + "]", "alias of another");
}

TEST_F(ViewDecoderTest, RefusesNumbersThatAreNone) {
  enter_three();
  expect_bad("moves: [{page: 0, far: [{alias: 7, position: {x: nan, y: 0, z: 0}}]}]", "number");
  expect_bad("moves: [{page: 0, far: [{alias: 7, position: {x: 0, y: 0, z: inf}}]}]", "number");
  expect_bad("moves: [{page: 0, velocities: [{alias: 7, x: 31744, y: 0, z: 0}]}]", "number");
  expect_bad("moves: [{page: 0, spins: [{alias: 7, x: 0, y: 32256, z: 0}]}]", "number");
  expect_bad("moves: [{page: 0, turns: [{alias: 7, low: 0, high: 0}]}]", "number");
  expect_bad(
      "moves: [{page: 0, origin_y: 9223372036854775807, near: [{alias: 7, x: 1, y: 1, z: "
      "1}]}]",
      "number");
  expect_bad("enters: [" + entity_json(4, 0, 70, "nan") + "]", "number");
  views.set_resolution_m(0);
  EXPECT_FALSE(read("moves: [{page: 0, near: [{alias: 7, x: 0, y: 0, z: 0}]}]").ok());
}

TEST_F(ViewDecoderTest, ATickMayNotTellOfTheSameEntitiesAgainAndAgain) {
  enter_three();  // three entities, so that 24 moves are the most of a tick
  const auto part = [](int number) {
    return "part: " + std::to_string(number) + ", last: false, moves: [{page: 0, jumps: [7]}]";
  };
  for (int i = 0; i < 24; ++i) ASSERT_TRUE(read(part(i)).ok()) << i;
  EXPECT_FALSE(read(part(24)).ok());
}

TEST_F(ViewDecoderTest, RollsBackATickThatBrokeOff) {
  enter_three();
  moved("part: 0, last: false, enters: [" + entity_json(4, 0, 9) + "]," + leave(1, 0));
  EXPECT_EQ(views.entity_count(), 3u);
  views.roll_back();
  EXPECT_EQ(views.entity_count(), 3u);
  EXPECT_EQ(moved("moves: [{page: 0, jumps: [7]}]").size(), 1u) << "entity 1 is there again";
  EXPECT_EQ(moved("enters: [" + entity_json(4, 0, 9) + "], moves: [{page: 0, jumps: [9]}]").size(),
            1u);
  views.roll_back();
  EXPECT_EQ(views.entity_count(), 4u) << "a whole tick stays";
}

TEST_F(ViewDecoderTest, ADroppedObserverFreesItsAliases) {
  enter_three();
  views.drop_observer({0});
  EXPECT_EQ(views.entity_count(), 1u);
  moved("enters: [" + entity_json(5, 1, 7) + "]");
  // The removal may be answered later than the tick in which the observer comes again.
  views.expect_drops(true);
  moved("enters: [" + entity_json(6, 0, 8) + "]");
  EXPECT_EQ(moved("moves: [{observer: 0, page: 0, jumps: [8]}]").at(0).id, EntityId::from_raw(6));
}

TEST_F(ViewDecoderTest, StandsFramesThatWereTamperedWith) {
  const auto body = test::server_schema().body(
      "{body_type: 'Frame', body: {tick: 1, enters: [" + entity_json(4, 0, 9) + "], " +
      leave(3, 1) +
      ", moves: [{page: 0, origin_x: 5, near: [{alias: 7, x: 1, y: 2, z: 3}], wide: "
      "[{alias: 9, a: 1, b: 2, c: 3, d: 4}], turns: [{alias: 7, low: 22527, high: 43685}], "
      "velocities: [{alias: 9, x: 1, y: 2, z: 3}], jumps: [7, 9]}, {page: 1, far: [{alias: 7, "
      "position: {x: 1, y: 2, z: 3}}], spins: [{alias: 7, x: 5, y: 6, z: 7}]}]}}");
  constexpr std::uint64_t seed = 20;
  Prng prng(seed);
  std::size_t good_count = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto changed = body;
    for (std::uint64_t n = 1 + prng.below(4); n > 0; --n)
      changed[prng.below(changed.size())] = static_cast<std::uint8_t>(prng.next());
    views = copy();
    const auto decoded = decode_server_message(changed, views);
    const auto* part = decoded ? std::get_if<FramePart>(&decoded.value()) : nullptr;
    if (part == nullptr) continue;
    ++good_count;
    ASSERT_LE(views.entity_count(), 4u + part->frame.enters.size());
    for (const EntityMove& move : part->frame.moved) {
      ASSERT_TRUE(is_finite(move.position) && is_finite(move.velocity)) << "seed " << seed;
      ASSERT_TRUE(is_finite(move.rotation) && is_finite(move.angular_velocity));
    }
  }
  EXPECT_GT(good_count, 100u) << "or the bytes that matter were never reached";
}

}  // namespace
}  // namespace vicinity::client
