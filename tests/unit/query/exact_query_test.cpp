// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Queries by shapes, worked out by hand: with each kind of index, at the origin and 10^9 m away
// from it, where numbers still have 23 binary digits behind the point.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "unit/query/exact_shapes.h"
#include "unit/query/query_fixture.h"

namespace vicinity {
namespace {

using test::root_2;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double near_m = 1e-9;

class ExactQueryTest : public testing::TestWithParam<std::tuple<IndexKind, double>> {
 protected:
  Vec3 at(double x, double y, double z) const {
    const double far = std::get<double>(GetParam());
    return Vec3{far, -far, far} + Vec3{x, y, z};
  }
  EntityId spawn(const Shape& shape, Vec3 position, const Filter& filter = {}) {
    return scene_.world_.spawn(shape, position, filter);
  }
  void step() { scene_.world_.step(); }
  QueryAnswer ask(Query query) const {
    query.exact = true;
    return scene_.ask(query);
  }
  std::vector<EntityId> ids(const Query& query) const { return test::ids_of(ask(query)); }
  std::vector<EntityId> box(Vec3 min, Vec3 max) const {
    return ids(test::box_query(at(min.x, min.y, min.z), at(max.x, max.y, max.z)));
  }
  std::vector<EntityId> sphere(Vec3 centre, double radius_m) const {
    return ids(test::sphere_query(at(centre.x, centre.y, centre.z), radius_m));
  }
  std::vector<QueryHit> ray(Vec3 origin, Vec3 delta, double max_t = 100) const {
    return ask(test::ray_query(at(origin.x, origin.y, origin.z), delta, max_t)).hits;
  }
  std::vector<QueryHit> nearest(Vec3 point, std::uint32_t k = 10, double limit_m = -1) const {
    return ask(test::nearest_query(at(point.x, point.y, point.z), k, limit_m)).hits;
  }
  std::vector<QueryHit> cast(const Primitive& shape, Vec3 start, Vec3 delta,
                             double max_t = 1) const {
    return ask({ShapeCastQuery{shape, {at(start.x, start.y, start.z), {}}, delta, max_t}}).hits;
  }
  /// The only hit.
  void expect(const std::vector<QueryHit>& hits, EntityId id, double value, Vec3 point, Vec3 normal,
              double slack_m = near_m) const {
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(hits[0].id, id);
    EXPECT_NEAR(hits[0].value, value, slack_m);
    // A point is told in coordinates of the world.
    const double point_slack_m = slack_m + std::get<double>(GetParam()) * 0x1p-51;
    EXPECT_LE(length(hits[0].point - at(0, 0, 0) - point), point_slack_m);
    EXPECT_LE(length(hits[0].normal - normal), 10 * slack_m);
  }

