// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/gjk.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity::narrow {
namespace {

PlacedCore cube_at(Vec3 position, double half = 1) {
  return place(box_primitive({half, half, half}), position, {});
}

/// A hull of 64 points on the unit sphere.
Primitive ball_of_points() {
  Prng prng(40);
  std::vector<Vec3> points(64);
  for (Vec3& point : points)
    point = unit_or({prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)}, {1, 0, 0});
  return hull_primitive(
      std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value()));
}

TEST(Gjk, FindsTheClosestPointsOfCorners) {
  const ClosestCores got = closest_by_gjk(cube_at({0, 0, 0}), cube_at({3, 4, 4}));
  EXPECT_EQ(got.verdict, Verdict::Separated);
  EXPECT_NEAR(got.distance_m, 3, 1e-15);
  EXPECT_NEAR(length(got.on_a - Vec3{1, 1, 1}), 0, 1e-15);
  EXPECT_NEAR(length(got.on_b - Vec3{2, 3, 3}), 0, 1e-15);
  EXPECT_NEAR(got.normal.x, 1.0 / 3, 1e-15);
}

TEST(Gjk, VerdictsFollowTheGap) {
  for (const double size_m : {1e-3, 1.0, 1e4}) {
    const auto verdict = [size_m](double gap_part) {
      return closest_by_gjk(cube_at({}, size_m),
                            cube_at(Vec3{2 + gap_part, 0.3, 0.1} * size_m, size_m))
          .verdict;
    };
    EXPECT_EQ(verdict(1e-6), Verdict::Separated);
    EXPECT_EQ(verdict(1e-10), Verdict::Separated);
    EXPECT_EQ(verdict(0), Verdict::Unsure);
    EXPECT_EQ(verdict(-1e-6), Verdict::Inside);
    EXPECT_EQ(verdict(-1), Verdict::Inside);
  }
}

TEST(Gjk, DecidesEarlyOnTheRightSide) {
  const PlacedCore a = cube_at({});
  const PlacedCore b = cube_at({3, 4, 4});  // 3 metres apart
  EXPECT_LT(closest_by_gjk(a, b, 3.001).distance_m, 3.001);
  EXPECT_GE(closest_by_gjk(a, b, 2.999).distance_m, 2.999);
  EXPECT_GE(closest_by_gjk(a, b, 0.1).distance_m, 0.1);
}

TEST(Gjk, OfHullsWithManyCornersIsBoundedByTheirSpheres) {
  const Primitive ball = ball_of_points();
  Prng prng(41);
  for (int i = 0; i < 500; ++i) {
    const Vec3 way = unit_or({prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)}, {});
    const double apart_m = prng.between(2.001, 5);
    const Quat turn = from_rotation_vector(way * prng.between(-3, 3));
    const ClosestCores got = closest_by_gjk(place(ball, {}, {}), place(ball, way * apart_m, turn));
    ASSERT_EQ(got.verdict, Verdict::Separated);
    // Corners on the unit sphere, faces inside of it: no closer than the spheres, and no farther
    // than the balls that fit inside both hulls, of radius 0.6 at the least.
    EXPECT_GE(got.distance_m, apart_m - 2);
    EXPECT_LE(got.distance_m, apart_m - 1.2);
    EXPECT_NEAR(length(got.on_b - got.on_a), got.distance_m, 1e-14);
    // Optimal: nothing of either is beyond the planes through the two points.
    const PlacedCore b = place(ball, way * apart_m, turn);
    EXPECT_NEAR(dot(support(place(ball, {}, {}), got.normal), got.normal),
                dot(got.on_a, got.normal), 1e-13);
    EXPECT_NEAR(dot(support(b, negated(got.normal)), got.normal), dot(got.on_b, got.normal), 1e-13);
  }
}

TEST(Gjk, PointsAndSegmentsAreCoresLikeAnyOther) {
  const PlacedCore point = place(sphere_primitive(0.5), {0, 0, 0}, {});
  const PlacedCore segment = place(capsule_primitive(0.5, 2), {3, 1, 0}, {});
  EXPECT_EQ(closest_by_gjk(point, segment).distance_m, 3.0);  // radii do not count
  EXPECT_EQ(closest_by_gjk(point, point).verdict, Verdict::Unsure);
  EXPECT_EQ(closest_by_gjk(segment, cube_at({2.7, 0.3, 0.4})).verdict, Verdict::Inside);
}

}  // namespace
}  // namespace vicinity::narrow
