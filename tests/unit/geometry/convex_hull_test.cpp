// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/convex_hull.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "geometry/quat.h"

namespace vicinity {
namespace {

using Points = std::vector<Vec3>;

Points cube_points() {
  Points points;
  for (int i = 0; i < 8; ++i)
    points.push_back(
        {(i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0});
  return points;
}

void shuffle(Points& points, Prng& prng) {
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[prng.below(i)]);
}

/// What every hull must be, whatever it was built from.
void expect_sound(const ConvexHull& hull, const Points& points, double tolerance_m) {
  EXPECT_EQ(hull.vertices().size() + hull.faces().size(), hull.edges().size() + 2);
  for (const Plane& face : hull.faces()) {
    EXPECT_NEAR(length(face.normal), 1, 1e-15);
    int on_face = 0;
    for (const Vec3 vertex : hull.vertices()) {
      EXPECT_LE(dot(face.normal, vertex), face.offset_m);
      on_face += dot(face.normal, vertex) >= face.offset_m - 3 * tolerance_m ? 1 : 0;
    }
    EXPECT_GE(on_face, 3);
    for (const Vec3 point : points)
      EXPECT_LE(dot(face.normal, point), face.offset_m + 3 * tolerance_m);
  }
  for (const ConvexHull::Edge& edge : hull.edges()) {
    EXPECT_LT(edge.from, edge.to);
    EXPECT_NE(edge.faces[0], edge.faces[1]);
    for (const std::uint8_t face : edge.faces)
      for (const std::uint8_t vertex : {edge.from, edge.to})
        EXPECT_GE(dot(hull.faces()[face].normal, hull.vertices()[vertex]),
                  hull.faces()[face].offset_m - 3 * tolerance_m);
  }
}

TEST(ConvexHull, OfACubeHasSixFacesAndTwelveEdges) {
  Points points = cube_points();
  points.push_back({0.5, 0.5, 0.5});  // inside
  points.push_back({1, 0, 0});        // in a face
  points.push_back({1, 1, 0.25});     // in an edge
  points.push_back({1, 1, 1});        // twice
  const auto hull = ConvexHull::build(points, "points");
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().vertices().size(), 8u);
  EXPECT_EQ(hull.value().faces().size(), 6u);
  EXPECT_EQ(hull.value().edges().size(), 12u);
  EXPECT_EQ(hull.value().box(), (Aabb{{-1, -1, -1}, {1, 1, 1}}));
  EXPECT_EQ(hull.value().middle(), Vec3{});
  for (const Plane& face : hull.value().faces()) EXPECT_EQ(face.offset_m, 1.0);
  expect_sound(hull.value(), points, 0);
}

TEST(ConvexHull, OfATetrahedronIsTheTetrahedron) {
  const Points points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const auto hull = ConvexHull::build(points, "points");
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().faces().size(), 4u);
  EXPECT_EQ(hull.value().edges().size(), 6u);
  expect_sound(hull.value(), points, 1e-16);
}

TEST(ConvexHull, DoesNotDependOnTheOrderOfPoints) {
  Prng prng(5);
  for (int round = 0; round < 20; ++round) {
    Points points(4 + prng.below(40));
    for (Vec3& point : points)
      point = {prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)};
    const auto first = ConvexHull::build(points, "points");
    ASSERT_TRUE(first.ok());
    shuffle(points, prng);
    const auto second = ConvexHull::build(points, "points");
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(std::ranges::equal(first.value().vertices(), second.value().vertices()));
    ASSERT_EQ(first.value().faces().size(), second.value().faces().size());
    for (std::size_t i = 0; i < first.value().faces().size(); ++i) {
      EXPECT_EQ(first.value().faces()[i].normal, second.value().faces()[i].normal);
      EXPECT_EQ(first.value().faces()[i].offset_m, second.value().faces()[i].offset_m);
    }
    expect_sound(first.value(), points, 1e-11);
  }
}

