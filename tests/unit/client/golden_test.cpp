// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The committed frames of the server of protocol 2 (tests/golden), made by flatc from JSON, are
// read with the values that a person wrote there.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "client/decode.h"
#include "client/replica.h"
#include "support/json_frame.h"

namespace vicinity::client {
namespace {

template <class Message>
Message golden(const std::string& name) {
  std::ifstream file(std::string(VICINITY_SOURCE_DIR) + "/tests/golden/v2/" + name + ".bin",
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  const std::vector<std::uint8_t> body{std::istreambuf_iterator<char>(file),
                                       std::istreambuf_iterator<char>()};
  auto decoded = decode_server_message(body);
  if (!decoded.ok() || !std::holds_alternative<Message>(decoded.value())) {
    ADD_FAILURE() << name << (decoded.ok() ? " is another message" : decoded.error().text);
    return {};
  }
  return std::get<Message>(std::move(decoded.value()));
}

EntityId id(std::uint64_t raw) { return EntityId::from_raw(raw); }

TEST(GoldenServerFrames, EntitiesAreReadWithTheirRotation) {
  const TickFrame frame = golden<FramePart>("server_frame").frame;
  ASSERT_EQ(frame.enters.size(), 1u);
  const EntityView& enter = frame.enters[0];
  EXPECT_EQ(enter.id, id(4294967299));
  EXPECT_EQ(enter.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(enter.velocity, (Vec3{4, 5, 6}));
  EXPECT_EQ(enter.rotation, (Quat{0, 0, 0.6, 0.8}));
  EXPECT_EQ(enter.angular_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(enter.local_box, (Aabb{{-1, -2, -3}, {1.5, 2.5, 3.5}}));
  EXPECT_EQ(enter.observer.value, 5u);
  EXPECT_TRUE(enter.filter.sensor);
  ASSERT_EQ(frame.changed.size(), 1u);
  EXPECT_EQ(frame.changed[0].rotation, (Quat{0, 1, 0, 0}));
  EXPECT_TRUE(frame.changed[0].filter.is_static);
  ASSERT_EQ(frame.moved.size(), 1u);
  EXPECT_EQ(frame.moved[0].velocity, (Vec3{0.5, 0.25, 0.125}));
  EXPECT_EQ(frame.moved[0].rotation, (Quat{0, 0, -0.6, 0.8}));
  EXPECT_EQ(frame.moved[0].angular_velocity, (Vec3{0, -1.5, 0}));
  EXPECT_EQ(frame.moved[0].observer.value, 6u);
  EXPECT_EQ(frame.moved[0].user_data, 22u);
}

TEST(GoldenServerFrames, ContactsAreReadWithTheirNumbersAndDetails) {
  const TickFrame frame = golden<FramePart>("server_frame").frame;
  ASSERT_EQ(frame.contact_ends.size(), 1u);
  EXPECT_EQ(frame.contact_ends[0].reason, EndReason::Teleported);
  EXPECT_EQ(frame.contact_ends[0].event_seq, 100u);
  ASSERT_EQ(frame.contact_begins.size(), 1u);
  EXPECT_EQ(frame.contact_begins[0].toi, 0.375);
  EXPECT_EQ(frame.contact_begins[0].event_seq, 101u);
  EXPECT_TRUE(frame.contact_begins[0].sensor);
  EXPECT_TRUE(frame.contact_begins[0].capped);
  ASSERT_EQ(frame.contact_passed.size(), 1u);
  EXPECT_EQ(frame.contact_passed[0].event_seq, 102u);
  EXPECT_TRUE(frame.contact_passed[0].sensor);
  ASSERT_EQ(frame.begin_details.size(), 1u);
  const ContactDetailEvent& detail = frame.begin_details[0];
  EXPECT_EQ(detail.a, id(4294967303));
  EXPECT_EQ(detail.b, id(4294967304));
  EXPECT_EQ(detail.begin_tick, 19u);
  EXPECT_EQ(detail.point, (Vec3{1.5, 2.5, 3.5}));
  EXPECT_EQ(detail.normal, (Vec3{0, 1, 0}));
  EXPECT_EQ(detail.penetration_m, 0.0625);
  EXPECT_EQ(detail.pose_a, (Pose{{1, 2, 3}, {0, 0, 0.6, 0.8}}));
  EXPECT_EQ(detail.pose_b, (Pose{{4, 5, 6}, {1, 0, 0, 0}}));
  ASSERT_EQ(frame.contact_stays.size(), 1u);
  const ContactStayEvent& stay = frame.contact_stays[0];
  EXPECT_EQ(stay.a, id(4294967306));
  EXPECT_EQ(stay.b, id(4294967307));
  EXPECT_EQ(stay.begin_tick, 12u);
  EXPECT_EQ(stay.user_data_a, 5u);
  EXPECT_EQ(stay.user_data_b, 6u);
  EXPECT_EQ(stay.event_seq, 103u);
  EXPECT_TRUE(stay.sensor);
  ASSERT_EQ(frame.lost.size(), 1u);
  EXPECT_EQ(frame.lost[0].reason, DespawnReason::ParentEnded);
}

TEST(GoldenServerFrames, HitsAreReadWithPointAndNormal) {
  const QueryAnswer answer = golden<QueryOutcome>("server_query_answer").answer;
  ASSERT_EQ(answer.hits.size(), 2u);
  EXPECT_EQ(answer.hits[0].value, 0.5);
  EXPECT_EQ(answer.hits[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(answer.hits[0].point, (Vec3{4, 5, 6}));
  EXPECT_EQ(answer.hits[0].normal, (Vec3{0, 0, -1}));
  EXPECT_EQ(answer.hits[1].point, Vec3{});
  EXPECT_EQ(answer.hits[1].user_data, 8u);
}

TEST(GoldenServerFrames, TheRestOfTheSessionIsRead) {
  EXPECT_EQ(golden<Welcome>("server_welcome").session.value, 42u);
  EXPECT_EQ(golden<RejectMessage>("server_reject").error.code, ErrorCode::VersionMismatch);
  EXPECT_EQ(golden<ClosingMessage>("server_closing").retry_after_ms, 5000u);
  EXPECT_EQ(golden<CommandResultsMessage>("server_command_results").outcomes.size(), 3u);
  EXPECT_EQ(golden<StepOutcome>("server_step_done").tick, 250u);
  EXPECT_EQ(golden<QueryOutcome>("server_query_refused").error.code, ErrorCode::InvalidQuery);
  EXPECT_EQ(golden<PongMessage>("server_pong").nonce, 12345678901234567890u);
}

Result<ServerMessage, Error> decode(const std::string& type, const std::string& body) {
  return decode_server_message(
      test::server_schema().body("{body_type: \"" + type + "\", body: " + body + "}"));
}

TEST(DecodeServerMessage, AWelcomeOfAnotherProtocolIsRefused) {
  EXPECT_TRUE(decode("Welcome", "{protocol: 3, limits: {}}").ok());
  EXPECT_FALSE(decode("Welcome", "{protocol: 2, limits: {}}").ok());
  EXPECT_FALSE(decode("Welcome", "{protocol: 4, limits: {}}").ok());
}

TEST(DecodeServerMessage, UnknownKindsOfShapesAreRefusedAndAllKnownOnesRead) {
  const auto enter = [](int kind) {
    const std::string v = "{x: 0, y: 0, z: 0}";
    return decode("Frame", "{enters: [{id: 1, user_data: 0, position: " + v + ", velocity: " + v +
                               ", rotation: {x: 0, y: 0, z: 0, w: 1}, angular_velocity: " + v +
                               ", local_min: " + v + ", local_max: " + v +
                               ", observer: 0, category: 1, mask: 1, group: 0, instance: 0, "
                               "shape_kind: " +
                               std::to_string(kind) + ", sensor: false, is_static: false}]}");
  };
  for (int kind = 0; kind <= static_cast<int>(ShapeKind::Compound); ++kind) {
    const auto decoded = enter(kind);
    ASSERT_TRUE(decoded.ok()) << kind;
    EXPECT_EQ(static_cast<int>(std::get<FramePart>(decoded.value()).frame.enters[0].shape_kind),
              kind);
  }
  EXPECT_FALSE(enter(6).ok());
  EXPECT_FALSE(enter(255).ok());
}

TEST(Replica, KeepsRotationAndAngularVelocity) {
  Replica replica;
  TickFrame first;
  first.tick = 1;
  first.enters.resize(1);
  first.enters[0].id = id(4294967297);
  first.enters[0].rotation = {0, 0, 0.6, 0.8};
  first.enters[0].angular_velocity = {1, 2, 3};
  EXPECT_TRUE(replica.apply(first).empty());
  const EntityView& seen = replica.view().at(id(4294967297));
  EXPECT_EQ(seen.rotation, (Quat{0, 0, 0.6, 0.8}));
  TickFrame second;
  second.tick = 2;
  second.moved.resize(1);
  second.moved[0].id = id(4294967297);
  second.moved[0].rotation = {0, 1, 0, 0};
  second.moved[0].angular_velocity = {4, 5, 6};
  EXPECT_TRUE(replica.apply(second).empty());
  EXPECT_EQ(seen.rotation, (Quat{0, 1, 0, 0}));
  EXPECT_EQ(seen.angular_velocity, (Vec3{4, 5, 6}));
}

TEST(FrameJoiner, JoinsDetailsAndStays) {
  FrameJoiner joiner(1'000);
  FramePart one;
  one.last = false;
  one.frame.tick = 3;
  one.frame.contact_begins.resize(2);
  one.frame.begin_details.resize(1);
  FramePart two;
  two.part = 1;
  two.frame.tick = 3;
  two.frame.begin_details.resize(1);
  two.frame.begin_details[0].penetration_m = 7;
  two.frame.contact_stays.resize(3);
  ASSERT_TRUE(joiner.add(std::move(one), 100).ok());
  const auto joined = joiner.add(std::move(two), 100);
  ASSERT_TRUE(joined.ok());
  ASSERT_TRUE(joined.value().has_value());
  EXPECT_EQ(joined.value()->begin_details.size(), 2u);
  EXPECT_EQ(joined.value()->begin_details[1].penetration_m, 7);
  EXPECT_EQ(joined.value()->contact_stays.size(), 3u);
}

}  // namespace
}  // namespace vicinity::client
