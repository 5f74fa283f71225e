// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/statistics.h"

#include <gtest/gtest.h>

namespace vicinity::bench {
namespace {

TEST(Statistics, PercentileIsTheNearestRank) {
  const std::vector<double> values = {50, 15, 40, 20, 35};
  EXPECT_EQ(percentile(values, 0.05), 15);
  EXPECT_EQ(percentile(values, 0.30), 20);
  EXPECT_EQ(percentile(values, 0.40), 20);
  EXPECT_EQ(percentile(values, 0.50), 35);
  EXPECT_EQ(percentile(values, 1.00), 50);
}

TEST(Statistics, PercentileNinetyNineOfAHundredIsTheSecondLargest) {
  std::vector<double> values;
  for (int i = 1; i <= 100; ++i) values.push_back(i);
  EXPECT_EQ(percentile(values, 0.99), 99);
  EXPECT_EQ(percentile(values, 0.0), 1);
}

TEST(Statistics, MedianOfAnEvenNumberIsInBetween) {
  EXPECT_EQ(median({9, 1, 4, 2}), 3);
  EXPECT_EQ(median({9, 1, 4}), 4);
  EXPECT_EQ(median({7}), 7);
}

TEST(Statistics, MeanIsTheSumOverTheCount) { EXPECT_EQ(mean({1, 2, 6}), 3); }

}  // namespace
}  // namespace vicinity::bench
