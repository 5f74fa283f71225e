// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/filter.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

bool meet(const Filter& a, const Filter& b) {
  EXPECT_EQ(accepts(a, b), accepts(b, a)) << "the rule must be symmetric";
  return accepts(a, b);
}

TEST(Filter, DefaultsMeet) { EXPECT_TRUE(meet({}, {})); }

TEST(Filter, BothDirectionsMustAccept) {
  EXPECT_TRUE(meet({.category = 1, .mask = 2}, {.category = 2, .mask = 1}));
  EXPECT_FALSE(meet({.category = 1, .mask = 2}, {.category = 2, .mask = 4}));
  EXPECT_FALSE(meet({.category = 1, .mask = 4}, {.category = 2, .mask = 1}));
}

TEST(Filter, CommonGroupOverridesTheMasks) {
  EXPECT_TRUE(meet({.mask = 8, .group = 3}, {.mask = 8, .group = 3}));
  EXPECT_FALSE(meet({.group = -3}, {.group = -3}));
  EXPECT_TRUE(meet({.group = -3}, {.group = -4}));
  EXPECT_FALSE(meet({.mask = 8, .group = 3}, {.mask = 8, .group = 4}));
}

TEST(Filter, MaskOfZeroAndDisabledMeetNobodyWhateverTheGroup) {
  EXPECT_FALSE(meet({.mask = 0, .group = 3}, {.group = 3}));
  EXPECT_FALSE(meet({.group = 3, .enabled = false}, {.group = 3}));
}

TEST(Filter, InstancesNeverMeetWhateverTheGroup) {
  EXPECT_FALSE(meet({.group = 3, .instance = 1}, {.group = 3, .instance = 2}));
  EXPECT_TRUE(meet({.instance = 2}, {.instance = 2}));
}

TEST(Filter, SensorsSenseSolidsOnly) {
  EXPECT_TRUE(meet({.sensor = true}, {}));
  EXPECT_FALSE(meet({.group = 1, .sensor = true}, {.group = 1, .sensor = true}));
}

TEST(Filter, TwoStaticsNeverMeet) {
  EXPECT_TRUE(meet({.is_static = true}, {}));
  EXPECT_FALSE(meet({.group = 1, .is_static = true}, {.group = 1, .is_static = true}));
}

TEST(Filter, SearchLooksAtCategoryInstanceAndEnabledOnly) {
  EXPECT_TRUE(finds({.category_mask = 2}, {.category = 6, .mask = 0}));
  EXPECT_FALSE(finds({.category_mask = 1}, {.category = 6}));
  EXPECT_FALSE(finds({.instance = 1}, {}));
  EXPECT_FALSE(finds({}, {.enabled = false}));
}

}  // namespace
}  // namespace vicinity
