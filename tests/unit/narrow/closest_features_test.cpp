// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/closest_features.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity::narrow {
namespace {

Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

TEST(ClosestOnSegments, OfCrossingOnesIsTheCrossing) {
  const SegmentPlaces places =
      closest_on_segments({{0, 0, 0}, {1, 0, 0}, 2}, {{1, 1, 3}, {0, 1, 0}, 2});
  EXPECT_EQ(places.on_a_m, 1.0);
  EXPECT_EQ(places.on_b_m, -1.0);
}

TEST(ClosestOnSegments, OfParallelOnesIsTheMiddleOfTheCommonPart) {
  // [-2, 2] and [1, 5] share [1, 2].
  const SegmentPlaces places =
      closest_on_segments({{0, 0, 0}, {1, 0, 0}, 2}, {{3, 1, 0}, {1, 0, 0}, 2});
  EXPECT_EQ(places.on_a_m, 1.5);
  EXPECT_EQ(places.on_b_m, -1.5);
  // Opposite directions, one beyond the other: the ends that face each other.
  const SegmentPlaces beyond =
      closest_on_segments({{0, 0, 0}, {1, 0, 0}, 2}, {{9, 1, 0}, {-1, 0, 0}, 2});
  EXPECT_EQ(beyond.on_a_m, 2.0);
  EXPECT_EQ(beyond.on_b_m, 2.0);
}

TEST(ClosestOnSegments, EndsMeetInsides) {
  const SegmentPlaces places =
      closest_on_segments({{0, 0, 0}, {1, 0, 0}, 2}, {{1, 4, 0}, {0, 1, 0}, 1});
  EXPECT_EQ(places.on_a_m, 1.0);
  EXPECT_EQ(places.on_b_m, -1.0);
}

/// Segments that cross at an angle far below what a determinant in f64 resolves, and come within a
/// known distance where they do: in the plane z = 0 and parallel to it at z = gap.
TEST(ClosestOnSegments, OfNearlyParallelOnesLoseNothing) {
  Prng prng(20);
  for (int round = 0; round < 2000; ++round) {
    const double sine = std::pow(10.0, prng.between(-13.9, -3));
    const double gap = std::pow(10.0, prng.between(-15, 0));
    const Segment a = {{0, 0, 0}, {1, 0, 0}, 1};
    const Segment b = {{0.3, 0.3 * sine, gap}, unit_or({1, sine, 0}, {}), 1};
    const SegmentPlaces places = closest_on_segments(a, b);
    EXPECT_NEAR(length(b.at(places.on_b_m) - a.at(places.on_a_m)), gap, 4e-16) << sine;
  }
}

TEST(ClosestToBox, IsTheMiddleOfWhatIsInside) {
  // Enters at -1, leaves at 1.
  EXPECT_EQ(closest_to_box({{0, 0, 0}, {1, 0, 0}, 5}, {1, 1, 1}), 0.0);
  EXPECT_EQ(closest_to_box({{3, 0, 0}, {1, 0, 0}, 3}, {1, 1, 1}), -2.5);  // from 0 to 1
  // Beside a face: all of what is over it is equally close.
  EXPECT_EQ(closest_to_box({{2, 5, 0}, {1, 0, 0}, 4}, {1, 1, 1}), -2.0);
}

TEST(ClosestToBox, FindsTheLeastDistance) {
  Prng prng(21);
  for (int round = 0; round < 2000; ++round) {
    const Segment segment = {any_vector(prng, 3), unit_or(any_vector(prng, 1), {1, 0, 0}),
                             3 * prng.unit()};
    const Vec3 half = {prng.unit(), prng.unit(), prng.chance(0.2) ? 0 : prng.unit()};
    const auto distance_at = [&segment, half](double place) {
      const Vec3 point = segment.at(place);
      return length(point - closest_in_box(half, point));
    };
    const double found = closest_to_box(segment, half);
    ASSERT_LE(std::abs(found), segment.half_length_m);
    for (int i = 0; i <= 100; ++i)
      ASSERT_LE(distance_at(found), distance_at((i / 50.0 - 1) * segment.half_length_m) + 1e-15);
  }
}

}  // namespace
}  // namespace vicinity::narrow