TEST(ConvexHull, OfSixtyFourPointsOnASphereKeepsThemAll) {
  Prng prng(6);
  Points points(64);
  for (Vec3& point : points)
    point = unit_or({prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)}, {1, 0, 0});
  const auto hull = ConvexHull::build(points, "points");
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().vertices().size(), 64u);
  EXPECT_EQ(hull.value().faces().size(), 124u);  // all triangles: 2 V - 4
  expect_sound(hull.value(), points, 1e-11);
}

/// Coordinates with errors of all sizes, those around the tolerance included, on shapes with many
/// points in a face: prisms and cubes with grids of points, turned.
TEST(ConvexHull, StandsRoundedCoordinatesOfFlatFaces) {
  Prng prng(7);
  for (int round = 0; round < 400; ++round) {
    Points points;
    if (prng.chance(0.5)) {
      const std::size_t sides = 3 + prng.below(29);
      for (std::size_t i = 0; i < sides; ++i) {
        const SineCosine at =
            sine_cosine(2 * pi * static_cast<double>(i) / static_cast<double>(sides));
        points.push_back({at.cosine, -1, at.sine});
        points.push_back({at.cosine, 1, at.sine});
      }
    } else {
      for (int i = 0; i < 64; ++i)
        points.push_back({i % 4 / 1.5 - 1, i / 4 % 4 / 1.5 - 1, i / 16 / 1.5 - 1});
    }
    const Quat turn =
        from_rotation_vector({prng.between(-3, 3), prng.between(-3, 3), prng.between(-3, 3)});
    const double size_m = std::ldexp(1.0, static_cast<int>(prng.below(24)) - 10);
    const double noise = prng.chance(0.2) ? 0 : std::pow(10.0, prng.between(-17, -4));
    for (Vec3& point : points) {
      const Vec3 shift = {prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)};
      point = (rotate(turn, point) + shift * noise) * size_m;
    }
    const auto hull = ConvexHull::build(points, "points");
    ASSERT_TRUE(hull.ok()) << "round " << round << " noise " << noise << ": " << hull.error().text;
    expect_sound(hull.value(), points, 3e-7 * size_m);
    if (testing::Test::HasFailure()) FAIL() << "round " << round << " noise " << noise;
  }
}

