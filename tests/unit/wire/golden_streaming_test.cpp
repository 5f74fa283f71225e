// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What protocol 3 added to the frames of clients is read from the committed frames (tests/golden),
// made by flatc from JSON, with the values that a person wrote there.
#include <gtest/gtest.h>

#include "base/limits.h"
#include "support/golden_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

template <class Message>
Message golden(const std::string& name) {
  auto result =
      decode_client_message(test::golden_frame("v3/" + name), {limits::world_half_size_m});
  if (!result.ok()) {
    ADD_FAILURE() << name << ": " << result.error().text;
    return {};
  }
  return std::get<Message>(std::move(result.value()));
}

EntityRef entity(std::uint64_t raw) { return {EntityId::from_raw(raw), 0}; }

TEST(GoldenStreaming, HelloIsReadWithSubjectAndResume) {
  const auto hello = golden<HelloMessage>("client_hello");
  EXPECT_EQ(hello.protocol_min, 3);
  EXPECT_EQ(hello.protocol_max, 3);
  EXPECT_EQ(hello.role, Role::Player);
  EXPECT_EQ(hello.contacts, ContactScope::Own);
  EXPECT_EQ(hello.subject, "player 7");
  EXPECT_EQ(hello.resume_token, "c29tZSB0b2tlbg");
  EXPECT_EQ(hello.resume_tick, 5'000'000'000u);
  EXPECT_EQ(hello.resume_event_seq, 6'000'000'000u);
  EXPECT_EQ(hello.position_resolution_m, 0.25);
  EXPECT_EQ(hello.budget_bytes_per_s, 65'536u);
}

TEST(GoldenStreaming, AcknowledgedTicksAreRead) {
  EXPECT_EQ(golden<PingMessage>("client_ping").ack_tick, 5'000'000'001u);
  EXPECT_EQ(golden<CommandsMessage>("client_commands").ack_tick, 5'000'000'002u);
}

AreaSpec cylinder() {
  AreaSpec out;
  out.kind = AreaKind::Cylinder;
  out.centre = {10, 20, 30};
  out.radius_m = 8;
  out.half_height_m = 16;
  out.leave_margin_m = 0.5;
  out.nearest_max = 100;
  out.suspend = true;
  return out;
}
AreaSpec oriented_box() {
  AreaSpec out;
  out.kind = AreaKind::OrientedBox;
  out.anchor = entity(4294967301);
  out.follow = AreaFollow::PositionAndHeading;
  out.half_extent_m = {1, 2, 4};
  out.rotation = {0, 0, 0.6, 0.8};
  out.leave_margin_m = 0.25;
  return out;
}
AreaSpec cone() {
  AreaSpec out;
  out.kind = AreaKind::Cone;
  out.anchor = {{}, 60};
  out.range_m = 64;
  out.half_angle_rad = 0.5;
  out.leave_margin_m = 2;
  return out;
}
AreaSpec frustum() {
  AreaSpec out;
  out.kind = AreaKind::Frustum;
  out.anchor = entity(4294967301);
  out.near_m = 0.125;
  out.range_m = 128;
  out.half_angle_rad = 0.75;
  out.half_angle_up_rad = 0.5;
  out.leave_margin_m = 4;
  out.rings = {{10, 1}, {40, 4}};
  return out;
}
AreaSpec prism() {
  AreaSpec out;
  out.kind = AreaKind::Prism;
  out.centre = {0, 5, 0};
  out.half_height_m = 5;
  out.outline = {{4, 0}, {0, -3}, {-4, 0}, {0, 3}};
  out.rotation = {0, 0.6, 0, 0.8};
  return out;
}

TEST(GoldenStreaming, CommandsAboutWhoIsSeenAreRead) {
  SpawnCommand beacon;
  beacon.position = {1, 2, 3};
  beacon.shape = Shape::sphere(0.5);
  beacon.relevance = {true, 16, 250, 275};
  AttachCommand attach{{{}, 60}, entity(4294967300)};
  attach.follow_visibility = true;
  const std::vector<CommandBody> expected = {
      beacon,
      SetRelevanceCommand{entity(4294967297), {false, 255, 0, 0}},
      SetVisibilityCommand{{3}, entity(4294967298), Visibility::Always},
      SetVisibilityCommand{{4}, {{}, 60}, Visibility::Never},
      SetVisibilityCommand{{5}, entity(4294967299), Visibility::Default},
      attach,
      AddAreaCommand{{1}, {1}, cylinder()},
      AddAreaCommand{{1}, {2}, oriented_box()},
      AddAreaCommand{{1}, {3}, cone()},
      AddAreaCommand{{1}, {4}, frustum()},
      ChangeAreaCommand{{4}, prism()},
  };
  const auto message = golden<CommandsMessage>("client_commands");
  EXPECT_EQ(message.first_sequence, 60u);
  ASSERT_EQ(message.commands.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Error* error = std::get_if<Error>(&message.commands[i].outcome);
    ASSERT_EQ(error, nullptr) << i << ": " << error->text;
    EXPECT_EQ(std::get<CommandBody>(message.commands[i].outcome), expected[i]) << i;
  }
}

}  // namespace
}  // namespace vicinity::wire
