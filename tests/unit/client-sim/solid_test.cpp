// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/solid.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "base/prng.h"

namespace vicinity::sim {
namespace {

client::EntityView entity(ShapeKind kind, Aabb local_box, Vec3 position,
                          const Quat& rotation = {}) {
  client::EntityView view;
  view.shape_kind = kind;
  view.local_box = local_box;
  view.position = position;
  view.rotation = rotation;
  return view;
}
Solid ball(double radius_m, Vec3 position) {
  const Vec3 r{radius_m, radius_m, radius_m};
  return solid_of(entity(ShapeKind::Sphere, {r * -1.0, r}, position), nullptr);
}
Solid capsule(double radius_m, double half_height_m, Vec3 position, const Quat& rotation = {}) {
  const Vec3 r{radius_m, radius_m + half_height_m, radius_m};
  return solid_of(entity(ShapeKind::Capsule, {r * -1.0, r}, position, rotation), nullptr);
}
Solid box(Vec3 half, Vec3 position, const Quat& rotation = {}) {
  return solid_of(entity(ShapeKind::Box, {half * -1.0, half}, position, rotation), nullptr);
}
Quat turn_about_y(double angle_rad) {
  return {0, std::sin(angle_rad / 2), 0, std::cos(angle_rad / 2)};
}
constexpr double quarter_rad = 1.5707963267948966;

TEST(Solid, BallsMeetWhenTheirCentresAreCloserThanTheirRadii) {
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {2.999, 0, 0})), Meeting::Together);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {3.001, 0, 0})), Meeting::Apart);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {3, 0, 0})), Meeting::Unsure);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {})), Meeting::Together);
}

TEST(Solid, WithinTheToleranceNothingIsProved) {
  constexpr double tolerance_m = 0.01;
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {2.995, 0, 0}), tolerance_m), Meeting::Unsure);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {3.005, 0, 0}), tolerance_m), Meeting::Unsure);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {2.98, 0, 0}), tolerance_m), Meeting::Together);
  EXPECT_EQ(meeting_of(ball(1, {}), ball(2, {3.02, 0, 0}), tolerance_m), Meeting::Apart);
  const Solid still = box({1, 1, 1}, {});
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {1.8, 0, 0}), tolerance_m), Meeting::Together);
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {1.995, 0, 0}), tolerance_m), Meeting::Unsure);
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {2.005, 0, 0}), tolerance_m), Meeting::Unsure);
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {2.02, 0, 0}), tolerance_m), Meeting::Apart);
}

TEST(Solid, CapsulesMeetBetweenTheirEnds) {
  const Solid upright = capsule(0.5, 2, {});
  EXPECT_EQ(meeting_of(upright, ball(0.5, {0.99, 1.5, 0})), Meeting::Together);
  EXPECT_EQ(meeting_of(upright, ball(0.5, {1.01, 1.5, 0})), Meeting::Apart);
  // Its box reaches there, the round end does not.
  EXPECT_EQ(meeting_of(upright, ball(0.1, {0.45, 2.45, 0})), Meeting::Apart);
  const Quat lying{0, 0, std::sin(quarter_rad / 2), std::cos(quarter_rad / 2)};
  EXPECT_EQ(meeting_of(capsule(0.5, 2, {}, lying), ball(0.5, {2.9, 0, 0})), Meeting::Together);
  EXPECT_EQ(meeting_of(capsule(0.5, 2, {}, lying), ball(0.5, {0, 1.5, 0})), Meeting::Apart);
}

TEST(Solid, TurnedBoxesMeetWithTheirCorners) {
  const Solid still = box({1, 1, 1}, {});
  // The corner of a box that is turned by an eighth reaches sqrt(2) far.
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {2.40, 0, 0}, turn_about_y(quarter_rad / 2))),
            Meeting::Together);
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {2.42, 0, 0}, turn_about_y(quarter_rad / 2))),
            Meeting::Apart);
  EXPECT_EQ(meeting_of(still, box({1, 1, 1}, {2.1, 0, 0})), Meeting::Apart);
}

