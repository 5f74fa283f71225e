// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

using test::patch;
using test::TestWorld;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Answers of all kinds of index must be the same, so every test runs with each.
class QueryTest : public testing::TestWithParam<IndexKind> {
 protected:
  QueryAnswer ask(const Query& query) {
    PublishedFrame frame;
    frame.tick = world_.tick();
    frame.index_version = world_.index()->version();
    frame.snapshot = world_.snapshot();
    frame.index = world_.index();
    frame.contacts = OpenContacts(contacts_);
    return answer_query(frame, query);
  }
  std::vector<EntityId> ids(const Query& query) {
    std::vector<EntityId> out;
    for (const QueryHit& hit : ask(query).hits) out.push_back(hit.id);
    return out;
  }
  std::vector<std::pair<EntityId, double>> hits(const Query& query) {
    std::vector<std::pair<EntityId, double>> out;
    for (const QueryHit& hit : ask(query).hits) out.emplace_back(hit.id, hit.value);
    return out;
  }
  static Query box(Vec3 min, Vec3 max) { return {BoxQuery{{min, max}}, {}, 1024}; }
  static Query sphere(Vec3 centre, double radius) {
    return {SphereQuery{centre, radius}, {}, 1024};
  }
  static Query ray(Vec3 origin, Vec3 delta, double max_t) {
    return {CastQuery{{origin, origin}, delta, max_t}, {}, 1024};
  }
  static Query nearest(Vec3 point, std::uint32_t k, double max_distance = -1) {
    return {NearestQuery{point, k, max_distance}, {}, 1024};
  }

  TestWorld world_{GetParam()};
  std::vector<OpenContact> contacts_;
};

INSTANTIATE_TEST_SUITE_P(Index, QueryTest,
                         testing::Values(IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep,
                                         IndexKind::Auto),
                         [](const auto& param) { return std::string(to_string(param.param)); });

