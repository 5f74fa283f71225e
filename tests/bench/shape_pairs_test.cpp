// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/shape_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "geometry/primitive_bounds.h"

namespace vicinity::bench {
namespace {

constexpr std::uint32_t count = 400;
constexpr std::uint64_t seed = 5;

std::vector<double> clearances_m(const std::vector<ShapePair>& pairs) {
  std::vector<double> out;
  out.reserve(pairs.size());
  for (const ShapePair& pair : pairs) out.push_back(clearance_m(pair));
  return out;
}

TEST(ShapePairs, AreOfAllCombinationsEachOnce) {
  std::set<std::string> names;
  for (const PairKinds kinds : all_pair_kinds()) names.insert(name_of(kinds));
  EXPECT_EQ(names.size(), 15u);
  EXPECT_TRUE(names.contains("sphere-box"));
  EXPECT_TRUE(names.contains("mesh-mesh"));
  EXPECT_FALSE(names.contains("box-sphere"));
}

TEST(ShapePairs, AboutHalfOverlapAndMostNearlyTouch) {
  for (const PairKinds kinds : all_pair_kinds()) {
    const auto clearances = clearances_m(make_shape_pairs(kinds, count, seed));
    const auto overlapping = std::ranges::count_if(clearances, [](double m) { return m < 0; });
    EXPECT_GT(overlapping, count * 4 / 10) << name_of(kinds);
    EXPECT_LT(overlapping, count * 6 / 10) << name_of(kinds);
    const auto near = std::ranges::count_if(clearances, [](double m) { return std::abs(m) < 0.1; });
    EXPECT_GT(near, count * 7 / 10) << name_of(kinds);
  }
}

TEST(ShapePairs, AreBetween20CentimetresAndTwoMetresLong) {
  for (const PairKinds kinds : all_pair_kinds()) {
    for (const ShapePair& pair : make_shape_pairs(kinds, count, seed)) {
      ASSERT_EQ(pair.a.kind, kinds.a);
      ASSERT_EQ(pair.b.kind, kinds.b);
      for (const Primitive& shape : {pair.a, pair.b}) {
        const Aabb box = box_around(shape, Pose{});
        const Vec3 extent = box.max - box.min;
        const double longest_m = std::max({extent.x, extent.y, extent.z});
        EXPECT_LE(longest_m, 2 + 1e-12);
        // Corners of hulls and bumps of meshes lie on and below an ellipsoid of that length.
        EXPECT_GE(longest_m, 0.1);
      }
    }
  }
}

TEST(ShapePairs, DependOnTheSeedAlone) {
  const PairKinds kinds = {PrimitiveKind::Box, PrimitiveKind::Mesh};
  const auto one = clearances_m(make_shape_pairs(kinds, count, seed));
  EXPECT_EQ(one, clearances_m(make_shape_pairs(kinds, count, seed)));
  EXPECT_NE(one, clearances_m(make_shape_pairs(kinds, count, seed + 1)));
}

}  // namespace
}  // namespace vicinity::bench
