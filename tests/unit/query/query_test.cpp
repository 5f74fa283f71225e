// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "support/test_world.h"
#include "unit/query/query_fixture.h"

namespace vicinity {
namespace {

using test::box_query;
using test::nearest_query;
using test::ray_query;
using test::sphere_query;
using test::TestWorld;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Answers of all kinds of index must be the same, and so must those by boxes and by shapes where
/// all shapes are boxes that are not turned, or points; so every test runs with each.
class QueryTest : public testing::TestWithParam<std::tuple<IndexKind, bool>> {
 protected:
  QueryAnswer ask(Query query) const {
    query.exact = std::get<bool>(GetParam());
    return scene_.ask(query);
  }
  std::vector<EntityId> ids(const Query& query) const { return test::ids_of(ask(query)); }
  std::vector<std::pair<EntityId, double>> hits(const Query& query) const {
    return test::values_of(ask(query));
  }
  /// All pages of that size, one after the other.
  std::vector<EntityId> ids_by_pages(Query query, std::uint32_t limit) const {
    std::vector<EntityId> out;
    query.limit = limit;
    while (true) {
      const QueryAnswer page = ask(query);
      for (const QueryHit& hit : page.hits) out.push_back(hit.id);
      if (page.complete || page.hits.empty()) return out;
      EXPECT_EQ(page.hits.size(), limit);
      query.after = QueryPlace{page.hits.back().value, page.hits.back().id};
    }
  }

