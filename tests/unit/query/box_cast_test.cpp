// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/box_cast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vicinity {
namespace {

constexpr Aabb cube = {{-1, -1, -1}, {1, 1, 1}};
constexpr Aabb wall = {{10, -5, -5}, {11, 5, 5}};

TEST(CastBox, TellsWhereAndOnWhichFaceTheBoxesMeet) {
  const auto hit = cast_box(cube, {18, 8, 0}, 1, wall);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->value, 0.5);
  EXPECT_EQ(hit->normal, Vec3({-1, 0, 0}));
  // At y the moved cube reaches from 3 to 5, the wall to 5.
  EXPECT_EQ(hit->point, Vec3({10, 4, 0}));
  EXPECT_EQ(cast_box(wall, {-18, 0, 0}, 1, cube)->normal, Vec3({1, 0, 0}));
}

TEST(CastBox, MeetsInTheMiddleOfWhatTheFacesShare) {
  const auto hit = cast_box({{-1, 4, -7}, {1, 6, 7}}, {18, 0, 0}, 1, wall);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->point, Vec3({10, 4.5, 0}));
}

TEST(CastBox, OverlapAtTheStartIsAgainstTheMovement) {
  const auto hit = cast_box({{10.5, 4, 0}, {12, 6, 1}}, {0, -4, 3}, 1, wall);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->value, 0);
  EXPECT_EQ(hit->point, Vec3({10.75, 4.5, 0.5}));
  EXPECT_EQ(hit->normal, Vec3({0, 0.8, -0.6}));
  EXPECT_EQ(cast_box({{10.5, 4, 0}, {12, 6, 1}}, {}, 1, wall)->normal, Vec3({0, 1, 0}));
}

TEST(CastBox, ARayHitsItsOwnPoint) {
  const auto hit = cast_box({{0, 1, 2}, {0, 1, 2}}, {2, 0.5, 0}, 10, wall);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->value, 5);
  EXPECT_EQ(hit->point, Vec3({10, 3.5, 2}));
}

TEST(CastBox, NeverGivesMinusZero) {
  const auto hit = cast_box({{9, 0, 0}, {10, 1, 1}}, {1, -0.0, -0.0}, 1, wall);
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->value, 0);
  EXPECT_FALSE(std::signbit(hit->value));
}

TEST(TouchWindow, HoldsWhatOnlyTouches) {
  const Aabb plate = {{10, -1, -1}, {10, 1, 1}};
  const Aabb point = {{0, 1, 0}, {0, 1, 0}};  // along its edge
  const auto window = touch_window(point, {1, 0, 0}, 20, plate);
  ASSERT_TRUE(window.has_value());
  EXPECT_LT(window->begin, 10);
  EXPECT_GT(window->end, 10);
  EXPECT_TRUE(touch_window(point, {1, 0, 0}, 10, plate).has_value());
  EXPECT_FALSE(touch_window(point, {1, 0, 0}, 9, plate).has_value());
  EXPECT_FALSE(touch_window({{0, 2, 0}, {0, 2, 0}}, {1, 0, 0}, 20, plate).has_value());
}

TEST(TouchWindow, StaysInThePath) {
  const auto inside = touch_window(cube, {1, 0, 0}, 3, {{0, 0, 0}, {100, 1, 1}});
  ASSERT_TRUE(inside.has_value());
  EXPECT_EQ(inside->begin, 0);
  EXPECT_EQ(inside->end, 3);
}

TEST(TouchWindow, IsWideEnoughForRoundingsFarAway) {
  // Nothing of this place is left in the sum of 1e12 and a path of that length.
  const double far = 1e12 + 0x1p-12;
  const auto window =
      touch_window({{0.1, 0, 0}, {0.1, 0, 0}}, {1e-3, 0, 0}, 1e16, {{far, -1, -1}, {far, 1, 1}});
  ASSERT_TRUE(window.has_value());
  EXPECT_LT(window->begin * 1e-3, far - 0.1 - 1e-3);
  EXPECT_GT(window->end * 1e-3, far - 0.1 + 1e-3);
}

}  // namespace
}  // namespace vicinity
