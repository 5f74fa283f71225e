// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every query against a look at all entities in random worlds. On the grid (multiples of 1/8 m)
// the answers are worked out in exact integers and fractions; with arbitrary numbers in f64.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "oracle/random_script.h"
#include "oracle/seeds.h"
#include "query/query.h"
#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

__extension__ using Wide = __int128;

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 400;
constexpr int queries_per_kind = 6;
constexpr double eighth = 0.125;

Wide units(double metres) {
  CHECK(metres * 8 == std::floor(metres * 8));
  return static_cast<Wide>(metres * 8);
}

/// numerator / denominator, denominator > 0.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;
  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  }
  double value() const {
    return static_cast<double>(static_cast<long double>(numerator) /
                               static_cast<long double>(denominator));
  }
};

Fraction divide(Wide numerator, Wide denominator) {
  return denominator > 0 ? Fraction{numerator, denominator} : Fraction{-numerator, -denominator};
}

/// When a box moved along delta overlaps the target strictly: all t with low < t < high.
std::optional<std::pair<Fraction, Fraction>> exact_interval(const CastQuery& cast,
                                                            const Aabb& target) {
  Fraction low{-(Wide{1} << 60), 1};
  Fraction high{Wide{1} << 60, 1};
  for (int axis = 0; axis < 3; ++axis) {
    const Wide step = units(cast.delta[axis]);
    // Both must become positive: max + t*step - target.min, and target.max - min - t*step.
    const Wide enter_gap = units(cast.box.max[axis]) - units(target.min[axis]);
    const Wide leave_gap = units(target.max[axis]) - units(cast.box.min[axis]);
    if (step == 0) {
      if (enter_gap <= 0 || leave_gap <= 0) return std::nullopt;
      continue;
    }
    Fraction at_enter = divide(-enter_gap, step);
    Fraction at_leave = divide(leave_gap, step);
    if (step < 0) std::swap(at_enter, at_leave);
    low = std::max(low, at_enter);
    high = std::min(high, at_leave);
  }
  if (!(low < high)) return std::nullopt;
  return std::pair(low, high);
}

std::optional<Fraction> exact_hit(const CastQuery& cast, const Aabb& target) {
  const auto interval = exact_interval(cast, target);
  if (!interval) return std::nullopt;
  const auto& [low, high] = *interval;
  const Fraction zero;
  const Fraction end{units(cast.max_t), 8};
  if (!(zero < high)) return std::nullopt;
  if (low < zero) return zero;
  if (low < end) return low;
  return std::nullopt;
}

Wide exact_distance_squared(Vec3 point, const Aabb& box) {
  Wide sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const Wide gap = std::max<Wide>(
        {units(box.min[axis]) - units(point[axis]), units(point[axis]) - units(box.max[axis]), 0});
    sum += gap * gap;
  }
  return sum;
}

bool taken(const Filter& entity, const SearchFilter& search) {
  if (!entity.enabled) return false;
  return entity.instance == search.instance && (entity.category & search.category_mask) != 0;
}

bool strictly_overlaps(const Aabb& a, const Aabb& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (a.max[axis] <= b.min[axis] || b.max[axis] <= a.min[axis]) return false;
  return true;
}

/// What the answers were like over all seeds: only empty ones would prove nothing.
struct Tally {
  std::size_t hits = 0;
  std::size_t incomplete = 0;
};

/// Random questions about one frame, and their answers by looking at every entity.
class Asking {
 public:
  Asking(std::uint64_t seed, const PublishedFrame& frame, Tally& tally)
      : prng_(seed), frame_(frame), snapshot_(*frame.snapshot), tally_(tally) {
    for (std::uint32_t slot = 0; slot < snapshot_.slot_count(); ++slot)
      if (snapshot_.is_alive(slot)) alive_.push_back(slot);
  }