  test::QueryWorld scene_{std::get<IndexKind>(GetParam())};
  TestWorld& world_ = scene_.world_;
  std::vector<OpenContact>& contacts_ = scene_.contacts_;
};

INSTANTIATE_TEST_SUITE_P(Index, QueryTest, testing::Combine(test::all_index_kinds, testing::Bool()),
                         [](const auto& param) {
                           return std::string(to_string(std::get<IndexKind>(param.param))) +
                                  (std::get<bool>(param.param) ? "_exact" : "_boxes");
                         });

TEST_P(QueryTest, EveryQueryOfAnEmptyWorldIsEmptyAndComplete) {
  world_.step();
  for (const Query& query :
       {box_query({-1, -1, -1}, {1, 1, 1}), sphere_query({}, 1e13), ray_query({}, {1, 0, 0}, 10),
        nearest_query({}, 5), Query{ContactsQuery{EntityId(0, 1)}, {}, 1024}}) {
    const QueryAnswer answer = ask(query);
    EXPECT_THAT(answer.hits, IsEmpty());
    EXPECT_TRUE(answer.complete);
    EXPECT_EQ(answer.tick, 1u);
    EXPECT_EQ(answer.index_version, 1u);
  }
}

TEST_P(QueryTest, BoxesThatOnlyTouchDoNotOverlap) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  const EntityId b = world_.spawn_box({{1, 0, 0}, {2, 1, 1}});
  const EntityId plate = world_.spawn_box({{1, 0.25, 0}, {1, 0.5, 1}});
  world_.step();
  EXPECT_THAT(ids(box_query({0.5, 0, 0}, {1, 1, 1})), ElementsAre(a));
  EXPECT_THAT(ids(box_query({1, 0, 0}, {1, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(box_query({1, 0, 0}, {1.5, 1, 1})), ElementsAre(b));
  EXPECT_THAT(ids(box_query({-1, 0, 0}, {3, 1, 1})), ElementsAre(a, b, plate));
  EXPECT_THAT(ids(box_query({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5})), ElementsAre(a));
}

TEST_P(QueryTest, BoxTestIsExactBelowTheResolutionOfTheIndex) {
  // 1 + 2^-40 is 1 in f32; the answer must still tell them apart.
  const double edge = 1 + 0x1p-40;
  const EntityId a = world_.spawn_box({{0, 0, 0}, {edge, 1, 1}});
  world_.step();
  EXPECT_THAT(ids(box_query({1, 0, 0}, {2, 1, 1})), ElementsAre(a));
  EXPECT_THAT(ids(box_query({edge, 0, 0}, {2, 1, 1})), IsEmpty());
}

TEST_P(QueryTest, SphereTakesWhatIsStrictlyCloserThanTheRadius) {
  const EntityId face = world_.spawn_box({{3, -1, -1}, {4, 1, 1}});
  const EntityId corner = world_.spawn_box({{-9, -9, -1}, {-3, -4, 1}});  // 5 m away
  world_.step();
  EXPECT_THAT(ids(sphere_query({}, 3)), IsEmpty());
  EXPECT_THAT(ids(sphere_query({}, 3.0001)), ElementsAre(face));
  EXPECT_THAT(ids(sphere_query({}, 5)), ElementsAre(face));
  EXPECT_THAT(ids(sphere_query({}, 5.0001)), ElementsAre(face, corner));
  EXPECT_THAT(ids(sphere_query({3.5, 0, 0}, 0)), IsEmpty());
  EXPECT_THAT(ids(sphere_query({3.5, 0, 0}, 1e-6)), ElementsAre(face));
}

TEST_P(QueryTest, RayHitsAreOrderedByFractionThenId) {
  const EntityId far = world_.spawn_box({{20, 0, 0}, {21, 1, 1}});
  const EntityId tall = world_.spawn_box({{12, -100, 0}, {300, 100, 1}});
  const EntityId twin_a = world_.spawn_box({{5, 0, 0}, {6, 1, 1}});
  const EntityId twin_b = world_.spawn_box({{5, 0, 0}, {9, 1, 1}});
  world_.step();
  EXPECT_THAT(hits(ray_query({0, 0.5, 0.5}, {1, 0, 0}, 1000)),
              ElementsAre(Pair(twin_a, 5), Pair(twin_b, 5), Pair(tall, 12), Pair(far, 20)));
  EXPECT_THAT(
      hits(ray_query({400, 0.5, 0.5}, {-2, 0, 0}, 1000)),
      ElementsAre(Pair(tall, 50), Pair(far, 189.5), Pair(twin_b, 195.5), Pair(twin_a, 197)));
  EXPECT_THAT(hits(ray_query({0, 0.5, 0.5}, {1, 0, 0}, 8.5)),
              ElementsAre(Pair(twin_a, 5), Pair(twin_b, 5)));
  EXPECT_THAT(hits(ray_query({0, 0.5, 0.5}, {1, 0, 0}, 5)), IsEmpty());  // only reaches the surface
}

TEST_P(QueryTest, RayStartingInsideHitsAtZero) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {2, 2, 2}});
  world_.step();
  EXPECT_THAT(hits(ray_query({1, 1, 1}, {1, 0, 0}, 10)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray_query({1, 1, 1}, {1, 0, 0}, 0)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray_query({0, 1, 1}, {1, 0, 0}, 0)), IsEmpty());
}

TEST_P(QueryTest, RayFromTheSurfaceHitsOnlyWhenItGoesIn) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {2, 2, 2}});
  world_.step();
  EXPECT_THAT(hits(ray_query({0, 1, 1}, {1, 0, 0}, 1)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray_query({0, 1, 1}, {-1, 0, 0}, 1)), IsEmpty());
  EXPECT_THAT(hits(ray_query({0, 1, 1}, {0, 1, 0}, 1)), IsEmpty());   // along the face
  EXPECT_THAT(hits(ray_query({-1, 0, 1}, {1, 0, 0}, 9)), IsEmpty());  // grazes an edge
}

TEST_P(QueryTest, AxisParallelAndMinusZeroDirectionsTestTheOtherAxes) {
  const EntityId a = world_.spawn_box({{0, 0.5, 0}, {1, 1.5, 1}});
  world_.step();
  EXPECT_THAT(hits(ray_query({-2, 1, 0.5}, {1, -0.0, 0}, 100)), ElementsAre(Pair(a, 2)));
  EXPECT_THAT(hits(ray_query({10, 1, 0.5}, {-1, -0.0, -0.0}, 100)), ElementsAre(Pair(a, 9)));
  EXPECT_THAT(hits(ray_query({-2, 2, 0.5}, {1, -0.0, 0}, 100)), IsEmpty());
  EXPECT_THAT(hits(ray_query({-2, 1, 1}, {1, 0, -0.0}, 100)), IsEmpty());
}

TEST_P(QueryTest, DiagonalRayPassesThroughCornersWithoutHitting) {
  world_.spawn_box({{1, 0, 0}, {2, 1, 1}});  // touched in the corner (1, 1)
  const EntityId c = world_.spawn_box({{4, 4, 0}, {5, 5, 1}});
  world_.step();
  EXPECT_THAT(hits(ray_query({-1, -1, 0.5}, {1, 1, 0}, 100)), ElementsAre(Pair(c, 5)));
  EXPECT_THAT(hits(ray_query({-1, -1, 0.5}, {0.1, 0.1, 0}, 1000)),
              ElementsAre(Pair(c, testing::DoubleNear(50, 50e-9))));
}

