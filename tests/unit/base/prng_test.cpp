// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/prng.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

// Published reference output of SplitMix64 for the seed 1234567.
TEST(Prng, GivesThePublishedNumbersOfSplitMix64) {
  Prng prng(1234567);
  EXPECT_EQ(prng.next(), 6457827717110365317ull);
  EXPECT_EQ(prng.next(), 3203168211198807973ull);
  EXPECT_EQ(prng.next(), 9817491932198370423ull);
  EXPECT_EQ(prng.next(), 4593380528125082431ull);
}

TEST(Prng, SameSeedGivesTheSameSequence) {
  Prng a(42);
  Prng b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
}

TEST(Prng, BelowStaysBelowAndReachesEveryValue) {
  Prng prng(1);
  int seen[7] = {};
  for (int i = 0; i < 7000; ++i) {
    const std::uint64_t value = prng.below(7);
    ASSERT_LT(value, 7u);
    ++seen[value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 200);
}

TEST(Prng, BelowOneIsAlwaysZero) {
  Prng prng(3);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(prng.below(1), 0u);
}

TEST(Prng, UnitAndBetweenStayInTheirHalfOpenRange) {
  Prng prng(2);
  double sum = 0;
  for (int i = 0; i < 10000; ++i) {
    const double unit = prng.unit();
    ASSERT_GE(unit, 0.0);
    ASSERT_LT(unit, 1.0);
    sum += unit;
    const double between = prng.between(-5, -3);
    ASSERT_GE(between, -5.0);
    ASSERT_LT(between, -3.0);
  }
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Prng, ChanceZeroNeverAndChanceOneAlways) {
  Prng prng(9);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(prng.chance(0));
    EXPECT_TRUE(prng.chance(1));
  }
}

}  // namespace
}  // namespace vicinity
