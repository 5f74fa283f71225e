// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every exact query against a look at all parts of all entities of random worlds, see
// exact_query_model.h. What lies within the promised precision may be answered either way; how
// often that is the case is counted, so that it does not become an excuse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "oracle/exact_query_model.h"
#include "oracle/exact_query_world.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 80;
constexpr std::uint32_t all = limits::query_hits_max;

/// How deep an overlap may be and go unnoticed by a cast, for shapes of up to 4 m.
constexpr double cast_depth_m = 1e-5;

struct Tally {
  std::size_t hits = 0;
  std::size_t undecided = 0;
  std::size_t pages = 0;
};

/// What an entity must give.
struct Expected {
  Answer hit = Answer::No;
  double low = 0;
  double high = 0;
};

class Asking {
 public:
  Asking(ExactWorld& world, Tally& tally)
      : world_(world), prng_(world.prng()), snapshot_(*world.frame().snapshot), tally_(tally) {
    // Two roundings of coordinates far away.
    slack_m_ = world.is_far() ? 6e-7 : 1e-9;
    for (std::uint32_t slot = 0; slot < snapshot_.slot_count(); ++slot)
      pieces_.push_back(snapshot_.is_alive(slot) ? pieces_of(snapshot_, slot, world.base())
                                                 : std::vector<Piece>{});
  }

  void overlaps() {
    SCOPED_TRACE("overlaps");
    const Vec3 place = world_.any_place();
    const Vec3 half{world_.any_size(), world_.any_size(), world_.any_size()};
    const Primitive cube = box_primitive(half);
    expect_overlaps({BoxQuery{{place - half, place + half}}}, piece_of(cube, {place, {}}, base()));
    const double radius_m = world_.any_size();
    expect_overlaps({SphereQuery{place, radius_m}},
                    piece_of(sphere_primitive(radius_m), {place, {}}, base()));
    for (const auto kind :
         {PrimitiveKind::Sphere, PrimitiveKind::Capsule, PrimitiveKind::Box, PrimitiveKind::Hull}) {
      const OverlapQuery body{any_convex(prng_, kind, world_.any_size(), Extremes::None),
                              {world_.any_place(), world_.any_rotation()}};
      expect_overlaps({body}, piece_of(body.shape, body.pose, base()));
    }
  }

  void rays() {
    SCOPED_TRACE("rays");
    const Vec3 origin = world_.any_place();
    const Vec3 delta = any_vector(prng_, 1);
    const CastQuery body{{origin, origin}, delta, prng_.between(0.5, 20)};
    const auto hits = expect_hits({body}, [&](const Piece& piece) {
      const auto truth = ray_of(origin - base(), delta, body.max_t, piece, slack_m_);
      return Expected{truth.hit, truth.earliest_t, truth.latest_t};
    });
    for (const QueryHit& hit : hits) {
      expect_near(hit.point, origin + delta * hit.value, slack_m_ + 1e-9);
      Query shorter = {CastQuery{body.box, delta, hit.value}};  // ends on the surface
      EXPECT_EQ(is_found(shorter, hit.id), hit.value == 0);
      std::get<CastQuery>(shorter.body).max_t = hit.value + 1e-6;
      EXPECT_TRUE(is_found(shorter, hit.id));
      expect_normal(hit, delta);
      expect_on_surface(hit, 2 * slack_m_);
    }
  }

  void casts() {
    SCOPED_TRACE("casts");
    const Vec3 place = world_.any_place();
    const Vec3 half{world_.any_size(), world_.any_size(), world_.any_size()};
    const Vec3 delta = any_vector(prng_, 1);
    const double max_t = prng_.between(0.5, 12);
    expect_cast({CastQuery{{place - half, place + half}, delta, max_t}},
                piece_of(box_primitive(half), {place, {}}, base()), delta, max_t);
    for (const auto kind : {PrimitiveKind::Sphere, PrimitiveKind::Capsule, PrimitiveKind::Box}) {
      const Primitive shape = any_convex(prng_, kind, world_.any_size(), Extremes::None);
      const Pose start{world_.any_place(), world_.any_rotation()};
      expect_cast({ShapeCastQuery{shape, start, delta, max_t}}, piece_of(shape, start, base()),
                  delta, max_t);
    }
  }

