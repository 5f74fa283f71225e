// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/aabb.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

constexpr Aabb unit_at(double x) { return {{x, 0, 0}, {x + 1, 1, 1}}; }

TEST(Aabb, SharedFaceEdgeOrCornerIsNoOverlap) {
  EXPECT_FALSE(overlaps(unit_at(0), unit_at(1)));
  EXPECT_FALSE(overlaps(unit_at(0), Aabb{{1, 1, 0}, {2, 2, 1}}));
  EXPECT_FALSE(overlaps(unit_at(0), Aabb{{1, 1, 1}, {2, 2, 2}}));
}

TEST(Aabb, OverlapIsStrictOnEveryAxis) {
  const Aabb a{{0, 0, 0}, {1, 1, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    Aabb b{{0.5, 0.5, 0.5}, {2, 2, 2}};
    EXPECT_TRUE(overlaps(a, b));
    b.min[axis] = 1;
    EXPECT_FALSE(overlaps(a, b)) << axis;
    EXPECT_FALSE(overlaps(b, a)) << axis;
    b.min[axis] = std::nextafter(1.0, 0.0);
    EXPECT_TRUE(overlaps(a, b)) << axis;
  }
}

TEST(Aabb, PointOverlapsOnlyStrictlyInside) {
  const Aabb box{{0, 0, 0}, {2, 2, 2}};
  EXPECT_TRUE(overlaps(box, Aabb{{1, 1, 1}, {1, 1, 1}}));
  EXPECT_FALSE(overlaps(box, Aabb{{2, 1, 1}, {2, 1, 1}}));
  EXPECT_FALSE(overlaps(box, Aabb{{0, 1, 1}, {0, 1, 1}}));
}

TEST(Aabb, PointsNeverOverlapEachOther) {
  const Aabb point{{1, 1, 1}, {1, 1, 1}};
  EXPECT_FALSE(overlaps(point, point));
}

TEST(Aabb, NegativeZeroEqualsZero) {
  EXPECT_FALSE(overlaps(Aabb{{-1, 0, 0}, {-0.0, 1, 1}}, Aabb{{0.0, 0, 0}, {1, 1, 1}}));
  EXPECT_TRUE(touches(Aabb{{-1, 0, 0}, {-0.0, 1, 1}}, Aabb{{0.0, 0, 0}, {1, 1, 1}}));
}

TEST(Aabb, ClosedTestCountsASharedCornerAndNothingBeyond) {
  EXPECT_TRUE(touches(unit_at(0), Aabb{{1, 1, 1}, {2, 2, 2}}));
  EXPECT_FALSE(touches(unit_at(0), unit_at(std::nextafter(1.0, 2.0))));
}

TEST(Aabb, SinglePrecisionFollowsTheSameRule) {
  const Aabb32 a{{0, 0, 0}, {1, 1, 1}};
  const Aabb32 b{{1, 0, 0}, {2, 1, 1}};
  const Aabb32 c{{0.5f, 0, 0}, {2, 1, 1}};
  EXPECT_FALSE(overlaps(a, b));
  EXPECT_TRUE(touches(a, b));
  EXPECT_TRUE(overlaps(a, c));
}

TEST(Aabb, MergeIsTheSmallestBoxAroundBoth) {
  const Aabb a{{-3, 1, 0}, {1, 2, 4}};
  const Aabb b{{0, -5, 1}, {2, 0, 3}};
  EXPECT_EQ(merge(a, b), (Aabb{{-3, -5, 0}, {2, 2, 4}}));
}

TEST(Aabb, DistanceIsZeroInsideAndToTheNearestPointOutside) {
  const Aabb box{{0, 0, 0}, {2, 2, 2}};
  EXPECT_EQ(distance_squared({1, 1, 1}, box), 0.0);
  EXPECT_EQ(distance_squared({2, 1, 1}, box), 0.0);
  EXPECT_EQ(distance_squared({5, 1, 1}, box), 9.0);
  EXPECT_EQ(distance_squared({-3, 6, 1}, box), 25.0);
}

// 0.1 lies between two f32 values; each rounding must pick the one on its own side.
TEST(Rounding, BracketsAValueThatHasNoFloat) {
  for (const double value : {0.1, -0.1, 1e12 + 1, -(1e12 + 1), 8796093022207.9, 1e-30}) {
    const float low = round_down(value);
    const float high = round_up(value);
    EXPECT_LT(static_cast<double>(low), value);
    EXPECT_GT(static_cast<double>(high), value);
    EXPECT_EQ(std::nextafter(low, std::numeric_limits<float>::infinity()), high);
  }
}

TEST(Rounding, KeepsAValueThatHasAFloat) {
  for (const double value : {0.0, 1.0, -2.5, 8796093022208.0, -8796093022208.0}) {
    EXPECT_EQ(static_cast<double>(round_down(value)), value);
    EXPECT_EQ(static_cast<double>(round_up(value)), value);
  }
}

/// No other f32 lies between a value and what it is rounded to, for values of all magnitudes.
TEST(Rounding, IsTheNearestOnEitherSide) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Prng prng(20263);
  std::vector<double> values = {1e-300, -1e-300, 1e-40, -1e-40, 3e38, -3e38, 0.0, -0.0};
  for (int i = 0; i < 100'000; ++i) {
    const double sign = prng.chance(0.5) ? 1 : -1;
    values.push_back(sign *
                     std::ldexp(prng.between(0.5, 1), static_cast<int>(prng.below(270)) - 150));
  }
  for (const double value : values) {
    const float low = round_down(value);
    const float high = round_up(value);
    ASSERT_LE(static_cast<double>(low), value);
    ASSERT_GT(static_cast<double>(std::nextafter(low, infinity)), value);
    ASSERT_GE(static_cast<double>(high), value);
    ASSERT_LT(static_cast<double>(std::nextafter(high, -infinity)), value);
  }
}

/// Also for boxes that are not boxes: each corner on its own, bit for bit.
TEST(Rounding, OfABoxIsThatOfItsCorners) {
  Prng prng(7);
  const auto any_value = [&] {
    if (prng.chance(0.1)) return prng.chance(0.5) ? 0.0 : -0.0;
    const double value = std::ldexp(prng.between(-1, 1), static_cast<int>(prng.below(270)) - 150);
    return prng.chance(0.2) ? static_cast<double>(static_cast<float>(value)) : value;
  };
  for (int i = 0; i < 100'000; ++i) {
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) box.min[axis] = any_value(), box.max[axis] = any_value();
    const Aabb32 out = round_outward(box);
    for (int axis = 0; axis < 3; ++axis) {
      const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
      ASSERT_EQ(bits(out.min[axis]), bits(round_down(box.min[axis])));
      ASSERT_EQ(bits(out.max[axis]), bits(round_up(box.max[axis])));
    }
  }
}

TEST(Rounding, OutwardBoxContainsTheBox) {
  const Aabb box{{0.1, -0.1, 1e9 + 0.3}, {0.2, -0.05, 1e9 + 0.4}};
  const Aabb32 out = round_outward(box);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(static_cast<double>(out.min[axis]), box.min[axis]);
    EXPECT_GE(static_cast<double>(out.max[axis]), box.max[axis]);
  }
}

}  // namespace
}  // namespace vicinity
