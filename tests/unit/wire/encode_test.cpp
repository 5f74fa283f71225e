// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Frames for clients: each is cut at the limit, passes the verifier of the schema, and holds what
// the tick said, in order.
#include "wire/encode.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/framing.h"
#include "base/limits.h"
#include "server_generated.h"
#include "support/encode_tick.h"
#include "support/frame_bodies.h"

namespace vicinity::wire {
namespace {

using test::bodies;
using test::Bytes;
using test::message;

/// A tick with a world of `entity_count` boxes, all of generation 1.
TickOutput tick_output(std::uint32_t entity_count) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->tick = 9;
  for (std::uint32_t i = 0; i < entity_count; ++i) {
    snapshot->id.emplace_back(i, 1);
    snapshot->position.push_back({static_cast<double>(i), 2, 3});
    snapshot->velocity.push_back({0.5, 0, static_cast<double>(i)});
    snapshot->shape.push_back(Shape::box({1, 2, 3}, {0.5, 0, 0}));
    snapshot->filter.push_back({i, 7, -5, 8, true, false, true});
    snapshot->user_data.push_back(1000 + i);
  }
  auto frame = std::make_shared<PublishedFrame>();
  frame->tick = 9;
  frame->index_version = 4;
  frame->snapshot = snapshot;
  TickOutput output;
  output.report.tick = 9;
  output.report.index_version = 4;
  output.report.hash = 0xABCDEF;
  output.frame = frame;
  return output;
}

/// All lists of a tick, joined over its parts.
struct Joined {
  std::vector<std::uint64_t> leaves, enters, changed, moved, turned, velocities, spins, ends,
      begins, details, passed, stays, lost;
  std::size_t parts = 0;
};

template <class Vector, class Key>
void append(std::vector<std::uint64_t>& to, const Vector* from, Key key) {
  if (!from) return;
  for (const auto* item : *from) to.push_back(key(*item));
}

/// An alias is a slot here, and all generations are 1.
void append_moves(Joined& out,
                  const flatbuffers::Vector<flatbuffers::Offset<proto::Moves>>* moves) {
  if (!moves) return;
  const auto id = [](std::uint16_t alias) { return EntityId(alias, 1).raw(); };
  for (const proto::Moves* lists : *moves) {
    const auto named = [&](const auto& item) { return id(item.alias()); };
    append(out.moved, lists->near(), named);
    append(out.turned, lists->turns(), named);
    append(out.velocities, lists->velocities(), named);
    append(out.spins, lists->spins(), named);
  }
}

Joined join(const std::vector<Bytes>& frames) {
  Joined out;
  int furthest = 0;  // index of the last list that was begun: no later part may go back
  const auto in_order = [&furthest](int list, const auto* vector) {
    if (!vector) return;
    EXPECT_GE(list, furthest);
    furthest = list;
  };
  for (const Bytes& body : frames) {
    const proto::Frame* frame = message(body).body_as_Frame();
    if (!frame) continue;
    EXPECT_EQ(frame->tick(), 9u);
    EXPECT_EQ(frame->index_version(), 4u);
    EXPECT_EQ(frame->result_hash(), 0xABCDEFu);
    EXPECT_EQ(frame->server_time_us(), 77u);
    EXPECT_EQ(frame->part(), out.parts);
    EXPECT_EQ(frame->last(), &body == &frames.back());
    ++out.parts;
    in_order(0, frame->leaves());
    in_order(1, frame->enters());
    in_order(2, frame->changed());
    in_order(3, frame->moves());
    in_order(4, frame->contact_ends());
    in_order(5, frame->contact_begins());
    in_order(6, frame->begin_details());
    in_order(7, frame->contact_passed());
    in_order(8, frame->contact_stays());
    in_order(9, frame->lost());
    const auto id = [](const auto& item) { return item.id(); };
    const auto b = [](const auto& item) { return item.b(); };
    append(out.leaves, frame->leaves(), id);
    append(out.enters, frame->enters(), id);
    append(out.changed, frame->changed(), id);
    append_moves(out, frame->moves());
    append(out.ends, frame->contact_ends(), b);
    append(out.begins, frame->contact_begins(), b);
    append(out.details, frame->begin_details(), b);
    EXPECT_LE(out.details.size(), out.begins.size()) << "a detail came before its begin";
    append(out.passed, frame->contact_passed(), b);
    append(out.stays, frame->contact_stays(), b);
    append(out.lost, frame->lost(), id);
  }
  return out;
}

Joined encoded(const TickOutput& output, const ToldSession& session) {
  Bytes stream;
  EXPECT_TRUE(encode_tick(output, session, 77, limits::outbox_bytes_max, stream));
  return join(bodies(stream));
}

/// A session with about `count` of everything, spread over three observers.
ToldSession busy_session(std::uint32_t count, std::uint32_t slots) {
  ToldSession session;
  for (std::uint32_t observer = 0; observer < 3; ++observer) {
    ToldObserver events;
    events.observer = {observer};
    for (std::uint32_t i = observer; i < count; i += 3) {
      events.leaves.push_back({EntityId(i, 2), LeaveReason::Despawned});
      events.enters.push_back(i % slots);
      events.changed.push_back((i + 1) % slots);
      events.moved.push_back((i + 2) % slots);
    }
    session.observers.push_back(events);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const EventContact contact{EntityId(0, 1), EntityId(i, 1), 9, 1, 2, {}, {}, false};
    session.contact_ends.push_back({contact, EndReason::Disabled});
    session.contact_begins.push_back({contact, 0.5});
    session.begin_details.push_back({});
    session.contact_stays.push_back({contact, i});
    session.contact_passed.push_back({contact, EndReason::PassedThrough});
    session.lost.push_back({EntityId(i, 1), {}, DespawnReason::LeftWorld});
  }
  return session;
}

/// What the lists of busy_session must be after joining, observer after observer.
void expect_complete(const Joined& joined, std::uint32_t count, std::uint32_t slots) {
  std::vector<std::uint64_t> leaves, enters, changed, moved, contacts;
  for (std::uint32_t observer = 0; observer < 3; ++observer) {
    for (std::uint32_t i = observer; i < count; i += 3) {
      leaves.push_back(EntityId(i, 2).raw());
      enters.push_back(EntityId(i % slots, 1).raw());
      changed.push_back(EntityId((i + 1) % slots, 1).raw());
      moved.push_back(EntityId((i + 2) % slots, 1).raw());
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) contacts.push_back(EntityId(i, 1).raw());
  EXPECT_EQ(joined.leaves, leaves);
  EXPECT_EQ(joined.enters, enters);
  EXPECT_EQ(joined.changed, changed);
  EXPECT_EQ(joined.moved, moved);
  EXPECT_EQ(joined.turned, moved);
  EXPECT_EQ(joined.velocities, moved);
  EXPECT_EQ(joined.spins, moved);
  EXPECT_EQ(joined.ends, contacts);
  EXPECT_EQ(joined.begins, contacts);
  EXPECT_EQ(joined.details, contacts);
  EXPECT_EQ(joined.passed, contacts);
  EXPECT_EQ(joined.stays, contacts);
  EXPECT_EQ(joined.lost, contacts);
}

TEST(EncodeTick, AnEmptyTickIsOneLastPart) {
  Bytes stream;
  EXPECT_TRUE(encode_tick(tick_output(0), ToldSession{}, 77, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  ASSERT_EQ(frames.size(), 1u);
  const proto::Frame& frame = *message(frames[0]).body_as_Frame();
  EXPECT_TRUE(frame.last());
  EXPECT_EQ(frame.part(), 0u);
  EXPECT_EQ(frame.tick(), 9u);
  EXPECT_EQ(frame.leaves(), nullptr);
  EXPECT_EQ(frame.enters(), nullptr);
}

TEST(EncodeTick, StopsAtTheByteLimitWithBoundedMemory) {
  const TickOutput output = tick_output(3);
  for (const std::uint32_t count : {1u, 1'000u, 100'000u}) {
    ToldSession session = busy_session(count, 3);
    for (std::uint64_t i = 1; i <= count; ++i) session.results.push_back({i, ErrorCode::None, {}});
    Bytes whole;
    ASSERT_TRUE(encode_tick(output, session, 77, limits::outbox_bytes_max, whole));
    Bytes exact;
    EXPECT_TRUE(encode_tick(output, session, 77, whole.size(), exact));
    EXPECT_EQ(exact, whole);
    for (const std::size_t limit : {std::size_t{1}, whole.size() / 20, whole.size() - 1}) {
      Bytes cut;
      EXPECT_FALSE(encode_tick(output, session, 77, limit, cut)) << count << " " << limit;
      EXPECT_LE(cut.size(), limit + limits::server_frame_bytes_max + limits::frame_prefix_bytes);
    }
  }
}

TEST(EncodeTick, CountsItsOwnBytesOnlyAgainstTheLimit) {
  Bytes stream(1'000'000);
  EXPECT_TRUE(encode_tick(tick_output(0), ToldSession{}, 77, 1'000, stream));
}

TEST(EncodeTick, EveryFieldOfAnEntityArrives) {
  ToldSession session;
  session.observers.push_back(
      {{}, {12}, {{EntityId(7, 2), LeaveReason::Disabled, 1007}}, {1}, {}, {2}, 2});
  Bytes stream;
  EXPECT_TRUE(encode_tick(tick_output(3), session, 77, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  const proto::Frame& frame = *message(frames.at(0)).body_as_Frame();
  ASSERT_NE(frame.enters(), nullptr);
  const proto::EntityState& entered = *frame.enters()->Get(0);
  EXPECT_EQ(entered.id(), EntityId(1, 1).raw());
  EXPECT_EQ(entered.user_data(), 1001u);
  EXPECT_EQ(entered.position().x(), 1);
  EXPECT_EQ(entered.position().y(), 2);
  EXPECT_EQ(entered.position().z(), 3);
  EXPECT_EQ(entered.velocity().x(), 0.5);
  EXPECT_EQ(entered.velocity().z(), 1);
  EXPECT_EQ(entered.local_min().x(), -0.5);
  EXPECT_EQ(entered.local_max().x(), 1.5);
  EXPECT_EQ(entered.local_max().z(), 3);
  EXPECT_EQ(entered.observer(), 12u);
  EXPECT_EQ(entered.category(), 1u);
  EXPECT_EQ(entered.mask(), 7u);
  EXPECT_EQ(entered.group(), -5);
  EXPECT_EQ(entered.instance(), 8u);
  EXPECT_EQ(entered.shape_kind(), proto::ShapeKind::Box);
  EXPECT_TRUE(entered.sensor());
  EXPECT_FALSE(entered.is_static());
  EXPECT_EQ(entered.alias(), 1u);
  ASSERT_NE(frame.moves(), nullptr);
  const proto::Moves& moves = *frame.moves()->Get(0);
  EXPECT_EQ(moves.observer(), 12u);
  EXPECT_EQ(moves.page(), 0u);
  EXPECT_EQ(moves.near()->Get(0)->alias(), 2u);
  EXPECT_EQ(moves.near()->Get(0)->x(), 2 * 256);
  EXPECT_EQ(moves.velocities()->Get(0)->alias(), 2u);
  EXPECT_EQ(moves.velocities()->Get(0)->z(), 0x4000);  // 2 m/s
  ASSERT_NE(frame.leaves(), nullptr);
  EXPECT_EQ(frame.leaves()->Get(0)->id(), EntityId(7, 2).raw());
  EXPECT_EQ(frame.leaves()->Get(0)->user_data(), 1007u);
  EXPECT_EQ(frame.leaves()->Get(0)->reason(), proto::LeaveReason::Disabled);
}

TEST(EncodeTick, EveryFieldOfAContactArrives) {
  ToldSession session;
  const EventContact contact{EntityId(3, 4), EntityId(5, 6), 8, 10, 11, {}, {}, true};
  session.contact_ends.push_back({contact, EndReason::Teleported, 20});
  session.contact_begins.push_back({contact, 0.25, true, 21});
  session.begin_details.push_back(
      {{1, 2, 3}, {0, 1, 0}, 0.5, {{4, 5, 6}, {0, 0, 1, 0}}, {{7, 8, 9}, {1, 0, 0, 0}}});
  session.contact_stays.push_back({contact, 22});
  Bytes stream;
  EXPECT_TRUE(encode_tick(tick_output(0), session, 77, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  const proto::Frame& frame = *message(frames.at(0)).body_as_Frame();
  const proto::ContactEnd& end = *frame.contact_ends()->Get(0);
  EXPECT_EQ(end.a(), EntityId(3, 4).raw());
  EXPECT_EQ(end.b(), EntityId(5, 6).raw());
  EXPECT_EQ(end.begin_tick(), 8u);
  EXPECT_EQ(end.user_data_a(), 10u);
  EXPECT_EQ(end.user_data_b(), 11u);
  EXPECT_EQ(end.reason(), proto::EndReason::Teleported);
  EXPECT_TRUE(end.sensor());
  const proto::ContactBegin& begin = *frame.contact_begins()->Get(0);
  EXPECT_EQ(begin.user_data_b(), 11u);
  EXPECT_EQ(begin.toi(), 0.25);
  EXPECT_TRUE(begin.sensor());
  EXPECT_EQ(end.event_seq(), 20u);
  EXPECT_TRUE(begin.capped());
  EXPECT_EQ(begin.event_seq(), 21u);
  const proto::ContactDetail& detail = *frame.begin_details()->Get(0);
  EXPECT_EQ(detail.a(), begin.a());
  EXPECT_EQ(detail.b(), begin.b());
  EXPECT_EQ(detail.begin_tick(), 8u);
  EXPECT_EQ(detail.point().y(), 2);
  EXPECT_EQ(detail.normal().y(), 1);
  EXPECT_EQ(detail.penetration_m(), 0.5);
  EXPECT_EQ(detail.position_a().z(), 6);
  EXPECT_EQ(detail.rotation_a().z(), 1);
  EXPECT_EQ(detail.position_b().x(), 7);
  EXPECT_EQ(detail.rotation_b().x(), 1);
  const proto::ContactStay& stay = *frame.contact_stays()->Get(0);
  EXPECT_EQ(stay.a(), EntityId(3, 4).raw());
  EXPECT_EQ(stay.user_data_b(), 11u);
  EXPECT_EQ(stay.event_seq(), 22u);
  EXPECT_TRUE(stay.sensor());
}

TEST(EncodeTick, TurnedEntitiesCarryTheirRotation) {
  TickOutput output = tick_output(2);
  auto snapshot = std::make_shared<Snapshot>(*output.frame->snapshot);
  snapshot->turn = {{{0, 0, 0.6, 0.8}, {1, 2, 3}, {}, {}}, {{0, 1, 0, 0}, {4, 5, 6}, {}, {}}};
  auto published = std::make_shared<PublishedFrame>(*output.frame);
  published->snapshot = snapshot;
  output.frame = published;
  ToldSession session;
  session.observers.push_back({{}, {12}, {}, {0}, {}, {1}, 2});
  Bytes stream;
  EXPECT_TRUE(encode_tick(output, session, 77, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  const proto::Frame& frame = *message(frames.at(0)).body_as_Frame();
  const proto::EntityState& entered = *frame.enters()->Get(0);
  EXPECT_EQ(entered.rotation().z(), 0.6);
  EXPECT_EQ(entered.rotation().w(), 0.8);
  EXPECT_EQ(entered.angular_velocity().y(), 2);
  const proto::Moves& moves = *frame.moves()->Get(0);
  EXPECT_EQ(moves.turns()->Get(0)->high() >> 14, 1) << "y is the largest";
  EXPECT_EQ(moves.spins()->Get(0)->z(), 0x4600);  // 6 rad/s
}

TEST(EncodeTick, WhatWasNeverTurnedIsTheIdentity) {
  ToldSession session;
  session.observers.push_back({{}, {12}, {}, {0}, {}, {1}, 2});
  Bytes stream;
  EXPECT_TRUE(encode_tick(tick_output(2), session, 77, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  const proto::Frame& frame = *message(frames.at(0)).body_as_Frame();
  EXPECT_EQ(frame.enters()->Get(0)->rotation().w(), 1);
  EXPECT_EQ(frame.enters()->Get(0)->rotation().x(), 0);
  EXPECT_EQ(frame.moves()->Get(0)->turns()->Get(0)->high() >> 14, 3) << "w is the largest";
  EXPECT_EQ(frame.moves()->Get(0)->spins()->Get(0)->x(), 0);
}

TEST(EncodeTick, VerifiesAtEverySizeOfEveryList) {
  // Alignment depends on which lists are there and how long they are: try all small combinations.
  const TickOutput output = tick_output(4);
  for (std::uint32_t present = 0; present < 1024; ++present) {
    for (std::uint32_t count = 1; count <= 4; ++count) {
      ToldSession session = busy_session(count, 4);
      for (ToldObserver& events : session.observers) {
        if (!(present & 1)) events.leaves.clear();
        if (!(present & 2)) events.enters.clear();
        if (!(present & 4)) events.changed.clear();
        if (!(present & 8)) events.moved.clear();
      }
      if (!(present & 16)) session.contact_ends.clear();
      if (!(present & 256)) session.begin_details.clear();
      if (!(present & 512)) session.contact_stays.clear();
      if (!(present & 32)) {
        session.contact_begins.clear();
        session.begin_details.clear();
      }
      if (!(present & 64)) session.contact_passed.clear();
      if (!(present & 128)) session.lost.clear();
      const Joined joined = encoded(output, session);
      ASSERT_EQ(joined.parts, 1u);
      ASSERT_EQ(joined.leaves.size(), present & 1 ? count : 0);
      ASSERT_EQ(joined.moved.size(), present & 8 ? count : 0);
      ASSERT_EQ(joined.lost.size(), present & 128 ? count : 0);
      ASSERT_EQ(joined.details.size(), (present & 32) && (present & 256) ? count : 0);
      ASSERT_EQ(joined.stays.size(), present & 512 ? count : 0);
    }
  }
}

TEST(EncodeTick, CutsLongTicksIntoPartsAndLosesNothing) {
  const TickOutput output = tick_output(50);
  for (const std::uint32_t count : {1u, 900u, 2'000u, 20'011u, 100'000u})
    expect_complete(encoded(output, busy_session(count, 50)), count, 50);
  EXPECT_EQ(encoded(output, busy_session(900, 50)).parts, 1u);
  // 24 + 2 * 200 + 8 + 6 + 8 + 8 + 2 * 56 + 64 + 192 + 56 + 24 = 902 bytes of everything, 20 011
  // times: a little more than seventeen parts of 1 MiB.
  EXPECT_EQ(encoded(output, busy_session(20'011, 50)).parts, 18u);
}

TEST(EncodeTick, APartIsFilledBeforeTheNextOneBegins) {
  // 24 bytes each: exactly what fits, and one more.
  constexpr std::uint32_t fits = (limits::server_frame_bytes_max - 512) / 24;
  ToldSession session;
  session.observers.push_back({});
  session.observers[0].leaves.assign(fits, {EntityId(1, 1)});
  EXPECT_EQ(encoded(tick_output(1), session).parts, 1u);
  session.observers[0].leaves.push_back({EntityId(1, 1)});
  const Joined joined = encoded(tick_output(1), session);
  EXPECT_EQ(joined.parts, 2u);
  EXPECT_EQ(joined.leaves.size(), fits + 1);
}

TEST(EncodeFrame, ALongListOfMovesIsCutWhereverThePartIsFull) {
  FrameSelection selection;
  constexpr std::uint32_t count = 70'000;
  MoveLists& lists = selection.add_moves({3}, 2, {1, 2, 3});
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto alias = static_cast<std::uint16_t>(i);
    lists.near.push_back({alias, 1, 2, 3});
    lists.velocities.push_back({alias, 4, 5, 6});
    lists.jumps.push_back(alias);
  }
  lists.wide.push_back({7, {0xFFFF, 1, 2, 3}});
  lists.far.push_back({8, 0});
  const TickOutput output = tick_output(1);
  FrameContent content;
  content.selection = &selection;
  content.snapshot = output.frame->snapshot.get();
  Bytes stream;
  ASSERT_TRUE(encode_frame(content, limits::outbox_bytes_max, stream));
  std::size_t near = 0, velocities = 0, jumps = 0, wide = 0, far = 0, parts = 0;
  for (const Bytes& body : bodies(stream)) {
    const proto::Frame& frame = *message(body).body_as_Frame();
    EXPECT_EQ(frame.part(), parts++);
    for (const proto::Moves* moves : *frame.moves()) {
      EXPECT_EQ(moves->observer(), 3u);
      EXPECT_EQ(moves->page(), 2u);
      EXPECT_EQ(moves->origin_z(), 3);
      if (moves->near()) {
        for (const proto::NearMove* move : *moves->near())
          ASSERT_EQ(move->alias(), static_cast<std::uint16_t>(near++));
      }
      if (moves->velocities()) velocities += moves->velocities()->size();
      if (moves->jumps()) jumps += moves->jumps()->size();
      if (moves->wide()) wide += moves->wide()->size();
      if (moves->far()) far += moves->far()->size();
    }
  }
  EXPECT_EQ(near, count);
  EXPECT_EQ(velocities, count);
  EXPECT_EQ(jumps, count);
  EXPECT_EQ(wide, 1u);
  EXPECT_EQ(far, 1u);
  EXPECT_EQ(parts, 2u);
}

/// A client must not take the view that it has for that of the tick.
TEST(EncodeFrame, SaysThatItTellsNothingOfViews) {
  SessionOutput events;
  events.lost.push_back({});
  FrameContent content;
  content.tick = 7;
  content.events = &events;
  Bytes stream;
  ASSERT_TRUE(encode_frame(content, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  EXPECT_TRUE(message(frames.at(0)).body_as_Frame()->events_only());
}

TEST(EncodeFrame, TellsHowTheStreamGoes) {
  FrameSelection selection;
  selection.enters_waiting = 17;
  selection.health = StreamHealth::Starved;
  FrameContent content;
  content.selection = &selection;
  content.shedding = Shedding::Queries;
  Bytes stream;
  ASSERT_TRUE(encode_frame(content, limits::outbox_bytes_max, stream));
  const auto frames = bodies(stream);
  const proto::Frame& frame = *message(frames.at(0)).body_as_Frame();
  EXPECT_EQ(frame.enters_waiting(), 17u);
  EXPECT_EQ(frame.health(), proto::StreamHealth::Starved);
  EXPECT_FALSE(frame.events_only());
  EXPECT_EQ(frame.shedding(), proto::Shedding::Queries);
}

}  // namespace
}  // namespace vicinity::wire
