// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/angle.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace vicinity {
namespace {

// The C library's functions are good to one unit in the last place.

TEST(SineCosine, AreWithinTheirBoundUpToAMillionRadians) {
  Prng prng(1);
  for (int i = 0; i < 200'000; ++i) {
    const double size = std::ldexp(1.0, static_cast<int>(prng.below(40)) - 20);
    const double angle = prng.between(-size, size);
    if (std::abs(angle) > 1e6) continue;
    const SineCosine got = sine_cosine(angle);
    ASSERT_NEAR(got.sine, std::sin(angle), 4e-16) << angle;
    ASSERT_NEAR(got.cosine, std::cos(angle), 4e-16) << angle;
  }
}

TEST(SineCosine, OfSmallAnglesKeepTheirRelativePrecision) {
  EXPECT_EQ(sine_cosine(0).sine, 0.0);
  EXPECT_EQ(sine_cosine(0).cosine, 1.0);
  EXPECT_EQ(sine_cosine(1e-12).sine, 1e-12);
  EXPECT_EQ(sine_cosine(-1e-200).sine, -1e-200);
}

TEST(SineCosine, OfHugeAnglesAreStillAPointOfTheCircle) {
  for (const double angle : {1e7, -3e12, 1e200}) {
    const SineCosine got = sine_cosine(angle);
    EXPECT_NEAR(got.sine * got.sine + got.cosine * got.cosine, 1, 1e-15) << angle;
  }
  EXPECT_NEAR(sine_cosine(1e7).sine, std::sin(1e7), 1e7 * 4e-17);
}

TEST(ArcTangent, IsWithinItsBound) {
  Prng prng(2);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(prng.unit(), static_cast<int>(prng.below(60)) - 30);
    const double y = std::ldexp(prng.unit(), static_cast<int>(prng.below(60)) - 30);
    ASSERT_NEAR(arc_tangent(y, x), std::atan2(y, x), 5e-16) << y << " " << x;
  }
}

TEST(ArcTangent, OfTheAxesIsExact) {
  EXPECT_EQ(arc_tangent(0, 5), 0.0);
  EXPECT_EQ(arc_tangent(0, 0), 0.0);
  EXPECT_EQ(arc_tangent(3, 0), pi / 2);
}

}  // namespace
}  // namespace vicinity
