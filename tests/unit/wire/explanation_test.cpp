// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Questions why, and the answers, over the wire and back; and the committed frames (tests/golden),
// made by flatc from JSON that a person wrote.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "base/limits.h"
#include "client/decode.h"
#include "client/encode.h"
#include "client/frame_joiner.h"
#include "client/view_decoder.h"
#include "support/json_frame.h"
#include "wire/decode.h"
#include "wire/encode.h"

namespace vicinity::wire {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr DecodeLimits world{limits::world_half_size_m};

Bytes golden(const std::string& name) {
  std::ifstream file(std::string(VICINITY_SOURCE_DIR) + "/tests/golden/v3/" + name + ".bin",
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::span<const std::uint8_t> body_of(const Bytes& frame) {
  return std::span(frame).subspan(limits::frame_prefix_bytes);
}

auto read_message(std::span<const std::uint8_t> body) {
  client::ViewDecoder views;
  client::FrameJoiner frames(limits::outbox_bytes_max);
  return client::decode_server_message(body, views, frames);
}

client::QueryOutcome read_answer(std::span<const std::uint8_t> body) {
  const auto message = read_message(body);
  if (!message.ok() || !std::holds_alternative<client::QueryOutcome>(message.value())) {
    ADD_FAILURE() << (message.ok() ? "another message" : message.error().text);
    return {};
  }
  return std::get<client::QueryOutcome>(message.value());
}

Query read_query(std::span<const std::uint8_t> body, std::uint64_t request) {
  const auto message = decode_client_message(body, world);
  if (!message.ok()) {
    ADD_FAILURE() << message.error().text;
    return {};
  }
  const auto& query = std::get<QueryMessage>(message.value());
  EXPECT_EQ(query.request, request);
  return std::get<Query>(query.outcome);
}

void expect_golden_pair(const PairExplanation& pair) {
  EXPECT_EQ(pair.stage, ExplainStage::Policy);
  EXPECT_TRUE(pair.candidate && pair.touches && pair.budget_cut);
  EXPECT_FALSE(pair.passes_through || pair.missed || pair.in_contact || pair.sensor);
  EXPECT_EQ(pair.policy, PolicyReason::CoolingDown);
  EXPECT_EQ(pair.cooling_until, 97u);
  EXPECT_EQ(pair.gap_m, -0.25);
  EXPECT_EQ(pair.a.id.raw(), 4294967299u);
  EXPECT_TRUE(pair.a.lives);
  EXPECT_EQ(pair.a.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(pair.a.tight_box, (Aabb{{0, 1, 2}, {2, 3, 4}}));
  EXPECT_EQ(pair.a.bound, (Aabb32{{-1, 1, 2}, {2, 3, 4}}));
  const IndexPlace& place = pair.a.place;
  EXPECT_EQ(place.box, (Aabb32{{-1, 1, 2}, {2, 3, 4.5}}));
  EXPECT_EQ(place.partition, IndexPartition::Resting);
  EXPECT_EQ(place.run, 5u);
  EXPECT_EQ(place.level, 1u);
  EXPECT_EQ(place.level_count, 2u);
  EXPECT_EQ(place.until, 91u);
  EXPECT_EQ(place.other_run, 0u);
  EXPECT_EQ(pair.a.filter, (Filter{6, 9, -4, 8, true, false, true, true}));
  EXPECT_EQ(pair.a.spawned, 10u);
  EXPECT_EQ(pair.a.moved, 20u);
  EXPECT_EQ(pair.a.reshaped, 30u);
  EXPECT_EQ(pair.a.filtered, 40u);
  EXPECT_EQ(pair.b.id.raw(), 8589934596u);
  EXPECT_FALSE(pair.b.lives);
  EXPECT_FALSE(pair.b.place.is_registered());
  EXPECT_EQ(pair.grid.along_axis, 2);
  EXPECT_EQ(pair.grid.across_axis[1], 1);
  EXPECT_EQ(pair.grid.origin_m[2], -32);
  EXPECT_EQ(pair.grid.per_m[0], 0.5);
  EXPECT_EQ(pair.grid.wrap[1], 128u);
  EXPECT_EQ(pair.span_a.cell_last, 2);
  EXPECT_EQ(pair.span_a.row_first[1], 5);
  EXPECT_EQ(pair.span_b.row_last[0], -4);
}

TEST(Explanation, TheGoldenPairIsRead) {
  const client::QueryOutcome outcome = read_answer(golden("server_query_explained_pair"));
  EXPECT_EQ(outcome.request, 11u);
  EXPECT_EQ(outcome.answer.tick, 90u);
  ASSERT_TRUE(outcome.answer.pair.has_value());
  EXPECT_FALSE(outcome.answer.view.has_value());
  expect_golden_pair(*outcome.answer.pair);
}

TEST(Explanation, TheGoldenViewIsRead) {
  const client::QueryOutcome outcome = read_answer(golden("server_query_explained_view"));
  EXPECT_EQ(outcome.request, 12u);
  ASSERT_TRUE(outcome.answer.view.has_value());
  const ViewExplanation& view = *outcome.answer.view;
  EXPECT_EQ(view.stage, ViewStage::Budget);
  EXPECT_EQ(view.hold, ViewHold::Dwell);
  EXPECT_EQ(view.session.value, 7u);
  EXPECT_EQ(view.observer.value, 3u);
  EXPECT_EQ(view.entity.raw(), 4294967299u);
  EXPECT_TRUE(view.in_view && view.suspends && view.owned && view.always_relevant);
  EXPECT_EQ(view.entered, 88u);
  EXPECT_EQ(view.visibility, Visibility::Always);
  EXPECT_EQ(view.parent.raw(), 8589934596u);
  EXPECT_EQ(view.seen_from_enter_m, 100);
  EXPECT_EQ(view.seen_from_leave_m, 110);
  EXPECT_EQ(view.visible_count, 42u);
  EXPECT_FALSE(view.told.told);
  EXPECT_TRUE(view.told.stale && view.told.leave_waits && view.told.update_waits);
  EXPECT_EQ(view.told.told_tick, 87u);
  EXPECT_EQ(view.told.interval_ticks, 6u);
  EXPECT_EQ(view.told.health, 2);
  ASSERT_EQ(view.areas.size(), 2u);
  const ExplainedArea& area = view.areas[0];
  EXPECT_EQ(area.area.value, 21u);
  EXPECT_EQ(area.kind, AreaKind::Cone);
  EXPECT_EQ(area.reach, Reach::Centre);
  EXPECT_TRUE(area.placed && area.category && area.hides_anchor && area.suspends);
  EXPECT_FALSE(area.instance);
  EXPECT_TRUE(area.inside_enter && area.inside_leave);
  EXPECT_EQ(area.distance_m, 12.5);
  EXPECT_EQ(area.position, (Vec3{4, 5, 6}));
  EXPECT_EQ(area.dwell_until, 95u);
  EXPECT_EQ(area.nearest_max, 9u);
  EXPECT_EQ(area.nearer_count, 2u);
  EXPECT_FALSE(view.areas[1].placed);
}

TEST(Explanation, TheGoldenQuestionsAreReadAndTheClientAsksTheSame) {
  const auto pair =
      std::get<ExplainPairQuery>(read_query(golden("client_query_explain_pair"), 11).body);
  EXPECT_EQ(pair.a.raw(), 4294967299u);
  EXPECT_EQ(pair.b.raw(), 8589934596u);
  const auto view =
      std::get<ExplainViewQuery>(read_query(golden("client_query_explain_view"), 12).body);
  EXPECT_EQ(view.session.value, 7u);
  EXPECT_EQ(view.observer.value, 3u);
  EXPECT_EQ(view.entity.raw(), 4294967299u);
  Bytes frame;
  client::encode_query(5, {pair}, frame);
  EXPECT_EQ(std::get<ExplainPairQuery>(read_query(body_of(frame), 5).body).b, pair.b);
  frame.clear();
  client::encode_query(6, {view}, frame);
  const auto again = std::get<ExplainViewQuery>(read_query(body_of(frame), 6).body);
  EXPECT_EQ(again.session, view.session);
  EXPECT_EQ(again.observer, view.observer);
  EXPECT_EQ(again.entity, view.entity);
}

/// What was read says the same when it is written once more.
TEST(Explanation, SurvivesTheWayToTheClient) {
  for (const char* name : {"server_query_explained_pair", "server_query_explained_view"}) {
    const client::QueryOutcome read = read_answer(golden(name));
    Bytes first;
    encode_query_answer(read.request, read.answer, first);
    const client::QueryOutcome again = read_answer(body_of(first));
    Bytes second;
    encode_query_answer(again.request, again.answer, second);
    EXPECT_EQ(first, second) << name;
    if (again.answer.pair)
      expect_golden_pair([&] {
        PairExplanation pair = *again.answer.pair;
        // The grid is left out where one of the two is registered nowhere, as here.
        EXPECT_EQ(pair.grid.along_axis, 0);
        pair.grid = read.answer.pair->grid;
        pair.span_a = read.answer.pair->span_a;
        pair.span_b = read.answer.pair->span_b;
        return pair;
      }());
    if (again.answer.view) {
      EXPECT_EQ(again.answer.view->areas.size(), 2u);
    }
  }
  QueryAnswer answer;
  answer.pair.emplace();
  answer.pair->a.lives = answer.pair->b.lives = true;
  answer.pair->a.place.partition = answer.pair->b.place.partition = IndexPartition::Moving;
  answer.pair->grid.across_axis[0] = 2;
  answer.pair->span_b.row_last[1] = -7;
  Bytes frame;
  encode_query_answer(1, answer, frame);
  const PairExplanation pair = read_answer(body_of(frame)).answer.pair.value();
  EXPECT_EQ(pair.grid.across_axis[0], 2);
  EXPECT_EQ(pair.span_b.row_last[1], -7);
  EXPECT_FALSE(pair.gap_m.has_value());
}

ErrorCode refusal(const Query& query) { return validate(query, world).code; }

TEST(Explanation, QuestionsWithoutEntitiesAreRefused) {
  const EntityId one(3, 1);
  EXPECT_EQ(refusal({ExplainPairQuery{one, {}}}), ErrorCode::MissingField);
  EXPECT_EQ(refusal({ExplainPairQuery{{}, one}}), ErrorCode::MissingField);
  EXPECT_EQ(refusal({ExplainPairQuery{one, one}}), ErrorCode::InvalidQuery);
  EXPECT_EQ(refusal({ExplainPairQuery{one, EntityId(3, 2)}}), ErrorCode::InvalidQuery);
  EXPECT_EQ(refusal({ExplainPairQuery{one, EntityId(4, 1)}}), ErrorCode::None);
  EXPECT_EQ(refusal({ExplainViewQuery{{}, {}, {}}}), ErrorCode::MissingField);
  EXPECT_EQ(refusal({ExplainViewQuery{{99}, {7}, one}}), ErrorCode::None);
}

bool is_read(const std::string& answer) {
  return read_message(
             test::server_schema().body("{body_type: \"QueryAnswer\", body: " + answer + "}"))
      .ok();
}

TEST(Explanation, WhatAClientCannotKnowIsRefused) {
  EXPECT_TRUE(is_read("{pair: {}}"));
  EXPECT_TRUE(is_read("{view: {areas: [{}]}}"));
  EXPECT_FALSE(is_read("{pair: {stage: 9}}"));
  EXPECT_FALSE(is_read("{pair: {policy: 4}}"));
  EXPECT_FALSE(is_read("{pair: {along_axis: 3}}"));
  EXPECT_FALSE(is_read("{pair: {a: {partition: 4}}}"));
  EXPECT_FALSE(is_read("{view: {stage: 11}}"));
  EXPECT_FALSE(is_read("{view: {hold: 8}}"));
  EXPECT_FALSE(is_read("{view: {visibility: 3}}"));
  EXPECT_FALSE(is_read("{view: {areas: [{kind: 7}]}}"));
  std::string many = "{view: {areas: [{}";
  for (int i = 0; i < 1'024; ++i) many += ",{}";
  EXPECT_FALSE(is_read(many + "]}}"));
}

}  // namespace
}  // namespace vicinity::wire
