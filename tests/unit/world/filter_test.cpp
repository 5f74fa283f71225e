// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/filter.h"

#include <gtest/gtest.h>

#include "world/shape.h"

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

TEST(Shape, TightBoxOfEachKind) {
  const Vec3 at{10, 20, 30};
  EXPECT_EQ(tight_box(Shape::sphere(2, {1, 0, 0}), at), (Aabb{{9, 18, 28}, {13, 22, 32}}));
  EXPECT_EQ(tight_box(Shape::capsule(1, 3), at), (Aabb{{9, 16, 29}, {11, 24, 31}}));
  EXPECT_EQ(tight_box(Shape::box({1, 2, 3}, {0, 1, 0}), at), (Aabb{{9, 19, 27}, {11, 23, 33}}));
  EXPECT_EQ(tight_box(Shape::box_corners({0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}), {}),
            (Aabb{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}));
}

TEST(Shape, SphereOfRadiusZeroIsAPoint) {
  const Aabb point = tight_box(Shape::sphere(0), {1, 2, 3});
  EXPECT_EQ(point.min, point.max);
}

}  // namespace
}  // namespace vicinity
