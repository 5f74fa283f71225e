// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The committed frames of the server of protocol 3 (tests/golden), made by flatc from JSON, are
// read with the values that a person wrote there.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "client/decode.h"
#include "client/encode.h"
#include "client/replica.h"
#include "support/golden_frame.h"
#include "support/json_frame.h"

namespace vicinity::client {
namespace {

template <class Message>
Message golden(const std::string& name) {
  ViewDecoder views;
  views.set_resolution_m(0x1p-9);
  FrameJoiner joiner(limits::outbox_bytes_max);
  const auto body = test::golden_frame("v3/" + name);
  auto decoded = decode_server_message(body, views, joiner);
  if constexpr (std::is_same_v<Message, TickFrame>) {
    const auto* part = decoded ? std::get_if<FramePart>(&decoded.value()) : nullptr;
    if (part != nullptr && part->whole != nullptr) return *part->whole;
  } else {
    if (decoded.ok() && std::holds_alternative<Message>(decoded.value()))
      return std::get<Message>(std::move(decoded.value()));
  }
  ADD_FAILURE() << name << (decoded.ok() ? " is another message" : decoded.error().text);
  return {};
}

EntityId id(std::uint64_t raw) { return EntityId::from_raw(raw); }

TEST(GoldenServerFrames, EntitiesAreReadWithTheirRotation) {
  const TickFrame frame = golden<TickFrame>("server_frame");
  ASSERT_EQ(frame.enters.size(), 3u);
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
  ASSERT_EQ(frame.leaves.size(), 1u);
  EXPECT_EQ(frame.leaves[0].reason, LeaveReason::OutOfRange);
  EXPECT_TRUE(frame.leaves[0].suspended);
  EXPECT_EQ(frame.enters_waiting, 17u);
  EXPECT_EQ(frame.health, StreamHealth::Degraded);
  EXPECT_EQ(frame.shedding, Shedding::OuterRings);
}

TEST(GoldenServerFrames, MovesTellThePartsThatChanged) {
  const TickFrame frame = golden<TickFrame>("server_frame");
  ASSERT_EQ(frame.moved.size(), 3u);
  const EntityMove& near = frame.moved[0];
  EXPECT_EQ(near.id, id(4294967299));
  EXPECT_EQ(near.observer.value, 5u);
  EXPECT_EQ(near.slot, frame.enters[0].slot);
  EXPECT_EQ(near.position, (Vec3{1100 / 512.0, -2100 / 512.0, 33067 / 512.0}));
  const EntityMove& wide = frame.moved[1];
  EXPECT_EQ(wide.id, id(4294967310));
  EXPECT_EQ(wide.position, (Vec3{-2046.046875, 2044.091796875, 0.583984375}));
  const EntityMove& far = frame.moved[2];
  EXPECT_EQ(far.id, id(4294967311));
  EXPECT_EQ(far.position, (Vec3{1000000.25, -2, 3}));
  ASSERT_EQ(frame.turned.size(), 1u);
  EXPECT_EQ(frame.turned[0].id, near.id);
  // 1/sqrt(2), -1/(3 sqrt(2)), left out: sqrt(7/18), 1/(3 sqrt(2)).
  EXPECT_NEAR(frame.turned[0].rotation.x, 0.70710678118654752, 1e-15);
  EXPECT_NEAR(frame.turned[0].rotation.y, -0.23570226039551584, 1e-15);
  EXPECT_NEAR(frame.turned[0].rotation.z, 0.62360956446232352, 1e-15);
  EXPECT_NEAR(frame.turned[0].rotation.w, 0.23570226039551584, 1e-15);
  ASSERT_EQ(frame.velocities.size(), 1u);
  EXPECT_EQ(frame.velocities[0].id, wide.id);
  EXPECT_EQ(frame.velocities[0].value, (Vec3{1, -2, 65504}));
  ASSERT_EQ(frame.spins.size(), 1u);
  EXPECT_EQ(frame.spins[0].id, far.id);
  EXPECT_EQ(frame.spins[0].value, (Vec3{0x1p-24, 0x1p-14, 0.333251953125}));
  ASSERT_EQ(frame.jumped.size(), 1u);
  EXPECT_EQ(frame.jumped[0].id, wide.id);
}

TEST(GoldenServerFrames, ContactsAreReadWithTheirNumbersAndDetails) {
  const TickFrame frame = golden<TickFrame>("server_frame");
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

TEST(GoldenServerFrames, TheWelcomeTellsHowToResume) {
  const auto welcome = golden<Welcome>("server_welcome");
  EXPECT_EQ(welcome.session.value, 42u);
  EXPECT_EQ(welcome.resume_token, "abcdefghijklmnop0123456789ABCDEF");
  EXPECT_TRUE(welcome.resumed);
  EXPECT_TRUE(welcome.view_reset);
  EXPECT_EQ(welcome.last_sequence, 77u);
  EXPECT_EQ(welcome.grace_ms, 30'000u);
  EXPECT_EQ(welcome.position_resolution_m, 0x1p-9);
  EXPECT_EQ(welcome.budget_bytes_per_s, 65'536u);
}

TEST(GoldenServerFrames, TheRestOfTheSessionIsRead) {
  EXPECT_EQ(golden<RejectMessage>("server_reject").error.code, ErrorCode::VersionMismatch);
  EXPECT_EQ(golden<ClosingMessage>("server_closing").retry_after_ms, 5000u);
  EXPECT_EQ(golden<CommandResultsMessage>("server_command_results").outcomes.size(), 3u);
  EXPECT_EQ(golden<StepOutcome>("server_step_done").tick, 250u);
  EXPECT_EQ(golden<QueryOutcome>("server_query_refused").error.code, ErrorCode::InvalidQuery);
  EXPECT_EQ(golden<PongMessage>("server_pong").nonce, 12345678901234567890u);
}

bool is_read(const std::string& type, const std::string& body) {
  ViewDecoder views;
  FrameJoiner joiner(limits::outbox_bytes_max);
  return decode_server_message(
             test::server_schema().body("{body_type: \"" + type + "\", body: " + body + "}"), views,
             joiner)
      .ok();
}

TEST(DecodeServerMessage, AWelcomeOfAnotherProtocolIsRefused) {
  const auto welcome = [](int protocol, const std::string& more = "") {
    return is_read("Welcome",
                   "{protocol: " + std::to_string(protocol) + ", limits: {}" + more + "}");
  };
  EXPECT_TRUE(welcome(protocol_version));
  EXPECT_FALSE(welcome(protocol_version - 1));
  EXPECT_FALSE(welcome(protocol_version + 1));
  EXPECT_FALSE(welcome(protocol_version, ", position_resolution_m: nan"));
  EXPECT_FALSE(welcome(protocol_version, ", position_resolution_m: inf"));
  EXPECT_FALSE(welcome(protocol_version, ", position_resolution_m: -1"));
  const std::string token(65, 'a');
  EXPECT_TRUE(welcome(protocol_version, ", resume_token: '" + token.substr(1) + "'"));
  EXPECT_FALSE(welcome(protocol_version, ", resume_token: '" + token + "'"));
}

TEST(DecodeServerMessage, UnknownKindsOfShapesAreRefusedAndAllKnownOnesRead) {
  const auto enter = [](int kind) -> std::optional<int> {
    const std::string v = "{x: 0, y: 0, z: 0}";
    const auto body = test::server_schema().body(
        "{body_type: 'Frame', body: {enters: [{id: 1, user_data: 0, position: " + v +
        ", velocity: " + v + ", rotation: {x: 0, y: 0, z: 0, w: 1}, angular_velocity: " + v +
        ", local_min: " + v + ", local_max: " + v +
        ", observer: 0, category: 1, mask: 1, group: 0, instance: 0, shape_kind: " +
        std::to_string(kind) + ", sensor: false, is_static: false, alias: 0}]}}");
    ViewDecoder views;
    FrameJoiner joiner(limits::outbox_bytes_max);
    const auto decoded = decode_server_message(body, views, joiner);
    if (!decoded) return std::nullopt;
    const TickFrame* tick = std::get<FramePart>(decoded.value()).whole;
    return static_cast<int>(tick->enters.at(0).shape_kind);
  };
  for (int kind = 0; kind <= static_cast<int>(ShapeKind::Compound); ++kind)
    EXPECT_EQ(enter(kind), kind);
  EXPECT_EQ(enter(6), std::nullopt);
  EXPECT_EQ(enter(255), std::nullopt);
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
  EXPECT_EQ(replica.find(id(4294967297))->rotation, (Quat{0, 0, 0.6, 0.8}));
  TickFrame second;
  second.tick = 2;
  second.turned = {{id(4294967297), {}, 0, {0, 1, 0, 0}}};
  second.spins = {{id(4294967297), {}, 0, {4, 5, 6}}};
  EXPECT_TRUE(replica.apply(second).empty());
  EXPECT_EQ(replica.find(id(4294967297))->rotation, (Quat{0, 1, 0, 0}));
  EXPECT_EQ(replica.find(id(4294967297))->angular_velocity, (Vec3{4, 5, 6}));
}

}  // namespace
}  // namespace vicinity::client