  void nearest() {
    SCOPED_TRACE("nearest");
    NearestQuery body{world_.any_place(), all, prng_.chance(0.5) ? -1 : prng_.between(0, 4)};
    const double limit_m = body.max_distance_m < 0 ? 1e300 : body.max_distance_m;
    const auto hits = expect_hits({body}, [&](const Piece& piece) {
      const Bracket gap = distance_from(body.point - base(), piece);
      const Answer in_reach = gap.high < limit_m - slack_m_  ? Answer::Yes
                              : gap.low > limit_m + slack_m_ ? Answer::No
                                                             : Answer::Either;
      return Expected{in_reach, gap.low, gap.high};
    });
    for (const QueryHit& hit : hits) {
      expect_near(hit.point + hit.normal * hit.value, body.point, 2 * slack_m_ + 1e-9);
      expect_on_surface(hit, 2 * slack_m_);
      EXPECT_NEAR(length(hit.normal), hit.value > 0 ? 1 : 0, 1e-9);
    }
    for (const QueryHit& hit : hits) {  // a ball that just does not reach, and one that does
      if (hit.value < 0.01) continue;
      EXPECT_FALSE(is_found({SphereQuery{body.point, hit.value - 4 * slack_m_}}, hit.id));
      EXPECT_TRUE(is_found({SphereQuery{body.point, hit.value + 4 * slack_m_}}, hit.id));
    }
    body.k = static_cast<std::uint32_t>(prng_.below(6));
    Query query = filtered({body});
    expect_first_of(hits, query, std::min<std::size_t>(body.k, hits.size()));
  }

 private:
  Vec3 base() const { return world_.base(); }

  void expect_near(Vec3 a, Vec3 b, double slack_m) { EXPECT_LE(length(a - b), slack_m); }
  void expect_normal(const QueryHit& hit, Vec3 delta) {
    EXPECT_NEAR(length(hit.normal), 1, 1e-9);
    EXPECT_LE(dot(hit.normal, delta), 1e-4 * length(delta));
  }
  void expect_on_surface(const QueryHit& hit, double slack_m) {
    double closest_m = 1e300;
    for (const Piece& piece : pieces_[hit.id.index()])
      closest_m = std::min(closest_m, distance_from(hit.point - base(), piece).high);
    EXPECT_LE(closest_m, slack_m) << "slot " << hit.id.index() << ", value " << hit.value;
  }

  /// By the filter of the last question.
  bool is_found(const Query& query, EntityId id) const {
    const auto hits = answer_query(world_.frame(), filtered(query)).hits;
    return std::ranges::find(hits, id, &QueryHit::id) != hits.end();
  }
  Query filtered(Query query) const {
    query.exact = true;
    query.limit = all;
    query.filter = filter_;
    return query;
  }

  void expect_overlaps(const Query& query, const Piece& shape) {
    expect_hits(query, [&](const Piece& piece) {
      return Expected{overlap_of(shape, {}, piece, slack_m_, slack_m_), 0, 0};
    });
  }
  void expect_cast(const Query& query, const Piece& moving, Vec3 delta, double max_t) {
    const auto hits = expect_hits(query, [&](const Piece& piece) {
      const auto truth = cast_of(moving, delta, max_t, piece, cast_depth_m, slack_m_);
      return Expected{truth.hit, truth.earliest_t, truth.latest_t};
    });
    for (const QueryHit& hit : hits) {
      // Deep in one another: at the start, and where a one-sided mesh was entered from behind.
      if (hit.value == 0 || hit.value == max_t) continue;
      expect_normal(hit, delta);
      expect_on_surface(hit, slack_m_ + cast_depth_m);
      EXPECT_LE(distance_from(hit.point - delta * hit.value - base(), moving).high,
                slack_m_ + cast_depth_m);
    }
  }

  /// The hits of an entity from those of its parts.
  template <class OfPiece>
  Expected of_entity(std::uint32_t slot, const OfPiece& of_piece) {
    Expected out{Answer::No, 1e300, 1e300};
    for (const Piece& piece : pieces_[slot]) {
      const Expected part = of_piece(piece);
      if (part.hit == Answer::No) continue;
      out.hit = std::max(out.hit, part.hit);
      out.low = std::min(out.low, part.low);
      if (part.hit == Answer::Yes) out.high = std::min(out.high, part.high);
    }
    return out;
  }

