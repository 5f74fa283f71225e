// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/bot_area.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

Aabb point(double x, double y, double z) { return {{x, y, z}, {x, y, z}}; }

Standing stand(AreaKind kind, Vec3 where, double tolerance_m = 0) {
  return standing_of(make_area(kind, 10, 12, {}), {}, point(where.x, where.y, where.z),
                     tolerance_m);
}

TEST(Rings, AreReadAsDistanceAndTicks) {
  const auto rings = parse_rings("20:1, 50:2,100.5:5");
  ASSERT_TRUE(rings.ok());
  EXPECT_EQ(rings.value(), (std::vector<Ring>{{20, 1}, {50, 2}, {100.5, 5}}));
}

TEST(Rings, MistakesAreNamed) {
  EXPECT_THAT(parse_rings("20").error(), HasSubstr("ring '20'"));
  EXPECT_THAT(parse_rings("x:1").error(), HasSubstr("distance of ring 'x:1'"));
  EXPECT_THAT(parse_rings("-1:1").error(), HasSubstr("distance"));
  EXPECT_THAT(parse_rings("1:0").error(), HasSubstr("1 to 1200 ticks"));
  EXPECT_THAT(parse_rings("1:1201").error(), HasSubstr("1 to 1200 ticks"));
  EXPECT_THAT(parse_rings("1:1.5").error(), HasSubstr("1 to 1200 ticks"));
  EXPECT_THAT(parse_rings("2:1,2:2").error(), HasSubstr("ascend"));
  EXPECT_THAT(parse_rings("1:1,2:1,3:1,4:1,5:1").error(), HasSubstr("at most 4"));
}

TEST(AreaKinds, AllAreRead) {
  for (const auto& [name, kind] : {std::pair{"sphere", AreaKind::Sphere},
                                   {"box", AreaKind::Box},
                                   {"cylinder", AreaKind::Cylinder},
                                   {"oriented-box", AreaKind::OrientedBox},
                                   {"cone", AreaKind::Cone},
                                   {"frustum", AreaKind::Frustum},
                                   {"prism", AreaKind::Prism}}) {
    const auto read = parse_area_kind(name);
    ASSERT_TRUE(read.ok()) << name;
    EXPECT_EQ(read.value(), kind);
    EXPECT_THAT(area_kind_names(), HasSubstr(name));
  }
  EXPECT_THAT(parse_area_kind("blob").error(), HasSubstr("unknown kind of area 'blob'"));
}

TEST(BotArea, SpecsHaveTheSizesOfTheirKind) {
  const std::vector<Ring> rings = {{5, 2}};
  const AreaSpec sphere = make_area(AreaKind::Sphere, 10, 12, rings);
  EXPECT_EQ(sphere.enter_radius_m, 10);
  EXPECT_EQ(sphere.leave_radius_m, 12);
  EXPECT_EQ(sphere.rings, rings);
  const AreaSpec box = make_area(AreaKind::Box, 10, 12, {});
  EXPECT_EQ(box.enter_half_extent_m, (Vec3{10, 10, 10}));
  EXPECT_EQ(box.leave_half_extent_m, (Vec3{12, 12, 12}));
  const AreaSpec cylinder = make_area(AreaKind::Cylinder, 10, 12, {});
  EXPECT_EQ(cylinder.radius_m, 10);
  EXPECT_EQ(cylinder.half_height_m, 10);
  EXPECT_EQ(cylinder.leave_margin_m, 2);
  const AreaSpec cone = make_area(AreaKind::Cone, 10, 12, {});
  EXPECT_EQ(cone.range_m, 10);
  EXPECT_GT(cone.half_angle_rad, 0);
  const AreaSpec frustum = make_area(AreaKind::Frustum, 10, 12, {});
  EXPECT_GT(frustum.half_angle_up_rad, 0);
  EXPECT_GT(frustum.range_m, frustum.near_m);
}

