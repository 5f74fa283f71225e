// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Exact tests of convex shapes (a mesh of one triangle is one) against what is known about the pair
// from how it was made, against certificates, against separating axes by brute force, and times of
// impact against fine sampling. All bands are parts of the size of the pair.

#include <gtest/gtest.h>

#include <string>

#include "narrow/ray_cast.h"
#include "narrow/shape_tests.h"
#include "narrow/time_of_impact.h"
#include "oracle/seeds.h"
#include "oracle/shape_pairs.h"

namespace vicinity::oracle {
namespace {

/// The band that narrow/shape_tests.h promises.
constexpr double overlap_band = 1e-12;
constexpr double distance_band = 1e-11;
constexpr double point_band = 1e-10;
/// Points of what all but touches are one point.
constexpr double touch_point_band = 1e-8;

constexpr int pairs_per_seed = 400;

class Shapes : public testing::TestWithParam<std::pair<PrimitiveKind, PrimitiveKind>> {
 protected:
  /// test(pair) for many pairs, in both orders of the two kinds.
  template <class Test>
  void for_each_pair(std::uint64_t seeds, const Test& test) {
    const auto [kind_a, kind_b] = GetParam();
    const auto shard = static_cast<std::uint64_t>(kind_a) * 5 + static_cast<std::uint64_t>(kind_b);
    for_each_seed(shard, seeds, [&](std::uint64_t seed) {
      Prng prng(seed);
      for (int i = 0; i < pairs_per_seed && !HasFailure(); ++i) {
        SCOPED_TRACE("pair " + std::to_string(i));
        test(i % 2 == 0 ? any_pair(prng, kind_a, kind_b) : any_pair(prng, kind_b, kind_a));
      }
    });
  }
};

/// Pairs to which the theorem of the separating axis applies.
class Polytopes : public Shapes {};
/// Pairs with an inside.
class Solids : public Shapes {};

Vec3 from_a(const ShapePair& pair, Vec3 world) { return world - pair.pose_a.position; }
Vec3 from_b(const ShapePair& pair, Vec3 world) { return world - pair.pose_b.position; }

/// How far the support planes along an axis are apart.
double gap_along(const ShapePair& pair, Vec3 axis) {
  const Vec3 way = pair.pose_b.position - pair.pose_a.position;
  const Vec3 on_a = support_point(pair.a, pair.pose_a.rotation, axis);
  const Vec3 on_b = support_point(pair.b, pair.pose_b.rotation, negated(axis));
  return dot(axis, way + on_b - on_a);
}

/// What the roundings of two points at a distance do to support planes across their connection.
double direction_error_m(const ShapePair& pair, double distance_m) {
  return distance_m > 0 ? 4e-15 * pair.size_m * pair.size_m / distance_m : 0;
}

TEST_P(Shapes, WithAKnownGapDoNotOverlapAndHaveThatDistance) {
  for_each_pair(12, [](const ShapePair& pair) {
    if (pair.gap_m < overlap_band * pair.size_m) return;
    EXPECT_FALSE(overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b));
    EXPECT_FALSE(contact(pair.a, pair.pose_a, pair.b, pair.pose_b).has_value());
    EXPECT_NEAR(distance(pair.a, pair.pose_a, pair.b, pair.pose_b).distance_m, pair.gap_m,
                distance_band * pair.size_m);
  });
}

TEST_P(Shapes, AnswerTheSameInBothOrdersAndElsewhere) {
  for_each_pair(6, [](ShapePair pair) {
    const bool yes = overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b);
    EXPECT_EQ(overlaps(pair.b, pair.pose_b, pair.a, pair.pose_a), yes);
    const ShapeDistance there = distance(pair.a, pair.pose_a, pair.b, pair.pose_b);
    const ShapeDistance back = distance(pair.b, pair.pose_b, pair.a, pair.pose_a);
    EXPECT_EQ(there.distance_m, back.distance_m);
    EXPECT_EQ(there.on_a, back.on_b);
    if (pair.size_m > 0) {  // two equal points in one place have no order
      EXPECT_EQ(there.normal, negated(back.normal));
    }
    const bool upright = is_identity(pair.pose_a.rotation) || is_identity(pair.pose_b.rotation);
    if (upright) return;  // boxes have rounded corners then
    // Both 2^40 m to the right, at positions that are representable there.
    for (Pose* pose : {&pair.pose_a, &pair.pose_b})
      for (int axis = 0; axis < 3; ++axis)
        pose->position[axis] = std::round(pose->position[axis] * 0x1p10) * 0x1p-10;
    const bool here = overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b);
    const double apart_m = distance(pair.a, pair.pose_a, pair.b, pair.pose_b).distance_m;
    for (Pose* pose : {&pair.pose_a, &pair.pose_b})
      pose->position = pose->position + Vec3{0x1p40, -0x1p39, 0x1p40};
    EXPECT_EQ(overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b), here);
    EXPECT_EQ(distance(pair.a, pair.pose_a, pair.b, pair.pose_b).distance_m, apart_m);
  });
}

