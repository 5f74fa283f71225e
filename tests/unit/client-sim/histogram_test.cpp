// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.h"
#include "client-sim/clock_map.h"

namespace vicinity::sim {
namespace {

/// Latencies of all sizes.
std::vector<std::uint64_t> samples(std::size_t count, std::uint64_t seed) {
  Prng prng(seed);
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(prng.next() >> (64 - 1 - prng.below(36)));
  return out;
}

Histogram histogram_of(const std::vector<std::uint64_t>& values, int digits = 2) {
  Histogram out(digits);
  for (const std::uint64_t value : values) out.add(static_cast<std::int64_t>(value));
  return out;
}

TEST(Histogram, IsEmptyAtFirst) {
  EXPECT_EQ(Histogram().percentile_us(0.5), std::nullopt);
  EXPECT_EQ(Histogram().max_us(), 0u);
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.percentile_us(0), 1u);
  EXPECT_EQ(histogram.percentile_us(0.5), 50u);
  EXPECT_EQ(histogram.percentile_us(0.99), 99u);
  EXPECT_EQ(histogram.percentile_us(1), 100u);
}

TEST(Histogram, BucketsFollowOneAnother) {
  for (int digits = Histogram::digits_min; digits <= Histogram::digits_max; ++digits) {
    const Histogram histogram(digits);
    const std::size_t count = std::min<std::size_t>(histogram.bucket_count_max(), 100'000);
    for (std::size_t bucket = 0; bucket + 1 < count; ++bucket) {
      ASSERT_EQ(histogram.bucket_end_us(bucket) + 1, histogram.bucket_begin_us(bucket + 1));
      const double width =
          static_cast<double>(histogram.bucket_end_us(bucket) - histogram.bucket_begin_us(bucket));
      ASSERT_LE(width,
                static_cast<double>(histogram.bucket_begin_us(bucket)) * std::pow(10, -digits));
    }
  }
}

TEST(Histogram, PercentilesAreThoseOfTheSortedSamples) {
  for (int digits = Histogram::digits_min; digits <= Histogram::digits_max; ++digits) {
    std::vector<std::uint64_t> values = samples(5'000, 11);
    const Histogram histogram = histogram_of(values, digits);
    std::sort(values.begin(), values.end());
    for (const double fraction : {0.0, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(
          std::max(1.0, std::ceil(fraction * static_cast<double>(values.size()))));
      const auto exact = static_cast<double>(values[rank - 1]);
      const auto found = static_cast<double>(*histogram.percentile_us(fraction));
      EXPECT_GE(found, exact);
      EXPECT_LE(found, exact * (1 + std::pow(10, -digits))) << digits << " " << fraction;
    }
    EXPECT_EQ(histogram.max_us(), values.back());
  }
}

TEST(Histogram, NegativeValuesCountAsZero) {
  Histogram histogram;
  histogram.add(-5);
  EXPECT_EQ(histogram.percentile_us(1), 0u);
}

TEST(Histogram, EnormousValuesCountAsTheLargest) {
  Histogram histogram;
  histogram.add(INT64_MAX);
  EXPECT_EQ(histogram.max_us(), Histogram::value_us_max);
  EXPECT_LE(histogram.buckets().size(), histogram.bucket_count_max());
}

TEST(Histogram, MergedIsTheSameAsAddedToOne) {
  const auto a = samples(1'000, 1);
  const auto b = samples(700, 2);
  Histogram merged = histogram_of(a);
  merged.merge(histogram_of(b));
  std::vector<std::uint64_t> both = a;
  both.insert(both.end(), b.begin(), b.end());
  const Histogram one = histogram_of(both);
  EXPECT_EQ(merged.buckets(), one.buckets());
  EXPECT_EQ(merged.count(), 1'700u);
  EXPECT_EQ(merged.max_us(), one.max_us());
  EXPECT_DOUBLE_EQ(merged.sum_us(), one.sum_us());
}

TEST(Histogram, OtherDigitsMergeWithinTheCoarserError) {
  const auto values = samples(1'000, 3);
  Histogram merged(2);
  merged.merge(histogram_of(values, 3));
  const Histogram direct = histogram_of(values, 2);
  EXPECT_EQ(merged.count(), direct.count());
  EXPECT_EQ(merged.max_us(), direct.max_us());
  const auto a = static_cast<double>(*merged.percentile_us(0.9));
  const auto b = static_cast<double>(*direct.percentile_us(0.9));
  EXPECT_NEAR(a, b, 0.01 * b);
}

TEST(Histogram, WhatWasKeptIsRestored) {
  const Histogram before = histogram_of(samples(500, 4));
  const auto after = Histogram::restore(2, before.buckets(), before.max_us(), before.sum_us());
  ASSERT_TRUE(after);
  EXPECT_EQ(after->count(), before.count());
  EXPECT_EQ(after->percentile_us(0.99), before.percentile_us(0.99));
  EXPECT_TRUE(Histogram::restore(2, {}, 0, 0));
}

TEST(Histogram, WhatContradictsItselfIsNotRestored) {
  EXPECT_FALSE(Histogram::restore(0, {}, 0, 0));
  EXPECT_FALSE(Histogram::restore(9, {}, 0, 0));
  EXPECT_FALSE(Histogram::restore(2, {1, 1}, 7, 1));  // 7 is not in the last bucket
  EXPECT_FALSE(Histogram::restore(2, {}, 7, 0));
  EXPECT_FALSE(Histogram::restore(2, {1}, 0, -1));
  EXPECT_FALSE(Histogram::restore(2, {UINT64_MAX, 1}, 1, 1));
  EXPECT_FALSE(Histogram::restore(2, {1}, UINT64_MAX, 1));
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