/// Pairs of corners as close together as rounding leaves them, and at all distances up to a
/// thousandth.
TEST(ConvexHull, StandsCornersThatAreAllButTheSame) {
  Prng prng(12);
  for (int round = 0; round < 200; ++round) {
    Points points;
    for (int i = 0; i < 30; ++i) {
      const Vec3 at = {prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)};
      const double near = std::pow(10.0, prng.between(-16, -3));
      points.push_back(at);
      points.push_back(at + Vec3{prng.between(-near, near), prng.between(-near, near), near});
    }
    const auto hull = ConvexHull::build(points, "points");
    ASSERT_TRUE(hull.ok()) << "round " << round << ": " << hull.error().text;
    expect_sound(hull.value(), points, 1e-6);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

void expect_refused(const Points& points, ErrorCode code) {
  const auto hull = ConvexHull::build(points, "shape.points");
  ASSERT_FALSE(hull.ok());
  EXPECT_EQ(hull.error().code, code);
  EXPECT_TRUE(hull.error().text.starts_with("shape.points: ")) << hull.error().text;
}

TEST(ConvexHull, RefusesWhatIsNoSolid) {
  expect_refused({}, ErrorCode::InvalidShape);
  expect_refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, ErrorCode::InvalidShape);
  expect_refused({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {3, 2, 0}}, ErrorCode::InvalidShape);
  expect_refused({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}, ErrorCode::InvalidShape);
  expect_refused({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, ErrorCode::InvalidShape);
  // Thinner than a millionth of its size, and just thicker.
  expect_refused({{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {0, 0, 0.9e-5}}, ErrorCode::InvalidShape);
  EXPECT_TRUE(
      ConvexHull::build(Points{{0, 0, 0}, {10, 0, 0}, {0, 10, 0}, {0, 0, 1.1e-5}}, "p").ok());
}

TEST(ConvexHull, RefusesNumbersThatAreNone) {
  Points points = cube_points();
  points[3].y = std::nan("");
  expect_refused(points, ErrorCode::InvalidNumber);
  points[3].y = 1e300;
  expect_refused(points, ErrorCode::InvalidShape);
  expect_refused(Points(65, Vec3{}), ErrorCode::LimitExceeded);
}

TEST(ConvexHull, OfOneMillimetreAndOfTenKilometresAreAlike) {
  for (const double size_m : {1e-3, 1e4, 1e12}) {
    Points points = cube_points();
    for (Vec3& point : points) point = point * size_m;
    const auto hull = ConvexHull::build(points, "points");
    ASSERT_TRUE(hull.ok());
    EXPECT_EQ(hull.value().faces().size(), 6u);
  }
}

// --- Frustums --------------------------------------------------------------------------------

std::array<Plane, 6> box_planes(double half) {
  return {Plane{{2, 0, 0}, 2 * half}, {{-1, 0, 0}, half}, {{0, 1, 0}, half},
          {{0, -1, 0}, half},         {{0, 0, 1}, half},  {{0, 0, -1}, half}};
}

TEST(Frustum, OfABoxIsTheBox) {
  const auto hull = hull_of_frustum(box_planes(3), "planes");
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().vertices().size(), 8u);
  EXPECT_EQ(hull.value().box(), (Aabb{{-3, -3, -3}, {3, 3, 3}}));
}

TEST(Frustum, OfACameraHasItsCorners) {
  // Looks along -z from the origin, 90 degrees wide and high, near 1, far 10.
  const double s = std::sqrt(0.5);
  const std::array<Plane, 6> planes = {Plane{{s, 0, s}, 0}, {{-s, 0, s}, 0}, {{0, s, s}, 0},
                                       {{0, -s, s}, 0},     {{0, 0, 1}, -1}, {{0, 0, -1}, 10}};
  const auto hull = hull_of_frustum(planes, "planes");
  ASSERT_TRUE(hull.ok());
  EXPECT_EQ(hull.value().vertices().size(), 8u);
  EXPECT_NEAR(hull.value().box().max.x, 10, 1e-13);
  EXPECT_NEAR(hull.value().box().min.z, -10, 1e-13);
  EXPECT_NEAR(hull.value().box().max.z, -1, 1e-13);
}

TEST(Frustum, WithoutBoundedVolumeIsRefused) {
  const auto expect_error = [](const std::array<Plane, 6>& planes) {
    const auto hull = hull_of_frustum(planes, "planes");
    ASSERT_FALSE(hull.ok());
    EXPECT_TRUE(hull.error().text.starts_with("planes: "));
  };
  std::array<Plane, 6> planes = box_planes(3);
  planes[0].normal = {-1, 0, 0};  // open to the right
  expect_error(planes);
  planes = box_planes(3);
  planes[0].offset_m = -8;  // right of it ends before left of it begins
  expect_error(planes);
  planes = box_planes(3);
  planes[4].normal = {0, 0, 0};
  expect_error(planes);
  planes[4].normal = {0, 0, std::nan("")};
  expect_error(planes);
  expect_error(box_planes(0));
  for (Plane& plane : planes) plane = {{1, 0, 0}, 1};
  expect_error(planes);
  // An infinite prism: all normals at right angles to z.
  planes = {Plane{{1, 0, 0}, 1}, {{-1, 0, 0}, 1}, {{0, 1, 0}, 1},
            {{0, -1, 0}, 1},     {{1, 1, 0}, 1},  {{-1, 1, 0}, 1}};
  expect_error(planes);
}

}  // namespace
}  // namespace vicinity
