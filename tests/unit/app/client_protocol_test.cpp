// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/client_protocol.h"

#include <gtest/gtest.h>

#include <vector>

#include "protocol_fixture.h"

namespace vicinity::app {
namespace {

Bytes commands_with_ack(Tick tick) {
  return test::client_frame<proto::Commands>(proto::ClientBody::Commands, [&](test::Builder& b) {
    const std::vector<test::CommandOffset> none;
    return proto::CreateCommandsDirect(b, 1, &none, tick);
  });
}

TEST_F(Protocol, KeepsTheAcknowledgedTicksOfPingsAndCommands) {
  const auto over = connect();
  const auto session = join(over);
  ASSERT_TRUE(session);
  say(over, ping_with_ack(7));
  EXPECT_EQ(session->acked_tick, 7u);
  say(over, commands_with_ack(9));
  EXPECT_EQ(session->acked_tick, 9u);
  say(over, ping_with_ack(8));
  EXPECT_EQ(session->acked_tick, 9u);
  say(over, commands_with_ack(21));  // 20 ticks ran
  say(over, ping_with_ack(21));
  EXPECT_EQ(session->acked_tick, 9u);
  EXPECT_FALSE(over->closing());
}

TEST_F(Protocol, AFaultEndsTheSessionBeforeAnybodyCanResumeIt) {
  for (const Bytes& fault : {Bytes{1, 0, 0, 0, 77}, test::hello_frame({.protocol_max = 3}),
                             test::commands_frame(0, {test::spawn(0, 0, 0)})}) {
    const auto over = connect();
    const auto session = join(over);
    ASSERT_TRUE(session);
    say(over, fault);
    EXPECT_EQ(over->code(), ErrorCode::BadFrame);
    EXPECT_EQ(sessions_.find(session->id), nullptr);
    close(over);
  }
  EXPECT_EQ(sessions_.stats().parked, 0u);
}

TEST_F(Protocol, AGoodbyeEndsTheSessionAndALostConnectionParksIt) {
  const auto polite = connect();
  const auto lost = connect();
  const auto first = join(polite);
  const auto second = join(lost);
  say(polite, test::goodbye_frame());
  EXPECT_EQ(sessions_.find(first->id), nullptr);
  close(polite);
  close(lost);
  EXPECT_EQ(sessions_.find(second->id), second);
  EXPECT_EQ(sessions_.stats().parked_now, 1u);
}

TEST_F(Protocol, EveryRoleMayWhatTheTableSaysOfEveryKindOfMessage) {
  const struct {
    proto::Role role;
    proto::ErrorCode step;
    std::size_t refused;  ///< of a spawn, an area and a policy
  } table[] = {{proto::Role::Observer, proto::ErrorCode::WrongRole, 2},
               {proto::Role::Player, proto::ErrorCode::WrongRole, 1},
               {proto::Role::Authority, proto::ErrorCode::WrongTickMode, 0}};
  const test::MakeCommand policy = [](test::Builder& b) {
    proto::CommandBuilder command(b);
    command.add_kind(proto::CommandKind::SetPolicy);
    return command.Finish();
  };
  for (const auto& row : table) {
    const auto over = connect();
    say(over, test::hello_frame({.role = row.role}));
    ASSERT_TRUE(sessions_.of_connection(*over));
    say(over, test::step_frame(1, 1));
    say(over, test::box_query_frame(2, 10));
    say(over, test::ping_frame(3));
    say(over, test::commands_frame(1, {test::spawn(0, 0, 0), test::add_area(1, 10), policy}));
    const Bytes sent = over->sent();
    const auto answers = messages(sent);
    ASSERT_EQ(answers.size(), row.refused > 0 ? 5u : 4u);
    EXPECT_EQ(answers[1]->body_as_StepDone()->code(), row.step);
    EXPECT_EQ(answers[2]->body_as_QueryAnswer()->code(), proto::ErrorCode::None);
    EXPECT_EQ(answers[3]->body_as_Pong()->nonce(), 3u);
    if (row.refused > 0) {
      EXPECT_EQ(answers[4]->body_as_CommandResults()->errors()->size(), row.refused);
    }
    EXPECT_FALSE(over->closing());
    say(over, test::goodbye_frame());
    EXPECT_EQ(over->code(), ErrorCode::None);
    EXPECT_TRUE(over->closing());
  }
}

TEST_F(Protocol, SessionsWhoseTokenHasEndedAreClosedAndNoOthers) {
  const auto ended = connect();
  const auto valid = connect();
  join(ended)->guard->ends_at_s = 100;
  join(valid)->guard->ends_at_s = 101;
  protocol_.close_expired(99);
  EXPECT_FALSE(ended->closing());
  protocol_.close_expired(100);
  EXPECT_EQ(ended->code(), ErrorCode::TokenExpired);
  EXPECT_FALSE(valid->closing());
  EXPECT_EQ(protocol_.stats().expired, 1u);
}

TEST_F(Protocol, NothingButAHelloComesFirst) {
  for (const Bytes& early : {ping_with_ack(1), test::goodbye_frame(), test::step_frame(1, 1)}) {
    const auto over = connect();
    say(over, early);
    EXPECT_EQ(over->code(), ErrorCode::HandshakeExpected);
  }
  EXPECT_EQ(commands_.size(), 0u);
}

TEST_F(Protocol, NewcomersAreRefusedOnceTheServerStopsAndTheOthersLater) {
  const auto live = connect();
  const auto silent = connect();
  ASSERT_TRUE(join(live));
  protocol_.refuse_newcomers();
  EXPECT_FALSE(join(silent));
  EXPECT_EQ(silent->code(), ErrorCode::ServerStopping);
  const auto late = connect();
  EXPECT_EQ(late->code(), ErrorCode::ServerStopping);
  EXPECT_FALSE(live->closing()) << "the tick that runs is still told";
  const auto before = connect();
  protocol_.close_all();
  EXPECT_EQ(live->code(), ErrorCode::ServerStopping);
  EXPECT_EQ(before->code(), ErrorCode::ServerStopping);
  EXPECT_EQ(sessions_.stats().live, 0u);
}

TEST_F(Protocol, TheFarewellOfAServerThatStopsSaysWhenToComeAgain) {
  const auto advice = [this](ErrorCode code) {
    const Bytes frame = protocol_.farewell({code, "text"});
    const auto* message = proto::GetServerMessage(frame.data() + 4);
    return message->body_as_Closing()->retry_after_ms();
  };
  EXPECT_EQ(advice(ErrorCode::ServerStopping), 4321u);
  EXPECT_EQ(advice(ErrorCode::TakenOver), 0u) << "two clients must not take turns";
}

// --- Questions about views -----------------------------------------------------------------------

TEST_F(Protocol, AsksAboutItsOwnViewsWhoeverItIsAndAnAuthorityAboutAll) {
  const auto player = connect();
  const auto authority = connect();
  const auto own = join(player, proto::Role::Player);
  ASSERT_TRUE(own && join(authority, proto::Role::Authority));
  say(player, view_question(0));
  say(player, view_question(own->id.value));
  EXPECT_TRUE(answers_in(player->sent()).empty());  // they wait for the tick thread
  say(player, view_question(own->id.value + 1, 7));
  const auto answers = answers_in(player->sent());
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].request, 7u);
  EXPECT_EQ(answers[0].code, proto::ErrorCode::WrongRole);
  say(authority, view_question(own->id.value));
  EXPECT_TRUE(answers_in(authority->sent()).empty());
  EXPECT_FALSE(player->closing());
}

