// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "world/placed_box.h"

namespace vicinity::cases {
namespace {

std::uint64_t printed_seed() {
  const char* given = std::getenv("VICINITY_TEST_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("VICINITY_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

/// Any finite f64 below 2^43 in size, all exponents alike.
double random_corner(std::mt19937_64& random) {
  const double mantissa = 1.0 + static_cast<double>(random() >> 12) * 0x1p-52;
  const int exponent = static_cast<int>(random() % 80) - 38;
  const double value = std::ldexp(mantissa, exponent);
  return random() % 2 == 0 ? value : -value;
}

TEST(PlaceBox, GivesEveryCornerBackBitForBit) {
  std::mt19937_64 random(printed_seed());
  for (int round = 0; round < 100'000; ++round) {
    Aabb box;
    for (int axis = 0; axis < 3; ++axis) {
      const double a = random_corner(random);
      const double b = random() % 4 == 0 ? a + std::abs(a) * 1e-3 : random_corner(random);
      box.min[axis] = std::min(a, b);
      box.max[axis] = std::max(a, b);
    }
    const Placement placed = place_box(box);
    ASSERT_EQ(placed_box(local_box(placed.shape), placed.position), box);
  }
}

// From `low`, high - low needs 54 bits, and both f64 beside it lead past `high`.
TEST(PlaceBox, FindsAPositionWhereTheCornerItselfIsNone) {
  const double low = 1.0 + 0x1p-52;
  const double high = 3.5 + 0x1p-51;
  ASSERT_NE(low + 2.5, high);
  ASSERT_NE(low + (2.5 + 0x1p-51), high);
  const Aabb box{{low, -high, 5}, {high, -low, 5}};
  const Placement placed = place_box(box);
  EXPECT_EQ(placed_box(local_box(placed.shape), placed.position), box);
}

TEST(PlaceBox, MovesTheEntityWithTheBox) {
  const Placement near = place_box({{10, -21, -1}, {11, -20, 1}});
  EXPECT_EQ(near.position, (Vec3{10, -20, 0}));
  const Placement far = place_box({{12, -23, -1}, {13, -22, 1}});
  EXPECT_EQ(far.position, (Vec3{12, -22, 0}));
  EXPECT_EQ(near.shape, far.shape);
}

TEST(PlaceBox, KeepsCornersThatAreNoBoxForTheServerToRefuse) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Placement placed =
      place_box({{nan, 2, 5}, {1, 1, std::numeric_limits<double>::infinity()}});
  EXPECT_TRUE(std::isnan(placed.shape.box_min.x));
  EXPECT_EQ(placed.shape.box_min.y, 2);
  EXPECT_EQ(placed.shape.box_max.y, 1);
  EXPECT_TRUE(std::isinf(placed.shape.box_max.z));
  EXPECT_EQ(placed.position, (Vec3{0, 0, 0}));
}

TEST(Number, ReadsTheSpecialNames) {
  EXPECT_TRUE(std::isnan(number("NaN")));
  EXPECT_EQ(number("+Inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(number("-Inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::signbit(number("-0.0")));
  EXPECT_EQ(number(4294967296), 4294967296.0);
  EXPECT_THROW(number("zero"), ScriptError);
  EXPECT_THROW(number(Json::array()), ScriptError);
}

TEST(BitWord, RefusesWhatThirtyTwoBitsCannotHold) {
  EXPECT_EQ(bit_word(2147483648), 0x8000'0000u);
  EXPECT_EQ(bit_word("all"), 0xFFFF'FFFFu);
  EXPECT_EQ(bit_word(4294967296), std::nullopt);
  EXPECT_EQ(bit_word(-1), std::nullopt);
  EXPECT_EQ(bit_word(1.5), std::nullopt);
  EXPECT_EQ(bit_word(Json::parse("18446744073709551615")), std::nullopt);
}

}  // namespace
}  // namespace vicinity::cases
