// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Clients that ask for more than their share, against a real server: they are refused, then closed,
// and an honest client goes on. The server may grow by 64 MB meanwhile.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "access_fixture.h"

namespace vicinity::test {
namespace {

constexpr std::size_t growth_max_bytes = 64'000'000;

class AccessFlood : public AccessServer {
 protected:
  void start_flooded(const Arguments& arguments) {
    start(arguments);
    start_honest();
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
  std::size_t before_ = 0;
};

/// Codes of refusals until the end of the stream, and the code of the end.
struct Seen {
  int limited = 0;
  int others = 0;
  ErrorCode end = ErrorCode::None;
};
Seen read_all(WireClient& client) {
  Seen seen;
  const auto count = [&](proto::ErrorCode code) {
    ++(code == proto::ErrorCode::RateLimited ? seen.limited : seen.others);
  };
  while (const auto* message = client.next()) {
    if (const auto* results = message->body_as_CommandResults(); results && results->errors())
      for (const auto* error : *results->errors()) count(error->code());
    if (const auto* answer = message->body_as_QueryAnswer())
      if (answer->code() != proto::ErrorCode::None) count(answer->code());
    if (const auto* closing = message->body_as_Closing()) {
      seen.end = WireClient::code(closing->code());
      break;
    }
  }
  return seen;
}

TEST_F(AccessFlood, CommandsAboveTheRateAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--commands-per-s", "100"});
  WireClient eve = player();
  const std::vector<MakeCommand> batch(500, despawn(1));
  std::uint64_t sequence = 1;
  for (int i = 0; i < 40; ++i, sequence += batch.size())
    if (!eve.send(commands_frame(sequence, batch))) break;
  const Seen seen = read_all(eve);
  EXPECT_GT(seen.limited, 0);
  EXPECT_EQ(seen.end, ErrorCode::RateLimited);
  EXPECT_TRUE(logs("code=RateLimited"));
  expect_unharmed();
}

TEST_F(AccessFlood, ABurstAboveTheRateIsRefusedAndNothingMore) {
  start_flooded({"--commands-per-s", "600"});
  WireClient eve = player();
  ASSERT_TRUE(eve.send(commands_frame(1, std::vector<MakeCommand>(1024, despawn(1)))));
  ASSERT_TRUE(eve.send(commands_frame(2000, std::vector<MakeCommand>(1024, despawn(1)))));
  ASSERT_TRUE(eve.send(goodbye_frame()));
  const Seen seen = read_all(eve);
  EXPECT_GT(seen.limited, 0);
  EXPECT_EQ(seen.end, ErrorCode::None);
  expect_unharmed();
}

TEST_F(AccessFlood, BytesAboveTheRateAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--bytes-in-per-s", "1000"});
  WireClient eve = player();
  std::uint64_t sequence = 1;
  const std::vector<MakeCommand> batch(300, spawn(0, 0, 0));
  for (int i = 0; i < 40; ++i, sequence += batch.size())
    if (!eve.send(commands_frame(sequence, batch))) break;
  EXPECT_EQ(read_all(eve).end, ErrorCode::RateLimited);
  expect_unharmed();
}

TEST_F(AccessFlood, QueriesAboveTheirTimeAreRefusedAndWhoGoesOnIsClosed) {
  start_flooded({"--query-us-per-s", "1"});
  WireClient eve = player();
  for (std::uint64_t i = 1; i <= 3000; ++i)
    if (!eve.send(box_query_frame(i, 1e6))) break;
  const Seen seen = read_all(eve);
  EXPECT_GT(seen.limited, 900);
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
}

TEST_F(AccessFlood, WhoWasClosedDoesNotBeginAfreshAsANewSession) {
  start_flooded({"--query-us-per-s", "1"});
  WireClient eve = player();
  for (std::uint64_t i = 1; i <= 3000; ++i)
    if (!eve.send(box_query_frame(i, 1e6))) break;
  ASSERT_EQ(read_all(eve).end, ErrorCode::RateLimited);
  const auto first_answer = [](WireClient& of) {
    EXPECT_TRUE(of.send(box_query_frame(1, 10)));
    const auto* answer = of.next_of<proto::QueryAnswer>();
    return answer == nullptr ? ErrorCode::Internal : WireClient::code(answer->code());
  };
  WireClient again = player();
  EXPECT_NE(first_answer(again), ErrorCode::None);
  WireClient other = player("ada");
  EXPECT_EQ(first_answer(other), ErrorCode::None);
  expect_unharmed();
}

TEST_F(AccessFlood, AnAuthorityIsTrustedWithAsMuchAsItNeeds) {
  start_flooded({"--commands-per-s", "1", "--query-us-per-s", "1", "--bytes-in-per-s", "1"});
  WireClient authority(port());
  ASSERT_TRUE(authority.join({.token = token("root", "authority")}));
  for (std::uint64_t i = 0; i < 20; ++i)
    ASSERT_TRUE(
        authority.send(commands_frame(1 + i * 1000, std::vector<MakeCommand>(1000, despawn(1)))));
  for (std::uint64_t i = 1; i <= 200; ++i) ASSERT_TRUE(authority.send(box_query_frame(i, 10)));
  EXPECT_TRUE(authority.is_served());
  expect_unharmed();
}

TEST_F(AccessFlood, AnAddressHasSoManyConnectionsAndOpensSoManyInASecond) {
  start({"--limit-loopback", "--connections-per-address-max", "3", "--connects-per-address-per-s",
         "1000"});
  start_honest();
  before_ = resident_bytes();
  std::vector<WireClient> few;
  few.reserve(2);
  for (int i = 0; i < 2; ++i) few.push_back(player("ada-" + std::to_string(i)));
  for (int i = 0; i < 500; ++i) {
    WireClient extra(port());
    const auto end = extra.farewell();
    if (end) {
      EXPECT_EQ(*end, ErrorCode::RateLimited);
    }
    EXPECT_TRUE(extra.socket().wait_for_end());
  }
  for (WireClient& client : few) EXPECT_TRUE(client.is_served());
  expect_unharmed();
  EXPECT_EQ(server().stop(), "");
  EXPECT_NE(server().standard_error().find("turned_away=500"), std::string::npos);
}

TEST_F(AccessFlood, AReconnectStormOfOneAddressIsSlowedDown) {
  start({"--limit-loopback", "--connects-per-address-per-s", "10"});
  start_honest();
  before_ = resident_bytes();
  int turned_away = 0;
  for (int i = 0; i < 300; ++i) {
    WireClient storm(port());
    const Greeted greeted = hello(storm, "no token");
    turned_away += greeted.code != ErrorCode::Unauthorized;
  }
  EXPECT_GT(turned_away, 200);
  expect_unharmed();
}

TEST_F(AccessFlood, WrongTokensWithoutEndCostTheOthersNothing) {
  start_flooded({});
  const std::string forged = sign(claims("eve", "player")) + "A";
  for (int i = 0; i < 500; ++i) EXPECT_EQ(code_of(forged), ErrorCode::Unauthorized) << i;
  expect_unharmed();
}

}  // namespace
}  // namespace vicinity::test
