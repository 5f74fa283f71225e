// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Results of commands, answers to queries and other single messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/framing.h"
#include "base/limits.h"
#include "server_generated.h"
#include "support/encode_tick.h"
#include "support/frame_bodies.h"
#include "wire/encode.h"

namespace vicinity::wire {
namespace {

using test::bodies;
using test::Bytes;
using test::message;

ToldSession session_with_results(std::uint64_t count) {
  ToldSession session;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const bool good = i % 3 != 0;
    session.results.push_back({i, good ? ErrorCode::None : ErrorCode::StaleEntity,
                               good ? EntityId(static_cast<std::uint32_t>(i), 1) : EntityId{}});
  }
  return session;
}

TickOutput empty_tick() {
  auto frame = std::make_shared<PublishedFrame>();
  frame->snapshot = std::make_shared<Snapshot>();
  TickOutput output;
  output.report.tick = 5;
  output.frame = frame;
  return output;
}

TEST(EncodeResults, EveryCommandIsAnsweredOnceBeforeTheFrame) {
  for (const std::uint64_t count : {1u, 2u, 3u, 1'000u, 200'000u}) {
    Bytes stream;
    EXPECT_TRUE(encode_tick(empty_tick(), session_with_results(count), 0, limits::outbox_bytes_max,
                            stream));
    std::vector<int> answers(count + 1, 0);
    bool frame_seen = false;
    for (const Bytes& body : bodies(stream)) {
      const auto* results = message(body).body_as_CommandResults();
      if (!results) {
        frame_seen = message(body).body_as_Frame() != nullptr;
        continue;
      }
      EXPECT_FALSE(frame_seen);
      EXPECT_EQ(results->tick(), 5u);
      if (results->acks()) {
        for (const auto* ack : *results->acks()) {
          ++answers.at(ack->sequence());
          EXPECT_EQ(ack->entity(), EntityId(static_cast<std::uint32_t>(ack->sequence()), 1).raw());
        }
      }
      if (results->errors()) {
        for (const auto* error : *results->errors()) {
          ++answers.at(error->sequence());
          EXPECT_EQ(error->sequence() % 3, 0u);
          EXPECT_EQ(error->code(), proto::ErrorCode::StaleEntity);
          EXPECT_EQ(error->text()->str(), describe(ErrorCode::StaleEntity));
        }
      }
    }
    EXPECT_TRUE(frame_seen);
    EXPECT_EQ(std::count(answers.begin() + 1, answers.end(), 1), static_cast<long>(count));
  }
}

TEST(EncodeResults, LongRefusalsAreCutIntoFramesAndTextsToAKibibyte) {
  std::vector<RefusedCommand> refused;
  for (std::uint64_t i = 1; i <= 5'000; ++i) {
    refused.push_back({i, {ErrorCode::InvalidNumber, std::to_string(i) + std::string(3'000, 'x')}});
  }
  Bytes stream;
  encode_refusals(refused, stream);
  std::uint64_t next = 1;
  const auto frames = bodies(stream);
  for (const Bytes& body : frames) {
    const auto* results = message(body).body_as_CommandResults();
    ASSERT_NE(results, nullptr);
    EXPECT_EQ(results->tick(), 0u);
    for (const auto* error : *results->errors()) {
      EXPECT_EQ(error->sequence(), next);
      EXPECT_EQ(error->text()->size(), 1024u);
      EXPECT_TRUE(error->text()->str().starts_with(std::to_string(next) + "x"));
      ++next;
    }
  }
  EXPECT_EQ(next, 5'001u);
  EXPECT_GT(frames.size(), 4u);
}

TEST(EncodeResults, NothingIsWrittenForNothing) {
  Bytes stream;
  encode_refusals({}, stream);
  EXPECT_TRUE(stream.empty());
}

TEST(EncodeQueryAnswer, TheLargestAnswerIsOneFrame) {
  QueryAnswer answer;
  answer.tick = 3;
  answer.index_version = 4;
  answer.complete = false;
  for (std::uint32_t i = 0; i < limits::query_hits_max; ++i)
    answer.hits.push_back({EntityId(i, 1), 0.5 * i, {1, 2, 3}, i});
  Bytes stream;
  encode_query_answer(8, answer, stream);
  const auto frames = bodies(stream);
  ASSERT_EQ(frames.size(), 1u);
  const auto& decoded = *message(frames[0]).body_as_QueryAnswer();
  EXPECT_EQ(decoded.request(), 8u);
  EXPECT_EQ(decoded.tick(), 3u);
  EXPECT_EQ(decoded.index_version(), 4u);
  EXPECT_FALSE(decoded.complete());
  EXPECT_EQ(decoded.code(), proto::ErrorCode::None);
  ASSERT_EQ(decoded.hits()->size(), limits::query_hits_max);
  EXPECT_EQ(decoded.hits()->Get(7)->id(), EntityId(7, 1).raw());
  EXPECT_EQ(decoded.hits()->Get(7)->value(), 3.5);
  EXPECT_EQ(decoded.hits()->Get(7)->user_data(), 7u);
  EXPECT_EQ(decoded.hits()->Get(7)->position().z(), 3);
}

TEST(EncodeQueryAnswer, VerifiesAtEverySmallSize) {
  QueryAnswer answer;
  for (std::uint32_t count = 0; count < 40; ++count) {
    Bytes stream;
    encode_query_answer(8, answer, stream);
    const auto frames = bodies(stream);
    ASSERT_EQ(frames.size(), 1u);
    const auto* hits = message(frames[0]).body_as_QueryAnswer()->hits();
    EXPECT_EQ(hits ? hits->size() : 0, count);
    answer.hits.push_back({});
  }
}

TEST(EncodeMessages, TextsOfAnyLengthVerify) {
  for (std::size_t length = 0; length < 2'000; length += length < 40 ? 1 : 97) {
    const Error error{ErrorCode::SlowConsumer, std::string(length, 't')};
    Bytes stream;
    encode_reject(error, stream);
    encode_closing(error, 1'500, stream);
    encode_step_done(1, 2, 3, error, stream);
    encode_query_error(4, 5, 6, error, stream);
    const auto frames = bodies(stream);
    ASSERT_EQ(frames.size(), 4u);
    const std::size_t kept = std::min<std::size_t>(length, 1024);
    EXPECT_EQ(message(frames[0]).body_as_Reject()->text()->size(), kept);
    EXPECT_EQ(message(frames[1]).body_as_Closing()->text()->size(), kept);
    EXPECT_EQ(message(frames[1]).body_as_Closing()->retry_after_ms(), 1'500u);
    EXPECT_EQ(message(frames[2]).body_as_StepDone()->text()->size(), kept);
    EXPECT_EQ(message(frames[3]).body_as_QueryAnswer()->text()->size(), kept);
    EXPECT_EQ(message(frames[3]).body_as_QueryAnswer()->code(), proto::ErrorCode::SlowConsumer);
  }
}

}  // namespace
}  // namespace vicinity::wire