  void box() {
    const Query query{BoxQuery{random_box()}, random_filter(), random_limit()};
    const Aabb box = std::get<BoxQuery>(query.body).box;
    const auto accepts = [&](std::uint32_t slot) {
      return strictly_overlaps(box, snapshot_.tight_box[slot]);
    };
    expect_ids(query, accepts);
    const auto [shape, pose] = solid(box);
    expect_ids({OverlapQuery{shape, pose}, query.filter, query.limit}, accepts);
  }

  void sphere() {
    const double radius = prng_.chance(0.05) ? 0x1p43 : length(80);
    const Query query{SphereQuery{random_point(), radius}, random_filter(), random_limit()};
    const Vec3 centre = std::get<SphereQuery>(query.body).centre;
    expect_ids(query, [&](std::uint32_t slot) {
      return exact_distance_squared(centre, snapshot_.tight_box[slot]) <
             units(radius) * units(radius);
    });
  }

  void cast() {
    CastQuery body;
    const Vec3 start = random_point();
    body.box = {start, start};
    if (prng_.chance(0.5)) body.box.max = start + Vec3{length(16), length(16), length(16)};
    body.delta = random_delta();
    body.max_t = prng_.chance(0.1) ? 0 : prng_.chance(0.2) ? 0x1p42 : length(160);
    const Query query{body, random_filter(), random_limit()};
    std::vector<std::pair<Fraction, std::uint32_t>> hits;
    for (const std::uint32_t slot : alive_) {
      if (!taken(snapshot_.filter[slot], query.filter)) continue;
      if (const auto hit = exact_hit(body, snapshot_.tight_box[slot]))
        hits.emplace_back(*hit, slot);
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::pair<EntityId, double>> expected;
    for (const auto& [t, slot] : hits) expected.emplace_back(snapshot_.id[slot], t.value());
    expect_hits(query, expected);
    const auto [shape, pose] = solid(body.box);
    expect_hits({ShapeCastQuery{shape, pose, body.delta, body.max_t}, query.filter, query.limit},
                expected);
  }

  void nearest() {
    NearestQuery body;
    body.point = random_point();
    body.k = static_cast<std::uint32_t>(prng_.below(8));
    body.max_distance_m = prng_.chance(0.5) ? -1 : length(80);
    const Query query{body, random_filter(), random_limit()};
    std::vector<std::pair<Wide, std::uint32_t>> found;
    for (const std::uint32_t slot : alive_) {
      if (!taken(snapshot_.filter[slot], query.filter)) continue;
      const Wide squared = exact_distance_squared(body.point, snapshot_.tight_box[slot]);
      const bool in_reach = body.max_distance_m < 0 ||
                            squared <= units(body.max_distance_m) * units(body.max_distance_m);
      if (in_reach) found.emplace_back(squared, slot);
    }
    std::stable_sort(found.begin(), found.end());
    if (found.size() > body.k) found.resize(body.k);
    std::vector<std::pair<EntityId, double>> expected;
    for (const auto& [squared, slot] : found)
      expected.emplace_back(snapshot_.id[slot], std::sqrt(static_cast<double>(squared)) * eighth);
    // Far clusters: f64 cannot order what differs in the 20th digit; order is checked near by.
    const bool far = !expected.empty() && expected.back().second > 0x1p26;
    far ? expect_distances(query, expected) : expect_hits(query, expected);
  }

  void contacts() {
    if (alive_.empty()) return;
    const EntityId entity = snapshot_.id[random_slot()];
    std::set<EntityId> partners;
    for (const OpenContact& contact : frame_.contacts.to_vector()) {
      if (contact.a == entity) partners.insert(contact.b);
      if (contact.b == entity) partners.insert(contact.a);
    }
    std::vector<std::pair<EntityId, double>> expected;
    for (const EntityId id : partners) expected.emplace_back(id, 0);
    expect_hits({ContactsQuery{entity}, {}, random_limit()}, expected);
  }

 private:
  double length(std::uint64_t eighths_max) {
    return static_cast<double>(prng_.below(eighths_max + 1)) * eighth;
  }
  std::uint32_t random_slot() { return alive_[prng_.below(alive_.size())]; }
  /// Mostly close to an entity, so that edges meet.
  Vec3 random_point() {
    Vec3 base;
    if (!alive_.empty()) {
      const Aabb& box = snapshot_.tight_box[random_slot()];
      for (int axis = 0; axis < 3; ++axis)
        base[axis] = prng_.chance(0.5) ? box.min[axis] : box.max[axis];
    }
    if (prng_.chance(0.3)) return base;
    return base + Vec3{length(64) - 4, length(64) - 4, length(64) - 4};
  }
  Aabb random_box() {
    const Vec3 corner = random_point();
    if (prng_.chance(0.05)) {
      constexpr double all = 0x1p43;
      return {{-all, -all, -all}, {all, all, all}};
    }
    return {corner, corner + Vec3{length(80), length(80), length(80)}};
  }
  Vec3 random_delta() {
    if (prng_.chance(0.05)) return {};
    Vec3 delta;
    for (int axis = 0; axis < 3; ++axis)
      delta[axis] = prng_.chance(0.4) ? (prng_.chance(0.5) ? 0.0 : -0.0) : length(16) - 1;
    return delta;
  }
  /// A box of these corners; on the grid its centre and half its size lose nothing.
  static std::pair<Primitive, Pose> solid(const Aabb& box) {
    return {box_primitive((box.max - box.min) * 0.5), {(box.min + box.max) * 0.5, {}}};
  }
  SearchFilter random_filter() {
    SearchFilter filter;
    if (prng_.chance(0.4)) filter.category_mask = static_cast<std::uint32_t>(prng_.below(4));
    filter.instance = prng_.chance(0.1) ? 1 : 0;
    return filter;
  }
  std::uint32_t random_limit() {
    return prng_.chance(0.7) ? 1024 : static_cast<std::uint32_t>(1 + prng_.below(4));
  }

  template <class Accepts>
  void expect_ids(const Query& query, const Accepts& accepts) {
    std::vector<std::pair<EntityId, double>> expected;
    for (const std::uint32_t slot : alive_)
      if (taken(snapshot_.filter[slot], query.filter) && accepts(slot))
        expected.emplace_back(snapshot_.id[slot], 0);
    expect_hits(query, expected);
  }

  void expect_hits(const Query& query, std::vector<std::pair<EntityId, double>> expected) {
    const QueryAnswer answer = answer_query(frame_, query);
    EXPECT_EQ(answer.tick, frame_.tick);
    EXPECT_EQ(answer.index_version, frame_.index_version);
    tally_.hits += answer.hits.size();
    tally_.incomplete += answer.complete ? 0 : 1;
    EXPECT_EQ(answer.complete, expected.size() <= query.limit);
    expect_pages(query, expected);
    expect_exact_boxes(query);
    if (expected.size() > query.limit) expected.resize(query.limit);
    ASSERT_EQ(answer.hits.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const QueryHit& hit = answer.hits[i];
      ASSERT_EQ(hit.id, expected[i].first) << "hit " << i;
      EXPECT_NEAR(hit.value, expected[i].second, 1e-12 * expected[i].second);
      const std::uint32_t slot = hit.id.index();
      EXPECT_EQ(hit.position, snapshot_.position[slot]);
      EXPECT_EQ(hit.user_data, snapshot_.user_data[slot]);
    }
  }

  /// Pages of any size follow one another without a gap, and end where the hits end.
  void expect_pages(Query query, const std::vector<std::pair<EntityId, double>>& expected) {
    query.limit = static_cast<std::uint32_t>(1 + prng_.below(5));
    std::size_t given = 0;
    while (true) {
      const QueryAnswer page = answer_query(frame_, query);
      ASSERT_EQ(page.hits.size(), std::min<std::size_t>(query.limit, expected.size() - given));
      for (const QueryHit& hit : page.hits) ASSERT_EQ(hit.id, expected[given++].first);
      ASSERT_EQ(page.complete, given == expected.size());
      if (page.complete) return;
      query.after = QueryPlace{page.hits.back().value, page.hits.back().id};
    }
  }

  /// A box that is not turned is its tight box: asked for exactly, the same hits.
  void expect_exact_boxes(Query query) {
    if (std::holds_alternative<NearestQuery>(query.body))
      std::get<NearestQuery>(query.body).k = limits::query_hits_max;
    query.limit = limits::query_hits_max;
    std::vector<std::pair<EntityId, double>> hits[2];
    for (const bool exact : {false, true}) {
      query.exact = exact;
      for (const QueryHit& hit : answer_query(frame_, query).hits)
        if (snapshot_.form[hit.id.index()] == Form::Box)
          hits[exact ? 1 : 0].emplace_back(hit.id, hit.value);
    }
    ASSERT_EQ(hits[0], hits[1]);
  }

  void expect_distances(const Query& query, std::vector<std::pair<EntityId, double>> expected) {
    const QueryAnswer answer = answer_query(frame_, query);
    EXPECT_EQ(answer.complete, expected.size() <= query.limit);
    if (expected.size() > query.limit) expected.resize(query.limit);
    ASSERT_EQ(answer.hits.size(), expected.size());
    std::set<EntityId> distinct;
    const Vec3 point = std::get<NearestQuery>(query.body).point;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const QueryHit& hit = answer.hits[i];
      EXPECT_TRUE(distinct.insert(hit.id).second);
      EXPECT_NEAR(hit.value, expected[i].second, 1e-12 * expected[i].second);
      const Aabb& box = snapshot_.tight_box[hit.id.index()];
      const double exact =
          std::sqrt(static_cast<double>(exact_distance_squared(point, box))) * eighth;
      EXPECT_NEAR(hit.value, exact, 1e-12 * exact);
    }
  }

