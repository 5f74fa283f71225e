// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/ring_rule.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

InterestArea sphere(Vec3 position, double radius_m, std::vector<Ring> rings) {
  InterestArea area;
  area.spec.enter_radius_m = radius_m;
  area.spec.leave_radius_m = 1.1 * radius_m;
  area.spec.rings = std::move(rings);
  area.position = position;
  area.placed = true;
  return area;
}

TEST(RingRule, UpdatesEverythingEveryTickWithoutRings) {
  RingRule rule;
  const InterestArea areas[] = {sphere({}, 50, {})};
  rule.reset(areas);
  EXPECT_TRUE(rule.trivial());
}

TEST(RingRule, TakesTheRingOfTheDistanceItsEdgeIncluded) {
  RingRule rule;
  const InterestArea areas[] = {sphere({10, 0, 0}, 100, {{20, 1}, {50, 2}, {80, 5}})};
  rule.reset(areas);
  EXPECT_FALSE(rule.trivial());
  EXPECT_EQ(rule.interval({10, 0, 20}, 0), 1u);
  EXPECT_EQ(rule.interval({10, 0, 20.5}, 0), 2u);
  EXPECT_EQ(rule.interval({60, 0, 0}, 0), 2u);
  EXPECT_EQ(rule.interval({70, 0, 0}, 0), 5u);
  EXPECT_EQ(rule.interval({105, 0, 0}, 0), 5u);  // beyond the last one its interval holds
}

TEST(RingRule, KeepsARingUntilATenthBeyondIt) {
  RingRule rule;
  const InterestArea areas[] = {sphere({}, 100, {{20, 1}, {50, 4}})};
  rule.reset(areas);
  EXPECT_EQ(rule.interval({21.9, 0, 0}, 1), 1u);
  EXPECT_EQ(rule.interval({22.1, 0, 0}, 1), 4u);
  EXPECT_EQ(rule.interval({21.9, 0, 0}, 4), 4u);  // and comes back at the edge itself
  EXPECT_EQ(rule.interval({20, 0, 0}, 4), 1u);
}

TEST(RingRule, OfSeveralAreasTheShortestIntervalCounts) {
  RingRule rule;
  const InterestArea areas[] = {sphere({}, 100, {{100, 10}}), sphere({50, 0, 0}, 10, {})};
  rule.reset(areas);
  EXPECT_EQ(rule.interval({}, 0), 10u);
  EXPECT_EQ(rule.interval({45, 0, 0}, 0), 1u);
  EXPECT_EQ(rule.interval({1000, 0, 0}, 0), 10u);  // what is seen from anywhere: the outermost
}

}  // namespace
}  // namespace vicinity
