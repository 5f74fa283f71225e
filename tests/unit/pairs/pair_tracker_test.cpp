// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_tracker.h"

#include <gtest/gtest.h>

#include "unit/pairs/pair_world.h"

namespace vicinity {
namespace {

using test::FakeIndex;
using test::in_blocks;
using test::PairSet;
using test::PairWorld;
using test::shuffled;

using Pairs = std::vector<SlotPair>;

Pairs list(std::span<const SlotPair> pairs) { return {pairs.begin(), pairs.end()}; }
Pairs list(const PairSet& pairs) { return {pairs.begin(), pairs.end()}; }

/// A tracker with an index in which a few slots may rest.
struct Tracked {
  void tick(const std::vector<Pairs>& blocks) { tracker.update(in_blocks(blocks), index, workers); }

  Workers workers{1};
  FakeIndex index{16};
  PairTracker tracker;
};

TEST(PairTracker, SortsAcrossBlocks) {
  Tracked world;
  world.tick({{{3, 4}, {1, 9}}, {}, {{1, 2}, {0, 7}}});
  EXPECT_EQ(list(world.tracker.active()), (Pairs{{0, 7}, {1, 2}, {1, 9}, {3, 4}}));
  EXPECT_EQ(list(world.tracker.begins()), list(world.tracker.active()));
  EXPECT_TRUE(world.tracker.ends().empty());
  EXPECT_EQ(world.tracker.pair_count(), 4u);
}

TEST(PairTracker, TellsWhatBeganAndWhatEnded) {
  Tracked world;
  world.tick({{{1, 2}, {3, 4}, {1, 9}}});
  world.tick({{{3, 4}, {1, 3}}, {{5, 6}}});
  EXPECT_EQ(list(world.tracker.begins()), (Pairs{{1, 3}, {5, 6}}));
  EXPECT_EQ(list(world.tracker.ends()), (Pairs{{1, 2}, {1, 9}}));
  EXPECT_EQ(world.tracker.pair_count(), 3u);
  world.tick({});
  EXPECT_TRUE(world.tracker.begins().empty());
  EXPECT_EQ(list(world.tracker.ends()), (Pairs{{1, 3}, {3, 4}, {5, 6}}));
  EXPECT_EQ(world.tracker.pair_count(), 0u);
  world.tick({});
  EXPECT_TRUE(world.tracker.ends().empty());
}

TEST(PairTracker, APairThatComesToRestPersistsUnseen) {
  Tracked world;
  world.tick({{{1, 2}, {2, 3}}});
  world.index.set_at_rest(1, true);
  world.index.set_at_rest(2, true);
  for (int i = 0; i < 3; ++i) {
    world.tick({{{2, 3}}});
    EXPECT_EQ(list(world.tracker.active()), (Pairs{{2, 3}}));
    EXPECT_TRUE(world.tracker.begins().empty());
    EXPECT_TRUE(world.tracker.ends().empty());
    EXPECT_EQ(world.tracker.pair_count(), 2u);
  }
}

TEST(PairTracker, OneOfTheTwoAtRestIsNotEnough) {
  Tracked world;
  world.tick({{{1, 2}}});
  world.index.set_at_rest(2, true);
  world.tick({});
  EXPECT_EQ(list(world.tracker.ends()), (Pairs{{1, 2}}));
  EXPECT_EQ(world.tracker.pair_count(), 0u);
}

TEST(PairTracker, AWokenPairGoesOnWhenItIsReportedAndEndsElse) {
  Tracked world;
  world.tick({{{1, 2}, {1, 3}, {4, 5}}});
  for (const std::uint32_t slot : {1u, 2u, 3u}) world.index.set_at_rest(slot, true);
  world.tick({{{4, 5}}});
  EXPECT_EQ(world.tracker.pair_count(), 3u);
  world.index.set_at_rest(1, false);
  world.index.set_woken({{1, 2}, {1, 3}});
  world.tick({{{1, 3}, {0, 1}}});
  EXPECT_EQ(list(world.tracker.active()), (Pairs{{0, 1}, {1, 3}}));
  EXPECT_EQ(list(world.tracker.begins()), (Pairs{{0, 1}}));
  EXPECT_EQ(list(world.tracker.ends()), (Pairs{{1, 2}, {4, 5}}));
  EXPECT_EQ(world.tracker.pair_count(), 2u);
}

TEST(PairTracker, CountsWhatRestsBeforeTheSearch) {
  Tracked world;
  const auto resting = [&] { return world.tracker.resting_count(world.index, world.workers); };
  EXPECT_EQ(resting(), 0u);
  world.tick({{{1, 2}, {1, 3}, {4, 5}}});
  EXPECT_EQ(resting(), 0u);
  for (const std::uint32_t slot : {1u, 2u, 3u, 4u}) world.index.set_at_rest(slot, true);
  EXPECT_EQ(resting(), 2u);  // of 4 and 5 one moves
  world.tick({{{4, 5}}});
  EXPECT_EQ(resting(), 2u);
  world.index.set_at_rest(2, false);
  world.index.set_woken({{1, 2}});
  EXPECT_EQ(resting(), 1u);
}

// Wherever it stands among many pairs, alone or with a partner out there.
TEST(PairTracker, SortsASlotFarOut) {
  for (const SlotPair far : {SlotPair{5, 4'000'000}, SlotPair{3'999'999, 4'000'000}}) {
    for (const std::size_t place : {0u, 20'000u, 40'000u}) {
      Tracked world;
      Pairs pairs;
      for (std::uint32_t i = 0; i < 40'000; ++i) pairs.push_back({i % 200, 200 + i / 200});
      pairs.insert(pairs.begin() + static_cast<std::ptrdiff_t>(place), far);
      world.tick({pairs});
      std::sort(pairs.begin(), pairs.end());
      EXPECT_EQ(list(world.tracker.active()), pairs);
    }
  }
}

TEST(PairTracker, GivesMemoryBackAfterAPeak) {
  Tracked world;
  Pairs many;
  for (std::uint32_t i = 0; i < 50'000; ++i) many.push_back({i, i + 1});
  FakeIndex index(50'001);
  const std::size_t before = world.tracker.size_bytes();
  world.tracker.update(in_blocks({many}), index, world.workers);
  EXPECT_GE(world.tracker.size_bytes(), many.size() * 2 * sizeof(SlotPair));
  for (int i = 0; i < 3; ++i) world.tracker.update(in_blocks({}), index, world.workers);
  EXPECT_LT(world.tracker.size_bytes(), before + 100'000);
}

TEST(PairTrackerDeathTest, APairReportedTwiceStopsTheProcess) {
  Tracked world;
  EXPECT_DEATH(world.tick({{{1, 2}}, {{1, 2}}}), "CHECK failed");
  Pairs many;
  for (std::uint32_t i = 0; i < 50'000; ++i) many.push_back({i, i + 1});
  EXPECT_DEATH(world.tick({many, {many[777]}}), "CHECK failed");
}

TEST(PairTrackerDeathTest, APairThatIsNotCanonicalStopsTheProcess) {
  Tracked world;
  EXPECT_DEATH(world.tick({{{1, 2}, {3, 2}}}), "CHECK failed");
  EXPECT_DEATH(world.tick({{{1, 1}}}), "CHECK failed");
}

TEST(PairTrackerDeathTest, MoreWokenPairsThanRestedStopTheProcess) {
  Tracked world;
  world.tick({{{1, 2}}});
  world.index.set_woken({{1, 2}});
  EXPECT_DEATH(world.tick({}), "CHECK failed");
}

// --- Random histories against a set --------------------------------------------------------------

/// How the pairs of a random history lie, so that every shape of a list is met: few and many,
/// spread and crowded, around one slot, far out.
struct Shape {
  std::uint32_t slot_count = 0;
  std::uint32_t first_slot = 0;  ///< of those that pairs are drawn from
  std::size_t pair_count = 0;
  std::uint32_t hub = 0;  ///< a slot with a part of all pairs
  double hub_part = 0;
  double change = 0;  ///< part of the pairs that is drawn anew in a tick
};

class History {
 public:
  History(const Shape& shape, std::uint64_t seed)
      : shape_(shape), prng_(seed), world_(shape.slot_count) {}

  const PairWorld& next_tick() {
    for (std::size_t i = 0; i < shape_.slot_count / 10; ++i)
      world_.index().set_at_rest(slot(), prng_.chance(0.5));
    if (prng_.chance(0.1)) set_all(prng_.chance(0.5));
    PairSet wanted;
    const bool none = prng_.chance(0.05);
    for (const SlotPair pair : world_.pairs())
      if (!none && !prng_.chance(shape_.change)) wanted.insert(pair);
    while (!none && wanted.size() < shape_.pair_count) wanted.insert(pair());
    world_.set_pairs(wanted);
    return world_;
  }
  CandidatePairs candidates() { return shuffled(world_.active(), prng_); }
  const Index& index() { return world_.index(); }

 private:
  std::uint32_t slot() {
    return shape_.first_slot +
           static_cast<std::uint32_t>(prng_.below(shape_.slot_count - shape_.first_slot));
  }
  SlotPair pair() {
    for (;;) {
      const std::uint32_t a = prng_.chance(shape_.hub_part) ? shape_.hub : slot();
      const std::uint32_t b = slot();
      if (a != b) return {std::min(a, b), std::max(a, b)};
    }
  }
  void set_all(bool rests) {
    for (std::uint32_t i = 0; i < shape_.slot_count; ++i) world_.index().set_at_rest(i, rests);
  }

  Shape shape_;
  Prng prng_;
  PairWorld world_;
};

void expect_history(const Shape& shape, std::uint64_t seed, int tick_count) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<std::unique_ptr<Workers>> workers;
  for (const int count : {1, 2, 3, 8}) workers.push_back(std::make_unique<Workers>(count));
  std::vector<PairTracker> trackers(workers.size());
  History history(shape, seed);
  for (int tick = 0; tick < tick_count; ++tick) {
    const PairWorld& expected = history.next_tick();
    const CandidatePairs candidates = history.candidates();
    for (std::size_t i = 0; i < trackers.size(); ++i) {
      PairTracker& tracker = trackers[i];
      tracker.update(candidates, history.index(), *workers[i]);
      ASSERT_EQ(list(tracker.active()), list(expected.active())) << "tick " << tick;
      ASSERT_EQ(list(tracker.begins()), list(expected.begins())) << "tick " << tick;
      ASSERT_EQ(list(tracker.ends()), list(expected.ends())) << "tick " << tick;
      ASSERT_EQ(tracker.pair_count(), expected.pairs().size()) << "tick " << tick;
    }
  }
}

TEST(PairTrackerHistory, OfFewPairs) {
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    expect_history({.slot_count = 30, .pair_count = 60, .change = 0.2}, seed, 40);
}

TEST(PairTrackerHistory, OfManyPairs) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    expect_history({.slot_count = 3000, .pair_count = 9000, .change = 0.05}, seed, 12);
    expect_history({.slot_count = 3000, .pair_count = 9000, .change = 0.9}, seed, 6);
  }
}

TEST(PairTrackerHistory, OfPairsThatMakeManyChunksAndGroups) {
  expect_history({.slot_count = 20'000, .pair_count = 60'000, .change = 0.1}, 1, 5);
}

TEST(PairTrackerHistory, OfAHub) {
  for (const std::uint32_t hub : {0u, 5000u, 11'999u}) {
    const Shape shape{
        .slot_count = 12'000, .pair_count = 10'000, .hub = hub, .hub_part = 0.6, .change = 0.2};
    expect_history(shape, hub, 6);
  }
}

TEST(PairTrackerHistory, OfFewSlotsFarOut) {
  const Shape shape{
      .slot_count = 1'000'000, .first_slot = 999'500, .pair_count = 10'000, .change = 0.1};
  expect_history(shape, 5, 8);
}

}  // namespace
}  // namespace vicinity
