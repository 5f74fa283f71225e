// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/entity_tests.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

constexpr double quarter = 1.57079632679489661923;

Path straight(Vec3 from, Vec3 to) { return path_move_to({from, {}}, {to, {}}); }

/// Two spheres of 1 m, 4 m apart, as one entity.
Shape dumbbell() {
  return Shape::of_parts({sphere_primitive(1, {-2, 0, 0}), sphere_primitive(1, {2, 0, 0})});
}

TEST(EntityTests, SpheresInTouchingCornersOfTheirBoxesDoNotTouch) {
  SnapshotBuilder world;
  world.add(Shape::sphere(1), {{0, 0, 0}, {}});
  world.add(Shape::sphere(1), {{1.5, 1.5, 0}, {}});
  world.add(Shape::sphere(1), {{1.4, 1.4, 0}, {}});
  ASSERT_TRUE(overlaps(world.snapshot().tight_box[0], world.snapshot().tight_box[1]));
  EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 1));  // 2.12 m apart
  EXPECT_TRUE(touch_at_end(world.snapshot(), 0, 2));   // 1.98
}

TEST(EntityTests, EveryPartOfACompoundTouches) {
  SnapshotBuilder world;
  world.add(dumbbell(), {});
  world.add(Shape::sphere(0.5), {{0, 0, 0}, {}});     // between the two
  world.add(Shape::sphere(0.5), {{3.4, 0, 0}, {}});   // at one end
  world.add(Shape::sphere(0.5), {{-3.4, 0, 0}, {}});  // at the other
  EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 1));
  EXPECT_TRUE(touch_at_end(world.snapshot(), 0, 2));
  EXPECT_TRUE(touch_at_end(world.snapshot(), 0, 3));
}

TEST(EntityTests, ATurnedPlankReachesWhereItPoints) {
  const Shape plank = Shape::box({3, 0.1, 0.1});
  SnapshotBuilder world;
  world.add(plank, {{}, from_rotation_vector({0, 0, quarter})});
  world.add(box_at(-0.5, 2, -0.5));
  world.add(box_at(2, -0.5, -0.5));
  EXPECT_TRUE(touch_at_end(world.snapshot(), 0, 1));
  EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 2));
}

TEST(EntityTests, ABulletPassesThroughASphereAndMissesTheCornerOfItsBox) {
  SnapshotBuilder world;
  world.add(Shape::sphere(1), {});
  world.add_moved(Shape::sphere(0.01), straight({-10, 0.5, 0}, {10, 0.5, 0}));
  world.add_moved(Shape::sphere(0.01), straight({-10, 0.9, 0.9}, {10, 0.9, 0.9}));
  const auto hit = passing(world.snapshot(), 0, 1);
  ASSERT_TRUE(hit.has_value());
  EXPECT_FALSE(hit->capped);
  // It enters where x^2 + 0.5^2 = 1.01^2.
  EXPECT_NEAR(hit->toi, (10 - std::sqrt(1.01 * 1.01 - 0.25)) / 20, 1e-9);
  EXPECT_FALSE(passing(world.snapshot(), 0, 2).has_value());
}

TEST(EntityTests, ABladeThatTurnsPassesThroughWhatStandsBeside) {
  SnapshotBuilder world;
  const Path spin = path_of_velocity({}, {}, {0, 0, 2}, 1);  // two radians in the tick
  world.add_moved(Shape::box({5, 0.05, 0.05}), spin);
  // At an angle of one radian, 4 m from the axis.
  world.add(Shape::sphere(0.1), {{4 * std::cos(1), 4 * std::sin(1), 0}, {}});
  EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 1));
  EXPECT_FALSE(touch_at_start(world.snapshot(), 0, 1));
  const auto hit = passing(world.snapshot(), 0, 1);
  ASSERT_TRUE(hit.has_value());
  // The blade's face is 0.05 m off its axis and the sphere 0.1 m thick: 0.15 m before the middle.
  EXPECT_NEAR(hit->toi, (1 - std::asin(0.15 / 4)) / 2, 1e-3);
}