TEST_P(QueryTest, CastBoxStopsWhereItsFrontReachesIn) {
  const EntityId wall = world_.spawn_box({{10, -5, -5}, {11, 5, 5}});
  const EntityId here = world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  world_.step();
  const Aabb mover{{-1, -1, -1}, {1, 1, 1}};
  EXPECT_THAT(hits({CastQuery{mover, {18, 0, 0}, 1}, {}, 10}),
              ElementsAre(Pair(here, 0), Pair(wall, 0.5)));
  EXPECT_THAT(hits({CastQuery{mover, {9, 0, 0}, 1}, {}, 10}), ElementsAre(Pair(here, 0)));
  EXPECT_THAT(hits({CastQuery{mover, {0, 0, 0}, 1}, {}, 10}), ElementsAre(Pair(here, 0)));
  EXPECT_THAT(hits({CastQuery{{{1, 1, 1}, {2, 2, 2}}, {0, 0, 0}, 1}, {}, 10}), IsEmpty());
}

TEST_P(QueryTest, NearestOrdersByDistanceThenIdAndStopsAtK) {
  const EntityId east = world_.spawn_box({{2.5, -0.5, 0}, {3.5, 0.5, 1}});
  const EntityId west = world_.spawn_box({{-3.5, -0.5, 0}, {-2.5, 0.5, 1}});
  const EntityId here = world_.spawn_box({{-0.5, -0.5, 0}, {0.5, 0.5, 1}});
  const EntityId far = world_.spawn_box({{300, 400, 0}, {301, 401, 1}});
  world_.step();
  const Vec3 point{0, 0, 0.5};
  EXPECT_THAT(hits(nearest_query(point, 2)), ElementsAre(Pair(here, 0), Pair(east, 2.5)));
  EXPECT_THAT(hits(nearest_query(point, 100)),
              ElementsAre(Pair(here, 0), Pair(east, 2.5), Pair(west, 2.5), Pair(far, 500)));
  EXPECT_THAT(hits(nearest_query(point, 0)), IsEmpty());
  EXPECT_THAT(hits(nearest_query(point, 100, 2.5)),
              ElementsAre(Pair(here, 0), Pair(east, 2.5), Pair(west, 2.5)));
  EXPECT_THAT(hits(nearest_query(point, 100, 2.4999)), ElementsAre(Pair(here, 0)));
  EXPECT_THAT(hits(nearest_query(point, 100, 0)), ElementsAre(Pair(here, 0)));
}

TEST_P(QueryTest, NearestOrdersEqualDistancesByIdAlthoughTheirSquaresDiffer) {
  // The squares 1 + 2^-52 and 1 have the same root in f64.
  const EntityId first = world_.spawn_point({1, 0x1p-26, 0});
  const EntityId second = world_.spawn_point({1, 0, 0});
  world_.step();
  EXPECT_THAT(hits(nearest_query({}, 2)), ElementsAre(Pair(first, 1), Pair(second, 1)));
  EXPECT_THAT(ids(nearest_query({}, 1)), ElementsAre(first));
  EXPECT_THAT(ids(nearest_query({}, 2, 1)), ElementsAre(first, second));
}

TEST_P(QueryTest, NearestFindsAcrossTheWholeWorld) {
  const EntityId low = world_.spawn_point({-1e12, -1e12, -1e12});
  const EntityId high = world_.spawn_point({8e12, 0, 0});
  world_.step();
  EXPECT_THAT(hits(nearest_query({8.7e12, 0, 0}, 1)), ElementsAre(Pair(high, 0.7e12)));
  EXPECT_THAT(ids(nearest_query({-8.7e12, -8.7e12, -8.7e12}, 2)), ElementsAre(low, high));
  EXPECT_THAT(ids(nearest_query({1e13, 1e13, 1e13}, 1)), ElementsAre(high));
}

TEST_P(QueryTest, NearestIsNotFooledByCornersOfItsCube) {
  // Within the cube of half size 1 the diagonal one is found first, though the other is closer.
  const EntityId diagonal = world_.spawn_point({1, 1, 1});
  const EntityId straight = world_.spawn_point({1.5, 0, 0});
  world_.step();
  EXPECT_THAT(ids(nearest_query({}, 1)), ElementsAre(straight));
  EXPECT_THAT(ids(nearest_query({}, 2)), ElementsAre(straight, diagonal));
}

