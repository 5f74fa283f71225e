// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/shape_tests.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "unit/narrow/shapes.h"

namespace vicinity {
namespace {

using test::at;
using test::cube_hull;

const Quat eighth_about_z = from_rotation_vector({0, 0, pi / 4});
const Quat lying = from_rotation_vector({0, 0, pi / 2});  // local y along -x

void expect_near(Vec3 got, Vec3 expected, double error) {
  EXPECT_NEAR(got.x, expected.x, error);
  EXPECT_NEAR(got.y, expected.y, error);
  EXPECT_NEAR(got.z, expected.z, error);
}

/// The touch rule at exactly representable places: a gap of zero is none, the next f64 is.
void expect_touch_at(const Primitive& a, const Primitive& b, double distance_m,
                     const Quat& rotation_b = {}) {
  EXPECT_FALSE(overlaps(a, at(0, 0, 0), b, at(distance_m, 0, 0, rotation_b)));
  EXPECT_TRUE(overlaps(a, at(0, 0, 0), b, at(distance_m * (1 - 1e-12), 0, 0, rotation_b)));
  EXPECT_NEAR(distance(a, at(0, 0, 0), b, at(distance_m + 2, 0, 0, rotation_b)).distance_m, 2,
              1e-15 * (1 + distance_m));
}

TEST(Overlaps, TouchingIsNotOverlapping) {
  const Primitive ball = sphere_primitive(1);
  const Primitive pill = capsule_primitive(0.5, 2);
  const Primitive cube = box_primitive({1, 1, 1});
  expect_touch_at(ball, ball, 2);
  expect_touch_at(ball, pill, 1.5);
  expect_touch_at(ball, cube, 2);
  expect_touch_at(pill, pill, 1);
  expect_touch_at(pill, cube, 1.5);
  expect_touch_at(cube, cube, 2);
  expect_touch_at(ball, cube_hull(1), 2);
  expect_touch_at(pill, cube_hull(1), 1.5);
  expect_touch_at(cube, cube_hull(1), 2);
  expect_touch_at(cube_hull(1), cube_hull(1), 2);
}

TEST(Overlaps, UprightBoxesCompareTheirCorners) {
  const Primitive box = box_primitive({0.05, 0.05, 0.05});
  // 0.1 + 0.05 and 0.2 - 0.05 are the same f64; as real numbers the two overlap.
  EXPECT_FALSE(overlaps(box, at(0.1, 0, 0), box, at(0.2, 0, 0)));
  EXPECT_TRUE(overlaps(box, at(0.1, 0, 0), box, at(std::nextafter(0.2, 0), 0, 0)));
}

TEST(Overlaps, PointsOverlapWhatTheyAreStrictlyInsideOf) {
  const Primitive point = sphere_primitive(0);
  const Primitive line = capsule_primitive(0, 2);
  const Primitive box_point = box_primitive({});
  for (const Primitive& nothing : {point, box_point}) {
    for (const Primitive& solid :
         {sphere_primitive(1), capsule_primitive(1, 1), box_primitive({1, 1, 1}), cube_hull(1)}) {
      EXPECT_TRUE(overlaps(nothing, at(0.999, 0, 0), solid, at(0, 0, 0)));
      EXPECT_TRUE(overlaps(solid, at(0, 0, 0), nothing, at(0, 0, 0)));
      EXPECT_FALSE(overlaps(nothing, at(1, 0, 0), solid, at(0, 0, 0)));
      EXPECT_FALSE(overlaps(solid, at(0, 0, 0), nothing, at(1.001, 0, 0)));
    }
    EXPECT_FALSE(overlaps(nothing, at(0, 0, 0), point, at(0, 0, 0)));
    EXPECT_FALSE(overlaps(nothing, at(0, 0, 0), line, at(0, 0, 0)));
  }
  // Lines: through the inside, along a face, crossing one another.
  EXPECT_TRUE(overlaps(line, at(0, 2.5, 0), box_primitive({1, 1, 1}), at(0, 0, 0)));
  EXPECT_FALSE(overlaps(line, at(1, 0, 0), box_primitive({1, 1, 1}), at(0, 0, 0)));
  EXPECT_FALSE(overlaps(line, at(0, 3, 0), box_primitive({1, 1, 1}), at(0, 0, 0)));
  EXPECT_FALSE(overlaps(line, at(0, 0, 0), line, at(0, 0, 0, lying)));
}

TEST(Overlaps, PlatesAreCutButDoNotMeetInTheirPlane) {
  const Primitive plate = box_primitive({1, 0, 1});
  const Primitive line = capsule_primitive(0, 1);
  EXPECT_TRUE(overlaps(line, at(0.5, 0.5, 0.5), plate, at(0, 0, 0)));
  EXPECT_FALSE(overlaps(line, at(0.5, 1, 0.5), plate, at(0, 0, 0)));
  EXPECT_FALSE(overlaps(line, at(0, 0, 0), box_primitive({1, 1, 0}), at(0, 0, 0)));
  EXPECT_FALSE(overlaps(plate, at(0, 0, 0), plate, at(0.5, 0, 0)));
  EXPECT_TRUE(overlaps(plate, at(0, 0, 0), plate, at(0, 0, 0, eighth_about_z)));
  EXPECT_FALSE(overlaps(plate, at(0, 0, 0), sphere_primitive(0), at(0, 0, 0)));
}

TEST(Overlaps, BoxesEdgeToEdge) {
  // Turned by 45 degrees each about different axes: the edges are at sqrt(2), crossing.
  const Primitive cube = box_primitive({1, 1, 1});
  const Quat about_y = from_rotation_vector({0, pi / 4, 0});
  const double touch = 2 * std::sqrt(2.0);
  EXPECT_FALSE(overlaps(cube, at(0, 0, 0, eighth_about_z), cube, at(touch + 1e-12, 0, 0, about_y)));
  EXPECT_TRUE(overlaps(cube, at(0, 0, 0, eighth_about_z), cube, at(touch - 1e-12, 0, 0, about_y)));
  const auto got =
      contact(cube, at(0, 0, 0, eighth_about_z), cube, at(touch - 0.1, 0.2, 0.3, about_y));
  ASSERT_TRUE(got.has_value());
  EXPECT_NEAR(got->penetration_m, 0.1, 1e-14);
  expect_near(got->normal, {1, 0, 0}, 1e-15);
  expect_near(got->point, {touch / 2 - 0.05, 0, 0.3}, 1e-12);  // where the edges cross
}

TEST(Overlaps, DiagonalNeighboursThatOnlyTheirBoxesTouch) {
  // Balls side by side along the diagonal: boxes overlap, balls do not.
  EXPECT_FALSE(overlaps(sphere_primitive(1), at(0, 0, 0), sphere_primitive(1), at(1.5, 1.5, 0)));
  EXPECT_TRUE(overlaps(sphere_primitive(1), at(0, 0, 0), sphere_primitive(1), at(1.4, 1.4, 0)));
  // A ball beside the corner of a box: sqrt(3) * 0.5 = 0.866 away.
  const Primitive cube = box_primitive({1, 1, 1});
  EXPECT_FALSE(overlaps(cube, at(0, 0, 0), sphere_primitive(0.86), at(1.5, 1.5, 1.5)));
  EXPECT_TRUE(overlaps(cube, at(0, 0, 0), sphere_primitive(0.87), at(1.5, 1.5, 1.5)));
}

TEST(Overlaps, FarAwayIsAsExactAsNearby) {
  const Vec3 far = {1e9, -1e9, 1e9};
  const double step = 0x1p-23;  // between neighbouring positions there
  for (const Primitive& shape :
       {sphere_primitive(0.5), capsule_primitive(0.5, 1), cube_hull(0.5)}) {
    EXPECT_FALSE(overlaps(shape, {far, {}}, shape, {far + Vec3{1, 0, 0}, {}}));
    EXPECT_TRUE(overlaps(shape, {far, {}}, shape, {far + Vec3{1 - step, 0, 0}, {}}));
    EXPECT_EQ(distance(shape, {far, {}}, shape, {far + Vec3{1 + step, 0, 0}, {}}).distance_m, step);
  }
}

/// The corner of an upright box is where rounding puts it: 0.05 right of 1e9 that is 0.4 steps to
/// the left. What the index does not see there does not overlap.
TEST(Overlaps, NothingThatTheBoxesDoNotShow) {
  const double step = 0x1p-23;
  const Primitive box = box_primitive({0.05, 1, 1});
  const Pose pose = at(1e9, 0, 0);
  const double corner = 1e9 + 0.05;
  ASSERT_LT(corner - 1e9, 0.05 - 0.3 * step);
  for (const Primitive& ball : {sphere_primitive(1), cube_hull(1)}) {
    EXPECT_FALSE(overlaps(box, pose, ball, at(corner + 1, 0, 0)));
    EXPECT_FALSE(contact(ball, at(corner + 1, 0, 0), box, pose).has_value());
    EXPECT_TRUE(overlaps(box, pose, ball, at(corner + 1 - step, 0, 0)));
  }
}

TEST(Overlaps, TinyAndHugeTogether) {
  const Primitive house = box_primitive({5000, 5000, 5000}, {{}, eighth_about_z});
  const Primitive grain = cube_hull(0.0005);
  const double face = 5000 + 0.0005;
  const Pose turned = at(0, 0, 0, conjugate(eighth_about_z));  // back to upright
  EXPECT_TRUE(overlaps(grain, at(face - 1e-7, 0, 0), house, turned));
  EXPECT_FALSE(overlaps(grain, at(face + 1e-7, 0, 0), house, turned));
}

/// What is equal but for its place still has an order.
TEST(Overlaps, TheSameShapeTwiceInBothOrders) {
  Prng prng(50);
  const auto any = [&prng](double size) {
    return Vec3{prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
  };
  const Primitive mesh = mesh_primitive(std::make_shared<const TriangleMesh>(
      TriangleMesh::build({{-1, 0, -1}, {1, 0.5, -1}, {1, 0, 1}, {-1, 1, 1}},
                          {{0, 2, 1}, {0, 3, 2}}, false, "mesh")
          .value()));
  for (const Primitive& shape : {sphere_primitive(1), capsule_primitive(0.5, 1),
                                 box_primitive({1, 0.5, 1}), cube_hull(0.7), mesh}) {
    for (int i = 0; i < 500; ++i) {
      const Pose here = {any(1), from_rotation_vector(any(3))};
      const Pose there = {any(1.5), here.rotation};
      const bool yes = overlaps(shape, here, shape, there);
      ASSERT_EQ(overlaps(shape, there, shape, here), yes);
      const ShapeDistance way = distance(shape, here, shape, there);
      const ShapeDistance back = distance(shape, there, shape, here);
      ASSERT_EQ(way.distance_m, back.distance_m);
      ASSERT_EQ(way.on_a, back.on_b);
      ASSERT_EQ(way.normal, negated(back.normal));
    }
  }
}

TEST(Contact, OfBallsIsBetweenTheirCentres) {
  const auto got = contact(sphere_primitive(2), at(0, 0, 0), sphere_primitive(1), at(0, 2.5, 0));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->normal, Vec3({0, 1, 0}));
  EXPECT_EQ(got->penetration_m, 0.5);
  EXPECT_EQ(got->point, Vec3({0, 1.75, 0}));  // surfaces at 2 and 1.5
  const auto back = contact(sphere_primitive(1), at(0, 2.5, 0), sphere_primitive(2), at(0, 0, 0));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->normal, Vec3({0, -1, 0}));
  EXPECT_EQ(back->point, got->point);
}

TEST(Contact, OfWhatSharesItsCentreHasADirectionAndAllOfTheDepth) {
  const auto balls = contact(sphere_primitive(2), at(1, 1, 1), sphere_primitive(1), at(1, 1, 1));
  ASSERT_TRUE(balls.has_value());
  EXPECT_EQ(length(balls->normal), 1.0);
  EXPECT_EQ(balls->penetration_m, 3.0);
  const auto pills = contact(capsule_primitive(0.5, 2), at(0, 0, 0), capsule_primitive(0.5, 2),
                             at(0, 0, 0, lying));
  ASSERT_TRUE(pills.has_value());
  EXPECT_NEAR(std::abs(pills->normal.z), 1, 1e-15);  // at a right angle to both
  EXPECT_NEAR(pills->penetration_m, 1, 1e-15);
  const auto cubes =
      contact(box_primitive({1, 2, 3}), at(0, 0, 0), box_primitive({1, 2, 3}), at(0, 0, 0));
  ASSERT_TRUE(cubes.has_value());
  EXPECT_EQ(cubes->penetration_m, 2.0);
  EXPECT_EQ(std::abs(cubes->normal.x), 1.0);
}

TEST(Contact, OfABoxOnAFloorIsUnderTheBox) {
  const Primitive floor = box_primitive({100, 1, 100});
  const Primitive crate = box_primitive({0.5, 0.5, 0.5});
  const auto got = contact(crate, at(30, 1.4, -20), floor, at(0, 0, 0));
  ASSERT_TRUE(got.has_value());
  expect_near(got->normal, {0, -1, 0}, 0);
  EXPECT_NEAR(got->penetration_m, 0.1, 1e-15);
  expect_near(got->point, {30, 0.95, -20}, 1e-12);
  // Half of it over the edge: only what is above the floor counts.
  const auto edge = contact(crate, at(100, 1.4, 0), floor, at(0, 0, 0));
  ASSERT_TRUE(edge.has_value());
  expect_near(edge->point, {99.75, 0.95, 0}, 1e-9);
}

TEST(Contact, OfACapsuleOnABoxIsUnderItsMiddle) {
  const auto got = contact(capsule_primitive(0.5, 1), at(3, 1.4, 0, lying),
                           box_primitive({100, 1, 100}), at(0, 0, 0));
  ASSERT_TRUE(got.has_value());
  expect_near(got->normal, {0, -1, 0}, 1e-15);
  EXPECT_NEAR(got->penetration_m, 0.1, 1e-15);
  expect_near(got->point, {3, 0.95, 0}, 1e-12);
}

TEST(Contact, DeepInsideABoxIsOutThroughTheNearestFace) {
  for (const Primitive& cube : {box_primitive({2, 2, 2}), cube_hull(2)}) {
    const auto ball = contact(sphere_primitive(0.5), at(0, 1.5, 0.25), cube, at(0, 0, 0));
    ASSERT_TRUE(ball.has_value());
    expect_near(ball->normal, {0, -1, 0}, 1e-15);  // from the ball to the cube
    EXPECT_NEAR(ball->penetration_m, 1, 1e-14);    // half a metre to the face and the radius
    const auto pill = contact(capsule_primitive(0.5, 1), at(1, 0, 0), cube, at(0, 0, 0));
    ASSERT_TRUE(pill.has_value());
    expect_near(pill->normal, {-1, 0, 0}, 1e-15);
    EXPECT_NEAR(pill->penetration_m, 1.5, 1e-14);
  }
}

TEST(Distance, OfCornersAndEdges) {
  const Primitive cube = box_primitive({1, 1, 1});
  const ShapeDistance corners = distance(cube, at(0, 0, 0), cube, at(3, 4, 4));
  EXPECT_NEAR(corners.distance_m, 3, 1e-15);  // (1, 2, 2)
  expect_near(corners.on_a, {1, 1, 1}, 1e-15);
  expect_near(corners.on_b, {2, 3, 3}, 1e-15);
  expect_near(corners.normal, {1.0 / 3, 2.0 / 3, 2.0 / 3}, 1e-15);
  const ShapeDistance pills = distance(capsule_primitive(0.5, 1), at(0, 0, 0),
                                       capsule_primitive(0.25, 1), at(0, 5, 0, lying));
  EXPECT_NEAR(pills.distance_m, 3.25, 1e-15);
  expect_near(pills.on_a, {0, 1.5, 0}, 1e-15);
}

TEST(Distance, IsZeroWhereTheyTouch) {
  const ShapeDistance got =
      distance(box_primitive({1, 1, 1}), at(0, 0, 0), box_primitive({1, 1, 1}), at(2, 0, 0));
  EXPECT_EQ(got.distance_m, 0.0);
  EXPECT_EQ(got.on_a, got.on_b);
  EXPECT_EQ(got.normal, Vec3({1, 0, 0}));
}

TEST(Distance, ToAPoint) {
  const Pose pose = at(10, 0, 0, lying);
  EXPECT_EQ(distance_to_point(sphere_primitive(1), at(0, 0, 0), {0, 3, 4}), 4.0);
  EXPECT_EQ(distance_to_point(sphere_primitive(1), at(0, 0, 0), {0, 0.5, 0}), 0.0);
  EXPECT_NEAR(distance_to_point(capsule_primitive(1, 2), pose, {10, 4, 0}), 3, 1e-15);
  EXPECT_NEAR(distance_to_point(box_primitive({1, 2, 3}), pose, {10, 4, 7}), 5, 1e-15);
  EXPECT_NEAR(distance_to_point(cube_hull(1), at(0, 0, 0), {4, 5, 0}), 5, 1e-15);
  EXPECT_EQ(distance_to_point(cube_hull(1), at(0, 0, 0), {0.5, 0, 0}), 0.0);
}

}  // namespace
}  // namespace vicinity
