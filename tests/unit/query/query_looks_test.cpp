// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What exact queries answer when more shapes are in reach than one query looks at: with each kind
// of index the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "unit/query/exact_shapes.h"
#include "unit/query/query_fixture.h"

namespace vicinity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// So many bells use up all looks of a query. The last of them gets its look while any is left.
constexpr std::size_t bells_max = limits::exact_parts_per_query_max / limits::shape_parts_max;

class QueryLooks : public testing::TestWithParam<IndexKind> {
 protected:
  QueryLooks() {
    std::vector<Primitive> parts;
    for (std::size_t i = 0; i < limits::shape_parts_max; ++i)
      parts.push_back(sphere_primitive(1, {i % 2 == 0 ? -3.0 : 3.0, 0, 0}));
    bell_ = Shape::of_parts(std::move(parts));
  }

  /// Balls around x = -3 and x = 3, with nothing between them.
  void spawn_bells(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) scene_.world_.spawn(bell_, {});
  }
  EntityId spawn_ball(Vec3 centre, double radius_m = 0.5) {
    return scene_.world_.spawn(Shape::sphere(radius_m), centre);
  }
  void step() { scene_.world_.step(); }
  QueryAnswer ask(Query query) const {
    query.exact = true;
    return scene_.ask(query);
  }
  QueryAnswer ask_behind(Query query, EntityId id, double value = 0) const {
    query.after = QueryPlace{value, id};
    return ask(query);
  }

  Shape bell_;
  test::QueryWorld scene_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Index, QueryLooks, test::all_index_kinds,
                         [](const auto& param) { return std::string(to_string(param.param)); });

/// All of them find what is between the balls of a bell.
std::vector<Query> overlaps_in_the_middle() {
  const Primitive turned = box_primitive({1, 1, 1}, {{}, from_rotation_vector({0, 0.5, 0})});
  return {test::box_query({-1, -1, -1}, {1, 1, 1}),
          test::sphere_query({}, 1),
          {OverlapQuery{turned, {}}}};
}

