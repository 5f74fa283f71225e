// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What one client, and all together, may ask of the protocol.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol_fixture.h"

namespace vicinity::app {
namespace {

ProtocolSettings with_rates(const access::SessionRates& rates, double query_us_per_s_total = 0) {
  ProtocolSettings settings;
  settings.world_half_size_m = 1000;
  settings.rates = rates;
  settings.query_us_per_s_total = query_us_per_s_total;
  return settings;
}

Bytes many_commands(std::uint64_t first_sequence) {
  return test::commands_frame(first_sequence,
                              std::vector<test::MakeCommand>(1000, test::despawn(1)));
}

// --- Bytes -----------------------------------------------------------------------------------

class ProtocolWithFewBytes : public Protocol {
 protected:
  ProtocolWithFewBytes() : Protocol(with_rates({.bytes_in = 1})) {}
};

TEST_F(ProtocolWithFewBytes, APingAboveTheRateIsNeitherAnsweredNorBelieved) {
  const auto over = connect();
  const auto session = join(over, proto::Role::Player);
  ASSERT_TRUE(session);
  // A burst may be as long as the longest frame; these are most of it.
  for (const std::uint64_t first : {1, 1001}) say(over, many_commands(first));
  std::size_t answered = over->sent().size();
  bool is_silent = false;
  for (int i = 0; i < 2000 && !is_silent; ++i) {
    say(over, ping_with_ack(7));
    is_silent = over->sent().size() == answered;
    answered = over->sent().size();
  }
  ASSERT_TRUE(is_silent);
  say(over, ping_with_ack(9));
  EXPECT_EQ(over->sent().size(), answered);
  EXPECT_LE(session->acked_tick, 7u);
  EXPECT_FALSE(over->closing());
}

// --- Questions -------------------------------------------------------------------------------

class ProtocolWithLittleTime : public Protocol {
 protected:
  ProtocolWithLittleTime() : Protocol(with_rates({.query_us = 10})) {}
};

TEST_F(ProtocolWithLittleTime, AQuestionAboutAViewIsPaidForWhenItIsAsked) {
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Player));
  say(over, view_question(0, 1));  // waits for a tick; the price is that of seconds
  say(over, view_question(0, 2));
  say(over, test::box_query_frame(3, 10));
  const auto answers = answers_in(over->sent());
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].request, 2u);
  EXPECT_EQ(answers[0].code, proto::ErrorCode::RateLimited);
  EXPECT_EQ(answers[1].code, proto::ErrorCode::RateLimited);
  EXPECT_EQ(protocol_.stats().queries_limited, 2u);
}

class ProtocolWithLittleTimeForAll : public Protocol {
 protected:
  ProtocolWithLittleTimeForAll() : Protocol(with_rates({}, 10)) {}
};

TEST_F(ProtocolWithLittleTimeForAll, WhoeverAsksWhenItIsUsedUpIsRefused) {
  const auto authority = connect();
  const auto player = connect();
  ASSERT_TRUE(join(authority, proto::Role::Authority));
  ASSERT_TRUE(join(player, proto::Role::Player));
  say(authority, view_question(0, 1));  // waits for a tick; the price is that of seconds
  say(player, test::box_query_frame(2, 10));
  say(authority, view_question(0, 3));  // from what is kept for authorities
  say(authority, test::box_query_frame(4, 10));
  for (const auto& over : {player, authority}) {
    const auto answers = answers_in(over->sent());
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].code, proto::ErrorCode::RateLimited);
    EXPECT_FALSE(over->closing());
  }
  EXPECT_EQ(protocol_.stats().queries_crowded_out, 2u);
  EXPECT_GE(protocol_.stats().query_us, limits::view_question_price_us);
}

TEST_F(Protocol, WhoReadsNoAnswersGetsNoMore) {
  for (const auto role : {proto::Role::Player, proto::Role::Authority}) {
    const auto over = connect();
    ASSERT_TRUE(join(over, role));
    over->unread_bytes = limits::unread_answers_bytes_max;
    say(over, test::box_query_frame(1, 10));
    over->unread_bytes = limits::unread_answers_bytes_max + 1;
    say(over, test::box_query_frame(2, 10));
    over->unread_bytes = 0;
    say(over, test::box_query_frame(3, 10));
    const auto answers = answers_in(over->sent());
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_EQ(answers[0].code, proto::ErrorCode::None);
    EXPECT_EQ(answers[1].code, role == proto::Role::Authority ? proto::ErrorCode::None
                                                              : proto::ErrorCode::RateLimited);
    EXPECT_EQ(answers[2].code, proto::ErrorCode::None);
  }
}

// --- Shapes ------------------------------------------------------------------------------------

Bytes hulls_frame(std::uint64_t first_sequence, std::size_t count) {
  return test::commands_frame(first_sequence,
                              std::vector<test::MakeCommand>(count, test::set_hull(1, 64)));
}