  Prng prng_;
  const PublishedFrame& frame_;
  const Snapshot& snapshot_;
  std::vector<std::uint32_t> alive_;  ///< slots, ascending
  Tally& tally_;
};

void run_world(std::uint64_t seed, Tally& tally) {
  RandomScript script(seed);
  SimulationSettings settings = script.settings();
  settings.worker_count = 1;
  constexpr IndexKind kinds[] = {IndexKind::Auto, IndexKind::Rows, IndexKind::Sweep,
                                 IndexKind::BruteForce};
  settings.index.kind = kinds[seed % 4];
  settings.index.rest_after_ticks = static_cast<std::uint32_t>(1 + seed % 3);
  settings.index.rest_eagerly = seed % 5 != 0;
  Simulation simulation(settings);
  for (std::uint64_t tick = 1; tick <= 8; ++tick) {
    script.learn(simulation.run_tick(script.next_tick()));
    if (tick % 2 == 1) continue;
    const auto frame = simulation.frame();
    Asking asking(seed * 100 + tick, *frame, tally);
    for (int i = 0; i < queries_per_kind && !testing::Test::HasFailure(); ++i) {
      asking.box();
      asking.sphere();
      asking.cast();
      asking.nearest();
      asking.contacts();
    }
  }
}

class QueryOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(QueryOracle, EveryAnswerIsThatOfALookAtAllEntities) {
  Tally tally;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) { run_world(seed, tally); });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  EXPECT_GT(tally.hits, 100 * seeds_per_shard);
  EXPECT_GT(tally.incomplete, seeds_per_shard);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueryOracle, testing::Range<std::uint64_t>(0, shard_count));