TEST_P(QueryTest, NearestKeepsWhatTheRoundedCornerOfItsCubeLosesByAHair) {
  // The cube ends at -0.3 + 0.3 = 0, the point lies beyond; its distance still rounds to 0.3.
  const EntityId beyond = world_.spawn_point({1e-17, 0, 0});
  world_.step();
  EXPECT_THAT(ids(nearest_query({-0.3, 0, 0}, 1, 0.3)), ElementsAre(beyond));
}

TEST_P(QueryTest, NearestGivesWhatLiesOnTheEdgeOfItsCubesOnce) {
  const EntityId a = world_.spawn_point({1, 0, 0});
  const EntityId b = world_.spawn_point({0, 4, 0});
  const EntityId c = world_.spawn_point({0, 0, 17});
  for (int i = 0; i < 100; ++i) world_.spawn_point({1e6 + i, 0, 0});
  world_.step();
  EXPECT_THAT(hits(nearest_query({}, 3)), ElementsAre(Pair(a, 1), Pair(b, 4), Pair(c, 17)));
  EXPECT_EQ(ask(nearest_query({}, 100)).hits.size(), 100u);
}

TEST_P(QueryTest, NearestFindsARareKindInACrowd) {
  for (int i = 0; i < 200; ++i) world_.spawn_point({0.001 * i, 0, 0});
  const EntityId rare = world_.spawn_point({5000, 0, 0}, {.category = 2});
  world_.step();
  Query query = nearest_query({}, 1);
  query.filter.category_mask = 2;
  EXPECT_THAT(hits(query), ElementsAre(Pair(rare, 5000)));
}

TEST_P(QueryTest, LimitKeepsTheFirstInOrderAndSaysSo) {
  const EntityId c = world_.spawn_box({{4, 0, 0}, {5, 1, 1}});
  const EntityId b = world_.spawn_box({{2, 0, 0}, {3, 1, 1}});
  const EntityId a = world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  world_.step();
  const auto limited = [&](Query query, std::uint32_t limit) {
    query.limit = limit;
    return query;
  };
  const Query across = ray_query({-1, 0.5, 0.5}, {1, 0, 0}, 100);
  EXPECT_THAT(ids(limited(across, 2)), ElementsAre(a, b));
  EXPECT_FALSE(ask(limited(across, 2)).complete);
  EXPECT_TRUE(ask(limited(across, 3)).complete);
  const Query all = box_query({-1, -1, -1}, {9, 9, 9});
  EXPECT_THAT(ids(limited(all, 2)), ElementsAre(c, b));
  EXPECT_FALSE(ask(limited(all, 2)).complete);
  EXPECT_TRUE(ask(limited(all, 3)).complete);
  EXPECT_THAT(ids(limited(sphere_query({}, 100), 1)), ElementsAre(c));
  EXPECT_FALSE(ask(limited(sphere_query({}, 100), 1)).complete);
  EXPECT_THAT(ids(limited(nearest_query({}, 3), 2)), ElementsAre(a, b));
  EXPECT_FALSE(ask(limited(nearest_query({}, 3), 2)).complete);
  EXPECT_TRUE(ask(limited(nearest_query({}, 2), 2)).complete);
}

TEST_P(QueryTest, PagesFollowOneAnother) {
  std::vector<EntityId> boxes;
  for (int i = 0; i < 7; ++i) {
    const double x = 10 - 2 * (i / 2);  // two at each place, the later ones come first
    boxes.push_back(world_.spawn_box({{x, 0, 0}, {x + 1, 1, 1}}));
  }
  world_.step();
  const std::vector<EntityId> along = {boxes[6], boxes[4], boxes[5], boxes[2],
                                       boxes[3], boxes[0], boxes[1]};
  for (std::uint32_t limit = 1; limit <= 8; ++limit) {
    EXPECT_EQ(ids_by_pages(box_query({-1, -1, -1}, {20, 9, 9}), limit), boxes);
    EXPECT_EQ(ids_by_pages(sphere_query({}, 100), limit), boxes);
    EXPECT_EQ(ids_by_pages(ray_query({-1, 0.5, 0.5}, {1, 0, 0}, 100), limit), along);
    EXPECT_EQ(ids_by_pages(nearest_query({-1, 0.5, 0.5}, 100), limit), along);
  }
}