TEST(Solid, HullsAreMoreThanTheirBoxes) {
  const std::array<Vec3, 6> points = {Vec3{-1, 0, -1}, Vec3{1, 0, -1}, Vec3{1, 2, -1},
                                      Vec3{-1, 0, 1},  Vec3{1, 0, 1},  Vec3{1, 2, 1}};
  auto hull = ConvexHull::build(points, "ramp");
  ASSERT_TRUE(hull.ok());
  const Shape ramp = Shape::of_parts(
      {hull_primitive(std::make_shared<const ConvexHull>(std::move(hull.value())))});
  const Solid solid =
      solid_of(entity(ShapeKind::Hull, {{-1, 0, -1}, {1, 2, 1}}, {10, 0, 0}), &ramp);
  EXPECT_EQ(meeting_of(solid, ball(0.3, {9.2, 1.5, 0})), Meeting::Apart);  // above the slope
  EXPECT_EQ(meeting_of(solid, ball(0.3, {10.8, 1.5, 0})), Meeting::Together);
  EXPECT_EQ(box_around(solid), (Aabb{{9, 0, -1}, {11, 2, 1}}));
}

TEST(Solid, BoxesAroundTurnedSolidsAreTight) {
  const Aabb around = box_around(box({1, 2, 3}, {10, 0, 0}, turn_about_y(quarter_rad)));
  EXPECT_NEAR(around.min.x, 7, 1e-12);
  EXPECT_NEAR(around.max.y, 2, 1e-12);
  EXPECT_NEAR(around.max.z, 1, 1e-12);
  const Aabb round = box_around(capsule(0.5, 1, {0, 5, 0}));
  EXPECT_NEAR(round.min.y, 3.5, 1e-12);
  EXPECT_NEAR(round.max.x, 0.5, 1e-12);
}

/// Points of one box seen from the other say that the two overlap; a plane of either says that they
/// do not.
TEST(Solid, RandomBoxesAreNeverProvedWrong) {
  constexpr std::uint64_t seed = 4711;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Prng random(seed);
  int together = 0, apart = 0, unsure = 0;
  for (int i = 0; i < 3'000; ++i) {
    const Vec3 half{random.between(0.2, 2), random.between(0.2, 2), random.between(0.2, 2)};
    const Vec3 place{random.between(-4, 4), random.between(-1, 1), random.between(-4, 4)};
    const Quat rotation = turn_about_y(random.between(0, 3));
    const Meeting meeting = meeting_of(box({1, 1, 1}, {}), box(half, place, rotation));
    bool has_common_point = false;
    for (int n = 0; n < 200 && !has_common_point; ++n) {
      const Vec3 inside{random.between(-half.x, half.x), random.between(-half.y, half.y),
                        random.between(-half.z, half.z)};
      const Vec3 point = place + rotate(rotation, inside);
      has_common_point = std::abs(point.x) < 1 && std::abs(point.y) < 1 && std::abs(point.z) < 1;
    }
    if (has_common_point) {
      ASSERT_NE(meeting, Meeting::Apart) << i;
    }
    // Two upright prisms: apart when their ground plans are, along the axes of either.
    const Vec3 along_x = rotate(rotation, {1, 0, 0}), along_z = rotate(rotation, {0, 0, 1});
    const double reach_x = std::abs(along_x.x) * half.x + std::abs(along_z.x) * half.z;
    const double reach_z = std::abs(along_x.z) * half.x + std::abs(along_z.z) * half.z;
    const double reach_own = std::abs(along_x.x) + std::abs(along_x.z);
    const bool has_plane = std::abs(place.x) > 1 + reach_x || std::abs(place.z) > 1 + reach_z ||
                           std::abs(place.y) > 1 + half.y ||
                           std::abs(dot(place, along_x)) > half.x + reach_own ||
                           std::abs(dot(place, along_z)) > half.z + reach_own;
    ASSERT_NE(meeting, has_plane ? Meeting::Together : Meeting::Apart) << i;
    together += meeting == Meeting::Together ? 1 : 0;
    apart += meeting == Meeting::Apart ? 1 : 0;
    unsure += meeting == Meeting::Unsure ? 1 : 0;
  }
  EXPECT_GT(together, 500);
  EXPECT_GT(apart, 500);
  EXPECT_LT(unsure, 30);
}

}  // namespace
}  // namespace vicinity::sim