TEST(BotArea, TheOutlineOfAPrismIsCounterClockwiseFromAbove) {
  const AreaSpec prism = make_area(AreaKind::Prism, 10, 12, {});
  double twice_area = 0;  // seen from above x goes right and z down
  for (std::size_t i = 0; i < prism.outline.size(); ++i) {
    const OutlinePoint a = prism.outline[i];
    const OutlinePoint b = prism.outline[(i + 1) % prism.outline.size()];
    twice_area += a.z * b.x - a.x * b.z;
  }
  EXPECT_EQ(twice_area, 800);
}

TEST(BotArea, EdgesAreInside) {
  EXPECT_TRUE(stand(AreaKind::Sphere, {10, 0, 0}).surely_enters);
  EXPECT_FALSE(stand(AreaKind::Sphere, {10.001, 0, 0}).may_enter);
  EXPECT_TRUE(stand(AreaKind::Sphere, {12, 0, 0}).surely_stays);
  EXPECT_FALSE(stand(AreaKind::Sphere, {12.001, 0, 0}).may_stay);
  EXPECT_TRUE(stand(AreaKind::Box, {10, 10, 10}).surely_enters);
  EXPECT_FALSE(stand(AreaKind::Box, {10, 10.001, 10}).may_enter);
  EXPECT_TRUE(stand(AreaKind::Box, {12, -12, 12}).surely_stays);
  EXPECT_TRUE(stand(AreaKind::Cylinder, {6, 10, 8}).surely_enters);
  EXPECT_FALSE(stand(AreaKind::Cylinder, {7.1, 0, 7.1}).may_enter);
  EXPECT_TRUE(stand(AreaKind::Cylinder, {12, 0, 0}).surely_stays);
  EXPECT_FALSE(stand(AreaKind::Cylinder, {0, 12.001, 0}).may_stay);
}

TEST(BotArea, TheCornerOfAGrownCylinderIsLeftOpen) {
  const Standing corner = stand(AreaKind::Cylinder, {11.9, 11.9, 0});
  EXPECT_TRUE(corner.may_stay);
  EXPECT_FALSE(corner.surely_stays);
}

TEST(BotArea, WithinTheToleranceNothingIsSure) {
  const Standing near = stand(AreaKind::Sphere, {9.95, 0, 0}, 0.1);
  EXPECT_TRUE(near.may_enter);
  EXPECT_FALSE(near.surely_enters);
  EXPECT_TRUE(near.surely_stays);
  EXPECT_TRUE(stand(AreaKind::Sphere, {9.8, 0, 0}, 0.1).surely_enters);
  EXPECT_FALSE(stand(AreaKind::Sphere, {10.2, 0, 0}, 0.1).may_enter);
}

TEST(BotArea, FormsWithCornersAreOnlyBounded) {
  for (const AreaKind kind :
       {AreaKind::OrientedBox, AreaKind::Cone, AreaKind::Frustum, AreaKind::Prism}) {
    EXPECT_FALSE(stand(kind, {}).surely_enters);
    EXPECT_TRUE(stand(kind, {0, 0, -11}).may_stay);
    EXPECT_FALSE(stand(kind, {100, 0, 0}).may_stay);
  }
}

TEST(BotArea, TheLongestIntervalThatMayHoldIsFound) {
  const AreaSpec area = make_area(AreaKind::Sphere, 10, 12, {{2, 1}, {5, 3}, {8, 10}});
  EXPECT_EQ(interval_ticks(area, {}, point(2, 0, 0), 0), 1u);
  EXPECT_EQ(interval_ticks(area, {}, point(2, 0, 0), 0.1), 3u);
  EXPECT_EQ(interval_ticks(area, {}, point(4, 0, 0), 0), 3u);
  EXPECT_EQ(interval_ticks(area, {}, {{4, 0, 0}, {6, 0, 0}}, 0), 10u);  // as far as it reaches
  EXPECT_EQ(interval_ticks(area, {}, point(11, 0, 0), 0), 10u);
  EXPECT_EQ(interval_ticks(make_area(AreaKind::Box, 10, 12, {}), {}, point(9, 0, 0), 0), 1u);
  EXPECT_EQ(ring_of(area, 2), 0u);
  EXPECT_EQ(ring_of(area, 9), 3u);
}

}  // namespace
}  // namespace vicinity::sim
