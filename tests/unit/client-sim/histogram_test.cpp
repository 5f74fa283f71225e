// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/histogram.h"

#include <gtest/gtest.h>

#include "client-sim/clock_map.h"

namespace vicinity::sim {
namespace {

TEST(Histogram, IsEmptyAtFirst) { EXPECT_EQ(Histogram().percentile_us(0.5), std::nullopt); }

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile_us(0), 1u);
  EXPECT_EQ(histogram.percentile_us(0.5), 50u);
  EXPECT_EQ(histogram.percentile_us(0.99), 99u);
  EXPECT_EQ(histogram.percentile_us(1), 100u);
}

TEST(Histogram, EveryValueIsWithinItsBucket) {
  for (std::int64_t value = 1; value < (std::int64_t{1} << 50); value = value * 5 / 3 + 1) {
    Histogram histogram;
    histogram.add(value);
    const auto found = static_cast<std::int64_t>(*histogram.percentile_us(1));
    EXPECT_GE(found, value);
    EXPECT_LE(found - value, value / 64);
  }
}

TEST(Histogram, NegativeValuesCountAsZero) {
  Histogram histogram;
  histogram.add(-5);
  EXPECT_EQ(histogram.percentile_us(1), 0u);
}

TEST(ClockMap, TheFastestPongDecides) {
  ClockMap clock;
  EXPECT_FALSE(clock.known());
  clock.add_pong(1'000, 400, 50'800);  // read at local 800: the server is 50'000 ahead
  EXPECT_TRUE(clock.known());
  EXPECT_EQ(clock.to_server_us(2'000), 52'000);
  clock.add_pong(3'000, 100, 53'050);  // faster: read at 2950, so 50'100 ahead
  EXPECT_EQ(clock.to_server_us(2'000), 52'100);
  clock.add_pong(4'000, 2'000, 99'999);  // slower: says nothing new
  EXPECT_EQ(clock.to_server_us(2'000), 52'100);
}

TEST(ClockMap, AnOldEstimateGivesWay) {
  ClockMap clock;
  clock.add_pong(1'000, 100, 950);
  clock.add_pong(20'000'000, 200, 19'999'800);
  EXPECT_EQ(clock.to_server_us(0), -100);
}

}  // namespace
}  // namespace vicinity::sim
