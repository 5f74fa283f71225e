// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/reconnect.h"

#include <gtest/gtest.h>

#include <set>

namespace vicinity::client {
namespace {

TEST(Reconnect, CodesThatCannotSucceedAreFinal) {
  const CloseDetails closed{false, true, 0};
  const CloseDetails rejected{true, true, 0};
  for (const ErrorCode code :
       {ErrorCode::VersionMismatch, ErrorCode::TakenOver, ErrorCode::WrongRole, ErrorCode::NotOwner,
        ErrorCode::BadFrame, ErrorCode::FrameTooLarge, ErrorCode::HandshakeExpected,
        ErrorCode::Unauthorized, ErrorCode::TokenExpired}) {
    EXPECT_FALSE(may_reconnect(code, closed)) << to_string(code);
    EXPECT_FALSE(may_reconnect(code, rejected)) << to_string(code);
  }
  for (const ErrorCode code :
       {ErrorCode::ServerFull, ErrorCode::ServerStopping, ErrorCode::SlowConsumer,
        ErrorCode::IdleTimeout, ErrorCode::ResumeRefused, ErrorCode::Internal,
        ErrorCode::RateLimited}) {
    EXPECT_TRUE(may_reconnect(code, closed)) << to_string(code);
    EXPECT_TRUE(may_reconnect(code, rejected)) << to_string(code);
  }
  EXPECT_TRUE(may_reconnect(ErrorCode::None, {})) << "the network broke";
  EXPECT_FALSE(may_reconnect(ErrorCode::LimitExceeded, rejected)) << "the hello stays as it is";
}

TEST(Backoff, DoublesUpToItsLimitAndBeginsAnew) {
  ReconnectOptions options;
  options.first_delay_ms = 100;
  options.delay_max_ms = 500;
  options.jitter = 0;
  Backoff backoff(options);
  EXPECT_EQ(backoff.next_delay_ms(0), 100u);
  EXPECT_EQ(backoff.next_delay_ms(0), 200u);
  EXPECT_EQ(backoff.next_delay_ms(0), 400u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(backoff.next_delay_ms(0), 500u);
  backoff.reset();
  EXPECT_EQ(backoff.next_delay_ms(0), 100u);
}

TEST(Backoff, SpreadsClientsButNeverBelowTheAdvice) {
  ReconnectOptions options;
  options.first_delay_ms = 1000;
  std::set<std::uint32_t> delays;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    options.seed = seed;
    Backoff backoff(options);
    const std::uint32_t delay = backoff.next_delay_ms(0);
    EXPECT_GE(delay, 500u);
    EXPECT_LE(delay, 1000u);
    delays.insert(delay);
    EXPECT_GE(backoff.next_delay_ms(7000), 7000u);
    Backoff same(options);
    EXPECT_EQ(same.next_delay_ms(0), delay) << "the seed decides";
  }
  EXPECT_GT(delays.size(), 10u);
}

TEST(Backoff, GivesUpAfterSoManyAttempts) {
  ReconnectOptions options;
  options.attempts_max = 2;
  Backoff backoff(options);
  backoff.next_delay_ms(0);
  EXPECT_FALSE(backoff.exhausted());
  backoff.next_delay_ms(0);
  EXPECT_TRUE(backoff.exhausted());
  backoff.reset();
  EXPECT_FALSE(backoff.exhausted());
}

TEST(Backoff, StandsTheLongestAdvice) {
  Backoff backoff({});
  EXPECT_EQ(backoff.next_delay_ms(0xFFFF'FFFFu), 0xFFFF'FFFFu);
}

}  // namespace
}  // namespace vicinity::client
