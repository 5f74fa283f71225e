// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/view_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "base/prng.h"
#include "client/decode.h"
#include "client/quantised.h"
#include "client/replica.h"
#include "geometry/quat.h"
#include "support/json_frame.h"
#include "unit/client/frame_json.h"

namespace vicinity::client {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
        test::server_schema().body("{body_type: 'Frame', body: {tick: 1, " + content + "}}"), views,
        *joiner);
  }
  /// What a frame that must be good tells; of an unfinished tick nothing.
  TickFrame tell(const std::string& content) {
    const auto decoded = read(content);
    if (!decoded) {
      ADD_FAILURE() << decoded.error().text;
      return {};
    }
    const TickFrame* whole = std::get<FramePart>(decoded.value()).whole;
    return whole == nullptr ? TickFrame{} : *whole;
  }
  /// The connection ends with it, and the next one begins with what was there before.
  void expect_bad(const std::string& content, const std::string& reason) {
    const std::size_t count_before = views.entity_count();
    const auto decoded = read(content);
    ASSERT_FALSE(decoded.ok()) << content;
    EXPECT_EQ(decoded.error().code, ErrorCode::BadFrame);
    EXPECT_THAT(decoded.error().text, HasSubstr(reason)) << content;
    EXPECT_EQ(views.entity_count(), count_before) << content;
    joiner.emplace(limits::outbox_bytes_max);
  }
  /// Entities 1 (alias 7) and 2 (alias 65536 + 7) of observer 0, and 3 (alias 8) of observer 1.
  void enter_three() {
    tell("enters: [" + entity_json(1, 0, 7) + "," + entity_json(2, 0, 65543) + "," +
         entity_json(3, 1, 8) + "]");
  }

  ViewDecoder views;
  std::optional<FrameJoiner> joiner{limits::outbox_bytes_max};
};

TEST_F(ViewDecoderTest, TellsOfEachPartOfAMotionWhatChanged) {
  enter_three();
  TickFrame tick = tell("moves: [{page: 0, origin_x: 10, near: [{alias: 7, x: 1, y: 2, z: -3}]}]");
  ASSERT_EQ(tick.moved.size(), 1u);
  EXPECT_EQ(tick.moved[0].id, EntityId::from_raw(1));
  EXPECT_EQ(tick.moved[0].observer, ObserverId{0});
  EXPECT_EQ(tick.moved[0].position, (Vec3{5.5, 1, -1.5}));
  EXPECT_THAT(tick.velocities, IsEmpty());
  tick = tell("moves: [{page: 0, velocities: [{alias: 7, x: 0, y: 15360, z: 0}], jumps: [7]}]");
  EXPECT_THAT(tick.moved, IsEmpty()) << "of the tick before";
  ASSERT_EQ(tick.velocities.size(), 1u);
  EXPECT_EQ(tick.velocities[0].value, (Vec3{0, 1, 0}));
  ASSERT_EQ(tick.jumped.size(), 1u);
  EXPECT_EQ(tick.jumped[0].id, EntityId::from_raw(1));
  tick = tell(
      "moves: [{page: 1, far: [{alias: 7, position: {x: 1, y: 2, z: 3}}], "
      "spins: [{alias: 7, x: 15360, y: 0, z: 0}]}]");
  EXPECT_THAT(tick.jumped, IsEmpty()) << "a jump is of its tick only";
  ASSERT_EQ(tick.moved.size(), 1u);
  EXPECT_EQ(tick.moved[0].position, (Vec3{1, 2, 3}));
  ASSERT_EQ(tick.spins.size(), 1u);
  EXPECT_EQ(tick.spins[0].id, EntityId::from_raw(2));
  EXPECT_EQ(tick.spins[0].value, (Vec3{1, 0, 0}));
}

