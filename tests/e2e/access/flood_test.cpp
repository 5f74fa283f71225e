// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Clients that ask for more than their share, against a real server: they are refused, then closed,
// and an honest client misses no tick meanwhile and no answer. The server may grow by 64 MB.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "access_fixture.h"
#include "base/limits.h"

namespace vicinity::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::size_t growth_max_bytes = 64'000'000;

/// What a client was refused, and how it ended.
struct Seen {
  std::map<ErrorCode, std::size_t> refusals;
  std::uint64_t answers = 0;         ///< to queries that were not refused
  std::uint64_t first_limited = 0;   ///< sequence of the command
  std::uint64_t newest_limited = 0;  ///< the same
  std::optional<ErrorCode> end;

  std::set<ErrorCode> codes() const {
    std::set<ErrorCode> out;
    for (const auto& [code, count] : refusals) out.insert(code);
    return out;
  }
  std::size_t limited() const {
    const auto found = refusals.find(ErrorCode::RateLimited);
    return found == refusals.end() ? 0 : found->second;
  }
  void note(const proto::ServerMessage& message) {
    if (const auto* results = message.body_as_CommandResults(); results && results->errors())
      for (const auto* error : *results->errors()) note(*error);
    if (const auto* answer = message.body_as_QueryAnswer()) {
      if (answer->code() == proto::ErrorCode::None)
        ++answers;
      else
        ++refusals[WireClient::code(answer->code())];
    }
    if (const auto* closing = message.body_as_Closing()) end = WireClient::code(closing->code());
  }
  void note(const proto::CommandError& error) {
    ++refusals[WireClient::code(error.code())];
    if (error.code() != proto::ErrorCode::RateLimited) return;
    if (first_limited == 0) first_limited = error.sequence();
    newest_limited = error.sequence();
  }
};

class AccessFlood : public AccessServer {
 protected:
  void start_flooded(const Arguments& arguments) {
    ASSERT_NO_FATAL_FAILURE(start_stepped(arguments));
    ASSERT_NO_FATAL_FAILURE(start_honest());
    before_ = resident_bytes();
    ASSERT_GT(before_, 0u);
  }
  void expect_unharmed() {
    EXPECT_LT(resident_bytes(), before_ + growth_max_bytes);
    expect_honest_goes_on();
  }
  WireClient player(const std::string& name = "eve") {
    WireClient client(port());
    EXPECT_TRUE(hello(client, token(name, "player")).welcomed);
    return client;
  }

  /// Sends, and reads up to the answer to a ping behind it; then the honest client has a tick.
  /// False when the client was closed. Above the rate of bytes no ping is answered: then the
  /// refusal of the command `last` shows that all was read.
  bool round(WireClient& client, const Bytes& frames, std::uint64_t last, Seen& seen) {
    (void)client.send(frames);  // who was closed reads why
    (void)client.send(ping_frame(last));
    bool is_read = false;
    while (!is_read && !seen.end) {
      const auto* message = client.next();
      if (message == nullptr) {
        ADD_FAILURE() << "the stream ended without a word";
        return false;
      }
      seen.note(*message);
      const auto* pong = message->body_as_Pong();
      is_read = (pong != nullptr && pong->nonce() == last) || seen.newest_limited == last;
    }
    honest_tick();
    return !seen.end && !HasFatalFailure();
  }
  /// Rounds of commands until the client is closed, as many at a time; up to 40.
  Seen flood_with_commands(WireClient& client, const std::vector<MakeCommand>& batch) {
    Seen seen;
    std::uint64_t next = 1;
    for (int i = 0; i < 40; ++i, next += batch.size())
      if (!round(client, commands_frame(next, batch), next + batch.size() - 1, seen)) break;
    return seen;
  }
  /// Rounds of queries, up to 3000 of these.
  Seen flood_with_queries(WireClient& client) {
    constexpr std::uint64_t at_once = 50;
    Seen seen;
    for (std::uint64_t first = 1; first <= 3000; first += at_once) {
      Bytes frames;
      for (std::uint64_t i = first; i < first + at_once; ++i) {
        const Bytes frame = box_query_frame(i, 1e6);
        frames.insert(frames.end(), frame.begin(), frame.end());
      }
      if (!round(client, frames, first, seen)) break;
    }
    return seen;
  }