TEST_P(QueryTest, EveryQueryOfAnEmptyWorldIsEmptyAndComplete) {
  world_.step();
  for (const Query& query : {box({-1, -1, -1}, {1, 1, 1}), sphere({}, 1e13), ray({}, {1, 0, 0}, 10),
                             nearest({}, 5), Query{ContactsQuery{EntityId(0, 1)}, {}, 1024}}) {
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
  EXPECT_THAT(ids(box({0.5, 0, 0}, {1, 1, 1})), ElementsAre(a));
  EXPECT_THAT(ids(box({1, 0, 0}, {1, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(box({1, 0, 0}, {1.5, 1, 1})), ElementsAre(b));
  EXPECT_THAT(ids(box({-1, 0, 0}, {3, 1, 1})), ElementsAre(a, b, plate));
  EXPECT_THAT(ids(box({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5})), ElementsAre(a));
}

TEST_P(QueryTest, BoxTestIsExactBelowTheResolutionOfTheIndex) {
  // 1 + 2^-40 is 1 in f32; the answer must still tell them apart.
  const double edge = 1 + 0x1p-40;
  const EntityId a = world_.spawn_box({{0, 0, 0}, {edge, 1, 1}});
  world_.step();
  EXPECT_THAT(ids(box({1, 0, 0}, {2, 1, 1})), ElementsAre(a));
  EXPECT_THAT(ids(box({edge, 0, 0}, {2, 1, 1})), IsEmpty());
}

TEST_P(QueryTest, SphereTakesWhatIsStrictlyCloserThanTheRadius) {
  const EntityId face = world_.spawn_box({{3, -1, -1}, {4, 1, 1}});
  const EntityId corner = world_.spawn_box({{-9, -9, -1}, {-3, -4, 1}});  // 5 m away
  world_.step();
  EXPECT_THAT(ids(sphere({}, 3)), IsEmpty());
  EXPECT_THAT(ids(sphere({}, 3.0001)), ElementsAre(face));
  EXPECT_THAT(ids(sphere({}, 5)), ElementsAre(face));
  EXPECT_THAT(ids(sphere({}, 5.0001)), ElementsAre(face, corner));
  EXPECT_THAT(ids(sphere({3.5, 0, 0}, 0)), IsEmpty());
  EXPECT_THAT(ids(sphere({3.5, 0, 0}, 1e-6)), ElementsAre(face));
}

TEST_P(QueryTest, RayHitsAreOrderedByFractionThenId) {
  const EntityId far = world_.spawn_box({{20, 0, 0}, {21, 1, 1}});
  const EntityId tall = world_.spawn_box({{12, -100, 0}, {300, 100, 1}});
  const EntityId twin_a = world_.spawn_box({{5, 0, 0}, {6, 1, 1}});
  const EntityId twin_b = world_.spawn_box({{5, 0, 0}, {9, 1, 1}});
  world_.step();
  EXPECT_THAT(hits(ray({0, 0.5, 0.5}, {1, 0, 0}, 1000)),
              ElementsAre(Pair(twin_a, 5), Pair(twin_b, 5), Pair(tall, 12), Pair(far, 20)));
  EXPECT_THAT(
      hits(ray({400, 0.5, 0.5}, {-2, 0, 0}, 1000)),
      ElementsAre(Pair(tall, 50), Pair(far, 189.5), Pair(twin_b, 195.5), Pair(twin_a, 197)));
  EXPECT_THAT(hits(ray({0, 0.5, 0.5}, {1, 0, 0}, 8.5)),
              ElementsAre(Pair(twin_a, 5), Pair(twin_b, 5)));
  EXPECT_THAT(hits(ray({0, 0.5, 0.5}, {1, 0, 0}, 5)), IsEmpty());  // only reaches the surface
}

TEST_P(QueryTest, RayStartingInsideHitsAtZero) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {2, 2, 2}});
  world_.step();
  EXPECT_THAT(hits(ray({1, 1, 1}, {1, 0, 0}, 10)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray({1, 1, 1}, {1, 0, 0}, 0)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray({0, 1, 1}, {1, 0, 0}, 0)), IsEmpty());
}

TEST_P(QueryTest, RayFromTheSurfaceHitsOnlyWhenItGoesIn) {
  const EntityId a = world_.spawn_box({{0, 0, 0}, {2, 2, 2}});
  world_.step();
  EXPECT_THAT(hits(ray({0, 1, 1}, {1, 0, 0}, 1)), ElementsAre(Pair(a, 0)));
  EXPECT_THAT(hits(ray({0, 1, 1}, {-1, 0, 0}, 1)), IsEmpty());
  EXPECT_THAT(hits(ray({0, 1, 1}, {0, 1, 0}, 1)), IsEmpty());   // along the face
  EXPECT_THAT(hits(ray({-1, 0, 1}, {1, 0, 0}, 9)), IsEmpty());  // grazes an edge
}

TEST_P(QueryTest, AxisParallelAndMinusZeroDirectionsTestTheOtherAxes) {
  const EntityId a = world_.spawn_box({{0, 0.5, 0}, {1, 1.5, 1}});
  world_.step();
  EXPECT_THAT(hits(ray({-2, 1, 0.5}, {1, -0.0, 0}, 100)), ElementsAre(Pair(a, 2)));
  EXPECT_THAT(hits(ray({10, 1, 0.5}, {-1, -0.0, -0.0}, 100)), ElementsAre(Pair(a, 9)));
  EXPECT_THAT(hits(ray({-2, 2, 0.5}, {1, -0.0, 0}, 100)), IsEmpty());
  EXPECT_THAT(hits(ray({-2, 1, 1}, {1, 0, -0.0}, 100)), IsEmpty());
}

TEST_P(QueryTest, DiagonalRayPassesThroughCornersWithoutHitting) {
  world_.spawn_box({{1, 0, 0}, {2, 1, 1}});  // touched in the corner (1, 1)
  const EntityId c = world_.spawn_box({{4, 4, 0}, {5, 5, 1}});
  world_.step();
  EXPECT_THAT(hits(ray({-1, -1, 0.5}, {1, 1, 0}, 100)), ElementsAre(Pair(c, 5)));
  EXPECT_THAT(hits(ray({-1, -1, 0.5}, {0.1, 0.1, 0}, 1000)),
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
  EXPECT_THAT(hits(nearest(point, 2)), ElementsAre(Pair(here, 0), Pair(east, 2.5)));
  EXPECT_THAT(hits(nearest(point, 100)),
              ElementsAre(Pair(here, 0), Pair(east, 2.5), Pair(west, 2.5), Pair(far, 500)));
  EXPECT_THAT(hits(nearest(point, 0)), IsEmpty());
  EXPECT_THAT(hits(nearest(point, 100, 2.5)),
              ElementsAre(Pair(here, 0), Pair(east, 2.5), Pair(west, 2.5)));
  EXPECT_THAT(hits(nearest(point, 100, 2.4999)), ElementsAre(Pair(here, 0)));
  EXPECT_THAT(hits(nearest(point, 100, 0)), ElementsAre(Pair(here, 0)));
}

TEST_P(QueryTest, NearestOrdersEqualDistancesByIdAlthoughTheirSquaresDiffer) {
  // The squares 1 + 2^-52 and 1 have the same root in f64.
  const EntityId first = world_.spawn_point({1, 0x1p-26, 0});
  const EntityId second = world_.spawn_point({1, 0, 0});
  world_.step();
  EXPECT_THAT(hits(nearest({}, 2)), ElementsAre(Pair(first, 1), Pair(second, 1)));
  EXPECT_THAT(ids(nearest({}, 1)), ElementsAre(first));
  EXPECT_THAT(ids(nearest({}, 2, 1)), ElementsAre(first, second));
}

TEST_P(QueryTest, NearestFindsAcrossTheWholeWorld) {
  const EntityId low = world_.spawn_point({-1e12, -1e12, -1e12});
  const EntityId high = world_.spawn_point({8e12, 0, 0});
  world_.step();
  EXPECT_THAT(hits(nearest({8.7e12, 0, 0}, 1)), ElementsAre(Pair(high, 0.7e12)));
  EXPECT_THAT(ids(nearest({-8.7e12, -8.7e12, -8.7e12}, 2)), ElementsAre(low, high));
  EXPECT_THAT(ids(nearest({1e13, 1e13, 1e13}, 1)), ElementsAre(high));
}

TEST_P(QueryTest, NearestIsNotFooledByCornersOfItsCube) {
  // Within the cube of half size 1 the diagonal one is found first, though the other is closer.
  const EntityId diagonal = world_.spawn_point({1, 1, 1});
  const EntityId straight = world_.spawn_point({1.5, 0, 0});
  world_.step();
  EXPECT_THAT(ids(nearest({}, 1)), ElementsAre(straight));
  EXPECT_THAT(ids(nearest({}, 2)), ElementsAre(straight, diagonal));
}

TEST_P(QueryTest, NearestKeepsWhatTheRoundedCornerOfItsCubeLosesByAHair) {
  // The cube ends at -0.3 + 0.3 = 0, the point lies beyond; its distance still rounds to 0.3.
  const EntityId beyond = world_.spawn_point({1e-17, 0, 0});
  world_.step();
  EXPECT_THAT(ids(nearest({-0.3, 0, 0}, 1, 0.3)), ElementsAre(beyond));
}

TEST_P(QueryTest, NearestFindsARareKindInACrowd) {
  for (int i = 0; i < 200; ++i) world_.spawn_point({0.001 * i, 0, 0});
  const EntityId rare = world_.spawn_point({5000, 0, 0}, {.category = 2});
  world_.step();
  Query query = nearest({}, 1);
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
  const Query across = ray({-1, 0.5, 0.5}, {1, 0, 0}, 100);
  EXPECT_THAT(ids(limited(across, 2)), ElementsAre(a, b));
  EXPECT_FALSE(ask(limited(across, 2)).complete);
  EXPECT_TRUE(ask(limited(across, 3)).complete);
  const Query all = box({-1, -1, -1}, {9, 9, 9});
  EXPECT_THAT(ids(limited(all, 2)), ElementsAre(c, b));
  EXPECT_FALSE(ask(limited(all, 2)).complete);
  EXPECT_TRUE(ask(limited(all, 3)).complete);
  EXPECT_THAT(ids(limited(sphere({}, 100), 1)), ElementsAre(c));
  EXPECT_FALSE(ask(limited(sphere({}, 100), 1)).complete);
  EXPECT_THAT(ids(limited(nearest({}, 3), 2)), ElementsAre(a, b));
  EXPECT_FALSE(ask(limited(nearest({}, 3), 2)).complete);
  EXPECT_TRUE(ask(limited(nearest({}, 2), 2)).complete);
}

TEST_P(QueryTest, FilterAndInstanceDecideWhatIsFound) {
  world_.spawn_box({{0, 0, 0}, {1, 1, 1}});
  const EntityId red = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2});
  const EntityId other = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .instance = 7});
  const EntityId query_only = world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .mask = 0});
  world_.spawn_box({{0, 0, 0}, {1, 1, 1}}, {.category = 2, .enabled = false});
  world_.step();
  for (Query query : {box({0, 0, 0}, {1, 1, 1}), sphere({}, 1), ray({-1, 0.5, 0.5}, {1, 0, 0}, 9),
                      nearest({}, 10)}) {
    query.filter = {2, 0};
    EXPECT_THAT(ids(query), ElementsAre(red, query_only));
    query.filter = {2, 7};
    EXPECT_THAT(ids(query), ElementsAre(other));
  }
}

TEST_P(QueryTest, HitsCarryPositionAndUserData) {
  world_.spawn(Shape::sphere(1), {3, 4, 5}, {}, 77);
  world_.step();
  const QueryAnswer answer = ask(sphere({3, 4, 5}, 1));
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
  EXPECT_THAT(ids(box({0, 0, 0}, {1, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(box({40, 0, 0}, {60, 1, 1})), IsEmpty());
  EXPECT_THAT(ids(sphere({100, 0, 0}, 1)), ElementsAre(mover));
  EXPECT_THAT(hits(nearest({0.5, 0.5, 0.5}, 1)), ElementsAre(Pair(mover, 99.5)));
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
  EXPECT_THAT(ids(box({-huge, -huge, -huge}, {huge, huge, huge})), ElementsAre(a));
  EXPECT_THAT(ids(sphere({}, 1e100)), ElementsAre(a));
  EXPECT_THAT(ids(nearest({1e100, 0, 0}, 1)), ElementsAre(a));
  EXPECT_THAT(hits(ray({0, 0, 0}, {1e300, 1e300, 1e300}, 1e300)), IsEmpty());
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