TEST_F(ViewDecoderTest, ThePageIsTheUpperHalfOfTheAlias) {
  enter_three();
  const auto moves = tell(
                         "moves: [{page: 1, near: [{alias: 7, x: 2, y: 0, z: 0}]},"
                         "        {page: 0, near: [{alias: 7, x: 4, y: 0, z: 0}]},"
                         "        {observer: 1, page: 0, near: [{alias: 8, x: 6, y: 0, z: 0}]}]")
                         .moved;
  ASSERT_EQ(moves.size(), 3u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(2));
  EXPECT_EQ(moves[0].position.x, 1);
  EXPECT_EQ(moves[1].id, EntityId::from_raw(1));
  EXPECT_EQ(moves[2].observer, ObserverId{1});
}

TEST_F(ViewDecoderTest, SlotsOfEntersAndChangesNameTheEntityInMoves) {
  const TickFrame first =
      tell("enters: [" + entity_json(1, 0, 9) + "," + entity_json(2, 0, 7) + "]");
  const TickFrame second =
      tell("changed: [" + entity_json(2, 0, 7) + "], moves: [{page: 0, jumps: [7, 9]}]");
  EXPECT_NE(first.enters[0].slot, first.enters[1].slot);
  EXPECT_EQ(second.changed.at(0).slot, first.enters[1].slot);
  ASSERT_EQ(second.jumped.size(), 2u);
  EXPECT_EQ(second.jumped[0].slot, first.enters[1].slot);
  EXPECT_EQ(second.jumped[1].slot, first.enters[0].slot);
}

TEST_F(ViewDecoderTest, ASlotMeansOneEntityInATickAndIsGivenAgainInALaterOne) {
  const std::uint32_t slot = tell("enters: [" + entity_json(1, 0, 9) + "]").enters.at(0).slot;
  const TickFrame same = tell(leave(1, 0) + ", enters: [" + entity_json(2, 0, 9) + "]");
  EXPECT_NE(same.enters.at(0).slot, slot);
  EXPECT_EQ(tell("enters: [" + entity_json(3, 0, 10) + "]").enters.at(0).slot, slot);
}

TEST_F(ViewDecoderTest, AnAliasIsFreeAfterItsLeave) {
  enter_three();
  const auto moves =
      tell(leave(1, 0) + ", enters: [" + entity_json(4, 1, 7) +
           "], moves: [{observer: 1, page: 0, near: [{alias: 7, x: 2, y: 0, z: 0}]}]")
          .moved;
  ASSERT_EQ(moves.size(), 1u);
  EXPECT_EQ(moves[0].id, EntityId::from_raw(4));
  tell(leave(4, 1));
  expect_bad("moves: [{observer: 1, page: 0, jumps: [9]}]", "unknown to their observer");
  expect_bad("moves: [{observer: 1, page: 0, jumps: [7]}]", "unknown to their observer");
}

/// Aliases are given again, so that those of a view do not ascend with its entities.
TEST_F(ViewDecoderTest, ListsComeInAnyOrder) {
  tell("enters: [" + entity_json(1, 0, 9) + "," + entity_json(2, 0, 7) + "," +
       entity_json(3, 0, 8) + "]");
  const TickFrame tick = tell(
      "moves: [{page: 0, near: [{alias: 9, x: 2, y: 0, z: 0}, {alias: 7, x: 4, y: 0, z: 0}], "
      "spins: [{alias: 8, x: 15360, y: 0, z: 0}, {alias: 7, x: 15360, y: 0, z: 0}], "
      "jumps: [8, 9, 7]}]");
  ASSERT_EQ(tick.moved.size(), 2u);
  EXPECT_EQ(tick.moved[0].id, EntityId::from_raw(1));
  EXPECT_EQ(tick.moved[1].id, EntityId::from_raw(2));
  ASSERT_EQ(tick.spins.size(), 2u);
  EXPECT_EQ(tick.spins[0].id, EntityId::from_raw(3));
  ASSERT_EQ(tick.jumped.size(), 3u);
  EXPECT_EQ(tick.jumped[2].id, EntityId::from_raw(2));
}