TEST(EntityTests, WhatHangsOnATurningEntitySwingsAndHits) {
  SnapshotBuilder world;
  // The root turns by half a turn about z; the ball hangs 5 m out along x.
  world.add_moved(Shape::sphere(0.2), path_of_velocity({}, {}, {0, 0, 2 * quarter}, 1));
  const Path root = world.snapshot().path(0);
  const Pose arm{{5, 0, 0}, {}};
  world.add_moved(Shape::sphere(0.2),
                  {compose(root.start, arm), compose(root.end, arm), root.rotation_vector});
  world.snapshot().swings.push_back({0, root, arm});
  world.snapshot().turn[1].swing = 0;
  world.add(Shape::sphere(0.2), {{0, 5, 0}, {}});    // on the arc
  world.add(Shape::sphere(0.2), {{0, 0.5, 0}, {}});  // on the chord
  const auto hit = passing(world.snapshot(), 1, 2);
  ASSERT_TRUE(hit.has_value());
  EXPECT_NEAR(hit->toi, 0.5 - 2 * std::asin(0.2 / 5) / (2 * quarter), 1e-3);
  EXPECT_FALSE(passing(world.snapshot(), 1, 3).has_value());
  const ImpactDetail detail = describe_impact(world.snapshot(), 1, 2, hit->toi, false);
  EXPECT_NEAR(length(detail.pose_a.position), 5, 1e-9);
  EXPECT_NEAR(length(detail.normal), 1, 1e-12);
}

TEST(EntityTests, ExcludedPairsNeitherTouchNorPass) {
  SnapshotBuilder world;
  world.add(Shape::sphere(1), {});
  world.add(Shape::sphere(1), {{1, 0, 0}, {}});
  world.add_moved(Shape::sphere(0.01), straight({-10, 0, 0}, {10, 0, 0}));
  EXPECT_TRUE(touch_at_end(world.snapshot(), 0, 1));
  EXPECT_TRUE(passing(world.snapshot(), 0, 2).has_value());
  PairExclusions exclusions;
  exclusions.add(0, 1);
  exclusions.add(2, 0);
  world.snapshot().excluded = exclusions.freeze();
  EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 1));
  EXPECT_FALSE(passing(world.snapshot(), 0, 2).has_value());
  EXPECT_TRUE(passing(world.snapshot(), 1, 2).has_value());
}

TEST(EntityTests, ImpactOfTwoThatTouchAtTheEndIsWhenTheyMet) {
  SnapshotBuilder world;
  world.add(Shape::sphere(1), {});
  world.add_moved(Shape::sphere(1), straight({10, 0, 0}, {1, 0, 0}));
  world.add_moved(Shape::sphere(1), straight({0.5, 0, 0}, {1, 0, 0}));
  EXPECT_NEAR(impact(world.snapshot(), 0, 1).toi, 8.0 / 9, 1e-9);
  EXPECT_EQ(impact(world.snapshot(), 0, 2).toi, 0);
}

TEST(EntityTests, DescribesHowTwoTouch) {
  SnapshotBuilder world;
  world.add(Shape::sphere(1), {});
  world.add_moved(Shape::sphere(1), straight({10, 0, 0}, {1.5, 0, 0}));
  const ImpactDetail detail = describe_impact(world.snapshot(), 0, 1, 8.0 / 8.5, true);
  EXPECT_NEAR(detail.penetration_m, 0.5, 1e-12);
  EXPECT_NEAR(detail.normal.x, 1, 1e-12);
  EXPECT_NEAR(detail.point.x, 0.75, 1e-12);
  EXPECT_NEAR(detail.pose_b.position.x, 2, 1e-12);  // at the impact, not at the end
}

TEST(EntityTests, OfACompoundTheDeepestPartsAreDescribed) {
  SnapshotBuilder world;
  world.add(dumbbell(), {});
  world.add(Shape::box({4, 0.5, 0.5}), {{1, 1.2, 0}, {}});
  const ImpactDetail detail = describe_impact(world.snapshot(), 0, 1, 1, true);
  EXPECT_GT(detail.penetration_m, 0);
  EXPECT_NEAR(detail.normal.y, 1, 1e-9);
}

TEST(EntityTests, TheThinnestPartDecidesWhetherAPathIsLookedAt) {
  // Clips the large ball on its way, along a path that is shorter than either ball is thick.
  const Shape with_pea = Shape::of_parts({sphere_primitive(2), sphere_primitive(0.05, {0, 0, 50})});
  for (const bool is_thin : {false, true}) {
    SnapshotBuilder world;
    world.add(is_thin ? with_pea : Shape::sphere(2), {});
    world.add_moved(Shape::sphere(1), straight({-0.75, 2.95, 0}, {0.75, 2.95, 0}));
    EXPECT_FALSE(touch_at_start(world.snapshot(), 0, 1));
    EXPECT_FALSE(touch_at_end(world.snapshot(), 0, 1));
    EXPECT_EQ(passing(world.snapshot(), 0, 1).has_value(), is_thin);
  }
}

}  // namespace
}  // namespace vicinity
