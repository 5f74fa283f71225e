// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/area_solid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vicinity {
namespace {

constexpr double nowhere = std::numeric_limits<double>::quiet_NaN();

/// What a saved world may hold where the kind has nothing: nobody checks it.
AreaSpec without_angles(AreaKind kind) {
  AreaSpec spec;
  spec.kind = kind;
  spec.radius_m = 2;
  spec.half_height_m = 1;
  spec.half_extent_m = {1, 2, 3};
  spec.range_m = 4;
  spec.outline = {{-1, -1}, {-1, 1}, {1, 1}};
  spec.half_angle_rad = nowhere;
  spec.half_angle_up_rad = nowhere;
  return spec;
}

TEST(AreaSolid, KindsWithoutAnglesDoNotLookAtThem) {
  for (const AreaKind kind : {AreaKind::Cylinder, AreaKind::OrientedBox, AreaKind::Prism}) {
    for (const AreaSolid& solid :
         {enter_solid(without_angles(kind)), leave_solid(without_angles(kind))}) {
      EXPECT_EQ(solid.sine, 0) << static_cast<int>(kind);
      EXPECT_EQ(solid.cosine, 1) << static_cast<int>(kind);
      EXPECT_EQ(solid.sine_up, 0) << static_cast<int>(kind);
      EXPECT_EQ(solid.cosine_up, 1) << static_cast<int>(kind);
    }
  }
}

TEST(AreaSolid, ConesHaveOneAngleAndFrustumsTwo) {
  AreaSpec cone = without_angles(AreaKind::Cone);
  cone.half_angle_rad = 0.5;
  EXPECT_NEAR(enter_solid(cone).sine, std::sin(0.5), 1e-15);
  EXPECT_EQ(enter_solid(cone).sine_up, 0);
  AreaSpec frustum = cone;
  frustum.kind = AreaKind::Frustum;
  frustum.half_angle_up_rad = 0.25;
  EXPECT_NEAR(enter_solid(frustum).cosine, std::cos(0.5), 1e-15);
  EXPECT_NEAR(enter_solid(frustum).sine_up, std::sin(0.25), 1e-15);
}

}  // namespace
}  // namespace vicinity
