// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/frame_joiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/decode.h"
#include "support/json_frame.h"
#include "unit/client/frame_json.h"

namespace vicinity::client {
namespace {

using ::testing::HasSubstr;

class FrameJoinerTest : public ::testing::Test {
 protected:
  static std::vector<std::uint8_t> body(const std::string& content) {
    return test::server_schema().body("{body_type: 'Frame', body: {" + content + "}}");
  }
  /// A part that must be good.
  const TickFrame* add(const std::string& content) {
    const auto decoded = decode_server_message(body(content), views, joiner);
    if (decoded.ok()) return std::get<FramePart>(decoded.value()).whole;
    ADD_FAILURE() << decoded.error().text;
    return nullptr;
  }
  void expect_bad(const std::string& content, const std::string& reason) {
    const auto decoded = decode_server_message(body(content), views, joiner);
    ASSERT_FALSE(decoded.ok()) << content;
    EXPECT_EQ(decoded.error().code, ErrorCode::BadFrame);
    EXPECT_THAT(decoded.error().text, HasSubstr(reason));
  }

  ViewDecoder views;
  FrameJoiner joiner{100'000};
};

TEST_F(FrameJoinerTest, RefusesATickThatStartsLate) {
  expect_bad("tick: 1, part: 1", "out of order");
}

TEST_F(FrameJoinerTest, RefusesATickThatSkipsAPart) {
  EXPECT_EQ(add("tick: 1, last: false"), nullptr);
  expect_bad("tick: 1, part: 2", "out of order");
}

TEST_F(FrameJoinerTest, RefusesPartsOfTwoTicksMixed) {
  EXPECT_EQ(add("tick: 1, last: false"), nullptr);
  expect_bad("tick: 2, part: 1", "out of order");
}

TEST_F(FrameJoinerTest, RefusesATickThatBeginsWhileOneIsOpenAndUndoesTheOpenOne) {
  EXPECT_EQ(add("tick: 1, last: false, enters: [" + entity_json(1, 0, 1) + "]"), nullptr);
  EXPECT_EQ(views.entity_count(), 1u);
  expect_bad("tick: 2, part: 0", "began before");
  EXPECT_EQ(views.entity_count(), 0u);
}

TEST_F(FrameJoinerTest, BoundsWhatItHolds) {
  const std::string contact =
      "{a: 1, b: 2, begin_tick: 1, user_data_a: 0, user_data_b: 0, toi: 1, event_seq: 1, "
      "sensor: false, capped: false}";
  std::string contacts;
  for (int i = 0; i < 100; ++i) contacts += contact + ",";
  const std::string content = ", last: false, contact_begins: [" + contacts + "]";
  const std::size_t fitting = 100'000 / body("tick: 1, part: 1" + content).size();
  for (std::size_t part = 0; part < fitting; ++part)
    EXPECT_EQ(add("tick: 1, part: " + std::to_string(part) + content), nullptr);
  expect_bad("tick: 1, part: " + std::to_string(fitting) + content, "larger than any");
}

TEST_F(FrameJoinerTest, BeginsAnewAfterTheLastPart) {
  const std::string lost = "lost: [{id: 1, reason: 0, user_data: 0}]";
  for (Tick tick = 1; tick <= 5; ++tick) {
    const std::string head = "tick: " + std::to_string(tick);
    EXPECT_EQ(
        add(head + ", last: false, events_only: " + (tick == 2 ? "true, " : "false, ") + lost),
        nullptr);
    const TickFrame* whole = add(head + ", part: 1, " + lost);
    ASSERT_NE(whole, nullptr);
    EXPECT_EQ(whole->tick, tick);
    EXPECT_EQ(whole->lost.size(), 2u);
    EXPECT_EQ(whole->events_only, tick == 2);
  }
}

TEST_F(FrameJoinerTest, ShowsNothingOfTheTickBefore) {
  const std::string contact = "{a: 1, b: 2, begin_tick: 1, user_data_a: 0, user_data_b: 0, ";
  ASSERT_NE(add("tick: 1, enters: [" + entity_json(1, 0, 1) + "," + entity_json(2, 0, 2) +
                "], changed: [" + entity_json(1, 0, 1) +
                "], moves: [{page: 0, far: [{alias: 1, position: {x: 0, y: 0, z: 0}}], turns: "
                "[{alias: 1, low: 22527, high: 43685}], velocities: [{alias: 1, x: 0, y: 0, z: "
                "0}], spins: [{alias: 1, x: 0, y: 0, z: 0}], jumps: [1]}], contact_ends: [" +
                contact + "event_seq: 1, reason: 0, sensor: false}], contact_stays: [" + contact +
                "event_seq: 1, sensor: false}], lost: [{id: 1, reason: 0, user_data: 0}], "
                "enters_waiting: 3, health: 'Starved', shedding: 'Queries', events_only: true"),
            nullptr);
  const TickFrame* next = add("tick: 2");
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->tick, 2u);
  EXPECT_EQ(next->leaves.size() + next->enters.size() + next->changed.size() + next->moved.size() +
                next->turned.size() + next->velocities.size() + next->spins.size() +
                next->jumped.size() + next->contact_ends.size() + next->contact_stays.size() +
                next->lost.size(),
            0u);
  EXPECT_EQ(next->enters_waiting, 0u);
  EXPECT_EQ(next->health, StreamHealth::Ok);
  EXPECT_EQ(next->shedding, Shedding::None);
  EXPECT_FALSE(next->events_only);
}

TEST_F(FrameJoinerTest, JoinsDetailsAndStaysAndTakesTheHealthOfTheLastPart) {
  const std::string v = "{x: 0, y: 0, z: 0}", q = "{x: 0, y: 0, z: 0, w: 1}";
  const auto detail = [&](int depth) {
    return "{a: 1, b: 2, begin_tick: 3, point: " + v + ", normal: " + v +
           ", penetration_m: " + std::to_string(depth) + ", position_a: " + v +
           ", rotation_a: " + q + ", position_b: " + v + ", rotation_b: " + q + "}";
  };
  const std::string stay =
      "{a: 1, b: 2, begin_tick: 1, user_data_a: 0, user_data_b: 0, event_seq: 1, sensor: false}";
  EXPECT_EQ(add("tick: 3, last: false, begin_details: [" + detail(5) + "]"), nullptr);
  const TickFrame* joined =
      add("tick: 3, part: 1, begin_details: [" + detail(7) + "], contact_stays: [" + stay + "," +
          stay + "], health: 'Starved', shedding: 'Queries', enters_waiting: 4");
  ASSERT_NE(joined, nullptr);
  ASSERT_EQ(joined->begin_details.size(), 2u);
  EXPECT_EQ(joined->begin_details[1].penetration_m, 7);
  EXPECT_EQ(joined->contact_stays.size(), 2u);
  EXPECT_EQ(joined->health, StreamHealth::Starved);
  EXPECT_EQ(joined->shedding, Shedding::Queries);
  EXPECT_EQ(joined->enters_waiting, 4u);
}

}  // namespace
}  // namespace vicinity::client
