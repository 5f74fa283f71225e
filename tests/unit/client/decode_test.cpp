// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/decode.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/framing.h"
#include "base/limits.h"
#include "base/prng.h"
#include "client/encode.h"
#include "client/replica.h"
#include "client/view_decoder.h"
#include "support/encode_tick.h"
#include "wire/encode.h"

// What the server's own encoder writes, read by the client; then what no honest server writes.

namespace vicinity::client {
namespace {

using Bytes = std::vector<std::uint8_t>;
using wire::ToldObserver;

std::vector<Bytes> split(std::span<const std::uint8_t> stream) {
  FrameReader reader(limits::server_frame_bytes_max);
  std::vector<Bytes> bodies;
  while (const auto body = reader.next(stream)) bodies.emplace_back(body->begin(), body->end());
  EXPECT_EQ(reader.failed(), ErrorCode::None);
  return bodies;
}

template <class Message>
std::optional<Message> decode(std::span<const std::uint8_t> body) {
  ViewDecoder views;
  views.set_resolution_m(1.0 / 256);
  FrameJoiner joiner(limits::outbox_bytes_max);
  auto decoded = decode_server_message(body, views, joiner);
  if (!decoded) {
    ADD_FAILURE() << decoded.error().text;
    return std::nullopt;
  }
  auto* message = std::get_if<Message>(&decoded.value());
  if (message == nullptr) {
    ADD_FAILURE() << "another kind of message";
    return std::nullopt;
  }
  return std::move(*message);
}

template <class Message>
Message decode_only(const Bytes& stream) {
  const auto bodies = split(stream);
  EXPECT_EQ(bodies.size(), 1u);
  if (bodies.empty()) return {};
  return decode<Message>(bodies.front()).value_or(Message{});
}

/// A snapshot of `count` entities; entity i has slot i and generation i + 1.
std::shared_ptr<Snapshot> make_snapshot(std::uint32_t count) {
  auto snapshot = std::make_shared<Snapshot>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const double d = i;
    snapshot->id.emplace_back(i, i + 1);
    snapshot->position.push_back({d, -d, 0.5 * d});
    snapshot->velocity.push_back({1, d, 3});
    snapshot->shape.push_back(i % 2 == 0 ? Shape::sphere(0.5, {0, 1, 0})
                                         : Shape::box_corners({-1, -2, -3}, {1, 2, 3}));
    Filter filter;
    filter.category = i + 1;
    filter.mask = ~i;
    filter.group = -static_cast<std::int32_t>(i);
    filter.instance = 3;
    filter.sensor = i % 3 == 0;
    filter.is_static = i % 5 == 0;
    snapshot->filter.push_back(filter);
    snapshot->user_data.push_back(1000 + i);
  }
  return snapshot;
}

struct TickInput {
  TickOutput output;
  wire::ToldSession session;
};

TickInput make_tick(std::uint32_t entity_count) {
  TickInput in;
  auto frame = std::make_shared<PublishedFrame>();
  frame->snapshot = make_snapshot(entity_count);
  in.output.frame = frame;
  in.output.report.tick = 41;
  in.output.report.index_version = 40;
  in.output.report.hash = 0xABCD'EF01'2345'6789ull;
  return in;
}

EventContact contact(std::uint32_t a, std::uint32_t b) {
  return {EntityId(a, a + 1), EntityId(b, b + 1), 39, 1000 + a, 1000 + b, {}, {}, a % 2 == 0};
}

/// All parts of an encoded tick, joined.
TickFrame join(const Bytes& stream, std::size_t* part_count = nullptr) {
  ViewDecoder views;
  views.set_resolution_m(1.0 / 256);
  FrameJoiner joiner(limits::outbox_bytes_max);
  const TickFrame* whole = nullptr;
  for (const Bytes& body : split(stream)) {
    EXPECT_EQ(whole, nullptr) << "a part behind the last one";
    const auto decoded = decode_server_message(body, views, joiner);
    const auto* part = decoded ? std::get_if<FramePart>(&decoded.value()) : nullptr;
    if (part == nullptr) {
      ADD_FAILURE() << (decoded ? "no part of a tick" : decoded.error().text);
      return {};
    }
    if (part_count != nullptr) ++*part_count;
    whole = part->whole;
  }
  EXPECT_NE(whole, nullptr);
  return whole == nullptr ? TickFrame{} : *whole;
}

TEST(Decode, ReadsWelcome) {
  wire::WelcomeInfo info;
  info.session = {9};
  info.role = Role::Player;
  info.tick_mode = wire::TickMode::Manual;
  info.tick_rate_hz = 30;
  info.tick = 12;
  info.server_version = "0.1.0";
  info.server_time_us = 77;
  info.entities_per_player_max = 16;
  info.world_half_size_m = 5000;
  Bytes stream;
  wire::encode_welcome(info, stream);
  const Welcome welcome = decode_only<Welcome>(stream);
  EXPECT_EQ(welcome.session, SessionId{9});
  EXPECT_EQ(welcome.role, Role::Player);
  EXPECT_TRUE(welcome.manual_ticks);
  EXPECT_EQ(welcome.tick_rate_hz, 30u);
  EXPECT_EQ(welcome.tick, 12u);
  EXPECT_EQ(welcome.server_version, "0.1.0");
  EXPECT_EQ(welcome.server_time_us, 77u);
  EXPECT_EQ(welcome.client_frame_bytes_max, limits::client_frame_bytes_max);
  EXPECT_EQ(welcome.commands_per_frame_max, limits::commands_per_frame_max);
  EXPECT_EQ(welcome.query_hits_max, limits::query_hits_max);
  EXPECT_EQ(welcome.entities_per_player_max, 16u);
  EXPECT_EQ(welcome.world_half_size_m, 5000);
}

TEST(Decode, ReadsRejectAndClosing) {
  Bytes reject;
  wire::encode_reject({ErrorCode::ServerFull, "come back later"}, reject);
  const auto rejected = decode_only<RejectMessage>(reject);
  EXPECT_EQ(rejected.error.code, ErrorCode::ServerFull);
  EXPECT_EQ(rejected.error.text, "come back later");
  Bytes closing;
  wire::encode_closing({ErrorCode::SlowConsumer, "read faster"}, 500, closing);
  const auto closed = decode_only<ClosingMessage>(closing);
  EXPECT_EQ(closed.error.code, ErrorCode::SlowConsumer);
  EXPECT_EQ(closed.error.text, "read faster");
  EXPECT_EQ(closed.retry_after_ms, 500u);
}

TEST(Decode, ReadsAcksAndErrorsInOrderOfSequence) {
  TickInput in = make_tick(1);
  in.session.results = {{4, ErrorCode::None, EntityId(1, 1)},
                        {5, ErrorCode::StaleEntity, EntityId(2, 1)},
                        {6, ErrorCode::None, {}}};
  Bytes stream;
  EXPECT_TRUE(wire::encode_tick(in.output, in.session, 5, limits::outbox_bytes_max, stream));
  const auto bodies = split(stream);
  ASSERT_EQ(bodies.size(), 2u);
  const auto results = decode<CommandResultsMessage>(bodies[0]);
  ASSERT_TRUE(results.has_value());
  ASSERT_EQ(results->outcomes.size(), 3u);
  EXPECT_EQ(results->outcomes[0].sequence, 4u);
  EXPECT_EQ(results->outcomes[0].tick, 41u);
  EXPECT_EQ(results->outcomes[0].entity, EntityId(1, 1));
  EXPECT_EQ(results->outcomes[0].error.code, ErrorCode::None);
  EXPECT_EQ(results->outcomes[1].sequence, 5u);
  EXPECT_EQ(results->outcomes[1].error.code, ErrorCode::StaleEntity);
  EXPECT_FALSE(results->outcomes[1].error.text.empty());
  EXPECT_EQ(results->outcomes[2].sequence, 6u);
  EXPECT_EQ(results->outcomes[2].error.code, ErrorCode::None);
}

TEST(Decode, ReadsStepQueryAnswerAndPong) {
  Bytes step;
  wire::encode_step_done(3, 99, 0x1234, {ErrorCode::WrongTickMode, "timer"}, step);
  const auto outcome = decode_only<StepOutcome>(step);
  EXPECT_EQ(outcome.sequence, 3u);
  EXPECT_EQ(outcome.tick, 99u);
  EXPECT_EQ(outcome.result_hash, 0x1234u);
  EXPECT_EQ(outcome.error.code, ErrorCode::WrongTickMode);
  EXPECT_EQ(outcome.error.text, "timer");

  QueryAnswer answer{
      8, 7, false, {{EntityId(1, 2), 0.25, {1, 2, 3}, 42}, {EntityId(5, 1), 1, {}, 0}}};
  Bytes found;
  wire::encode_query_answer(6, answer, found);
  const auto query = decode_only<QueryOutcome>(found);
  EXPECT_EQ(query.request, 6u);
  EXPECT_EQ(query.error.code, ErrorCode::None);
  EXPECT_EQ(query.answer.tick, 8u);
  EXPECT_EQ(query.answer.index_version, 7u);
  EXPECT_FALSE(query.answer.complete);
  ASSERT_EQ(query.answer.hits.size(), 2u);
  EXPECT_EQ(query.answer.hits[0].id, EntityId(1, 2));
  EXPECT_EQ(query.answer.hits[0].value, 0.25);
  EXPECT_EQ(query.answer.hits[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(query.answer.hits[0].user_data, 42u);
  EXPECT_EQ(query.answer.hits[1].id, EntityId(5, 1));

  Bytes pong_bytes;
  wire::encode_pong(1, 2, 3, 4, pong_bytes);
  const auto pong = decode_only<PongMessage>(pong_bytes);
  EXPECT_EQ(pong.nonce, 1u);
  EXPECT_EQ(pong.client_time_us, 2u);
  EXPECT_EQ(pong.server_time_us, 3u);
  EXPECT_EQ(pong.tick, 4u);
}

TEST(Decode, ReadsEveryFieldOfATick) {
  TickInput in = make_tick(4);
  in.session.observers.push_back(
      {{}, {21}, {{EntityId(9, 9), LeaveReason::Disabled, 77}}, {1, 2, 3}, {2}, {3}, 3});
  in.session.contact_ends = {{contact(0, 1), EndReason::Teleported}};
  in.session.contact_begins = {{contact(1, 2), 0.5}};
  in.session.contact_passed = {{contact(2, 3), EndReason::PassedThrough}};
  in.session.lost = {{EntityId(3, 8), {}, DespawnReason::LeftWorld, 78}};
  Bytes stream;
  EXPECT_TRUE(wire::encode_tick(in.output, in.session, 555, limits::outbox_bytes_max, stream));
  const TickFrame frame = join(stream);
  EXPECT_EQ(std::pair(frame.tick, frame.index_version), std::pair(41ul, 40ul));
  EXPECT_EQ(std::pair(frame.server_time_us, frame.result_hash),
            std::pair(555ul, 0xABCD'EF01'2345'6789ul));

  ASSERT_EQ(frame.leaves.size(), 1u);
  EXPECT_EQ(frame.leaves[0].id, EntityId(9, 9));
  EXPECT_EQ(frame.leaves[0].observer, ObserverId{21});
  EXPECT_EQ(std::pair(frame.leaves[0].reason, frame.leaves[0].user_data),
            std::pair(LeaveReason::Disabled, 77ul));
  ASSERT_EQ(frame.enters.size(), 3u);
  const Snapshot& snapshot = *in.output.frame->snapshot;
  const auto expect_state = [&](const EntityView& view, std::uint32_t slot) {
    EXPECT_EQ(view.id, snapshot.id[slot]);
    EXPECT_EQ(view.observer, ObserverId{21});
    EXPECT_EQ(view.position, snapshot.position[slot]);
    EXPECT_EQ(view.velocity, snapshot.velocity[slot]);
    EXPECT_EQ(view.local_box, local_box(snapshot.shape[slot]));
    EXPECT_EQ(view.shape_kind, snapshot.shape[slot].kind);
    EXPECT_EQ(view.filter, snapshot.filter[slot]);
    EXPECT_EQ(view.user_data, snapshot.user_data[slot]);
  };
  expect_state(frame.enters[0], 1);
  ASSERT_EQ(frame.changed.size(), 1u);
  expect_state(frame.changed[0], 2);
  ASSERT_EQ(frame.moved.size(), 1u);
  EXPECT_EQ(frame.moved[0].id, snapshot.id[3]);
  EXPECT_EQ(frame.moved[0].observer, ObserverId{21});
  EXPECT_EQ(frame.moved[0].position, snapshot.position[3]);
  EXPECT_EQ(frame.moved[0].slot, frame.enters[2].slot);
  ASSERT_EQ(frame.velocities.size(), 1u);
  EXPECT_EQ(frame.velocities[0].id, snapshot.id[3]);
  EXPECT_EQ(frame.velocities[0].value, snapshot.velocity[3]);
  ASSERT_EQ(frame.contact_ends.size(), 1u);
  const ContactEndEvent& end = frame.contact_ends[0];
  EXPECT_EQ(std::pair(end.a, end.b), std::pair(EntityId(0, 1), EntityId(1, 2)));
  EXPECT_EQ(frame.contact_ends[0].begin_tick, 39u);
  EXPECT_EQ(std::pair(end.user_data_a, end.user_data_b), std::pair(1000ul, 1001ul));
  EXPECT_EQ(frame.contact_ends[0].reason, EndReason::Teleported);
  EXPECT_TRUE(frame.contact_ends[0].sensor);
  ASSERT_EQ(frame.contact_begins.size(), 1u);
  const ContactBeginEvent& begin = frame.contact_begins[0];
  EXPECT_EQ(std::pair(begin.a, begin.b), std::pair(EntityId(1, 2), EntityId(2, 3)));
  EXPECT_EQ(frame.contact_begins[0].user_data_b, 1002u);
  EXPECT_EQ(frame.contact_begins[0].toi, 0.5);
  EXPECT_FALSE(frame.contact_begins[0].sensor);
  ASSERT_EQ(frame.contact_passed.size(), 1u);
  EXPECT_EQ(std::pair(frame.contact_passed[0].a, frame.contact_passed[0].reason),
            std::pair(EntityId(2, 3), EndReason::PassedThrough));
  ASSERT_EQ(frame.lost.size(), 1u);
  EXPECT_EQ(std::tuple(frame.lost[0].id, frame.lost[0].reason, frame.lost[0].user_data),
            std::tuple(EntityId(3, 8), DespawnReason::LeftWorld, 78ul));
}

TEST(Decode, JoinsALongTickInOrder) {
  constexpr std::uint32_t count = 20'000;  // 2.7 MB of states, 1.1 MB of contacts
  TickInput in = make_tick(count);
  ToldObserver first{{}, {1}, {}, {}, {}, {}, count};
  ToldObserver second{{}, {2}, {}, {}, {}, {}, count};
  for (std::uint32_t slot = 0; slot < count; ++slot) {
    (slot % 2 == 0 ? first : second).enters.push_back(slot);
    in.session.contact_begins.push_back({contact(slot, slot + 1), 1});
  }
  in.session.observers = {first, second};
  Bytes stream;
  EXPECT_TRUE(wire::encode_tick(in.output, in.session, 0, limits::outbox_bytes_max, stream));
  std::size_t part_count = 0;
  const TickFrame frame = join(stream, &part_count);
  EXPECT_GE(part_count, 4u);
  ASSERT_EQ(frame.enters.size(), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool of_first = i < count / 2;
    const std::uint32_t slot = of_first ? 2 * i : 2 * (i - count / 2) + 1;
    ASSERT_EQ(frame.enters[i].id, EntityId(slot, slot + 1));
    ASSERT_EQ(frame.enters[i].observer, ObserverId{of_first ? 1u : 2u});
  }
  ASSERT_EQ(frame.contact_begins.size(), count);
  for (std::uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(frame.contact_begins[i].b, EntityId(i + 1, i + 2));
}

// --- Hostile bytes ---------------------------------------------------------------------------

/// One body of every kind that a server sends, with all vectors filled.
std::vector<Bytes> sample_bodies() {
  Bytes stream;
  wire::WelcomeInfo welcome;
  welcome.server_version = "0.1.0";
  wire::encode_welcome(welcome, stream);
  wire::encode_reject({ErrorCode::ServerFull, "full"}, stream);
  wire::encode_closing({ErrorCode::SlowConsumer, "slow"}, 1, stream);
  wire::encode_step_done(1, 2, 3, {}, stream);
  wire::encode_query_answer(
      1, {2, 3, true, {{EntityId(1, 1), 1, {}, 1}, {EntityId(2, 1), 2, {}, 2}}}, stream);
  wire::encode_pong(1, 2, 3, 4, stream);
  TickInput in = make_tick(4);
  in.session.results = {{4, ErrorCode::None, EntityId(1, 1)},
                        {5, ErrorCode::StaleEntity, EntityId(2, 1)}};
  in.session.observers.push_back(
      {{}, {21}, {{EntityId(9, 9), LeaveReason::Disabled}}, {1, 2, 3}, {2}, {3}, 3});
  in.session.contact_ends = {{contact(0, 1), EndReason::Teleported}};
  in.session.contact_begins = {{contact(1, 2), 0.5}};
  in.session.contact_passed = {{contact(2, 3), EndReason::PassedThrough}};
  in.session.lost = {{EntityId(3, 8), {}, DespawnReason::LeftWorld}};
  EXPECT_TRUE(wire::encode_tick(in.output, in.session, 1, limits::outbox_bytes_max, stream));
  return split(stream);
}

/// Decodes and, when that works, goes on to use the value as the connection would.
ErrorCode try_decode(std::span<const std::uint8_t> body) {
  ViewDecoder views;
  views.set_resolution_m(1.0 / 256);
  FrameJoiner joiner(limits::outbox_bytes_max);
  const auto decoded = decode_server_message(body, views, joiner);
  if (!decoded) {
    EXPECT_FALSE(decoded.error().text.empty());
    EXPECT_EQ(views.entity_count(), 0u) << "as before the message";
    return decoded.error().code;
  }
  const auto* part = std::get_if<FramePart>(&decoded.value());
  if (part != nullptr && part->whole != nullptr) Replica().apply(*part->whole);
  return ErrorCode::None;
}

TEST(DecodeHostile, TruncatedBodiesAreRefused) {
  constexpr std::size_t padding_max = 8;  // what may stand behind the last value
  for (const Bytes& body : sample_bodies()) {
    ASSERT_EQ(try_decode(body), ErrorCode::None);
    for (std::size_t size = 0; size < body.size(); ++size) {
      // A copy of exactly this size, so that a sanitizer sees any read behind its end.
      const Bytes cut(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(size));
      const ErrorCode code = try_decode(cut);
      if (size + padding_max <= body.size()) {
        EXPECT_EQ(code, ErrorCode::BadFrame) << size << " of " << body.size();
      }
    }
  }
}

TEST(DecodeHostile, ChangedBytesAreRefusedOrReadSafely) {
  std::size_t refused = 0;
  for (const Bytes& body : sample_bodies()) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      for (const int flip : {0x01, 0x04, 0x80, 0xFF}) {
        Bytes changed = body;
        changed[i] = static_cast<std::uint8_t>(changed[i] ^ flip);
        if (try_decode(changed) == ErrorCode::BadFrame) ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0u);
}

TEST(DecodeHostile, RandomDamageIsRefusedOrReadSafely) {
  constexpr std::uint64_t seed = 20260101;
  SCOPED_TRACE(seed);
  Prng prng(seed);
  const auto bodies = sample_bodies();
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    Bytes changed = bodies[prng.below(bodies.size())];
    const std::uint64_t changes = 1 + prng.below(8);
    for (std::uint64_t i = 0; i < changes; ++i)
      changed[prng.below(changed.size())] = static_cast<std::uint8_t>(prng.below(256));
    if (try_decode(changed) == ErrorCode::BadFrame) ++refused;
  }
  EXPECT_GT(refused, 0u);
}

TEST(DecodeHostile, UnknownKindOfMessageIsRefused) {
  Bytes stream;
  wire::encode_pong(0, 0, 0, 0, stream);
  const Bytes body = split(stream).front();
  // The type is the only byte whose value 8 (Pong) can become 9 with the body still well-formed
  // and then be refused for its kind.
  std::size_t unknown_kinds = 0;
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != 8) continue;
    Bytes changed = body;
    changed[i] = 9;
    ViewDecoder views;
    FrameJoiner joiner(limits::outbox_bytes_max);
    const auto decoded = decode_server_message(changed, views, joiner);
    if (!decoded && decoded.error().text.find("unknown kind") != std::string::npos) ++unknown_kinds;
  }
  EXPECT_EQ(unknown_kinds, 1u);
}

TEST(DecodeHostile, UnknownReasonIsRefused) {
  TickInput in = make_tick(1);
  in.session.observers = {
      {{}, {1}, {{EntityId(9, 9), static_cast<LeaveReason>(200)}}, {}, {}, {}, 0}};
  Bytes stream;
  EXPECT_TRUE(wire::encode_tick(in.output, in.session, 1, limits::outbox_bytes_max, stream));
  EXPECT_EQ(try_decode(split(stream).front()), ErrorCode::BadFrame);
}

TEST(DecodeHostile, MessageOfAClientIsRefused) {
  Bytes stream;
  encode_ping(1, 2, stream);
  EXPECT_EQ(try_decode(split(stream).front()), ErrorCode::BadFrame);
}

TEST(DecodeHostile, AnyAddressIsRead) {
  for (const Bytes& body : sample_bodies()) {
    for (std::size_t shift = 0; shift < 16; ++shift) {
      Bytes shifted(shift, 0);
      shifted.insert(shifted.end(), body.begin(), body.end());
      EXPECT_EQ(try_decode(std::span<const std::uint8_t>(shifted).subspan(shift)), ErrorCode::None);
    }
  }
}

TEST(DecodeHostile, LongTextIsCut) {
  // The encoder of the server bounds its texts as well, so take a message without that bound: the
  // version in the welcome.
  wire::WelcomeInfo info;
  const std::string version(100'000, 'v');
  info.server_version = version;
  Bytes stream;
  wire::encode_welcome(info, stream);
  EXPECT_LE(decode_only<Welcome>(stream).server_version.size(), 1024u);
}

}  // namespace
}  // namespace vicinity::client