TEST_P(QueryTest, PagesEndWithoutAnEmptyOne) {
  for (int i = 0; i < 4; ++i) world_.spawn_box({{2.0 * i, 0, 0}, {2.0 * i + 1, 1, 1}});
  world_.step();
  for (Query query : {box_query({-1, -1, -1}, {20, 9, 9}), ray_query({-1, 0.5, 0.5}, {1, 0, 0}, 99),
                      nearest_query({-1, 0.5, 0.5}, 4)}) {
    query.limit = 2;
    const QueryAnswer first = ask(query);
    EXPECT_FALSE(first.complete);
    query.after = QueryPlace{first.hits.back().value, first.hits.back().id};
    const QueryAnswer second = ask(query);
    EXPECT_EQ(second.hits.size(), 2u);
    EXPECT_TRUE(second.complete);
    query.after = QueryPlace{second.hits.back().value, second.hits.back().id};
    EXPECT_THAT(ask(query).hits, IsEmpty());
    EXPECT_TRUE(ask(query).complete);
  }
}

TEST_P(QueryTest, NearestCountsKOverAllPages) {
  std::vector<EntityId> points;
  for (int i = 0; i < 9; ++i) points.push_back(world_.spawn_point({1.0 + i, 0, 0}));
  world_.step();
  for (std::uint32_t k = 0; k <= 10; ++k) {
    const auto count = std::min<std::size_t>(k, points.size());
    const std::vector<EntityId> first(points.begin(),
                                      points.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::uint32_t limit = 1; limit <= 4; ++limit)
      EXPECT_EQ(ids_by_pages(nearest_query({}, k), limit), first) << k << " by " << limit;
  }
}

TEST_P(QueryTest, APageMayBeginWhereNoHitIs) {
  const EntityId a = world_.spawn_box({{2, 0, 0}, {3, 1, 1}});
  const EntityId b = world_.spawn_box({{4, 0, 0}, {5, 1, 1}});
  world_.step();
  Query across = ray_query({0, 0.5, 0.5}, {1, 0, 0}, 100);
  across.after = QueryPlace{3, {}};
  EXPECT_THAT(ids(across), ElementsAre(b));
  across.after = QueryPlace{2, a};
  EXPECT_THAT(ids(across), ElementsAre(b));
  across.after = QueryPlace{2, {}};
  EXPECT_THAT(ids(across), ElementsAre(a, b));
  Query all = box_query({0, 0, 0}, {9, 9, 9});
  all.after = QueryPlace{0, EntityId(a.index(), a.generation() + 1)};
  EXPECT_THAT(ids(all), ElementsAre(b));
  all.after = QueryPlace{-1, b};
  EXPECT_THAT(ids(all), ElementsAre(a, b));
  all.after = QueryPlace{1, {}};
  EXPECT_THAT(ids(all), IsEmpty());
}

TEST_P(QueryTest, ABoxAsAShapeIsABox) {
  const EntityId wall = world_.spawn_box({{10, -5, -5}, {11, 5, 5}});
  const EntityId here = world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  world_.step();
  const Primitive cube = box_primitive({1, 1, 1});
  EXPECT_THAT(ids({OverlapQuery{cube, {{10, 0, 0}, {}}}}), ElementsAre(wall));
  EXPECT_THAT(ids({OverlapQuery{cube, {{9, 0, 0}, {}}}}), IsEmpty());
  EXPECT_THAT(hits({ShapeCastQuery{cube, {}, {18, 0, 0}, 1}}),
              ElementsAre(Pair(here, 0), Pair(wall, 0.5)));
  EXPECT_THAT(hits({ShapeCastQuery{cube, {}, {9, 0, 0}, 1}}), ElementsAre(Pair(here, 0)));
}

TEST_P(QueryTest, FilterAndInstanceDecideWhatIsFound) {
  world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  const EntityId red = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2});
  const EntityId other = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .instance = 7});
  const EntityId query_only = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .mask = 0});
  world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .enabled = false});
  world_.step();
  for (Query query : {box_query({0, 0, 0}, {1, 1, 1}), sphere_query({}, 1),
                      ray_query({-1, 0.5, 0.5}, {1, 0, 0}, 9), nearest_query({}, 10)}) {
    query.filter = {2, 0};
    EXPECT_THAT(ids(query), ElementsAre(red, query_only));
    query.filter = {2, 7};
    EXPECT_THAT(ids(query), ElementsAre(other));
  }
}