/// Two points, one in each shape, are as close as any if the support planes through them have just
/// that gap between them. No other algorithm is needed to see it.
TEST_P(Shapes, DistancesAreCertifiedByTheirPoints) {
  for_each_pair(8, [](const ShapePair& pair) {
    const ShapeDistance got = distance(pair.a, pair.pose_a, pair.b, pair.pose_b);
    const bool all_but_touch = got.distance_m < 1e-9 * pair.size_m;
    const double band_m = (all_but_touch ? touch_point_band : point_band) * pair.size_m;
    if (got.distance_m == 0) {
      // Zero is for what overlaps or is about to.
      if (!overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b)) {
        EXPECT_LE(gap_along(pair, got.normal), band_m);
      }
      return;
    }
    EXPECT_NEAR(length(got.on_b - got.on_a), got.distance_m, band_m);
    EXPECT_LE(outside_m(pair.a, pair.pose_a.rotation, from_a(pair, got.on_a)), band_m);
    EXPECT_LE(outside_m(pair.b, pair.pose_b.rotation, from_b(pair, got.on_b)), band_m);
    EXPECT_NEAR(length(got.normal), 1, 1e-14);
    // The direction between two points is the less certain the closer they are.
    EXPECT_NEAR(gap_along(pair, got.normal), got.distance_m,
                band_m + direction_error_m(pair, got.distance_m));
  });
}

TEST_P(Shapes, ContactsPartAlongTheirNormalByTheirDepth) {
  int contacts = 0;
  for_each_pair(8, [&contacts](const ShapePair& pair) {
    const auto got = contact(pair.a, pair.pose_a, pair.b, pair.pose_b);
    EXPECT_EQ(got.has_value(), overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b));
    if (!got) return;
    ++contacts;
    const double band_m = distance_band * pair.size_m;
    EXPECT_NEAR(length(got->normal), 1, 1e-14);
    const double between_cores_m = pair.a.radius_m + pair.b.radius_m - got->penetration_m;
    EXPECT_NEAR(-gap_along(pair, got->normal), got->penetration_m,
                band_m + direction_error_m(pair, between_cores_m));
    // No other axis is better (but for the preference for faces): not the one that the pair was
    // made with, and not a few others.
    const double better_m = 2e-9 * pair.size_m;
    EXPECT_LE(got->penetration_m, -pair.gap_m + better_m);
    for (const Vec3 axis : {Vec3{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0.6, 0.8, 0}, {0, -0.6, 0.8}})
      EXPECT_LE(got->penetration_m, -gap_along(pair, axis) + better_m);
    // The point is in the middle between both surfaces.
    const double near_m = got->penetration_m / 2 + 1e-6 * pair.size_m;
    EXPECT_LE(outside_m(pair.a, pair.pose_a.rotation, from_a(pair, got->point)), near_m);
    EXPECT_LE(outside_m(pair.b, pair.pose_b.rotation, from_b(pair, got->point)), near_m);
  });
  EXPECT_GT(contacts, 50);
}

TEST_P(Polytopes, OverlapAsSeparatingAxesByBruteForceSay) {
  for_each_pair(2, [](const ShapePair& pair) {
    const auto is_large = [](const Primitive& p) { return core_corners(p, {}).size() > 8; };
    if (is_large(pair.a) || is_large(pair.b)) return;  // would take a second
    const double gap_m = brute_force_gap(pair);
    if (gap_m < -pair.size_m) return;  // points and lines have no planes at all
    const auto got = contact(pair.a, pair.pose_a, pair.b, pair.pose_b);
    if (std::abs(gap_m) > overlap_band * pair.size_m) {
      EXPECT_EQ(got.has_value(), gap_m < 0);
    }
    if (got) {
      EXPECT_NEAR(got->penetration_m, -gap_m, 2e-9 * pair.size_m);
    }
  });
}

Path any_path(Prng& prng, const Pose& middle, double size_m) {
  const Vec3 way = any_vector(prng, 3 * size_m);
  const Pose start = {middle.position - way * prng.unit(), middle.rotation};
  const double turn = prng.chance(0.4) ? 0 : prng.chance(0.7) ? 1 : 8;
  return path_of_velocity(start, way, any_vector(prng, turn), 1);
}

/// Depth of overlap at a moment, 0 for none.
double depth_at(const ShapePair& pair, const Path& path_a, const Path& path_b, double t) {
  const auto got = contact(pair.a, pose_at(path_a, t), pair.b, pose_at(path_b, t));
  return got ? got->penetration_m : 0;
}