/// How many commands were refused with this code.
std::size_t refused_with(proto::ErrorCode code, const Bytes& sent) {
  std::size_t count = 0;
  for (const proto::ServerMessage* message : messages(sent)) {
    const auto* results = message->body_as_CommandResults();
    if (results == nullptr || results->errors() == nullptr) continue;
    for (const proto::CommandError* error : *results->errors()) count += error->code() == code;
  }
  return count;
}

TEST_F(Protocol, NothingIsBuiltBeforeTheHello) {
  const auto stranger = connect();
  say(stranger, hulls_frame(1, 4));
  EXPECT_EQ(stranger->code(), ErrorCode::HandshakeExpected);
  EXPECT_EQ(commands_.size(), 0u);
}

TEST_F(ProtocolWithLittleTime, HullsArePaidForAsQueriesAre) {
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Player));
  say(over, hulls_frame(1, 16));
  EXPECT_GT(protocol_.stats().query_us, 0u);
  say(over, hulls_frame(17, 2));
  EXPECT_EQ(refused_with(proto::ErrorCode::RateLimited, over->sent()), 2u);
  say(over, test::box_query_frame(1, 10));
  ASSERT_EQ(answers_in(over->sent()).size(), 1u);
  EXPECT_EQ(answers_in(over->sent())[0].code, proto::ErrorCode::RateLimited);
  say(over, test::commands_frame(19, {test::spawn(0, 0, 0)}));
  EXPECT_EQ(refused_with(proto::ErrorCode::RateLimited, over->sent()), 2u)
      << "a sphere is not built";
}

TEST_F(ProtocolWithLittleTimeForAll, HullsOfAuthoritiesAreNotPaidFor) {
  const auto authority = connect();
  ASSERT_TRUE(join(authority, proto::Role::Authority));
  for (std::uint64_t first = 1; first < 100; first += 16) say(authority, hulls_frame(first, 16));
  EXPECT_EQ(refused_with(proto::ErrorCode::RateLimited, authority->sent()), 0u);
  EXPECT_EQ(protocol_.stats().query_us, 0u);
}

TEST_F(Protocol, HullsOfObserversAreRefusedUnbuilt) {
  const auto over = connect();
  ASSERT_TRUE(join(over, proto::Role::Observer));
  say(over, hulls_frame(1, 3));
  EXPECT_EQ(refused_with(proto::ErrorCode::WrongRole, over->sent()), 3u);
  EXPECT_EQ(protocol_.stats().query_us, 0u);
}

// --- Coming again ----------------------------------------------------------------------------

class ProtocolWithFewCommands : public Protocol {
 protected:
  ProtocolWithFewCommands() : Protocol(with_rates({.commands = 1})) {}
  /// A thousand commands, which a burst allows, from a new session of this address.
  ErrorCode burst_from(const std::string& peer) {
    const auto over = connect(peer);
    EXPECT_TRUE(join(over, proto::Role::Player));
    say(over, many_commands(1));
    return over->code();
  }
};

TEST_F(ProtocolWithFewCommands, WhoWasClosedForFloodingDoesNotBeginAfresh) {
  const auto flood = connect("192.0.2.7:1000");
  ASSERT_TRUE(join(flood, proto::Role::Player));
  for (std::uint64_t i = 0; i < 4 && !flood->closing(); ++i)
    say(flood, many_commands(1 + i * 1000));
  ASSERT_EQ(flood->code(), ErrorCode::RateLimited);
  EXPECT_EQ(burst_from("192.0.2.7:1001"), ErrorCode::RateLimited);
  EXPECT_EQ(burst_from("192.0.2.7:1002"), ErrorCode::RateLimited);
  EXPECT_EQ(burst_from("192.0.2.8:1000"), ErrorCode::None);
  EXPECT_EQ(protocol_.stats().rates_remembered, 1u);
}

TEST_F(ProtocolWithFewCommands, NorDoesWhoLosesItsConnectionBeforeIt) {
  const auto over = connect("[2001:db8:1:2::7]:1000");
  ASSERT_TRUE(join(over, proto::Role::Player));
  for (const std::uint64_t first : {1, 1001}) say(over, many_commands(first));
  ASSERT_FALSE(over->closing());
  close(over);
  EXPECT_EQ(burst_from("[2001:db8:1:2::8]:1000"), ErrorCode::RateLimited) << "of the same /64";
  EXPECT_EQ(burst_from("[2001:db8:1:3::7]:1000"), ErrorCode::None);
}

TEST_F(ProtocolWithFewCommands, ProgramsOfThisMachineAreNotOneClient) {
  const auto over = connect("127.0.0.1:1000");
  ASSERT_TRUE(join(over, proto::Role::Player));
  for (const std::uint64_t first : {1, 1001}) say(over, many_commands(first));
  close(over);
  EXPECT_EQ(burst_from("127.0.0.1:1001"), ErrorCode::None);
}

}  // namespace
}  // namespace vicinity::app