  std::size_t before_ = 0;
};

TEST_F(AccessFlood, CommandsAboveTheRateAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--commands-per-s", "100"});
  WireClient eve = player();
  const Seen seen = flood_with_commands(eve, std::vector<MakeCommand>(500, despawn(1)));
  EXPECT_THAT(seen.codes(), UnorderedElementsAre(ErrorCode::RateLimited, ErrorCode::UnknownEntity));
  EXPECT_EQ(seen.end, ErrorCode::RateLimited);
  EXPECT_TRUE(logs("code=RateLimited"));
  expect_unharmed();
}

TEST_F(AccessFlood, ABurstAboveTheRateIsRefusedAndNothingMore) {
  start_flooded({"--commands-per-s", "600"});
  WireClient eve = player();
  constexpr std::uint64_t second = 2000;
  ASSERT_TRUE(eve.send(commands_frame(1, std::vector<MakeCommand>(1024, despawn(1)))));
  ASSERT_TRUE(eve.send(commands_frame(second, std::vector<MakeCommand>(1024, despawn(1)))));
  ASSERT_TRUE(eve.send(goodbye_frame()));
  Seen seen;
  while (const auto* message = eve.next()) seen.note(*message);
  EXPECT_THAT(seen.codes(), ElementsAre(ErrorCode::RateLimited));
  EXPECT_GT(seen.first_limited, second) << "what the burst allows is taken";
  EXPECT_EQ(seen.newest_limited, second + 1023);
  EXPECT_EQ(seen.end, ErrorCode::None);
  expect_unharmed();
}

TEST_F(AccessFlood, BytesAboveTheRateAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--bytes-in-per-s", "1000"});
  WireClient eve = player();
  const Seen seen = flood_with_commands(eve, std::vector<MakeCommand>(300, spawn(0, 0, 0)));
  // A player has no more than 64 entities.
  EXPECT_THAT(seen.codes(), UnorderedElementsAre(ErrorCode::RateLimited, ErrorCode::EntityLimit));
  EXPECT_EQ(seen.end, ErrorCode::RateLimited);
  expect_unharmed();
}

TEST_F(AccessFlood, QueriesAboveTheirTimeAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--query-us-per-s", "1"});
  WireClient eve = player();
  const Seen seen = flood_with_queries(eve);
  EXPECT_GT(seen.answers, 0u);
  EXPECT_THAT(seen.codes(), ElementsAre(ErrorCode::RateLimited));
  EXPECT_GT(seen.limited(), 900u);
  EXPECT_EQ(seen.end, ErrorCode::RateLimited);
  expect_unharmed();
}

TEST_F(AccessFlood, AReconnectFindsTheRateAsItWasLeft) {
  start_flooded({"--query-us-per-s", "1"});
  std::optional<WireClient> eve(std::in_place, port());
  const std::string credentials = token("eve", "player");
  const Greeted greeted = hello(*eve, credentials);
  for (std::uint64_t i = 1; i <= 10; ++i) ASSERT_TRUE(eve->send(box_query_frame(i, 1e6)));
  ASSERT_TRUE(eve->is_served());
  eve.reset();
  ASSERT_TRUE(logs("session parked"));
  WireClient back(port());
  SessionWish wish = again(greeted);
  wish.credentials = credentials;
  ASSERT_TRUE(greet(back, wish).resumed);
  ASSERT_TRUE(back.send(box_query_frame(11, 1e6)));
  const auto* answer = back.next_of<proto::QueryAnswer>();
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer->code(), proto::ErrorCode::RateLimited);
  expect_unharmed();
}

TEST_F(AccessFlood, WhoWasClosedDoesNotBeginAfreshAsANewSession) {
  start_flooded({"--query-us-per-s", "1"});
  WireClient eve = player();
  ASSERT_EQ(flood_with_queries(eve).end, ErrorCode::RateLimited);
  // Of the answer, or of the end: how much of the tolerance has come back says which.
  const auto first_answer = [](WireClient& of) {
    EXPECT_TRUE(of.send(box_query_frame(1, 10)));
    while (const auto* message = of.next()) {
      if (const auto* answer = message->body_as_QueryAnswer())
        return WireClient::code(answer->code());
      if (const auto* closing = message->body_as_Closing())
        return WireClient::code(closing->code());
    }
    return ErrorCode::Internal;
  };
  WireClient again = player();
  EXPECT_EQ(first_answer(again), ErrorCode::RateLimited);
  WireClient other = player("ada");
  EXPECT_EQ(first_answer(other), ErrorCode::None);
  expect_unharmed();
}

