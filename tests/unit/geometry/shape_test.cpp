// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/shape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"

namespace vicinity {
namespace {

const double half_turn = 3.14159265358979323846;

TEST(Shape, LocalBoxOfEachPlainKind) {
  EXPECT_EQ(local_box(Shape::sphere(2, {1, 0, 0})), (Aabb{{-1, -2, -2}, {3, 2, 2}}));
  EXPECT_EQ(local_box(Shape::capsule(1, 3)), (Aabb{{-1, -4, -1}, {1, 4, 1}}));
  EXPECT_EQ(local_box(Shape::box({1, 2, 3}, {0, 1, 0})), (Aabb{{-1, -1, -3}, {1, 3, 3}}));
  EXPECT_EQ(local_box(Shape::box_corners({0.1, 0.2, 0.3}, {0.4, 0.5, 0.6})),
            (Aabb{{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}}));
}

TEST(Shape, SphereOfRadiusZeroIsAPoint) {
  const Aabb point = local_box(Shape::sphere(0));
  EXPECT_EQ(point.min, point.max);
}

TEST(Shape, OfOnePartThatIsNotTurnedIsPlain) {
  EXPECT_EQ(Shape::of_parts({sphere_primitive(2, {1, 2, 3})}), Shape::sphere(2, {1, 2, 3}));
  EXPECT_EQ(Shape::of_parts({capsule_primitive(1, 2)}), Shape::capsule(1, 2));
  EXPECT_EQ(Shape::of_parts({box_primitive({1, 2, 3}, {{4, 5, 6}, {}})}),
            Shape::box({1, 2, 3}, {4, 5, 6}));
  const Quat quarter = from_rotation_vector({0, 0, half_turn / 2});
  EXPECT_TRUE(Shape::of_parts({sphere_primitive(2)}).is_plain());
  EXPECT_FALSE(Shape::of_parts({capsule_primitive(1, 2, {{}, quarter})}).is_plain());
  EXPECT_FALSE(Shape::of_parts({sphere_primitive(1), sphere_primitive(2)}).is_plain());
}

TEST(Shape, OfNoPartsIsAValueAllTheSame) {
  const Shape nothing = Shape::of_parts({});
  EXPECT_EQ(nothing.kind, ShapeKind::Compound);
  EXPECT_FALSE(nothing.is_plain());
  EXPECT_TRUE(nothing.compound->parts.empty());
}

TEST(Shape, OfSeveralPartsIsAroundAllAndAsThinAsTheThinnest) {
  const Shape shape = Shape::of_parts(
      {sphere_primitive(1, {5, 0, 0}), box_primitive({0.25, 2, 2}, {{-3, 0, 0}, {}})});
  EXPECT_EQ(shape.kind, ShapeKind::Compound);
  EXPECT_EQ(local_box(shape), (Aabb{{-3.25, -2, -2}, {6, 2, 2}}));
  EXPECT_EQ(thickness_m(shape), 0.5);
  EXPECT_NEAR(reach_m(shape), 6, 1e-9);
  EXPECT_GE(reach_m(shape), 6);
}

// Widths of a regular tetrahedron with edges of sqrt(8): between two opposite edges 2, between a
// face and its corner 4 / sqrt(3) = 2.31.
TEST(Shape, AHullIsAsThinAsItsNarrowestSide) {
  const std::vector<Vec3> corners = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  auto hull = ConvexHull::build(corners, "points");
  ASSERT_TRUE(hull);
  const Shape shape =
      Shape::of_parts({hull_primitive(std::make_shared<ConvexHull>(std::move(hull.value())))});
  EXPECT_EQ(shape.kind, ShapeKind::Hull);
  EXPECT_NEAR(thickness_m(shape), 2, 1e-12);
}

TEST(Shape, TurnedBoxIsThatOfTheTurnedShape) {
  const Quat quarter = from_rotation_vector({0, 0, half_turn / 2});
  const Aabb box = turned_box(Shape::box({1, 2, 3}, {10, 0, 0}), quarter);
  // Turned about z, x goes to y and y to -x.
  EXPECT_NEAR(box.min.x, -2, 1e-12);
  EXPECT_NEAR(box.max.y, 11, 1e-12);
  EXPECT_NEAR(box.min.y, 9, 1e-12);
  EXPECT_LE(box.min.z, -3);
}

TEST(Shape, DigestsDifferWhereShapesDo) {
  const auto digest = [](std::vector<Primitive> parts) {
    return make_compound(std::move(parts))->digest;
  };
  const std::uint64_t plain = digest({sphere_primitive(1), sphere_primitive(2)});
  EXPECT_EQ(plain, digest({sphere_primitive(1), sphere_primitive(2)}));
  EXPECT_NE(plain, digest({sphere_primitive(2), sphere_primitive(1)}));
  EXPECT_NE(plain, digest({sphere_primitive(1), sphere_primitive(2, {1, 0, 0})}));
  EXPECT_NE(plain, digest({sphere_primitive(1), capsule_primitive(2, 0)}));
}

}  // namespace
}  // namespace vicinity