TEST_P(QueryTest, HitsCarryPositionAndUserData) {
  world_.spawn(Shape::sphere(1), {3, 4, 5}, {}, 77);
  world_.step();
  const QueryAnswer answer = ask(sphere_query({3, 4, 5}, 1));
  ASSERT_EQ(answer.hits.size(), 1u);
  EXPECT_EQ(answer.hits[0].position, (Vec3{3, 4, 5}));
  EXPECT_EQ(answer.hits[0].user_data, 77u);
  EXPECT_EQ(answer.hits[0].value, 0);
}

TEST_P(QueryTest, SearchesSeeTheEndOfTheTickNotThePath) {
  const EntityId mover = world_.spawn_point({0.5, 0.5, 0.5});
  world_.step();
  ASSERT_EQ(world_.table().move_to(mover, {100, 0.5, 0.5}, false), ErrorCode::None);
  world_.step();
  EXPECT_THAT(ids(box_query({0, 0, 0}, {1, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(box_query({40, 0, 0}, {60, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(sphere_query({100, 0, 0}, 1)), ElementsAre(mover));
  EXPECT_THAT(hits(nearest_query({0.5, 0.5, 0.5}, 1)), ElementsAre(Pair(mover, 99.5)));
}

TEST_P(QueryTest, ContactsOfAnEntityComeFromTheOpenContacts) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {2, 2, 2}});
  const EntityId b = world_.spawn_box({{1, 0, 0}, {3, 2, 2}});
  const EntityId c = world_.spawn_box({{1, 1, 0}, {3, 3, 2}});
  world_.spawn_box({{1, 0, 0}, {3, 2, 2}}, {.mask = 0});  // overlaps, but is in no pair
  world_.step();
  for (const auto& [first, second] : {std::pair(a, b), std::pair(a, c), std::pair(b, c)}) {
    OpenContact contact;
    contact.a = first;
    contact.b = second;
    contacts_.push_back(contact);
  }
  const auto contacts_of = [](EntityId id, std::uint32_t limit = 1024) {
    return Query{ContactsQuery{id}, {}, limit};
  };
  EXPECT_THAT(ids(contacts_of(a)), ElementsAre(b, c));
  EXPECT_THAT(ids(contacts_of(b)), ElementsAre(a, c));
  EXPECT_THAT(ids(contacts_of(c)), ElementsAre(a, b));
  EXPECT_THAT(ids(contacts_of(c, 1)), ElementsAre(a));
  EXPECT_FALSE(ask(contacts_of(c, 1)).complete);
  EXPECT_THAT(ids(contacts_of(EntityId(a.index(), a.generation() + 1))), IsEmpty());
  EXPECT_THAT(ids(contacts_of(EntityId(99, 1))), IsEmpty());
}

TEST_P(QueryTest, HugeValuesNeitherOverflowNorMiss) {
  const EntityId a = world_.spawn_point({1e12, 0, 0});
  world_.step();
  const double huge = std::numeric_limits<double>::max();
  EXPECT_THAT(ids(box_query({-huge, -huge, -huge}, {huge, huge, huge})), ElementsAre(a));
  EXPECT_THAT(ids(sphere_query({}, 1e100)), ElementsAre(a));
  EXPECT_THAT(ids(nearest_query({1e100, 0, 0}, 1)), ElementsAre(a));
  EXPECT_THAT(hits(ray_query({0, 0, 0}, {1e300, 1e300, 1e300}, 1e300)), IsEmpty());
}

TEST(FramePublisher, KeepsAPinnedFrameAliveAfterANewerOne) {
  FramePublisher publisher;
  EXPECT_EQ(publisher.pin(), nullptr);
  auto first = std::make_shared<PublishedFrame>();
  first->tick = 1;
  const std::weak_ptr<PublishedFrame> watch = first;
  publisher.publish(std::move(first));
  auto pinned = publisher.pin();
  auto second = std::make_shared<PublishedFrame>();
  second->tick = 2;
  publisher.publish(std::move(second));
  EXPECT_EQ(pinned->tick, 1u);
  EXPECT_EQ(publisher.pin()->tick, 2u);
  pinned.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace vicinity