TEST_F(AccessFlood, AnAuthorityIsTrustedWithAsMuchAsItNeeds) {
  start_flooded({"--commands-per-s", "1", "--query-us-per-s", "1", "--bytes-in-per-s", "1"});
  WireClient authority(port());
  ASSERT_TRUE(authority.join({.token = token("root", "authority")}));
  const std::vector<MakeCommand> batch(1000, despawn(1));
  Seen seen;
  for (std::uint64_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(round(authority, commands_frame(1 + i * 1000, batch), i, seen));
    for (std::uint64_t k = 1; k <= 10; ++k) ASSERT_TRUE(authority.send(box_query_frame(k, 10)));
  }
  ASSERT_TRUE(round(authority, {}, 4711, seen));
  EXPECT_THAT(seen.codes(), ElementsAre(ErrorCode::UnknownEntity));
  EXPECT_EQ(seen.refusals[ErrorCode::UnknownEntity], 20'000u);
  EXPECT_EQ(seen.answers, 200u);
  expect_unharmed();
}

TEST_F(AccessFlood, AnAddressHasSoManyConnectionsAndOpensSoManyInASecond) {
  start_flooded({"--limit-loopback", "--connections-per-address-max", "3",
                 "--connects-per-address-per-s", "1000"});
  std::vector<WireClient> few;
  few.reserve(2);
  for (int i = 0; i < 2; ++i) few.push_back(player("ada-" + std::to_string(i)));
  for (int i = 0; i < 500; ++i) {
    WireClient extra(port());
    // With many at a time some are cut without a word.
    EXPECT_EQ(extra.farewell().value_or(ErrorCode::RateLimited), ErrorCode::RateLimited);
    EXPECT_TRUE(extra.socket().wait_for_end());
    if (i % 20 == 0) honest_tick();
    ASSERT_FALSE(HasFatalFailure());
  }
  for (WireClient& client : few) EXPECT_TRUE(client.is_served());
  expect_unharmed();
  EXPECT_EQ(server().stop(), "");
  EXPECT_NE(server().standard_error().find("turned_away=500"), std::string::npos);
}

TEST_F(AccessFlood, AReconnectStormOfOneAddressIsSlowedDown) {
  start_flooded({"--limit-loopback", "--connects-per-address-per-s", "1"});
  std::map<ErrorCode, int> ends;  // None: cut without a word, as some of many at a time are
  constexpr int count = 300;
  const auto began_at = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    WireClient storm(port());
    const Greeted greeted = hello(storm, "no token");
    EXPECT_FALSE(greeted.welcomed);
    ++ends[greeted.code];
    if (i % 20 == 0) honest_tick();
    ASSERT_FALSE(HasFatalFailure());
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_at;
  const int let_in = ends[ErrorCode::Unauthorized];
  // A burst and one a second, however long that took; no token of another is looked at.
  EXPECT_LE(let_in, limits::rate_burst_s + took.count());
  EXPECT_GT(ends[ErrorCode::RateLimited], 0);
  EXPECT_EQ(let_in + ends[ErrorCode::RateLimited] + ends[ErrorCode::None], count);
  expect_unharmed();
  EXPECT_EQ(server().stop(), "");
  EXPECT_THAT(server().standard_error(),
              AllOf(HasSubstr("turned_away=" + std::to_string(count - let_in)),
                    HasSubstr("tokens_refused=" + std::to_string(let_in))));
}

TEST_F(AccessFlood, WrongTokensWithoutEndCostTheOthersNothing) {
  start_flooded({});
  const std::string forged = sign(claims("eve", "player")) + "A";
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(code_of(forged), ErrorCode::Unauthorized) << i;
    if (i % 20 == 0) honest_tick();
    ASSERT_FALSE(HasFatalFailure());
  }
  expect_unharmed();
}

}  // namespace
}  // namespace vicinity::test