  test::QueryWorld scene_{std::get<IndexKind>(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(Index, ExactQueryTest,
                         testing::Combine(test::all_index_kinds, testing::Values(0.0, 1e9)),
                         [](const auto& param) {
                           return std::string(to_string(std::get<IndexKind>(param.param))) +
                                  (std::get<double>(param.param) > 0 ? "_far" : "_near");
                         });

// --- Overlap -----------------------------------------------------------------------------------

TEST_P(ExactQueryTest, BoxInTheCornerOfATightBoxFindsNothing) {
  const EntityId ball = spawn(Shape::sphere(1), at(0, 0, 0));
  const EntityId pill = spawn(Shape::capsule(1, 1), at(10, 0, 0));
  const EntityId cube = spawn(test::turned_cube(), at(20, 0, 0));
  const EntityId hull = spawn(test::octahedron(), at(30, 0, 0));
  const EntityId wedge = spawn(test::slope(false), at(40, 0, 0));
  step();
  EXPECT_THAT(box({0.625, 0.625, 0.625}, {1, 1, 1}), IsEmpty());  // 1.08 m from the centre
  EXPECT_THAT(box({0.5, 0.5, 0.5}, {1, 1, 1}), ElementsAre(ball));
  EXPECT_THAT(box({1, -1, -1}, {2, 1, 1}), IsEmpty());  // touches
  EXPECT_THAT(box({10.75, 0, 0.75}, {11, 2, 1}), IsEmpty());
  EXPECT_THAT(box({10.625, 0, 0.625}, {11, 2, 1}), ElementsAre(pill));
  EXPECT_THAT(box({21.125, 0.375, 0}, {21.5, 1, 1}), IsEmpty());  // 1.5 > root 2
  EXPECT_THAT(box({21.125, 0.25, 0}, {21.5, 1, 1}), ElementsAre(cube));
  EXPECT_THAT(box({30.375, 0.375, 0.375}, {31, 1, 1}), IsEmpty());
  EXPECT_THAT(box({30.25, 0.25, 0.25}, {31, 1, 1}), ElementsAre(hull));
  EXPECT_THAT(box({40.125, 0, 0}, {41, 1, 1}), IsEmpty());
  EXPECT_THAT(box({39.5, 0, 0}, {41, 1, 1}), ElementsAre(wedge));
}

TEST_P(ExactQueryTest, AMeshIsItsSurface) {
  const EntityId ground = spawn(test::floor(true), at(0, 0, 0));
  step();
  EXPECT_THAT(box({-0.5, -0.25, -0.5}, {0.5, 0.25, 0.5}), ElementsAre(ground));
  EXPECT_THAT(box({-0.5, 0, -0.5}, {0.5, 0.25, 0.5}), IsEmpty());  // lies on it
  EXPECT_THAT(sphere({0, 2, 0}, 2), IsEmpty());
  EXPECT_THAT(sphere({0, 2, 0}, 2.000001), ElementsAre(ground));
}

TEST_P(ExactQueryTest, ACompoundIsFoundOnceAndNotBetweenItsParts) {
  const EntityId bell = spawn(test::dumbbell(), at(0, 0, 0));
  step();
  EXPECT_THAT(box({-1, -1, -1}, {1, 1, 1}), IsEmpty());
  EXPECT_THAT(box({2.5, -1, -1}, {4, 1, 1}), ElementsAre(bell));
  EXPECT_THAT(box({-9, -9, -9}, {9, 9, 9}), ElementsAre(bell));
  EXPECT_THAT(sphere({0, 0, 0}, 2), IsEmpty());
  EXPECT_THAT(sphere({0, 0, 0}, 2.000001), ElementsAre(bell));
}

TEST_P(ExactQueryTest, SphereTakesWhatIsStrictlyCloserThanTheRadius) {
  const EntityId ball = spawn(Shape::sphere(2), at(3, 4, 0));
  step();
  EXPECT_THAT(sphere({0, 0, 0}, 3), IsEmpty());
  EXPECT_THAT(sphere({0, 0, 0}, 3.000001), ElementsAre(ball));
  EXPECT_THAT(sphere({3, 4, 0}, 0), IsEmpty());
  EXPECT_THAT(sphere({3, 4, 0}, 1e-6), ElementsAre(ball));
}

TEST_P(ExactQueryTest, TurnedShapesFindByTheirOwnForm) {
  const EntityId cube = spawn(Shape::box({1, 1, 1}), at(0, 0, 0));
  step();
  const auto turned = [&](double x, double y) {
    return ids({OverlapQuery{box_primitive({1, 1, 1}), {at(x, y, 0), test::eighth_turn()}}});
  };
  EXPECT_THAT(turned(1.75, 1.75), IsEmpty());  // the corner (1, 1) is 1.5 away, along both axes
  EXPECT_THAT(turned(1.625, 1.625), ElementsAre(cube));
  const auto pill = [&](double x) {
    return ids({OverlapQuery{capsule_primitive(0.5, 2), {at(x, 2, 0), {}}}});
  };
  EXPECT_THAT(pill(1.5), IsEmpty());
  EXPECT_THAT(pill(1.25), ElementsAre(cube));
  Primitive hull = test::octahedron().compound->parts.front();
  EXPECT_THAT(ids({OverlapQuery{hull, {at(1.375, 1.375, 1.375), {}}}}), IsEmpty());
  EXPECT_THAT(ids({OverlapQuery{hull, {at(1.25, 1.25, 1.25), {}}}}), ElementsAre(cube));
}

// --- Rays --------------------------------------------------------------------------------------

TEST_P(ExactQueryTest, RayTellsPointAndNormalOfEachShape) {
  const EntityId ball = spawn(Shape::sphere(1.25), at(0, 0, 0));
  const EntityId pill = spawn(Shape::capsule(1, 1), at(0, 10, 0));
  const EntityId cube = spawn(test::turned_cube(), at(0, 20, 0));
  const EntityId hull = spawn(test::octahedron(), at(0, 30, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(0, 40, 0));
  step();
  expect(ray({-5, 0.75, 0}, {1, 0, 0}), ball, 4, {-1, 0.75, 0}, {-0.8, 0.6, 0});
  expect(ray({-5, 10.5, 0}, {2, 0, 0}), pill, 2, {-1, 10.5, 0}, {-1, 0, 0});
  expect(ray({-5, 20.25, 0}, {1, 0, 0}), cube, 5.25 - root_2, {0.25 - root_2, 20.25, 0},
         {-1 / root_2, 1 / root_2, 0});
  const double third = 1 / std::sqrt(3);
  expect(ray({-5, 30.25, 0.25}, {1, 0, 0}), hull, 4.5, {-0.5, 30.25, 0.25}, {-third, third, third});
  expect(ray({-5, 40.5, 0.25}, {0.5, 0, 0}), crate, 8, {-1, 40.5, 0.25}, {-1, 0, 0});
  EXPECT_THAT(ray({-5, 1, 1}, {1, 0, 0}), IsEmpty());        // through a corner of the tight box
  EXPECT_THAT(ray({-5, 11, 1}, {1, 0, 0}), IsEmpty());       // grazes
  EXPECT_THAT(ray({-5, 41, 0}, {1, 0, 0}), IsEmpty());       // grazes
  EXPECT_THAT(ray({-5, 0, 0}, {1, 0, 0}, 3.75), IsEmpty());  // ends on the surface
}

TEST_P(ExactQueryTest, RayHitsAFlatMeshFromItsFrontOrBothSides) {
  const EntityId one_sided = spawn(test::floor(false), at(0, 0, 0));
  const EntityId two_sided = spawn(test::floor(true), at(10, 0, 0));
  step();
  expect(ray({0.25, 5, 0.125}, {0, -1, 0}), one_sided, 5, {0.25, 0, 0.125}, {0, 1, 0});
  EXPECT_THAT(ray({0.25, -5, 0.125}, {0, 1, 0}), IsEmpty());
  expect(ray({10.25, 5, 0.125}, {0, -1, 0}), two_sided, 5, {10.25, 0, 0.125}, {0, 1, 0});
  expect(ray({10.25, -5, 0.125}, {0, 2, 0}), two_sided, 2.5, {10.25, 0, 0.125}, {0, -1, 0});
  EXPECT_THAT(ray({10.25, 5, 0.125}, {0, -1, 0}, 5), IsEmpty());
}

TEST_P(ExactQueryTest, RayFromInsideIsAtZeroAgainstTheRay) {
  const EntityId ball = spawn(Shape::sphere(1), at(0, 0, 0));
  const EntityId hull = spawn(test::octahedron(), at(10, 0, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(20, 0, 0));
  step();
  expect(ray({0.5, 0, 0}, {0, 0, 3}), ball, 0, {0.5, 0, 0}, {0, 0, -1});
  expect(ray({10.5, 0, 0}, {0, 0, 3}), hull, 0, {10.5, 0, 0}, {0, 0, -1});
  expect(ray({20.5, 0, 0}, {0, 0, 3}), crate, 0, {20.5, 0, 0}, {0, 0, -1});
  expect(ray({0.5, 0, 0}, {0, 0, 3}, 0), ball, 0, {0.5, 0, 0}, {0, 0, -1});
  EXPECT_THAT(ray({1, 0, 0}, {0, 0, 3}, 0), IsEmpty());
}

TEST_P(ExactQueryTest, RayHitsACompoundOnceWhereItComesFirst) {
  const EntityId bell = spawn(test::dumbbell(), at(0, 0, 0));
  step();
  expect(ray({-10, 0, 0}, {1, 0, 0}), bell, 6, {-4, 0, 0}, {-1, 0, 0});
  expect(ray({10, 0, 0}, {-1, 0, 0}), bell, 6, {4, 0, 0}, {1, 0, 0});
  expect(ray({0, 0, 0}, {1, 0, 0}), bell, 2, {2, 0, 0}, {-1, 0, 0});
}

TEST_P(ExactQueryTest, RayOrdersByTheShapesNotByTheirBoxes) {
  const EntityId ball = spawn(Shape::sphere(5), at(6, 4, 0));  // box from 1, ball from 3
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(3, 0, 0));
  step();
  EXPECT_THAT(ids(test::ray_query(at(0, 0, 0), {1, 0, 0}, 100)), ElementsAre(crate, ball));
  Query first = test::ray_query(at(0, 0, 0), {1, 0, 0}, 100);
  first.limit = 1;
  EXPECT_THAT(ids(first), ElementsAre(crate));
  EXPECT_FALSE(ask(first).complete);
}

// --- Shape casts -------------------------------------------------------------------------------

TEST_P(ExactQueryTest, CastBallMeetsEachShape) {
  const EntityId ball = spawn(Shape::sphere(1), at(10, 0, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(10, 10, 0));
  const EntityId cube = spawn(test::turned_cube(), at(10, 20, 0));
  const EntityId hull = spawn(test::octahedron(), at(10, 30, 0));
  step();
  const Primitive mover = sphere_primitive(1);
  const double slack_m = 3e-6;
  expect(cast(mover, {0, 0, 0}, {1, 0, 0}, 20), ball, 8, {9, 0, 0}, {-1, 0, 0}, slack_m);
  expect(cast(mover, {0, 10, 0}, {1, 0, 0}, 20), crate, 8, {9, 10, 0}, {-1, 0, 0}, slack_m);
  expect(cast(mover, {0, 20, 0}, {1, 0, 0}, 20), cube, 9 - root_2, {10 - root_2, 20, 0}, {-1, 0, 0},
         slack_m);
  expect(cast(mover, {0, 30, 0}, {1, 0, 0}, 20), hull, 8, {9, 30, 0}, {-1, 0, 0}, slack_m);
  EXPECT_THAT(cast(mover, {0, 1.75, 1.75}, {1, 0, 0}, 20), IsEmpty());  // the boxes meet
  EXPECT_THAT(cast(mover, {0, 0, 0}, {1, 0, 0}, 7.9999), IsEmpty());
}

TEST_P(ExactQueryTest, CastBoxMeetsABallBesideItsCorner) {
  const EntityId ball = spawn(Shape::sphere(1.25), at(10, 1.75, 0));
  step();
  // The edge of the box at y = 1 meets the ball where (1, 0.75) is 1.25 long.
  expect(ask({CastQuery{{at(-1, -1, -1), at(1, 1, 1)}, {2, 0, 0}, 10}}).hits, ball, 4, {9, 1, 0},
         {-0.8, -0.6, 0}, 1e-5);
  EXPECT_THAT(ids({CastQuery{{at(-1, -1, -1), at(1, 0.4, 1)}, {2, 0, 0}, 10}}), IsEmpty());
}

TEST_P(ExactQueryTest, CastKeepsItsPrecisionOnALongPath) {
  const EntityId ball = spawn(Shape::sphere(0.0625), at(1048576, 0, 0));
  step();
  expect(cast(capsule_primitive(0.0625, 0.0625), {0, 0, 0}, {1, 0, 0}, 1e7), ball, 1048575.875,
         {1048576 - 0.0625, 0, 0}, {-1, 0, 0}, 1e-6);
  EXPECT_THAT(cast(capsule_primitive(0.0625, 0.0625), {0, 0, 0.125}, {1, 0, 0}, 1e7), IsEmpty());
}

TEST_P(ExactQueryTest, CastMeetsAOneSidedMeshFromItsFrontOnly) {
  const EntityId wedge = spawn(test::slope(false), at(0, 0, 0));
  step();
  const Primitive mover = sphere_primitive(root_2 / 2);
  // Comes down x = y until its centre is root 2 / 2 away: at (0.5, 0.5).
  const Vec3 up = {1 / root_2, 1 / root_2, 0};
  expect(cast(mover, {4.5, 4.5, 0}, {-1, -1, 0}, 9), wedge, 4, {0, 0, 0}, up, 3e-6);
  EXPECT_THAT(cast(mover, {-4.5, -4.5, 0}, {1, 1, 0}, 9), IsEmpty());
  // Ends in the surface, whichever side it came from.
  EXPECT_EQ(cast(mover, {-4.5, -4.5, 0}, {1, 1, 0}, 4.5).at(0).value, 4.5);
}

TEST_P(ExactQueryTest, TouchOfAOneSidedMeshIsOnTheFrontThatIsHit) {
  // An open box without its front wall: the floor is passed from below, then the far wall is hit.
  const EntityId room = spawn(test::mesh({{-2, 0, -2},
                                          {2, 0, -2},
                                          {2, 0, 2},
                                          {-2, 0, 2},
                                          {-2, 4, -2},
                                          {2, 4, -2},
                                          {2, 4, 2},
                                          {-2, 4, 2}},
                                         {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}}, false),
                              at(0, 0, 0));
  step();
  // A long pill that goes up through the floor; its upper end comes to the ceiling at 4 while its
  // lower one is still below the floor.
  expect(cast(capsule_primitive(0.5, 3), {0, -4.5, 0}, {0, 1, 0}, 9), room, 5, {0, 4, 0},
         {0, -1, 0}, 1e-5);
}

TEST_P(ExactQueryTest, CastThatOverlapsAtTheStartIsAtZeroAgainstTheMovement) {
  const EntityId ball = spawn(Shape::sphere(1), at(0, 0, 0));
  step();
  for (const Vec3 delta : {Vec3{0, 3, 0}, Vec3{0, -3, 0}, Vec3{}}) {
    const auto hits = cast(box_primitive({1, 1, 1}), {1.5, 0, 0}, delta);
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(hits[0].id, ball);
    EXPECT_EQ(hits[0].value, 0);
    EXPECT_EQ(hits[0].normal, Vec3({0, delta.y > 0 ? -1.0 : 1.0, 0}));
  }
  EXPECT_THAT(cast(box_primitive({1, 1, 1}), {2, 0, 0}, {}), IsEmpty());
}

TEST_P(ExactQueryTest, CastOfAPointIsARay) {
  const EntityId ground = spawn(test::floor(false), at(0, 0, 0));
  step();
  expect(cast(sphere_primitive(0), {0.25, 5, 0.125}, {0, -10, 0}), ground, 0.5, {0.25, 0, 0.125},
         {0, 1, 0});
}

// --- Nearest -----------------------------------------------------------------------------------

TEST_P(ExactQueryTest, NearestTellsTheClosestPointOfEachShape) {
  const EntityId ball = spawn(Shape::sphere(1), at(0, 0, 0));
  const EntityId pill = spawn(Shape::capsule(1, 1), at(0, 100, 0));
  const EntityId cube = spawn(test::turned_cube(), at(0, 200, 0));
  const EntityId hull = spawn(test::octahedron(), at(0, 300, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(0, 400, 0));
  const EntityId ground = spawn(test::floor(false), at(0, 500, 0));
  step();
  const double third = 1 / std::sqrt(3);
  expect(nearest({3, 4, 0}, 1), ball, 4, {0.6, 0.8, 0}, {0.6, 0.8, 0});
  expect(nearest({3, 105, 0}, 1), pill, 4, {0.6, 101.8, 0}, {0.6, 0.8, 0});
  expect(nearest({2, 202, 0}, 1), cube, 2 * root_2 - 1, {1 / root_2, 200 + 1 / root_2, 0},
         {1 / root_2, 1 / root_2, 0});
  expect(nearest({1, 301, 1}, 1), hull, 2 * third, {1 / 3.0, 300 + 1 / 3.0, 1 / 3.0},
         {third, third, third});
  expect(nearest({4, 405, 0}, 1), crate, 5, {1, 401, 0}, {0.6, 0.8, 0});
  expect(nearest({0.25, 497, 0.5}, 1), ground, 3, {0.25, 500, 0.5}, {0, -1, 0});
}

TEST_P(ExactQueryTest, NearestInsideIsAtZeroWithoutANormal) {
  const EntityId ball = spawn(Shape::sphere(1), at(0, 0, 0));
  const EntityId hull = spawn(test::octahedron(), at(100, 0, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(200, 0, 0));
  step();
  expect(nearest({0.5, 0, 0}, 1), ball, 0, {0.5, 0, 0}, {});
  expect(nearest({100.25, 0.125, 0}, 1), hull, 0, {100.25, 0.125, 0}, {});
  expect(nearest({200.5, 0, 0}, 1), crate, 0, {200.5, 0, 0}, {});
}

TEST_P(ExactQueryTest, NearestOrdersByTheShapesNotByTheirBoxes) {
  // Their boxes are 0 and 2.75 away, they themselves 3.07 (root 50 - 4) and 2.75.
  const EntityId ball = spawn(Shape::sphere(4), at(5, 5, 0));
  const EntityId crate = spawn(Shape::box({1, 1, 1}), at(-3.75, 0, 0));
  step();
  EXPECT_THAT(ids(test::nearest_query(at(0, 0, 0), 2)), ElementsAre(crate, ball));
  EXPECT_THAT(ids(test::nearest_query(at(0, 0, 0), 1)), ElementsAre(crate));
  EXPECT_THAT(ids(test::nearest_query(at(0, 0, 0), 2, 3)), ElementsAre(crate));
  EXPECT_THAT(ids(test::nearest_query(at(0, 0, 0), 2, 2.75)), ElementsAre(crate));
  EXPECT_THAT(ids(test::nearest_query(at(0, 0, 0), 2, 2.7499)), IsEmpty());
}

TEST_P(ExactQueryTest, NearestTakesTheClosestPart) {
  const EntityId bell = spawn(test::dumbbell(), at(0, 0, 0));
  step();
  expect(nearest({6, 0, 0}), bell, 2, {4, 0, 0}, {1, 0, 0});
  expect(nearest({-6, 0, 0}), bell, 2, {-4, 0, 0}, {-1, 0, 0});
  expect(nearest({0, 0, 0}), bell, 2, {-2, 0, 0}, {1, 0, 0});  // the first part of two as close
}

// --- All ---------------------------------------------------------------------------------------

TEST_P(ExactQueryTest, FilterAndInstanceDecideWhatIsFound) {
  spawn(Shape::sphere(1), at(0, 0, 0));
  const EntityId red = spawn(test::octahedron(), at(0, 0, 0), {.category = 2});
  const EntityId other = spawn(Shape::sphere(1), at(0, 0, 0), {.category = 2, .instance = 7});
  spawn(Shape::sphere(1), at(0, 0, 0), {.category = 2, .enabled = false});
  step();
  const Primitive ball = sphere_primitive(1);
  const Pose pose{at(0.5, 0, 0), {}};
  for (Query query :
       {test::box_query(at(-1, -1, -1), at(1, 1, 1)), test::sphere_query(at(0, 0, 0), 1),
        Query{OverlapQuery{ball, pose}}, test::ray_query(at(-5, 0, 0), {1, 0, 0}, 9),
        Query{ShapeCastQuery{ball, pose, {1, 0, 0}, 1}}, test::nearest_query(at(0, 0, 0), 10)}) {
    query.filter = {2, 0};
    EXPECT_THAT(ids(query), ElementsAre(red));
    query.filter = {2, 7};
    EXPECT_THAT(ids(query), ElementsAre(other));
  }
}

TEST_P(ExactQueryTest, PagesOfEqualValuesAreInTheOrderOfIds) {
  std::vector<EntityId> balls;
  for (int i = 0; i < 5; ++i) balls.push_back(spawn(Shape::sphere(1), at(5, 0, 0)));
  step();
  for (Query query : {test::ray_query(at(0, 0, 0), {1, 0, 0}, 9),
                      Query{ShapeCastQuery{sphere_primitive(1), {at(0, 0, 0), {}}, {9, 0, 0}, 1}},
                      test::nearest_query(at(0, 0, 0), 5)}) {
    query.limit = 2;
    std::vector<EntityId> paged;
    for (QueryAnswer page = ask(query);; page = ask(query)) {
      for (const QueryHit& hit : page.hits) paged.push_back(hit.id);
      if (page.complete) break;
      ASSERT_EQ(page.hits.size(), 2u);
      query.after = QueryPlace{page.hits.back().value, page.hits.back().id};
    }
    EXPECT_EQ(paged, balls);
  }
}

TEST_P(ExactQueryTest, HitsSayNothingOfTheSurfaceWhereNoneIsAskedFor) {
  spawn(Shape::sphere(1), at(0, 0, 0));
  step();
  for (const Query& query :
       {test::box_query(at(-1, -1, -1), at(1, 1, 1)), test::sphere_query(at(0, 0, 0), 1),
        Query{OverlapQuery{sphere_primitive(1), {at(0, 0, 0), {}}}}}) {
    const auto hits = ask(query).hits;
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(hits[0].point, Vec3{});
    EXPECT_EQ(hits[0].normal, Vec3{});
  }
  const auto by_box = scene_.ask(test::ray_query(at(-5, 0, 0), {1, 0, 0}, 9)).hits;
  ASSERT_EQ(by_box.size(), 1u);
  EXPECT_EQ(by_box[0].value, 4);
  EXPECT_EQ(by_box[0].normal, Vec3{});
}

}  // namespace
}  // namespace vicinity
