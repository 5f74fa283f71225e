// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/separating_axis.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity::narrow {
namespace {

Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

SeparatingAxis axis_of(const PlacedCore& a, const PlacedCore& b) {
  return find_separating_axis(Polytope(a), Polytope(b));
}

TEST(SeparatingAxis, OfBoxesFaceToFace) {
  const PlacedCore a = place(box_primitive({1, 1, 1}), {}, {});
  const SeparatingAxis apart = axis_of(a, place(box_primitive({1, 1, 1}), {0, 3, 0.5}, {}));
  EXPECT_EQ(apart.gap_m, 1.0);
  EXPECT_EQ(apart.normal, Vec3({0, 1, 0}));
  const SeparatingAxis deep = axis_of(a, place(box_primitive({1, 1, 1}), {0, -1.5, 0.25}, {}));
  EXPECT_EQ(deep.gap_m, -0.5);
  EXPECT_EQ(deep.normal, Vec3({0, -1, 0}));
}

TEST(SeparatingAxis, OfASegmentThroughABoxIsTheWayOut) {
  // Along y and longer than the box, 0.25 from the face at x = 1.
  const PlacedCore segment = place(capsule_primitive(0, 9), {0.75, 0, 0}, {});
  const SeparatingAxis axis = axis_of(segment, place(box_primitive({1, 1, 1}), {}, {}));
  EXPECT_EQ(axis.gap_m, -0.25);
  EXPECT_EQ(axis.normal, Vec3({-1, 0, 0}));
}

TEST(SeparatingAxis, OfTrianglesThatCrossIsTheShallowerWay) {
  // One flat on the ground, one upright whose lower corner reaches 0.2 through it.
  const PlacedCore ground = place_triangle({Vec3{-5, 0, -5}, {5, 0, -5}, {0, 0, 9}});
  const PlacedCore upright = place_triangle({Vec3{0, -0.2, 0}, {1, 2, 0}, {-1, 2, 0}});
  const SeparatingAxis axis = axis_of(ground, upright);
  EXPECT_NEAR(axis.gap_m, -0.2, 1e-15);
  EXPECT_EQ(axis.normal, Vec3({0, 1, 0}));
  // In one plane: they touch, but never more than that.
  const PlacedCore beside = place_triangle({Vec3{0, 0, 0}, {1, 0, 0}, {0, 0, 1}});
  EXPECT_EQ(axis_of(ground, beside).gap_m, 0.0);
}

/// Edge against edge, the one case that faces do not see.
TEST(SeparatingAxis, OfCrossingEdgesIsAcrossBoth) {
  const Quat about_z = from_rotation_vector({0, 0, pi / 4});
  const Quat about_y = from_rotation_vector({0, pi / 4, 0});
  const PlacedCore a = place(box_primitive({1, 1, 1}), {}, about_z);
  const PlacedCore b = place(box_primitive({1, 1, 1}), {2 * std::sqrt(2.0) + 0.25, 0, 0}, about_y);
  const SeparatingAxis axis = axis_of(a, b);
  EXPECT_NEAR(axis.gap_m, 0.25, 1e-14);
  EXPECT_NEAR(axis.normal.x, 1, 1e-15);
}

/// The fifteen axes with an early end against all faces and edge pairs of the general search.
TEST(BoxesOverlap, AgreesWithTheGeneralSearch) {
  Prng prng(42);
  int overlapping = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Quat turn = from_rotation_vector(any_vector(prng, 3));
    const Quat other = prng.chance(0.3) ? from_rotation_vector(any_vector(prng, 1e-8)) * turn
                                        : from_rotation_vector(any_vector(prng, 3));
    const PlacedCore a = place(
        box_primitive({prng.unit(), prng.unit(), prng.chance(0.1) ? 0 : prng.unit()}), {}, turn);
    const PlacedCore b =
        place(box_primitive({prng.unit(), prng.unit(), prng.unit()}), any_vector(prng, 1.2), other);
    const SeparatingAxis axis = axis_of(a, b);
    if (std::abs(axis.largest_gap_m) < 1e-14) continue;
    const bool expected = axis.largest_gap_m < 0;
    ASSERT_EQ(boxes_overlap(a, b), expected) << i << " " << axis.largest_gap_m;
    overlapping += expected ? 1 : 0;
  }
  EXPECT_GT(overlapping, 5000);
  EXPECT_LT(overlapping, 15'000);
}

}  // namespace
}  // namespace vicinity::narrow
