// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/view_questions.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "protocol_fixture.h"

namespace vicinity::app {
namespace {

constexpr std::size_t for_all =
    limits::view_questions_max - limits::view_questions_kept_for_authorities;

/// As many questions as connections may have waiting, one behind the other. How many were taken.
std::size_t push_many(ViewQuestions& questions, std::size_t count, bool is_authority) {
  std::size_t taken = 0;
  std::shared_ptr<FakeConnection> connection;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % limits::view_questions_per_connection_max == 0)
      connection = std::make_shared<FakeConnection>(i);
    ViewQuestion question;
    question.connection = connection;
    question.is_authority = is_authority;
    if (questions.push(std::move(question)) == ErrorCode::None) ++taken;
  }
  return taken;
}

TEST(ViewQuestions, KeepAQuarterOfTheirPlacesForAuthorities) {
  ViewQuestions questions;
  EXPECT_EQ(push_many(questions, 1'000, false), for_all);
  EXPECT_EQ(push_many(questions, 1'000, true), limits::view_questions_max - for_all);
  EXPECT_EQ(push_many(questions, 1, false), 0u);
}

TEST(ViewQuestions, GiveAuthoritiesEveryPlace) {
  ViewQuestions questions;
  EXPECT_EQ(push_many(questions, 1'000, true), limits::view_questions_max);
  EXPECT_EQ(push_many(questions, 1, false), 0u);
}

// --- With the protocol and a world ---------------------------------------------------------------

TEST_F(Protocol, AnAnswerAboutAViewIsPaidForByAllSessionsTogether) {
  using Clock = access::QueryBudget::Clock;
  const Streams streams{StreamSettings{}};
  for (const bool is_authority : {false, true}) {
    // Any answer uses this up, and it takes many seconds to come back.
    const auto budget = std::make_shared<access::QueryBudget>(0.1);
    ViewQuestion question;
    question.connection = connect();
    question.budget = budget;
    question.is_authority = is_authority;
    ASSERT_EQ(view_questions_.push(question), ErrorCode::None);
    EXPECT_TRUE(budget->admits(false, Clock::now()));
    view_questions_.answer(simulation_, streams);
    EXPECT_FALSE(budget->admits(false, Clock::now()));
    EXPECT_TRUE(budget->admits(true, Clock::now())) << "the part for authorities";
    if (!is_authority) continue;
    ASSERT_EQ(view_questions_.push(question), ErrorCode::None);
    view_questions_.answer(simulation_, streams);
    EXPECT_FALSE(budget->admits(true, Clock::now())) << "what is shared was used up before";
  }
}

TEST_F(Protocol, TheTimeOfQueriesHasThatOfAnswersAboutViews) {
  const Streams streams{StreamSettings{}};
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Player));
  say(over, view_question(0));
  EXPECT_EQ(protocol_.stats().query_us, limits::view_question_price_us) << "for its place";
  view_questions_.answer(simulation_, streams);
  ASSERT_EQ(answers_in(over->sent()).size(), 1u);
  EXPECT_GT(protocol_.stats().query_us, limits::view_question_price_us);
}

TEST_F(Protocol, AQuestionAboutAViewSaysWhoPaysAndWhetherAnAuthorityAsks) {
  std::vector<ViewQuestion> asked;
  ClientProtocol protocol({.world_half_size_m = 1000},
                          {commands_,
                           frames_,
                           sessions_,
                           clock_,
                           log_,
                           session_log_,
                           [](SessionId, std::uint64_t, std::uint32_t) { return ErrorCode::None; },
                           {},
                           [&asked](ViewQuestion question) {
                             asked.push_back(std::move(question));
                             return ErrorCode::None;
                           }});
  for (const auto role : {proto::Role::Player, proto::Role::Authority}) {
    const auto over = connect();
    ASSERT_TRUE(join(over, role));
    const Bytes frame = view_question(0);
    protocol.on_frame(over, std::span(frame).subspan(4));
  }
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_FALSE(asked[0].is_authority);
  EXPECT_TRUE(asked[1].is_authority);
  for (const ViewQuestion& question : asked) {
    EXPECT_NE(question.guard, nullptr);
    EXPECT_NE(question.budget, nullptr);
  }
}

TEST_F(Protocol, PlayersDoNotKeepAnAuthorityFromAskingAboutViews) {
  for (std::size_t taken = 0; taken < for_all; ++taken) {
    const auto player = connect();
    ASSERT_TRUE(join(player, proto::Role::Player));
    say(player, view_question(0));
    ASSERT_TRUE(answers_in(player->sent()).empty());
  }
  const auto late = connect();
  ASSERT_TRUE(join(late, proto::Role::Player));
  say(late, view_question(0));
  const auto refused = answers_in(late->sent());
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].code, proto::ErrorCode::QueueFull);
  const auto authority = connect();
  ASSERT_TRUE(join(authority, proto::Role::Authority));
  say(authority, view_question(0));
  EXPECT_TRUE(answers_in(authority->sent()).empty());
}

}  // namespace
}  // namespace vicinity::app