  template <class OfPiece>
  std::vector<QueryHit> expect_hits(const Query& body, const OfPiece& of_piece) {
    filter_.category_mask = prng_.chance(0.3) ? 2 : 0xFFFF'FFFFu;
    filter_.instance = prng_.chance(0.1) ? 1 : 0;
    const Query query = filtered(body);
    const QueryAnswer answer = answer_query(world_.frame(), query);
    EXPECT_TRUE(answer.complete);
    tally_.hits += answer.hits.size();
    std::vector<const QueryHit*> of_slot(snapshot_.slot_count(), nullptr);
    for (const QueryHit& hit : answer.hits) {
      EXPECT_EQ(of_slot[hit.id.index()], nullptr) << "twice";
      of_slot[hit.id.index()] = &hit;
      EXPECT_EQ(hit.position, snapshot_.position[hit.id.index()]);
      EXPECT_EQ(hit.user_data, snapshot_.user_data[hit.id.index()]);
    }
    for (std::uint32_t slot = 0; slot < snapshot_.slot_count(); ++slot)
      expect_hit(query, slot, of_slot[slot], of_piece);
    for (std::size_t i = 1; i < answer.hits.size(); ++i) {
      const QueryHit& a = answer.hits[i - 1];
      const QueryHit& b = answer.hits[i];
      EXPECT_TRUE(a.value < b.value || (a.value == b.value && a.id < b.id)) << "order";
    }
    expect_first_of(answer.hits, query, answer.hits.size());
    return answer.hits;
  }

  template <class OfPiece>
  void expect_hit(const Query& query, std::uint32_t slot, const QueryHit* hit,
                  const OfPiece& of_piece) {
    const Filter& filter = snapshot_.filter[slot];
    const bool is_taken = snapshot_.is_alive(slot) && filter.enabled &&
                          filter.instance == query.filter.instance &&
                          (filter.category & query.filter.category_mask) != 0;
    const Expected expected = is_taken ? of_entity(slot, of_piece) : Expected{};
    tally_.undecided += expected.hit == Answer::Either;
    if (expected.hit == Answer::Yes) {
      EXPECT_NE(hit, nullptr) << "missed slot " << slot << ", query " << query.body.index();
    }
    if (hit == nullptr) return;
    EXPECT_NE(expected.hit, Answer::No)
        << "slot " << slot << " is none, query " << query.body.index();
    EXPECT_GE(hit->value, expected.low - slack_m_ - 1e-9)
        << "slot " << slot << ", query " << query.body.index();
    EXPECT_LE(hit->value, expected.high + slack_m_ + 1e-9)
        << "slot " << slot << ", query " << query.body.index();
  }

  /// All pages together are the first `count` of the hits.
  void expect_first_of(const std::vector<QueryHit>& hits, Query query, std::size_t count) {
    query.limit = static_cast<std::uint32_t>(1 + prng_.below(4));
    std::size_t given = 0;
    while (true) {
      const QueryAnswer page = answer_query(world_.frame(), query);
      ++tally_.pages;
      EXPECT_EQ(page.hits.size(), std::min<std::size_t>(query.limit, count - given));
      EXPECT_EQ(page.complete, given + page.hits.size() == count);
      if (testing::Test::HasFailure()) return;
      for (const QueryHit& hit : page.hits) {
        EXPECT_EQ(hit.id, hits[given].id);
        EXPECT_EQ(hit.value, hits[given].value);
        EXPECT_EQ(hit.point, hits[given].point);
        EXPECT_EQ(hit.normal, hits[given].normal);
        ++given;
      }
      if (page.complete) return;
      query.after = QueryPlace{page.hits.back().value, page.hits.back().id};
    }
  }

  ExactWorld& world_;
  Prng& prng_;
  const Snapshot& snapshot_;
  Tally& tally_;
  double slack_m_;
  SearchFilter filter_;
  std::vector<std::vector<Piece>> pieces_;  ///< by slot
};

class ExactQueryOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ExactQueryOracle, EveryAnswerIsThatOfALookAtAllParts) {
  Tally tally;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) {
    ExactWorld world(seed);
    Asking asking(world, tally);
    for (int i = 0; i < 3 && !testing::Test::HasFailure(); ++i) {
      asking.overlaps();
      asking.rays();
      asking.casts();
      asking.nearest();
    }
  });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  RecordProperty("hits", static_cast<int>(tally.hits));
  RecordProperty("undecided", static_cast<int>(tally.undecided));
  EXPECT_GT(tally.hits, 60 * seeds_per_shard);
  EXPECT_GT(tally.pages, 30 * seeds_per_shard);
  EXPECT_LT(tally.undecided * 200, tally.hits);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ExactQueryOracle, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
