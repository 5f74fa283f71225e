// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A server whose memory is what the test says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "app/server.h"
#include "e2e/session_client.h"

namespace vicinity::app {
namespace {

namespace proto = vicinity::proto;
using test::Greeted;
using test::SessionWish;
using test::WireClient;
using testing::HasSubstr;

constexpr std::uint64_t cap_bytes = 100u << 20;
constexpr std::uint64_t plenty = 50u << 20;
constexpr std::uint64_t short_of = 95u << 20;

class AServerShortOfMemory : public testing::Test {
 protected:
  AServerShortOfMemory() {
    Config config;
    config.port = 0;
    config.tick_mode = "manual";
    config.workers = 1;
    config.max_memory = cap_bytes;
    ServerHooks hooks;
    hooks.memory_bytes = [this] { return used_bytes_.load(); };
    auto server = Server::start(
        config, log_, [] { FAIL() << "the tick failed"; }, hooks);
    EXPECT_TRUE(server.ok());
    if (server.ok()) server_ = std::move(server.value());
  }

  Greeted come(WireClient& client, SessionWish wish = {}) {
    wish.role = proto::Role::Authority;
    return greet(client, wish);
  }
  /// What newcomers are told once it is as wanted; they do not stay.
  Greeted newcomer(bool is_welcome) {
    Greeted greeted;
    const auto patience_ends = std::chrono::steady_clock::now() + test::patience;
    while (std::chrono::steady_clock::now() < patience_ends) {
      WireClient client(server_->port());
      greeted = greet(client, {});
      if (greeted.welcomed == is_welcome) break;
    }
    return greeted;
  }
  /// What the commands came to, after a tick.
  std::map<std::uint64_t, ErrorCode> outcomes(WireClient& client,
                                              const std::vector<test::MakeCommand>& make) {
    EXPECT_TRUE(client.send(test::commands_frame(sequence_, make)));
    const std::uint64_t first = std::exchange(sequence_, sequence_ + make.size());
    EXPECT_TRUE(client.send(test::step_frame(sequence_, 1)));
    std::map<std::uint64_t, ErrorCode> codes;
    while (const auto* message = client.next()) {
      if (message->body_as_StepDone() != nullptr) {
        // Over a new connection those of before may come again.
        codes.erase(codes.begin(), codes.lower_bound(first));
        return codes;
      }
      const auto* results = message->body_as_CommandResults();
      if (results == nullptr) continue;
      if (results->acks() != nullptr)
        for (const auto* ack : *results->acks()) {
          codes[ack->sequence()] = ErrorCode::None;
          if (ack->entity() != 0) made_ = ack->entity();
        }
      if (results->errors() != nullptr)
        for (const auto* error : *results->errors())
          codes[error->sequence()] = WireClient::code(error->code());
    }
    ADD_FAILURE() << "no step";
    return codes;
  }

  std::atomic<std::uint64_t> used_bytes_{plenty};
  Log log_{LogLevel::Error, LogFormat::Text};
  std::unique_ptr<Server> server_;
  std::uint64_t sequence_ = 1;
  std::uint64_t made_ = 0;
};

TEST_F(AServerShortOfMemory, RefusesWhatIsNewAndGoesOnWithWhatIsThere) {
  using Codes = std::map<std::uint64_t, ErrorCode>;
  WireClient client(server_->port());
  const Greeted greeted = come(client);
  ASSERT_TRUE(greeted.welcomed);
  EXPECT_EQ(outcomes(client, {test::spawn(0, 0, 0)}), (Codes{{1, ErrorCode::None}}));
  const std::uint64_t entity = made_;

  used_bytes_ = short_of;
  const Greeted refused = newcomer(false);
  EXPECT_EQ(refused.code, ErrorCode::ServerFull);
  EXPECT_THAT(refused.text, HasSubstr("memory"));
  EXPECT_GT(refused.retry_after_ms, 0u);
  WireClient who_ends_something(server_->port());
  EXPECT_TRUE(come(who_ends_something).welcomed);
  EXPECT_EQ(outcomes(client,
                     {test::spawn(5, 0, 0), test::set_velocity(entity, 1), test::add_area(1, 100)}),
            (Codes{{2, ErrorCode::ServerFull}, {3, ErrorCode::None}, {4, ErrorCode::ServerFull}}));
  client.socket().reset();
  WireClient again(server_->port());
  SessionWish wish;
  wish.token = greeted.token;
  EXPECT_TRUE(come(again, wish).resumed);
  EXPECT_EQ(outcomes(again, {test::despawn(entity)}), (Codes{{5, ErrorCode::None}}));

  used_bytes_ = plenty;
  EXPECT_TRUE(newcomer(true).welcomed);
  EXPECT_EQ(outcomes(again, {test::spawn(5, 0, 0), test::add_area(1, 100)}),
            (Codes{{6, ErrorCode::None}, {7, ErrorCode::None}}));
}

TEST_F(AServerShortOfMemory, AnswersAuthoritiesAloneUntilThereIsMemoryAgain) {
  WireClient authority(server_->port());
  WireClient player(server_->port());
  ASSERT_TRUE(come(authority).welcomed);
  ASSERT_TRUE(greet(player, {}).welcomed);
  (void)outcomes(authority, {});  // there is a tick to ask about
  std::uint64_t request = 0;
  const auto asked = [&](WireClient& client) {
    EXPECT_TRUE(client.send(test::box_query_frame(++request, 10)));
    const auto* answer = client.next_of<proto::QueryAnswer>();
    EXPECT_TRUE(answer != nullptr && answer->request() == request);
    return answer == nullptr ? ErrorCode::Internal : WireClient::code(answer->code());
  };
  EXPECT_EQ(asked(player), ErrorCode::None);
  used_bytes_ = short_of;
  ASSERT_FALSE(newcomer(false).welcomed);
  EXPECT_EQ(asked(player), ErrorCode::ServerFull);
  EXPECT_EQ(asked(authority), ErrorCode::None);
  used_bytes_ = plenty;
  ASSERT_TRUE(newcomer(true).welcomed);
  EXPECT_EQ(asked(player), ErrorCode::None);
}

TEST_F(AServerShortOfMemory, LetsNewEntitiesHaveThePlaceOfThoseThatEnded) {
  WireClient client(server_->port());
  ASSERT_TRUE(come(client).welcomed);
  (void)outcomes(client, {test::spawn(0, 0, 0)});
  (void)outcomes(client, {test::despawn(made_)});
  used_bytes_ = short_of;
  ASSERT_FALSE(newcomer(false).welcomed);
  EXPECT_EQ(outcomes(client, {test::spawn(0, 0, 0)}).begin()->second, ErrorCode::ServerFull);
  // After reuse_delay_ticks the slot may be used again, and only that one.
  for (std::uint64_t i = 0; i < limits::reuse_delay_ticks_default; ++i) (void)outcomes(client, {});
  const auto both = outcomes(client, {test::spawn(0, 0, 0), test::spawn(9, 0, 0)});
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both.begin()->second, ErrorCode::None);
  EXPECT_EQ(both.rbegin()->second, ErrorCode::ServerFull);
}

}  // namespace
}  // namespace vicinity::app
