// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "stream/quantised.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/prng.h"

namespace vicinity {
namespace {

/// By the definition of the format: sign, exponent with a bias of 15, 10 bits of fraction.
double value_of_half(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const double fraction = (bits & 1023) / 1024.0;
  if (exponent == 0) return sign * std::ldexp(fraction, -14);
  return sign * std::ldexp(1 + fraction, exponent - 15);
}

TEST(Half, IsThePatternOfTheStandard) {
  EXPECT_EQ(to_half(0), 0x0000);
  EXPECT_EQ(to_half(-0.0), 0x8000);
  EXPECT_EQ(to_half(1), 0x3C00);
  EXPECT_EQ(to_half(-2), 0xC000);
  EXPECT_EQ(to_half(0.5), 0x3800);
  EXPECT_EQ(to_half(65504), 0x7BFF);
  EXPECT_EQ(to_half(65519.9), 0x7BFF);
  EXPECT_EQ(to_half(65520), 0x7C00);
  EXPECT_EQ(to_half(-1e300), 0xFC00);
  EXPECT_EQ(to_half(0x1p-24), 0x0001);
  EXPECT_EQ(to_half(0x1p-14), 0x0400);
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
  EXPECT_EQ(to_half(1 + 0x1p-11), 0x3C00);
  EXPECT_EQ(to_half(1 + 3 * 0x1p-11), 0x3C02);
  EXPECT_EQ(to_half(0x1p-25), 0x0000);
  EXPECT_EQ(to_half(2 - 0x1p-12), 0x4000);  // the carry goes into the exponent
}

TEST(Half, KeepsEveryValueThatItHas) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    ASSERT_EQ(to_half(value_of_half(half)), half);
    ASSERT_EQ(to_half(-value_of_half(half)), half | 0x8000);
  }
}

TEST(Rotation, LosesNoMoreThanHalfAStepOfAComponent) {
  Prng prng(7);
  for (int i = 0; i < 10'000; ++i) {
    const Quat in = normalized(
        {prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)});
    const std::uint32_t bits = quantise_rotation(in);
    const int largest = static_cast<int>(bits >> 30);
    const double parts[4] = {in.x, in.y, in.z, in.w};
    const double sign = parts[largest] < 0 ? -1 : 1;
    int shift = 0;
    for (int part = 0; part < 4; ++part) {
      ASSERT_LE(std::abs(parts[part]), std::abs(parts[largest]));
      if (part == largest) continue;
      const double step = (bits >> shift) & 1023;
      const double out = (step / 1023 * 2 - 1) / std::sqrt(2.0);
      ASSERT_NEAR(out, sign * parts[part], 0.5 / 1023 * std::sqrt(2.0) + 1e-12);
      shift += 10;
    }
  }
}

TEST(Position, IsTheNearestMultipleAlsoFarOut) {
  EXPECT_EQ(quantise_position({1, -1, 0.0019}, 1.0 / 256), (QuantisedPosition{256, -256, 0}));
  EXPECT_EQ(quantise_position({0.002, 0, 0}, 1.0 / 256).x, 1);
  // Halves to even, on either side of zero.
  EXPECT_EQ(quantise_position({0.5, 1.5, 2.5}, 1), (QuantisedPosition{0, 2, 2}));
  EXPECT_EQ(quantise_position({-0.5, -1.5, -2.5}, 1), (QuantisedPosition{0, -2, -2}));
  // Where the steps of doubles come to a half, to one, and to two.
  EXPECT_EQ(quantise_position({0x1p51 - 0.5, 0x1p51 + 0.5, 0x1p51 + 1.5}, 1),
            (QuantisedPosition{1ll << 51, 1ll << 51, (1ll << 51) + 2}));
  EXPECT_EQ(quantise_position({-0x1p51 + 0.5, -0x1p52 - 1, 0x1p53 + 2}, 1),
            (QuantisedPosition{-(1ll << 51), -(1ll << 52) - 1, (1ll << 53) + 2}));
  const double far = 8796093022208.0;
  EXPECT_EQ(quantise_position({far, 0, 0}, 1.0 / 4096).x, std::int64_t{1} << 55);
}

}  // namespace
}  // namespace vicinity