// --- Arbitrary numbers -------------------------------------------------------------------------

/// The same arithmetic as the contract's words, in f64: gaps, squares, sum in the order x, y, z.
double f64_distance_squared(Vec3 point, const Aabb& box) {
  std::array<double, 3> gap{};
  for (int axis = 0; axis < 3; ++axis) {
    const double outside = std::max(box.min[axis] - point[axis], point[axis] - box.max[axis]);
    gap[static_cast<std::size_t>(axis)] = std::max(outside, 0.0);
  }
  return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

/// A world whose numbers have all their bits, at any distance from the origin. What f32 boxes and
/// rounded corners lose must not be lost in the answer: the queries aim at the exact edges.
void run_real_world(std::uint64_t seed) {
  Prng prng(seed);
  SimulationSettings settings;
  settings.worker_count = 1;
  constexpr IndexKind kinds[] = {IndexKind::Auto, IndexKind::Rows, IndexKind::Sweep,
                                 IndexKind::BruteForce};
  settings.index.kind = kinds[seed % 4];
  settings.index.rest_after_ticks = static_cast<std::uint32_t>(1 + seed % 3);
  settings.index.rest_eagerly = seed % 5 != 0;
  Simulation simulation(settings);
  const double scale = std::ldexp(1.0, static_cast<int>(prng.below(30)) - 5);
  const double far = prng.chance(0.5) ? 0 : std::ldexp(1.0, static_cast<int>(prng.below(42)));
  const auto point = [&] {
    return Vec3{far + prng.between(-scale, scale), prng.between(-scale, scale),
                prng.between(-scale, scale) - far};
  };
  std::vector<Command> commands{{SessionId{1}, 0, OpenSessionCommand{Role::Authority, {}}}};
  for (std::uint64_t i = 1; i <= 30; ++i) {
    const double size = prng.unit() * scale;
    commands.push_back(
        {SessionId{1}, i, SpawnCommand{point(), {}, Shape::box({size, size, size}), {}, 0}});
  }
  simulation.run_tick(commands);
  const auto frame = simulation.frame();
  const std::vector<Aabb>& boxes = frame->snapshot->tight_box;
  ASSERT_EQ(boxes.size(), 30u);
  for (int i = 0; i < 40 && !testing::Test::HasFailure(); ++i) {
    const Vec3 centre = point();
    const Aabb& aim = boxes[prng.below(boxes.size())];
    // The radius at which `aim` is just not inside, or just inside.
    double radius = std::sqrt(f64_distance_squared(centre, aim));
    if (prng.chance(0.5)) radius = std::nextafter(radius, 1e300);
    std::vector<EntityId> closer;
    for (std::size_t slot = 0; slot < boxes.size(); ++slot)
      if (f64_distance_squared(centre, boxes[slot]) < radius * radius)
        closer.push_back(frame->snapshot->id[slot]);
    std::vector<EntityId> answered;
    for (const QueryHit& hit : answer_query(*frame, {SphereQuery{centre, radius}, {}, 99}).hits)
      answered.push_back(hit.id);
    EXPECT_EQ(answered, closer);

    std::vector<EntityId> beside;
    const Aabb probe{aim.max, aim.max + Vec3{scale, scale, scale}};
    for (std::size_t slot = 0; slot < boxes.size(); ++slot)
      if (strictly_overlaps(probe, boxes[slot])) beside.push_back(frame->snapshot->id[slot]);
    answered.clear();
    for (const QueryHit& hit : answer_query(*frame, {BoxQuery{probe}, {}, 99}).hits)
      answered.push_back(hit.id);
    EXPECT_EQ(answered, beside);

    const auto nearest = answer_query(*frame, {NearestQuery{centre, 30, -1}, {}, 99}).hits;
    ASSERT_EQ(nearest.size(), 30u);
    for (std::size_t k = 1; k < nearest.size(); ++k)
      EXPECT_LE(nearest[k - 1].value, nearest[k].value);
  }
}

class QueryOracleReal : public testing::TestWithParam<std::uint64_t> {};

TEST_P(QueryOracleReal, NothingIsLostToRoundingAtTheEdges) {
  for_each_seed(GetParam(), seeds_per_shard, run_real_world);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueryOracleReal, testing::Range<std::uint64_t>(0, 2));

}  // namespace
}  // namespace vicinity::oracle