/// Whatever numbers a server takes: small, far apart, the largest, and far ones that become near
/// because the view has grown.
TEST_F(ViewDecoderTest, AnyAliasNamesItsEntity) {
  std::map<std::uint32_t, int> ids;
  int next_id = 1;
  for (const std::uint32_t alias : {5'000u, 0xFFFF'FFFFu, 0u, 1'023u, 1'024u, 70'000u, 4'999u})
    ids[alias] = next_id++;
  for (std::uint32_t alias = 2'000; alias < 4'000; ++alias) ids[alias] = next_id++;
  for (const auto& [alias, id] : ids)
    if (alias >= 4'000) tell("enters: [" + entity_json(id, 0, alias) + "]");
  for (const auto& [alias, id] : ids)
    if (alias < 4'000) tell("enters: [" + entity_json(id, 0, alias) + "]");
  for (const auto& [alias, id] : ids) {
    if (alias > 2'100 && alias < 3'900) continue;
    const auto tick = tell("moves: [{page: " + std::to_string(alias >> 16) + ", jumps: [" +
                           std::to_string(alias & 0xFFFFu) + "]}]");
    ASSERT_EQ(tick.jumped.size(), 1u) << alias;
    EXPECT_EQ(tick.jumped[0].id, EntityId::from_raw(static_cast<std::uint64_t>(id))) << alias;
  }
  expect_bad("moves: [{page: 0, jumps: [4500]}]", "unknown");
  expect_bad("moves: [{page: 65535, jumps: [65534]}]", "unknown");
}

TEST_F(ViewDecoderTest, RefusesAliasesThatDoNotFit) {
  enter_three();
  const std::string near7 = "{alias: 7, x: 0, y: 0, z: 0}";
  expect_bad("moves: [{page: 0, near: [{alias: 9, x: 0, y: 0, z: 0}]}]", "unknown");
  expect_bad("moves: [{page: 2, near: [" + near7 + "]}]", "unknown");
  expect_bad("moves: [{page: 65536, near: [" + near7 + "]}]", "page 65536");
  expect_bad("moves: [{observer: 1, page: 0, near: [" + near7 + "]}]", "unknown to their observer");
  expect_bad("moves: [{page: 0, near: [" + near7 + "," + near7 + "]}]", "given twice");
  expect_bad(
      "moves: [{page: 0, near: [" + near7 + "], far: [{alias: 7, position: {x: 0, y: 0, z: 0}}]}]",
      "given twice");
  expect_bad("moves: [{page: 0, near: [" + near7 + "]}, {page: 0, near: [" + near7 + "]}]",
             "given twice");
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
  expect_bad("server_time_us: 9223372036854775808", "time");
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

TEST_F(ViewDecoderTest, ATickThatBrokeOffIsUndone) {
  enter_three();
  tell("part: 0, last: false, enters: [" + entity_json(4, 0, 9) + "]," + leave(1, 0));
  tell("part: 1, last: false, enters: [" + entity_json(5, 1, 7) + "]," + leave(4, 0));
  EXPECT_EQ(views.entity_count(), 3u);
  views.roll_back();  // the connection broke
  joiner.emplace(limits::outbox_bytes_max);
  EXPECT_EQ(views.entity_count(), 3u);
  const TickFrame back = tell("moves: [{page: 0, jumps: [7]}]");
  ASSERT_EQ(back.jumped.size(), 1u) << "entity 1 is there again";
  EXPECT_EQ(back.jumped[0].id, EntityId::from_raw(1));
  expect_bad("moves: [{page: 0, jumps: [9]}]", "unknown");
  EXPECT_EQ(
      tell("enters: [" + entity_json(4, 0, 9) + "], moves: [{page: 0, jumps: [9]}]").jumped.size(),
      1u);
  views.roll_back();
  EXPECT_EQ(views.entity_count(), 4u) << "a whole tick stays";
}

TEST_F(ViewDecoderTest, ABadPartUndoesItsWholeTick) {
  enter_three();
  tell("part: 0, last: false, enters: [" + entity_json(4, 0, 9) + "]," + leave(1, 0));
  EXPECT_FALSE(read("part: 1, moves: [{page: 0, jumps: [7]}]").ok()) << "which has left";
  joiner.emplace(limits::outbox_bytes_max);
  EXPECT_EQ(views.entity_count(), 3u);
  EXPECT_EQ(tell("moves: [{page: 0, jumps: [7]}]").jumped.size(), 1u);
  expect_bad("moves: [{page: 0, jumps: [9]}]", "unknown");
}

TEST_F(ViewDecoderTest, ADroppedObserverFreesItsAliases) {
  enter_three();
  views.drop_observer({0});
  EXPECT_EQ(views.entity_count(), 1u);
  tell("enters: [" + entity_json(5, 1, 7) + "]");
  // The removal may be answered later than the tick in which the observer comes again.
  views.expect_drops(true);
  tell("enters: [" + entity_json(6, 0, 8) + "]");
  EXPECT_EQ(tell("moves: [{observer: 0, page: 0, jumps: [8]}]").jumped.at(0).id,
            EntityId::from_raw(6));
}

TEST_F(ViewDecoderTest, AnObserverDroppedWithinATickDoesNotComeBackWhenTheTickIsUndone) {
  enter_three();
  tell("part: 0, last: false, enters: [" + entity_json(4, 0, 9) + "]," + leave(1, 0));
  views.drop_observer({0});
  views.roll_back();
  joiner.emplace(limits::outbox_bytes_max);
  EXPECT_EQ(views.entity_count(), 1u);
  expect_bad("moves: [{page: 0, jumps: [7]}]", "unknown");
  // Its slots are free, and each of them once.
  const TickFrame tick = tell("enters: [" + entity_json(11, 0, 7) + "," + entity_json(12, 0, 9) +
                              "," + entity_json(13, 0, 10) + "," + entity_json(14, 0, 11) + "]");
  std::vector<std::uint32_t> slots;
  for (const EntityView& enter : tick.enters) slots.push_back(enter.slot);
  std::sort(slots.begin(), slots.end());
  EXPECT_TRUE(std::adjacent_find(slots.begin(), slots.end()) == slots.end());
  EXPECT_LE(slots.back(), 4u) << "three of before, the one in between, and one more";
}

/// A view that changes at random, and the JSON that tells of it.
struct ChangingView {
  struct Told {
    std::uint32_t alias = 0;
    double x = 0;
  };
  std::map<int, Told> entities;  ///< by id
  std::string leaves, enters, moves;

  bool has(std::uint32_t alias) const {
    return std::any_of(entities.begin(), entities.end(),
                       [&](const auto& entry) { return entry.second.alias == alias; });
  }
  void advance(Prng& prng, int& next_id) {
    leaves = enters = moves = "";
    std::erase_if(entities, [&](const auto& entry) {
      if (prng.below(8) != 0) return false;
      leaves += "{id: " + std::to_string(entry.first) +
                ", user_data: 0, observer: 0, reason: 0, suspended: false},";
      return true;
    });
    for (std::uint64_t n = prng.below(4); n > 0; --n) {
      std::uint32_t alias = 0;
      while (has(alias)) ++alias;
      const int x = static_cast<int>(prng.below(100));
      enters += entity_json(next_id, 0, alias, std::to_string(x)) + ",";
      entities[next_id++] = {alias, 1.0 * x};
    }
    for (auto& [id, entity] : entities) {
      if (prng.below(2) == 0) continue;
      const int steps = static_cast<int>(prng.below(1'000));
      moves += "{alias: " + std::to_string(entity.alias) + ", x: " + std::to_string(steps) +
               ", y: 0, z: 0},";
      entity.x = steps * 0.5;
    }
  }
};

/// Decoder and replica always know what the last whole tick said, and nothing else.
TEST_F(ViewDecoderTest, DecoderAndReplicaFollowAViewThroughTicksThatBreakOff) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  Prng prng(seed);
  ChangingView told;
  Replica replica;
  int next_id = 1;
  std::size_t undone = 0;
  for (Tick tick = 1; tick <= 400; ++tick) {
    ChangingView now = told;
    now.advance(prng, next_id);
    const bool breaks_off = prng.below(4) == 0;
    const auto send = [&](const std::string& content) {
      return decode_server_message(
          test::server_schema().body("{body_type: 'Frame', body: {tick: " + std::to_string(tick) +
                                     content + "}}"),
          views, *joiner);
    };
    const auto first =
        send(", last: false, leaves: [" + now.leaves + "], enters: [" + now.enters + "]");
    ASSERT_TRUE(first.ok()) << "tick " << tick << ": " << first.error().text;
    const auto last = send(", part: 1, moves: [{page: 0, near: [" + now.moves +
                           (breaks_off ? "{alias: 60000, x: 0, y: 0, z: 0}" : "") + "]}]");
    ASSERT_EQ(last.ok(), !breaks_off);
    if (breaks_off) {
      joiner.emplace(limits::outbox_bytes_max);
      ++undone;
    } else {
      EXPECT_THAT(replica.apply(*std::get<FramePart>(last.value()).whole), IsEmpty());
      told = now;
    }
    ASSERT_EQ(views.entity_count(), told.entities.size());
    ASSERT_EQ(replica.view().size(), told.entities.size());
    for (const auto& [id, entity] : told.entities) {
      const auto seen = replica.find(EntityId::from_raw(static_cast<std::uint64_t>(id)));
      ASSERT_TRUE(seen.has_value()) << "tick " << tick;
      ASSERT_EQ(seen->position.x, entity.x) << "tick " << tick;
    }
  }
  EXPECT_GT(undone, 50u);
}

TEST_F(ViewDecoderTest, StandsFramesThatWereTamperedWith) {
  const auto body = test::server_schema().body(
      "{body_type: 'Frame', body: {tick: 1, enters: [" + entity_json(4, 0, 9) + "], " +
      leave(3, 1) +
      ", moves: [{page: 0, origin_x: 5, near: [{alias: 7, x: 1, y: 2, z: 3}], wide: "
      "[{alias: 9, a: 1, b: 2, c: 3, d: 4}], turns: [{alias: 7, low: 22527, high: 43685}], "
      "velocities: [{alias: 9, x: 1, y: 2, z: 3}], jumps: [7, 9]}, {page: 1, far: [{alias: 7, "
      "position: {x: 1, y: 2, z: 3}}], spins: [{alias: 7, x: 5, y: 6, z: 7}]}]}}");
  const auto three = test::server_schema().body(
      "{body_type: 'Frame', body: {enters: [" + entity_json(1, 0, 7) + "," +
      entity_json(2, 0, 65543) + "," + entity_json(3, 1, 8) + "]}}");
  constexpr std::uint64_t seed = 20;
  SCOPED_TRACE(seed);
  Prng prng(seed);
  std::size_t good_count = 0;
  for (int i = 0; i < 10'000; ++i) {
    auto changed = body;
    for (std::uint64_t n = 1 + prng.below(4); n > 0; --n)
      changed[prng.below(changed.size())] = static_cast<std::uint8_t>(prng.next());
    ViewDecoder session;
    session.set_resolution_m(0.5);
    FrameJoiner parts(limits::outbox_bytes_max);
    Replica replica;
    const auto first = decode_server_message(three, session, parts);
    replica.apply(*std::get<FramePart>(first.value()).whole);
    const auto decoded = decode_server_message(changed, session, parts);
    ASSERT_TRUE(decoded.ok() || session.entity_count() == 3u) << "or it is as before the frame";
    const auto* part = decoded ? std::get_if<FramePart>(&decoded.value()) : nullptr;
    if (part == nullptr || part->whole == nullptr) continue;
    ++good_count;
    ASSERT_LE(session.entity_count(), 4u + part->whole->enters.size());
    replica.apply(*part->whole);
    for (const std::uint32_t observer : {0u, 1u}) {
      for (const EntityView& entity : replica.view(ObserverId{observer})) {
        ASSERT_TRUE(is_finite(entity.position) && is_finite(entity.velocity));
        ASSERT_TRUE(is_finite(entity.rotation) && is_finite(entity.angular_velocity));
      }
    }
  }
  EXPECT_GT(good_count, 100u) << "or the bytes that matter were never reached";
}

}  // namespace
}  // namespace vicinity::client
