// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/time_of_impact.h"

#include <gtest/gtest.h>

#include "narrow/shape_cast.h"
#include "narrow/shape_tests.h"
#include "unit/narrow/shapes.h"

namespace vicinity {
namespace {

using test::at;
using test::cube_hull;
using test::floor_mesh;

Path moving(const Pose& start, Vec3 way) { return path_of_velocity(start, way, {}, 1); }
Path turning(const Pose& start, Vec3 way, Vec3 angle) {
  return path_of_velocity(start, way, angle, 1);
}

const ImpactPrecision fine = {1e-9, 100};

TEST(TimeOfImpact, OfShiftedShapesIsWhenTheGapIsClosed) {
  // A gap of 3 metres, closed at 8 and 4 metres per tick.
  const Primitive box = box_primitive({1, 1, 1});
  for (const Primitive& a : {sphere_primitive(1), capsule_primitive(1, 2), box, cube_hull(1)}) {
    for (const Primitive& b : {sphere_primitive(1), capsule_primitive(1, 2), box, cube_hull(1)}) {
      const TimeOfImpact got = time_of_impact(a, moving(at(0, 0, 0), {8, 0, 0}), b,
                                              moving(at(5, 0, 0), {-4, 0, 0}), fine);
      EXPECT_TRUE(got.hit);
      EXPECT_FALSE(got.capped);
      EXPECT_NEAR(got.toi, 0.25, 1e-9);
      EXPECT_NEAR(got.pose_a.position.x, 2, 1e-8);
      EXPECT_NEAR(got.pose_b.position.x, 4, 1e-8);
    }
  }
}

TEST(TimeOfImpact, IsZeroWhenTheyOverlapAtTheStart) {
  const TimeOfImpact got = time_of_impact(sphere_primitive(1), moving(at(0, 0, 0), {5, 0, 0}),
                                          sphere_primitive(1), path_at_rest(at(1, 0, 0)));
  EXPECT_TRUE(got.hit);
  EXPECT_EQ(got.toi, 0.0);
  EXPECT_EQ(got.pose_a, at(0, 0, 0));
}

TEST(TimeOfImpact, TouchingIsNone) {
  for (const Primitive& shape :
       {sphere_primitive(1), capsule_primitive(1, 2), box_primitive({1, 1, 1}), cube_hull(1)}) {
    // Side by side along x, sliding along z; and reaching the surface at the very end.
    EXPECT_FALSE(
        time_of_impact(shape, moving(at(0, 0, -3), {0, 0, 6}), shape, path_at_rest(at(2, 0, 0)))
            .hit);
    EXPECT_FALSE(
        time_of_impact(shape, moving(at(0, 0, 0), {3, 0, 0}), shape, path_at_rest(at(5, 0, 0)))
            .hit);
  }
}

TEST(TimeOfImpact, PassingThroughWithinATickIsFound) {
  const Primitive wall = box_primitive({0.001, 5, 5}, {{}, from_rotation_vector({0, 0, 0.1})});
  for (const Primitive& bullet :
       {sphere_primitive(0.005), capsule_primitive(0.005, 0.02), cube_hull(0.005)}) {
    const TimeOfImpact got = time_of_impact(bullet, moving(at(-500, 0, 0), {1000, 0, 0}), wall,
                                            path_at_rest(at(0, 0, 0)), {1e-5, 100});
    EXPECT_TRUE(got.hit);
    EXPECT_FALSE(got.capped);
    EXPECT_NEAR(got.toi, 0.5, 1e-4);
  }
}

TEST(TimeOfImpact, ATurningBarSweepsWhatIsBesideIt) {
  // A bar of 4 metres along x turns about y by a right angle; a ball stands 1.5 metres in front of
  // it (towards -z) at x = 0: met when the bar's direction has turned to it.
  const Primitive bar = box_primitive({2, 0.1, 0.1});
  const Primitive ball = sphere_primitive(0.1);
  const Path path = turning(at(0, 0, 0), {}, {0, pi / 2, 0});
  const TimeOfImpact got = time_of_impact(bar, path, ball, path_at_rest(at(0, 0, -1.5)), fine);
  ASSERT_TRUE(got.hit);
  // The ball touches the bar's side when it is 0.2 from its middle line: 1.5 sin(angle) = 0.2.
  const double angle = pi / 2 - std::asin(0.2 / 1.5);
  EXPECT_NEAR(got.toi, angle / (pi / 2), 1e-8);
  // Neither end of the path overlaps a ball that stands at 45 degrees, but the middle does.
  const Path beside = path_at_rest(at(1, 0, -1));
  EXPECT_FALSE(overlaps(bar, path.start, ball, beside.start));
  EXPECT_FALSE(overlaps(bar, path.end, ball, beside.start));
  EXPECT_TRUE(time_of_impact(bar, path, ball, beside).hit);
  EXPECT_FALSE(time_of_impact(bar, path, ball, path_at_rest(at(-1, 0, -1))).hit);
}

TEST(TimeOfImpact, ABallMayTurnAsItLikes) {
  const TimeOfImpact got =
      time_of_impact(sphere_primitive(1), turning(at(0, 0, 0), {8, 0, 0}, {0, 100, 0}),
                     sphere_primitive(1), turning(at(5, 0, 0), {-4, 0, 0}, {30, 0, 0}));
  EXPECT_TRUE(got.hit);
  EXPECT_EQ(got.toi, 0.25);
  // A spinning ball, or a box spinning about the vertical, rests on a floor without a hit.
  const Primitive floor = box_primitive({10, 1, 10}, {{}, from_rotation_vector({0, 0.3, 0})});
  EXPECT_FALSE(time_of_impact(sphere_primitive(1), turning(at(0, 2.001, 0), {}, {50, 0, 0}), floor,
                              path_at_rest(at(0, 0, 0)))
                   .hit);
  EXPECT_FALSE(time_of_impact(box_primitive({1, 1, 1}), turning(at(0, 2.001, 0), {}, {0, 50, 0}),
                              floor, path_at_rest(at(0, 0, 0)))
                   .hit);
}

TEST(TimeOfImpact, SaysWhenItsStepsAreUsedUp) {
  const TimeOfImpact got =
      time_of_impact(box_primitive({2, 0.1, 0.1}), turning(at(0, 0, 0), {}, {0, 40, 0}),
                     sphere_primitive(1), path_at_rest(at(0, 0, -3.01)), {1e-7, 5});
  EXPECT_TRUE(got.hit);
  EXPECT_TRUE(got.capped);
  EXPECT_LT(got.toi, 1);
}

TEST(TimeOfImpact, AnOverlapAtTheEndIsAlwaysAHit) {
  // Deeper than rounding but far less than the tolerance.
  for (const Primitive& shape :
       {sphere_primitive(1), capsule_primitive(1, 2), box_primitive({1, 1, 1}), cube_hull(1)}) {
    const TimeOfImpact got = time_of_impact(shape, moving(at(0, 0, 0), {3, 0, 0}), shape,
                                            path_at_rest(at(5 - 1e-9, 0, 0)), {0.01, 64});
    EXPECT_TRUE(got.hit);
    EXPECT_NEAR(got.toi, 1, 1e-2);
  }
}

TEST(TimeOfImpact, MeshesAreHitFromTheirFront) {
  for (const Primitive& shape : {sphere_primitive(0.5), capsule_primitive(0.25, 0.25),
                                 box_primitive({0.5, 0.5, 0.5}), cube_hull(0.5)}) {
    const Path down = moving(at(0.3, 2.5, 0.2), {0, -5, 0});
    const Path up = moving(at(0.3, -2.5, 0.2), {0, 5, 0});
    const Path still = path_at_rest(at(0, 0, 0));
    for (const bool two_sided : {false, true}) {
      const TimeOfImpact got = time_of_impact(shape, down, floor_mesh(2, two_sided), still, fine);
      EXPECT_TRUE(got.hit);
      EXPECT_NEAR(got.toi, 0.4, 1e-8);
      EXPECT_EQ(time_of_impact(shape, up, floor_mesh(2, two_sided), still, fine).hit, two_sided);
      // The floor comes up: the same from where it is.
      const TimeOfImpact lifted =
          time_of_impact(floor_mesh(2, two_sided), moving(at(0, 0, 0), {0, 5, 0}), shape,
                         path_at_rest(at(0.3, 2.5, 0.2)), fine);
      EXPECT_TRUE(lifted.hit);
      EXPECT_NEAR(lifted.toi, 0.4, 1e-8);
    }
    EXPECT_FALSE(
        time_of_impact(shape, moving(at(3, 2.5, 0), {0, -5, 0}), floor_mesh(2, true), still).hit);
  }
}

TEST(TimeOfImpact, ATurningMeshIsADoor) {
  // The square, hinged at x = -2, swings up about z by a right angle and meets a ball above it.
  const Primitive door = mesh_primitive(floor_mesh(2, true).mesh, {{2, 0, 0}, {}});
  const Path swing = turning(at(-2, 0, 0), {}, {0, 0, pi / 2});
  const TimeOfImpact got =
      time_of_impact(door, swing, sphere_primitive(0.1), path_at_rest(at(0, 2, 0)), fine);
  ASSERT_TRUE(got.hit);
  // The ball is at 45 degrees, 2 sqrt(2) from the hinge.
  const double angle = pi / 4 - std::asin(0.1 / (2 * std::sqrt(2.0)));
  EXPECT_NEAR(got.toi, angle / (pi / 2), 1e-8);
  EXPECT_FALSE(time_of_impact(door, swing, sphere_primitive(0.1), path_at_rest(at(0, -2, 0))).hit);
}

TEST(TimeOfImpact, OfTwoMeshes) {
  const Primitive door =
      mesh_primitive(floor_mesh(2, true).mesh, {{0, 0, 0}, from_rotation_vector({0, 0, pi / 2})});
  // An upright square falls with its lower edge, 2 below its middle, onto the floor.
  const TimeOfImpact got = time_of_impact(door, moving(at(0.1, 5, 0.1), {0, -6, 0}),
                                          floor_mesh(2, true), path_at_rest(at(0, 0, 0)), fine);
  ASSERT_TRUE(got.hit);
  EXPECT_NEAR(got.toi, 0.5, 1e-8);
}

// --- Shape casts -----------------------------------------------------------------------------

TEST(ShapeCast, GivesTheTouchedPoint) {
  for (const Primitive& moved :
       {sphere_primitive(1), capsule_primitive(1, 0), box_primitive({1, 1, 1})}) {
    const auto hit =
        shape_cast(moved, at(0, 0, 0), {10, 0, 0}, box_primitive({1, 3, 3}), at(7, 0, 0), 1, fine);
    ASSERT_TRUE(hit.has_value());
    EXPECT_NEAR(hit->fraction, 0.5, 1e-9);
    EXPECT_NEAR(hit->point.x, 6, 1e-8);
    EXPECT_NEAR(hit->normal.x, -1, 1e-8);
    EXPECT_FALSE(shape_cast(moved, at(0, 0, 0), {10, 0, 0}, box_primitive({1, 3, 3}), at(7, 0, 0),
                            0.49, fine)
                     .has_value());
    EXPECT_FALSE(
        shape_cast(moved, at(0, 0, 0), {-10, 0, 0}, box_primitive({1, 3, 3}), at(7, 0, 0), 1, fine)
            .has_value());
  }
}

TEST(ShapeCast, FromAnOverlapIsAtZero) {
  const auto hit =
      shape_cast(sphere_primitive(1), at(0, 0, 0), {10, 0, 0}, sphere_primitive(1), at(1.5, 0, 0));
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->fraction, 0.0);
  EXPECT_EQ(hit->normal, Vec3({-1, 0, 0}));
}

TEST(ShapeCast, ABallMeetsACornerLater) {
  // Past the corner at (1, 1): the centre is at distance 1 from it when it is sqrt(0.75) before.
  const auto hit = shape_cast(sphere_primitive(1), at(-5, 1.5, 0), {10, 0, 0},
                              box_primitive({1, 1, 1}), at(0, 0, 0), 1, fine);
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->fraction, (5 - 1 - std::sqrt(0.75)) / 10, 1e-9);
  EXPECT_NEAR(hit->normal.y, 0.5, 1e-7);
}

}  // namespace
}  // namespace vicinity
