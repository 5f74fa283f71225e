// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/server_clock.h"

#include <gtest/gtest.h>

namespace vicinity::client {
namespace {

TEST(ServerClock, KnowsNothingBeforeTheFirstAnswer) {
  ServerClock clock;
  EXPECT_FALSE(clock.is_known());
  EXPECT_EQ(clock.server_time_us(5), 5);
  EXPECT_EQ(clock.tick_at(5), 0);
}

TEST(ServerClock, BelievesTheShortestRoundTrip) {
  ServerClock clock;
  // The server is 1000 us ahead. 800 us there, 0 us back: off by half the round trip.
  clock.add_sample(0, 800, 1800);
  EXPECT_EQ(clock.server_time_us(0), 1400);
  clock.add_sample(10'000, 10'100, 11'050);
  EXPECT_EQ(clock.server_time_us(0), 1000);
  EXPECT_EQ(clock.round_trip_us(), 100);
  clock.add_sample(20'000, 29'000, 21'000);  // a slow one changes nothing
  EXPECT_EQ(clock.server_time_us(0), 1000);
  clock.add_sample(30'000, 29'999, 0);  // impossible
  EXPECT_EQ(clock.server_time_us(0), 1000);
}

TEST(ServerClock, ForgetsOldSamplesBecauseClocksDrift) {
  ServerClock clock;
  clock.add_sample(0, 10, 1005);
  for (int i = 0; i < 32; ++i) clock.add_sample(100, 200, 2150);
  EXPECT_EQ(clock.server_time_us(0), 2000);
}

TEST(ServerClock, CountsTicksWithTheirFraction) {
  ServerClock clock;
  clock.set_tick_rate_hz(20);
  clock.add_sample(0, 0, 1'000'000);
  clock.add_tick(40, 1'100'000);
  EXPECT_DOUBLE_EQ(clock.tick_at(100'000), 40);
  EXPECT_DOUBLE_EQ(clock.tick_at(125'000), 40.5);
  EXPECT_DOUBLE_EQ(clock.tick_at(50'000), 39);
}

}  // namespace
}  // namespace vicinity::client
