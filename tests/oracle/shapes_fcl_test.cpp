// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Overlap and distance of random convex shapes against FCL, which is the less exact of the two: its
// answers are off by up to 2e-5 (overlap) and 5e-5 (distance) of the size of a pair, as the pairs
// with a known gap show (shapes_oracle_test.cpp, where no answer of ours is off by 1e-11).
// Needles and plates end it with a failed assertion, so that there are none here.

#include <gtest/gtest.h>

#include <string>

#include "narrow/shape_tests.h"
#include "oracle/fcl_shapes.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

constexpr double fcl_overlap_band = 1e-4;
constexpr double fcl_distance_band = 5e-4;

TEST(ShapesAgainstFcl, AgreeOutsideOfItsBand) {
  int overlapping = 0, apart = 0;
  for_each_seed(0, 100, [&](std::uint64_t seed) {
    Prng prng(seed);
    for (int i = 0; i < 1000; ++i) {
      const auto kind_a = static_cast<PrimitiveKind>(prng.below(4));
      const auto kind_b = static_cast<PrimitiveKind>(prng.below(4));
      const ShapePair pair = any_pair(prng, kind_a, kind_b, Extremes::None);
      SCOPED_TRACE("pair " + std::to_string(i) + " kinds " +
                   std::to_string(static_cast<int>(kind_a)) +
                   std::to_string(static_cast<int>(kind_b)));
      const auto ours = contact(pair.a, pair.pose_a, pair.b, pair.pose_b);
      const double distance_m =
          ours ? 0 : distance(pair.a, pair.pose_a, pair.b, pair.pose_b).distance_m;
      (ours ? overlapping : apart) += 1;
      const std::optional<bool> fcl = fcl_overlaps(pair);
      const double clear_m = ours ? ours->penetration_m : distance_m;
      if (fcl && clear_m > fcl_overlap_band * pair.size_m) {
        ASSERT_EQ(*fcl, ours.has_value()) << clear_m / pair.size_m;
      }
      const std::optional<double> fcl_m = fcl_distance(pair);
      if (fcl_m && !ours) {
        ASSERT_NEAR(std::max(0.0, *fcl_m), distance_m, fcl_distance_band * pair.size_m);
      }
    }
  });
  EXPECT_GT(overlapping, 300);
  EXPECT_GT(apart, 300);
}

}  // namespace
}  // namespace vicinity::oracle