TEST_F(Protocol, BoundsTheQuestionsAboutViewsThatWait) {
  const auto flood = connect();
  ASSERT_TRUE(join(flood));
  for (std::uint64_t i = 0; i < 1'000; ++i) say(flood, view_question(0, i));
  const auto refused = answers_in(flood->sent());
  ASSERT_EQ(refused.size(), 1'000 - limits::view_questions_per_connection_max);
  for (const Answered& answer : refused) EXPECT_EQ(answer.code, proto::ErrorCode::QueueFull);
  std::size_t taken = limits::view_questions_per_connection_max;
  while (taken < limits::view_questions_max) {  // others may still ask, until all places are taken
    const auto another = connect();
    ASSERT_TRUE(join(another));
    for (int i = 0; i < 8; ++i, ++taken) say(another, view_question(0));
    EXPECT_TRUE(answers_in(another->sent()).empty());
  }
  const auto late = connect();
  ASSERT_TRUE(join(late));
  say(late, view_question(0));
  EXPECT_EQ(answers_in(late->sent()).size(), 1u);
  EXPECT_FALSE(flood->closing());
}

TEST_F(Protocol, AnswersABoundedNumberOfQuestionsAboutViewsPerTickInTheirOrder) {
  const auto first = connect();
  const auto second = connect();
  const auto third = connect();
  for (const auto& over : {first, second, third}) {
    ASSERT_TRUE(join(over));
    for (std::uint64_t i = 1; i <= 8; ++i) say(over, view_question(0, i));
  }
  second->close({});
  const Streams streams{StreamSettings{}};
  view_questions_.answer(simulation_, streams);
  const auto answers = answers_in(first->sent());
  ASSERT_EQ(answers.size(), 8u);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(answers[i].request, i + 1);
    EXPECT_EQ(answers[i].tick, 20u);
    EXPECT_EQ(answers[i].stage, proto::ViewStage::NoObserver);
  }
  EXPECT_TRUE(answers_in(third->sent()).empty());  // 16 were taken, 8 of them for nobody
  EXPECT_FALSE(view_questions_.empty());
  view_questions_.answer(simulation_, streams);
  EXPECT_EQ(answers_in(third->sent()).size(), 8u);
  EXPECT_TRUE(view_questions_.empty());
}

}  // namespace
}  // namespace vicinity::app
