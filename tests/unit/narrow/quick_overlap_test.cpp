// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/quick_overlap.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "narrow/convex_tests.h"
#include "oracle/shape_pairs.h"

namespace vicinity::narrow {
namespace {

constexpr PrimitiveKind quick_kinds[] = {PrimitiveKind::Sphere, PrimitiveKind::Capsule,
                                         PrimitiveKind::Box};

Pose at(double x, double y, double z, const Quat& rotation = {}) { return {{x, y, z}, rotation}; }
Quat about_y(double angle_rad) { return from_rotation_vector({0, angle_rad, 0}); }

/// By the tests that decide what is all but touching as well.
bool overlap_exactly(const oracle::ShapePair& pair) {
  const Vec3 way = pair.pose_b.position - pair.pose_a.position;
  return overlap(place(pair.a, {}, pair.pose_a.rotation), place(pair.b, way, pair.pose_b.rotation));
}

std::optional<bool> quick(const oracle::ShapePair& pair) {
  return quick_overlap(pair.a, pair.pose_a, pair.b, pair.pose_b);
}

template <class Use>
void for_pairs_of_all_kinds(int count, oracle::Extremes extremes, const Use& use) {
  for (const PrimitiveKind kind_a : quick_kinds) {
    for (const PrimitiveKind kind_b : quick_kinds) {
      Prng prng(2026 + static_cast<std::uint64_t>(kind_a) * 10 +
                static_cast<std::uint64_t>(kind_b));
      for (int i = 0; i < count; ++i) use(oracle::any_pair(prng, kind_a, kind_b, extremes));
    }
  }
}

TEST(QuickOverlap, SaysWhatTheExactTestsSay) {
  std::uint64_t wrong = 0, yes = 0, no = 0;
  for_pairs_of_all_kinds(5'000, oracle::Extremes::Some, [&](const oracle::ShapePair& pair) {
    const std::optional<bool> sure = quick(pair);
    if (!sure) return;
    ++(*sure ? yes : no);
    if (*sure != overlap_exactly(pair)) ++wrong;
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(yes, 5'000u);
  EXPECT_GT(no, 5'000u);
}

TEST(QuickOverlap, DecidesNearlyAllThatDoNotAllButTouch) {
  std::uint64_t clear = 0, decided = 0;
  for_pairs_of_all_kinds(2'000, oracle::Extremes::None, [&](const oracle::ShapePair& pair) {
    // A gap is a gap; that support planes reach past one another does not say how deep.
    if (pair.gap_m < 1e-4 * pair.size_m) return;
    ++clear;
    decided += quick(pair).has_value() ? 1 : 0;
  });
  EXPECT_GT(clear, 2'000u);
  EXPECT_GT(decided * 1000, clear * 995);
}

TEST(QuickOverlap, NeverContradictsItselfInTheOtherOrder) {
  std::uint64_t contradictions = 0;
  for_pairs_of_all_kinds(2'000, oracle::Extremes::Some, [&](const oracle::ShapePair& pair) {
    const std::optional<bool> turned = quick_overlap(pair.b, pair.pose_b, pair.a, pair.pose_a);
    const std::optional<bool> straight = quick(pair);
    if (turned && straight && *turned != *straight) ++contradictions;
  });
  EXPECT_EQ(contradictions, 0u);
}

TEST(QuickOverlap, LeavesWhatTouchesToTheExactTests) {
  const Primitive ball = sphere_primitive(1);
  const Primitive pill = capsule_primitive(1, 1);
  const Primitive cube = box_primitive({1, 1, 1});
  for (const Primitive& a : {ball, pill, cube}) {
    for (const Primitive& b : {ball, pill, cube}) {
      for (const double gap_m : {-1e-9, 0.0, 1e-9})
        EXPECT_EQ(quick_overlap(a, at(0, 0, 0), b, at(2 + gap_m, 0, 0, about_y(1e-12))),
                  std::nullopt);
      EXPECT_EQ(quick_overlap(a, at(0, 0, 0), b, at(1.999, 0, 0)), true);
      EXPECT_EQ(quick_overlap(a, at(0, 0, 0), b, at(2.001, 0, 0)), false);
    }
  }
}

TEST(QuickOverlap, IsAsUnsureAsPositionsAreFarFromTheOrigin) {
  const Primitive ball = sphere_primitive(1);
  constexpr double far_m = 0x1p45;  // positions are multiples of 1/128 m
  EXPECT_EQ(quick_overlap(ball, at(far_m, 0, 0), ball, at(far_m + 1.984375, 0, 0)), std::nullopt);
  EXPECT_EQ(quick_overlap(ball, at(far_m, 0, 0), ball, at(far_m + 1, 0, 0)), true);
  EXPECT_EQ(quick_overlap(ball, at(far_m, 0, 0), ball, at(far_m + 3, 0, 0)), false);
}

TEST(QuickOverlap, DecidesBoxesWithParallelEdges) {
  const Primitive cube = box_primitive({1, 1, 1});
  // Half the diagonal reaches to sqrt(2) along x.
  EXPECT_EQ(quick_overlap(cube, at(0, 0, 0), cube, at(2.41, 0, 0, about_y(pi / 4))), true);
  EXPECT_EQ(quick_overlap(cube, at(0, 0, 0), cube, at(2.42, 0, 0, about_y(pi / 4))), false);
  EXPECT_EQ(quick_overlap(cube, at(0, 0, 0), cube, at(0, 1.99, 0, about_y(1))), true);
  EXPECT_EQ(quick_overlap(cube, at(0, 0, 0), cube, at(0, 2.01, 0, about_y(1))), false);
}

TEST(QuickOverlap, DecidesBoxesEdgeToEdge) {
  const Primitive cube = box_primitive({1, 1, 1});
  const Quat about_z = from_rotation_vector({0, 0, pi / 4});
  const double touch_m = 2 * std::sqrt(2.0);
  const Pose fixed = at(0, 0, 0, about_z);
  EXPECT_EQ(quick_overlap(cube, fixed, cube, at(touch_m + 1e-3, 0, 0, about_y(pi / 4))), false);
  EXPECT_EQ(quick_overlap(cube, fixed, cube, at(touch_m - 1e-3, 0, 0, about_y(pi / 4))), true);
}

TEST(QuickOverlap, FindsThePlaceOfACapsuleAlongABox) {
  // Standing on one end a hand's breadth beside the box, and leaning over its edge.
  const Primitive pill = capsule_primitive(0.1, 1);
  const Primitive cube = box_primitive({1, 1, 1});
  EXPECT_EQ(quick_overlap(pill, at(1.11, 1, 0), cube, at(0, 0, 0)), false);
  EXPECT_EQ(quick_overlap(pill, at(1.09, 1, 0), cube, at(0, 0, 0)), true);
  const Quat leaning = from_rotation_vector({0, 0, pi / 4});  // along (-1, 1, 0)
  const double clear_m = 0.1 / std::sqrt(2.0);
  const auto beside_edge = [&](double by_m) {
    return quick_overlap(pill, at(1 + clear_m + by_m + 0.5, 1 + clear_m + by_m - 0.5, 0, leaning),
                         cube, at(0, 0, 0));
  };
  EXPECT_EQ(beside_edge(0.01), false);
  EXPECT_EQ(beside_edge(-0.01), true);
}

TEST(QuickOverlap, SaysNothingOfHullsAndMeshes) {
  Prng prng(1);
  for (const PrimitiveKind kind : {PrimitiveKind::Hull, PrimitiveKind::Mesh}) {
    const Primitive other = oracle::any_convex(prng, kind, 1, oracle::Extremes::None);
    const Primitive ball = sphere_primitive(1);
    EXPECT_EQ(quick_overlap(ball, at(0, 0, 0), other, at(100, 0, 0)), std::nullopt);
    EXPECT_EQ(quick_overlap(other, at(0, 0, 0), other, at(100, 0, 0)), std::nullopt);
  }
}

}  // namespace
}  // namespace vicinity::narrow
