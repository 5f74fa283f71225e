// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/quat.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity {
namespace {

void expect_near(Vec3 a, Vec3 b, double error) {
  EXPECT_NEAR(a.x, b.x, error);
  EXPECT_NEAR(a.y, b.y, error);
  EXPECT_NEAR(a.z, b.z, error);
}

Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

TEST(Quat, QuarterTurnsFollowTheRightHand) {
  const double quarter = pi / 2;
  expect_near(rotate(from_rotation_vector({0, 0, quarter}), {1, 0, 0}), {0, 1, 0}, 1e-15);
  expect_near(rotate(from_rotation_vector({0, quarter, 0}), {0, 0, 1}), {1, 0, 0}, 1e-15);
  expect_near(rotate(from_rotation_vector({quarter, 0, 0}), {0, 1, 0}), {0, 0, 1}, 1e-15);
}

TEST(Quat, ProductsApplyTheRightOneFirst) {
  const Quat about_z = from_rotation_vector({0, 0, pi / 2});
  const Quat about_x = from_rotation_vector({pi / 2, 0, 0});
  // x goes to y about z, and then to z about x.
  expect_near(rotate(about_x * about_z, {1, 0, 0}), {0, 0, 1}, 1e-15);
}

TEST(Quat, IdentityLeavesEveryBitAlone) {
  const Vec3 v = {0.1, -1e300, 3e-300};
  EXPECT_EQ(rotate(Quat{}, v), v);
  EXPECT_EQ(rotate(Quat{0, 0, 0, -1}, v), v);
  EXPECT_EQ(matrix_of(Quat{}) * Vec3({0.1, 0.2, 0.3}), Vec3({0.1, 0.2, 0.3}));
}

TEST(Quat, RotationVectorsComeBackAsTheShortestArc) {
  Prng prng(3);
  for (int i = 0; i < 10'000; ++i) {
    const Vec3 v = any_vector(prng, 1.8);  // shorter than pi
    expect_near(to_rotation_vector(from_rotation_vector(v)), v, 4e-15);
  }
  // One and a half turns to the left are half a turn; a turn and a quarter is a quarter.
  expect_near(to_rotation_vector(from_rotation_vector({0, 2.5 * pi, 0})), {0, pi / 2, 0}, 1e-14);
  // Three quarters to the left are a quarter to the right.
  expect_near(to_rotation_vector(from_rotation_vector({0, 1.5 * pi, 0})), {0, -pi / 2, 0}, 1e-14);
}

TEST(Quat, TinyRotationsKeepTheirRelativePrecision) {
  const Vec3 v = to_rotation_vector(from_rotation_vector({1e-100, 0, -3e-100}));
  EXPECT_DOUBLE_EQ(v.x, 1e-100);
  EXPECT_DOUBLE_EQ(v.z, -3e-100);
  EXPECT_EQ(from_rotation_vector({}), Quat{});
  EXPECT_EQ(to_rotation_vector(Quat{}), Vec3{});
}

TEST(Quat, MatrixAndQuaternionAgree) {
  Prng prng(4);
  for (int i = 0; i < 10'000; ++i) {
    const Quat q = from_rotation_vector(any_vector(prng, 10));
    const Vec3 v = any_vector(prng, 5);
    expect_near(matrix_of(q) * v, rotate(q, v), 2e-14);
    expect_near(rotate(conjugate(q), rotate(q, v)), v, 2e-14);
    EXPECT_NEAR(length(rotate(q, v)), length(v), 1e-14);
  }
}

TEST(Quat, NormalizedStandsAnySize) {
  const Quat tiny = normalized({0, 0, 3e-300, 4e-300});
  EXPECT_DOUBLE_EQ(tiny.z, 0.6);
  EXPECT_DOUBLE_EQ(tiny.w, 0.8);
  EXPECT_EQ(normalized({0, 0, 0, 1e300}), Quat{});
  EXPECT_EQ(normalized({0, 0, 0, 0}), Quat{});
}

TEST(VecMath, CrossOfNearlyParallelUnitsKeepsItsDirection) {
  // Two directions 1e-10 apart: the cross product is along z but for what the units differ from
  // length 1.
  const Vec3 a = unit_or({3, 4, 0}, {});
  const Vec3 b = unit_or(a + Vec3{-0.8e-10, 0.6e-10, 0}, {});
  for (const Vec3& other : {b, negated(b)}) {
    const Vec3 n = unit_or(cross_of_units(a, other), {});
    EXPECT_NEAR(std::abs(n.z), 1, 1e-15);
  }
}

TEST(VecMath, UnitOfExtremeSizes) {
  expect_near(unit_or({3e300, 0, -4e300}, {}), {0.6, 0, -0.8}, 1e-15);
  expect_near(unit_or({0, 3e-300, -4e-300}, {}), {0, 0.6, -0.8}, 1e-15);
  EXPECT_EQ(unit_or({}, {0, 1, 0}), Vec3({0, 1, 0}));
}

}  // namespace
}  // namespace vicinity