TEST_P(Shapes, MeetAtTheTimeThatSamplingFinds) {
  int hits = 0, capped = 0, misses = 0;
  for_each_pair(1, [&](const ShapePair& pair) {
    Prng prng(static_cast<std::uint64_t>(std::abs(pair.gap_m / pair.size_m) * 0x1p60));
    const Path path_a = any_path(prng, pair.pose_a, pair.size_m);
    const Path path_b = any_path(prng, pair.pose_b, pair.size_m);
    const bool one_sided =
        (pair.a.mesh && !pair.a.mesh->two_sided()) || (pair.b.mesh && !pair.b.mesh->two_sided());
    const ImpactPrecision precision = {1e-4 * pair.size_m, 200};
    const TimeOfImpact got = time_of_impact(pair.a, path_a, pair.b, path_b, precision);
    EXPECT_EQ(got.pose_a, pose_at(path_a, got.toi));
    EXPECT_EQ(got.pose_b, pose_at(path_b, got.toi));
    capped += got.capped ? 1 : 0;
    if (got.capped) return;
    (got.hit ? hits : misses) += 1;
    if (got.hit) {
      EXPECT_LE(distance(pair.a, got.pose_a, pair.b, got.pose_b).distance_m, 1e-12 * pair.size_m);
      if (got.toi > 0 && got.toi < 1) {
        EXPECT_LE(depth_at(pair, path_a, path_b, got.toi), precision.tolerance_m * 1.001);
      }
    } else {
      EXPECT_EQ(depth_at(pair, path_a, path_b, 1), 0);
    }
    if (one_sided) return;  // what comes from behind does not count
    for (int i = 0; i <= 100; ++i) {
      const double t = i / 100.0;
      if (!got.hit || t < got.toi) {
        EXPECT_LE(depth_at(pair, path_a, path_b, t), precision.tolerance_m * 1.001) << t;
      }
    }
  });
  EXPECT_GT(hits, 10);
  EXPECT_GT(misses, 20);
  EXPECT_LE(capped, 8);  // of 400
}

/// A ray is inside where sampled points are, from its fraction on; at that fraction it is on the
/// surface, with a normal that the rest of the shape stays behind.
TEST_P(Solids, RaysEnterWhereSampledPointsDo) {
  int hits = 0;
  for_each_pair(2, [&hits](const ShapePair& pair) {
    Prng prng(static_cast<std::uint64_t>(std::abs(pair.gap_m / pair.size_m) * 0x1p60));
    const double size_m = extent_m(pair.a);
    const Vec3 target = support_point(pair.a, pair.pose_a.rotation, pair.axis) +
                        pair.axis * (prng.between(-0.5, 0.1) * size_m);
    const Vec3 origin = target + any_vector(prng, size_m * (prng.chance(0.2) ? 0.01 : 3));
    const Vec3 delta = (target - origin) * (prng.chance(0.5) ? 1 : 4);
    const auto outside_at = [&](double t) {
      return outside_m(pair.a, pair.pose_a.rotation, origin + delta * t);
    };
    const double band_m = 1e-13 * (length(origin) + length(delta) + size_m);
    const auto hit = ray_cast(pair.a, pair.pose_a, origin, delta);
    for (int i = 0; i < 50; ++i) {
      const double t = i / 50.0;
      if (!hit || t < hit->fraction) {
        EXPECT_GE(outside_at(t), -band_m) << t;
      }
    }
    if (!hit) return;
    ++hits;
    EXPECT_EQ(hit->point, origin + delta * hit->fraction);
    EXPECT_LE(dot(hit->normal, delta), 0);
    if (hit->fraction == 0) {
      EXPECT_LE(outside_at(0), 0);
      return;
    }
    EXPECT_NEAR(outside_at(hit->fraction), 0, band_m);
    const Vec3 most = support_point(pair.a, pair.pose_a.rotation, hit->normal);
    EXPECT_NEAR(dot(most - hit->point, hit->normal), 0, band_m);
  });
  EXPECT_GT(hits, 100);
}

std::string name_of(PrimitiveKind kind) {
  constexpr const char* names[] = {"Sphere", "Capsule", "Box", "Hull", "Triangle"};
  return names[static_cast<std::size_t>(kind)];
}

/// All pairs of kinds from `first` to `last`.
auto kinds_between(PrimitiveKind first, PrimitiveKind last) {
  std::vector<std::pair<PrimitiveKind, PrimitiveKind>> pairs;
  for (auto a = static_cast<std::uint8_t>(first); a <= static_cast<std::uint8_t>(last); ++a)
    for (auto b = a; b <= static_cast<std::uint8_t>(last); ++b)
      pairs.emplace_back(static_cast<PrimitiveKind>(a), static_cast<PrimitiveKind>(b));
  return testing::ValuesIn(pairs);
}
std::string name_of_kinds(
    const testing::TestParamInfo<std::pair<PrimitiveKind, PrimitiveKind>>& kinds) {
  return name_of(kinds.param.first) + name_of(kinds.param.second);
}
INSTANTIATE_TEST_SUITE_P(All, Shapes, kinds_between(PrimitiveKind::Sphere, PrimitiveKind::Mesh),
                         name_of_kinds);
INSTANTIATE_TEST_SUITE_P(All, Polytopes, kinds_between(PrimitiveKind::Box, PrimitiveKind::Mesh),
                         name_of_kinds);
INSTANTIATE_TEST_SUITE_P(All, Solids, kinds_between(PrimitiveKind::Sphere, PrimitiveKind::Hull),
                         name_of_kinds);

}  // namespace
}  // namespace vicinity::oracle