TEST_P(QueryLooks, OverlapsGoOnBehindTheLastHit) {
  const EntityId a = spawn_ball({});
  spawn_bells(bells_max - 1'000);
  const EntityId b = spawn_ball({});
  spawn_bells(bells_max - 1'000);
  const EntityId c = spawn_ball({});
  step();
  for (const Query& query : overlaps_in_the_middle()) {
    const QueryAnswer page = ask(query);
    EXPECT_THAT(test::ids_of(page), ElementsAre(a, b));
    EXPECT_FALSE(page.complete);
    const QueryAnswer rest = ask_behind(query, b);
    EXPECT_THAT(test::ids_of(rest), ElementsAre(c));
    EXPECT_TRUE(rest.complete);
  }
}

TEST_P(QueryLooks, OverlapsThatFindNothingSayThatTheyDoNotKnow) {
  spawn_bells(bells_max);
  step();
  for (const Query& query : overlaps_in_the_middle()) {
    EXPECT_TRUE(ask(query).complete) << "all were looked at";
  }
  spawn_ball({});
  step();
  for (const Query& query : overlaps_in_the_middle()) {
    const QueryAnswer answer = ask(query);
    EXPECT_THAT(answer.hits, IsEmpty());
    EXPECT_FALSE(answer.complete);
  }
}

TEST_P(QueryLooks, CastsGiveWhatIsCertainlyFirst) {
  const Query ray = test::ray_query({0, -10, 0}, {0, 20, 0}, 1);
  const EntityId first = spawn_ball({0, -8, 0});
  const EntityId last = spawn_ball({0, 8, 0});
  // Its box is reached at once, itself behind all others.
  const EntityId late = scene_.world_.spawn(
      Shape::of_parts({sphere_primitive(0.5, {5, -9, 0}), sphere_primitive(0.5, {0, 9, 0})}), {});
  spawn_bells(bells_max - 1);
  step();
  const QueryAnswer all = ask(ray);
  EXPECT_THAT(test::ids_of(all), ElementsAre(first, last, late));
  EXPECT_TRUE(all.complete);

  spawn_bells(1);
  step();
  const QueryAnswer cut = ask(ray);
  EXPECT_THAT(test::ids_of(cut), ElementsAre(first));
  EXPECT_FALSE(cut.complete);
  const QueryAnswer behind = ask_behind(ray, first, cut.hits.front().value);
  EXPECT_THAT(behind.hits, IsEmpty());
  EXPECT_FALSE(behind.complete);

  const Query shape_cast = {
      ShapeCastQuery{sphere_primitive(0.25), {{0, -10, 0}, {}}, {0, 20, 0}, 1}};
  const QueryAnswer of_shape = ask(shape_cast);
  EXPECT_THAT(test::ids_of(of_shape), ElementsAre(first));
  EXPECT_FALSE(of_shape.complete);
}

TEST_P(QueryLooks, NearestGivesWhatIsCertainlyNearest) {
  const EntityId far = spawn_ball({0, -20, 0});
  const EntityId near = spawn_ball({0, 9, 0});
  spawn_bells(bells_max + 1);
  step();
  const QueryAnswer cut = ask(test::nearest_query({0, 10, 0}, 8'000));
  EXPECT_THAT(test::ids_of(cut), ElementsAre(near));
  EXPECT_FALSE(cut.complete);
  const QueryAnswer one = ask(test::nearest_query({0, 10, 0}, 1));
  EXPECT_THAT(test::ids_of(one), ElementsAre(near));
  EXPECT_TRUE(one.complete) << "nothing else can be as near";
  const QueryAnswer other_side = ask(test::nearest_query({0, -20, 0}, 1));
  EXPECT_THAT(test::ids_of(other_side), ElementsAre(far));
  EXPECT_TRUE(other_side.complete);
}

TEST_P(QueryLooks, AreNotUsedUpByBoxesNorByPartsOfNeighbours) {
  const EntityId ball = spawn_ball({});
  spawn_bells(bells_max + 10);
  step();
  Query by_boxes = test::box_query({-1, -1, -1}, {1, 1, 1});
  by_boxes.limit = limits::query_hits_max;
  const QueryAnswer boxes = scene_.ask(by_boxes);
  EXPECT_EQ(boxes.hits.size(), bells_max + 11);
  EXPECT_TRUE(boxes.complete);
  for (const QueryHit& hit : boxes.hits) {
    if (hit.id != ball) scene_.contacts_.push_back({ball, hit.id});
  }
  Query contacts = {ContactsQuery{ball}};
  contacts.limit = limits::query_hits_max;
  const QueryAnswer touching = ask(contacts);
  EXPECT_EQ(touching.hits.size(), bells_max + 10);
  EXPECT_TRUE(touching.complete);
}

/// Slanted triangles (y = 10 z) with a millimetre in between, their boxes twenty metres high.
Shape stack_of_triangles(std::uint32_t count) {
  std::vector<Vec3> vertices;
  std::vector<TriangleMesh::Indices> triangles;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double y = 0.001 * i;
    vertices.insert(vertices.end(), {{-1, y - 10, -1}, {1, y - 10, -1}, {0, y + 10, 1}});
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  return test::mesh(std::move(vertices), std::move(triangles), true);
}

TEST_P(QueryLooks, TrianglesThatAreComeToAreLooks) {
  constexpr std::uint32_t triangles = 4'000;
  constexpr std::size_t meshes = limits::exact_parts_per_query_max / triangles;
  // In the box of every triangle, in front of all of them.
  const Query between = test::box_query({-0.1, 8, -0.9}, {0.1, 8.01, -0.89});
  const Shape stack = stack_of_triangles(triangles);
  for (std::size_t i = 0; i < meshes; ++i) scene_.world_.spawn(stack, {});
  step();
  EXPECT_THAT(ask(between).hits, IsEmpty());
  EXPECT_TRUE(ask(between).complete);

  for (std::size_t i = 0; i < 2; ++i) scene_.world_.spawn(stack, {});
  const EntityId ball = spawn_ball({0, 8, -0.9});
  step();
  EXPECT_THAT(ask(between).hits, IsEmpty());
  EXPECT_FALSE(ask(between).complete);
  Query by_boxes = between;
  by_boxes.limit = limits::query_hits_max;
  EXPECT_TRUE(scene_.ask(by_boxes).complete);
  EXPECT_THAT(test::ids_of(scene_.ask(by_boxes)), testing::Contains(ball));
}

TEST_P(QueryLooks, TrianglesThatAreNotComeToAreNone) {
  const Shape stack = stack_of_triangles(4'000);
  for (std::size_t i = 0; i < 40; ++i) scene_.world_.spawn(stack, {});
  step();
  // In the box around all triangles, and in those of the highest five hundred.
  const QueryAnswer answer = ask(test::sphere_query({0, 13.5, -0.95}, 0.01));
  EXPECT_TRUE(answer.complete);
  EXPECT_THAT(answer.hits, IsEmpty());
}

TEST_P(QueryLooks, NeighboursOfWhatCoversTheWorldAreLooks) {
  const EntityId all = scene_.world_.spawn(Shape::sphere(1e6), {});
  constexpr std::size_t neighbours = limits::exact_parts_per_query_max + 5;
  std::vector<EntityId> balls;
  for (std::size_t i = 0; i < neighbours; ++i)
    balls.push_back(scene_.world_.spawn_point({static_cast<double>(i % 300), 0, 0}));
  step();
  for (const std::size_t at : {std::size_t{5}, neighbours - 1})
    scene_.contacts_.push_back({all, balls[at]});
  const Query contacts = {ContactsQuery{all}};
  const QueryAnswer first = ask(contacts);
  EXPECT_THAT(test::ids_of(first), ElementsAre(balls[5]));
  EXPECT_FALSE(first.complete);
  const QueryAnswer rest = ask_behind(contacts, balls[5]);
  EXPECT_THAT(test::ids_of(rest), ElementsAre(balls[neighbours - 1]));
  EXPECT_TRUE(rest.complete);
}

}  // namespace
}  // namespace vicinity
