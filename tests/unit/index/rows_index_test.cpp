// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/rows_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using test::cube32;

using PairList = std::vector<SlotPair>;
using Slots = std::vector<std::uint32_t>;

IndexSettings eager_settings() {
  IndexSettings settings;
  settings.kind = IndexKind::Rows;
  settings.rest_after_ticks = 1;
  settings.rest_eagerly = true;
  return settings;
}

/// A world of cubes and its index, tick by tick.
class Ticking {
 public:
  explicit Ticking(const IndexSettings& settings) : index(settings) {}

  void put(std::uint32_t slot, const Aabb32& box, const Filter& filter = {}) {
    if (slot >= bounds.size()) bounds.resize(slot + 1), filters.resize(slot + 1);
    filters[slot] = filter;
    bounds[slot] = test::bound_of(box, filter, stamp_of(version + 1));
    moved.push_back(slot);
  }
  void remove(std::uint32_t slot) {
    bounds[slot] = {{}, stamp_of(version + 1), 0};
    moved.push_back(slot);
  }
  /// Reported pairs, sorted.
  PairList tick(std::uint64_t pair_count = 0) {
    ++version;
    std::ranges::sort(moved);
    moved.erase(std::ranges::unique(moved).begin(), moved.end());
    const IndexInput input{version, bounds, filters, moved, pair_count};
    index.update(input, workers);
    CandidatePairs candidates;
    index.find_pairs(input, workers, candidates);
    moved.clear();
    PairList pairs;
    candidates.blocks.join_into(pairs);
    std::ranges::sort(pairs);
    return pairs;
  }
  void ticks(int count) {
    for (int i = 0; i < count; ++i) tick();
  }
  PairList woken() const {
    const auto pairs = index.woken_pairs();
    return {pairs.begin(), pairs.end()};
  }
  static Slots found(const IndexView& view, const Aabb32& box) {
    Slots slots;
    view.find_in_box(box, slots);
    return slots;
  }
  const IndexStats& stats() const { return index.view()->stats(); }

  RowsIndex index;
  Bounds bounds;
  std::vector<Filter> filters;
  std::vector<std::uint32_t> moved;
  IndexVersion version = 0;
  Workers workers{1};
};

// --- Rest ----------------------------------------------------------------------------------------

TEST(RowsIndex, APairAtRestPersistsWithoutBeingReported) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0.5f, 0, 0));
  EXPECT_EQ(world.tick(), (PairList{{0, 1}}));
  world.ticks(3);
  EXPECT_TRUE(world.index.at_rest(0));
  EXPECT_TRUE(world.index.at_rest(1));
  EXPECT_TRUE(world.tick().empty());
  EXPECT_TRUE(world.woken().empty());
}

TEST(RowsIndex, WhoWakesIsToldOfWithItsPairsAndReportedInTheSameTick) {
  Ticking world(eager_settings());
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    world.put(slot, cube32(0.5f * static_cast<float>(slot), 0, 0));
  }
  world.ticks(4);
  world.put(1, cube32(0.5f, 0.25f, 0));
  EXPECT_EQ(world.tick(), (PairList{{0, 1}, {1, 2}}));
  EXPECT_EQ(world.woken(), (PairList{{0, 1}, {1, 2}}));
  EXPECT_FALSE(world.index.at_rest(1));
  EXPECT_TRUE(world.index.at_rest(2));
}

TEST(RowsIndex, PairsOfTwoThatWakeTogetherAreToldOnce) {
  Ticking world(eager_settings());
  for (std::uint32_t slot = 0; slot < 3; ++slot) world.put(slot, cube32(0, 0, 0));
  world.ticks(4);
  for (std::uint32_t slot = 0; slot < 3; ++slot) world.put(slot, cube32(7, 0, 0));
  EXPECT_EQ(world.tick(), (PairList{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_EQ(world.woken(), (PairList{{0, 1}, {0, 2}, {1, 2}}));
}

TEST(RowsIndex, WhoGoesWakesAndIsNotReported) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0, 0, 0));
  world.ticks(4);
  world.remove(1);
  EXPECT_TRUE(world.tick().empty());
  EXPECT_EQ(world.woken(), (PairList{{0, 1}}));
  EXPECT_FALSE(world.index.at_rest(1));
}

TEST(RowsIndex, TheNextEntityOfASlotIsAnother) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0, 0, 0));
  world.ticks(4);
  const auto before = world.index.view();
  world.put(1, cube32(50, 0, 0));  // gone and spawned elsewhere between two ticks
  EXPECT_TRUE(world.tick().empty());
  EXPECT_EQ(world.woken(), (PairList{{0, 1}}));
  EXPECT_EQ(Ticking::found(*before, cube32(0, 0, 0)), (Slots{0, 1}));
  EXPECT_EQ(Ticking::found(*world.index.view(), cube32(0, 0, 0)), (Slots{0}));
}

TEST(RowsIndex, AFilterThatChangesWakes) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0, 0, 0), {.category = 2});
  world.ticks(4);
  world.put(1, cube32(0, 0, 0), {.category = 2, .mask = 4});
  EXPECT_TRUE(world.tick().empty());
  EXPECT_EQ(world.woken(), (PairList{{0, 1}}));
  world.put(1, cube32(0, 0, 0), {.mask = 1});
  EXPECT_EQ(world.tick(), (PairList{{0, 1}}));
}

TEST(RowsIndex, StaticsSettleInTheirSecondTick) {
  IndexSettings settings = eager_settings();
  settings.rest_after_ticks = 100;
  Ticking world(settings);
  world.put(0, cube32(0, 0, 0), {.is_static = true});
  world.put(1, cube32(0, 0, 0), {.is_static = true});
  world.put(2, cube32(0, 0, 0));
  EXPECT_EQ(world.tick(), (PairList{{0, 2}, {1, 2}}));
  EXPECT_EQ(world.stats().statics, 0u);
  world.ticks(2);
  EXPECT_TRUE(world.index.at_rest(0));
  EXPECT_EQ(world.stats().statics, 2u);
  EXPECT_EQ(world.stats().moving, 1u);
  EXPECT_EQ(world.tick(), (PairList{{0, 2}, {1, 2}}));
}

TEST(RowsIndex, NothingComesToRestWhilePairsExceedTheBudget) {
  IndexSettings settings = eager_settings();
  settings.candidate_pairs_max = 2;
  Ticking world(settings);
  for (std::uint32_t slot = 0; slot < 3; ++slot) world.put(slot, cube32(0, 0, 0));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(world.tick().size(), 2u);  // of three, cut
  for (std::uint32_t slot = 0; slot < 3; ++slot) EXPECT_FALSE(world.index.at_rest(slot));
  world.remove(2);
  EXPECT_EQ(world.tick(3).size(), 1u);
  for (int i = 0; i < 6; ++i) world.tick(3);  // whoever counts pairs still says three
  EXPECT_FALSE(world.index.at_rest(0));
  for (int i = 0; i < 3; ++i) world.tick(1);
  EXPECT_TRUE(world.index.at_rest(0));
}

TEST(RowsIndex, NothingComesToRestWhilePairsExceedHalfOfTheBudget) {
  for (const std::uint64_t budget : {5u, 6u}) {
    IndexSettings settings = eager_settings();
    settings.candidate_pairs_max = budget;
    Ticking world(settings);
    for (std::uint32_t slot = 0; slot < 3; ++slot) world.put(slot, cube32(0, 0, 0));
    for (int i = 0; i < 6; ++i) world.tick(3);
    for (std::uint32_t slot = 0; slot < 3; ++slot)
      EXPECT_EQ(world.index.at_rest(slot), budget == 6) << slot;
  }
}

TEST(RowsIndex, SaysWhenSomethingComesToRest) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  int settled = 0;
  for (int i = 0; i < 8; ++i) {
    const bool rested = world.index.at_rest(0);
    world.tick();
    EXPECT_EQ(world.index.has_settled(), !rested && world.index.at_rest(0));
    settled += world.index.has_settled();
  }
  EXPECT_EQ(settled, 1);
}

TEST(RowsIndex, PairsAtRestCountAgainstTheBudget) {
  IndexSettings settings = eager_settings();
  settings.candidate_pairs_max = 4;
  Ticking world(settings);
  for (std::uint32_t slot = 0; slot < 3; ++slot) world.put(slot, cube32(0, 0, 0));
  world.tick();
  for (const std::uint64_t resting : {0u, 1u, 2u, 4u}) {
    const IndexInput input{world.version, world.bounds, world.filters, {}, 3, resting};
    CandidatePairs candidates;
    world.index.find_pairs(input, world.workers, candidates);
    PairList pairs;
    candidates.blocks.join_into(pairs);
    EXPECT_EQ(pairs.size(), std::min<std::uint64_t>(3, 4 - resting));
    EXPECT_EQ(candidates.truncated, resting > 1) << resting;
  }
}

// --- Views ---------------------------------------------------------------------------------------

TEST(RowsIndex, AViewStaysAsItWasWhileItIsHeld) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(10, 0, 0));
  world.ticks(4);
  const auto resting = world.index.view();
  world.put(0, cube32(20, 0, 0));
  world.tick();
  const auto moved = world.index.view();
  world.remove(1);
  world.ticks(20);
  const Aabb32 all = cube32(-100, -100, -100, 200);
  const Aabb32 origin = cube32(0, 0, 0);
  EXPECT_EQ(Ticking::found(*resting, origin), (Slots{0}));
  EXPECT_EQ(Ticking::found(*resting, all), (Slots{0, 1}));
  EXPECT_EQ(Ticking::found(*moved, origin), (Slots{}));
  EXPECT_EQ(Ticking::found(*moved, all), (Slots{0, 1}));
  EXPECT_EQ(Ticking::found(*world.index.view(), all), (Slots{0}));
  EXPECT_EQ(resting->version(), 4u);
  EXPECT_EQ(moved->version(), 5u);
}

TEST(RowsIndex, SaysWhereAnEntityIsWhileItMovesBetweenPartitions) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(10, 0, 0));
  world.tick();
  EXPECT_EQ(world.index.view()->places_of(0, 1).a.partition, IndexPartition::Moving);
  EXPECT_FALSE(world.index.view()->places_of(0, 1).a.is_in_transition());
  world.ticks(3);
  const auto resting = world.index.view();
  const IndexPlace before = resting->places_of(0, 1).a;
  EXPECT_EQ(before.partition, IndexPartition::Resting);
  EXPECT_NE(before.run, 0u);
  EXPECT_EQ(before.box, cube32(0, 0, 0));
  EXPECT_FALSE(before.is_in_transition());
  world.put(0, cube32(20, 0, 0));
  world.tick();
  const IndexPlace old_place = resting->places_of(0, 1).a;  // the old view reads the old place
  EXPECT_EQ(old_place.partition, IndexPartition::Resting);
  EXPECT_EQ(old_place.run, before.run);
  EXPECT_EQ(old_place.until, world.index.view()->version());
  EXPECT_EQ(old_place.box, cube32(0, 0, 0));
  const IndexPlaces places = world.index.view()->places_of(0, 1);  // the new one the new place
  EXPECT_EQ(places.a.partition, IndexPartition::Moving);
  EXPECT_EQ(places.a.run, 0u);
  EXPECT_EQ(places.a.until, world.index.view()->version());
  EXPECT_EQ(places.a.other_run, before.run);
  EXPECT_EQ(places.a.box, cube32(20, 0, 0));
  EXPECT_EQ(places.b.partition, IndexPartition::Resting);
  EXPECT_FALSE(places.b.is_in_transition());
  EXPECT_FALSE(world.index.view()->places_of(0, 7).b.is_registered());
}

TEST(RowsIndex, SaysInWhichRowsAndCellsTwoAreCompared) {
  IndexSettings settings = eager_settings();
  settings.row_size_m = 4;
  settings.rest_after_ticks = 0;
  Ticking world(settings);
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0.5f, 0, 0));
  world.put(2, cube32(0, 0, 40));
  world.put(3, cube32(0, 40, 0));
  world.put(4, cube32(40, 0, 0));
  world.put(5, cube32(-1000, -1000, -1000, 2000));
  world.tick();
  const auto view = world.index.view();
  EXPECT_TRUE(view->places_of(0, 1).share_cell);
  const IndexPlaces large = view->places_of(0, 5);
  EXPECT_TRUE(large.share_cell);
  EXPECT_EQ(large.b.level, large.b.level_count);  // the list
  EXPECT_LT(large.a.level, large.a.level_count);
  for (const std::uint32_t far : {2u, 3u, 4u}) {  // on z, y and x
    const IndexPlaces places = view->places_of(0, far);
    const IndexGrid& grid = places.grid;
    EXPECT_EQ(grid.along_axis + grid.across_axis[0] + grid.across_axis[1], 3);
    EXPECT_NEAR(grid.per_m[1], 0.25, 1e-6);
    EXPECT_NEAR(grid.per_m[2], 0.25, 1e-6);
    if (grid.along_axis == static_cast<int>(4 - far)) continue;  // in a cell of any length
    EXPECT_FALSE(places.share_cell) << far;
  }
}

TEST(RowsIndex, AViewOutlivesTheIndex) {
  std::shared_ptr<const IndexView> view;
  {
    Ticking world(eager_settings());
    world.put(0, cube32(0, 0, 0));
    world.put(1, cube32(5, 0, 0));
    world.ticks(3);
    world.put(1, cube32(6, 0, 0));
    world.tick();
    view = world.index.view();
  }
  EXPECT_EQ(Ticking::found(*view, cube32(0, 0, 0, 10)), (Slots{0, 1}));
}

TEST(RowsIndex, WhatIsOnlyLookedForCostsNoPairsAndIsFoundAtRestToo) {
  Ticking world(eager_settings());
  world.put(0, cube32(0, 0, 0));
  world.put(1, cube32(0, 0, 0), {.mask = 0});
  world.put(2, cube32(0, 0, 0), {.enabled = false});
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(world.tick().empty());
    EXPECT_EQ(Ticking::found(*world.index.view(), cube32(0, 0, 0)), (Slots{0, 1, 2}));
  }
  EXPECT_TRUE(world.index.at_rest(1));
  world.put(1, cube32(0, 0, 0));
  EXPECT_EQ(world.tick(), (PairList{{0, 1}}));
  EXPECT_TRUE(world.woken().empty());
}

// --- Plans and numbers ---------------------------------------------------------------------------

void put_cubes(Ticking& world, std::size_t count, double x, double y, double z) {
  Prng prng(1);
  const std::vector<Aabb32> boxes = test::random_cubes(prng, count, x, y, z);
  for (std::uint32_t slot = 0; slot < count; ++slot) world.put(slot, boxes[slot]);
}

TEST(RowsIndex, AutoSaysWhatItChoseAndWhy) {
  IndexSettings settings;
  Ticking empty(settings);
  empty.tick();
  EXPECT_EQ(empty.stats().reason, PlanReason::Empty);
  Ticking few(settings);
  put_cubes(few, 20, 100, 100, 100);
  few.tick();
  EXPECT_EQ(few.stats().reason, PlanReason::FewEntities);
  Ticking corridor(settings);
  put_cubes(corridor, 3'000, 2, 2, 9'000);
  corridor.tick();
  EXPECT_EQ(corridor.stats().chosen, IndexKind::Sweep);
  EXPECT_EQ(corridor.stats().reason, PlanReason::CheaperAsSweep);
  EXPECT_EQ(corridor.stats().along_axis, 2);
  EXPECT_EQ(corridor.index.view()->kind(), IndexKind::Sweep);
  Ticking cube(settings);
  put_cubes(cube, 3'000, 15, 15, 15);
  cube.tick();
  EXPECT_EQ(cube.stats().chosen, IndexKind::Rows);
  EXPECT_EQ(cube.stats().reason, PlanReason::CheaperAsRows);
  EXPECT_GT(cube.stats().row_size_m, 0);
  EXPECT_GE(cube.stats().levels, 1u);
  EXPECT_LT(cube.stats().expected_rows_ns, cube.stats().expected_sweep_ns);
  EXPECT_EQ(cube.index.kind(), IndexKind::Auto);
}

TEST(RowsIndex, ANewPlanHasANewVersionAndTheOldViewKeepsItsOwn) {
  Ticking world(IndexSettings{.kind = IndexKind::Rows});
  put_cubes(world, 200, 50, 50, 50);
  world.tick();
  EXPECT_EQ(world.stats().plan_version, 1u);
  const auto before = world.index.view();
  const Slots then = Ticking::found(*before, cube32(-5, -5, -5, 10));
  put_cubes(world, 2'000, 5'000, 50, 50);
  world.tick();
  EXPECT_EQ(world.stats().plan_version, 2u);
  EXPECT_EQ(Ticking::found(*before, cube32(-5, -5, -5, 10)), then);
}

TEST(RowsIndex, CountsRegistrationsAndWhatIsInTransition) {
  Ticking world(eager_settings());
  put_cubes(world, 100, 20, 20, 20);
  world.ticks(4);
  EXPECT_EQ(world.stats().resting, 100u);
  EXPECT_GE(world.stats().registrations, 100u);
  EXPECT_EQ(world.stats().in_transition, 0u);
  for (std::uint32_t slot = 0; slot < 10; ++slot) world.put(slot, cube32(0, 0, 0));
  world.tick();
  EXPECT_EQ(world.stats().resting, 90u);
  EXPECT_EQ(world.stats().moving, 10u);
  EXPECT_EQ(world.stats().in_transition, 10u);
}

TEST(RowsIndex, GivesMemoryBackAfterAPeak) {
  for (const bool at_rest : {false, true}) {
    IndexSettings settings;
    settings.rest_after_ticks = at_rest ? 1 : 0;
    Ticking world(settings);
    put_cubes(world, 20'000, 100, 100, 100);
    world.ticks(30);
    EXPECT_EQ(world.stats().resting > 0, at_rest);
    const std::uint64_t peak_bytes = world.stats().size_bytes;
    EXPECT_GT(peak_bytes, 20'000u * sizeof(Aabb32));
    for (std::uint32_t slot = 0; slot < 18'000; ++slot) world.remove(slot);
    world.ticks(200);
    // What is kept by slot stays: a slot may be used again.
    constexpr std::uint64_t by_slot_bytes = 20'000 * (1 + sizeof(RestingPlace) + sizeof(Filter));
    EXPECT_LT(world.stats().size_bytes - by_slot_bytes, (peak_bytes - by_slot_bytes) / 4)
        << at_rest;
    EXPECT_EQ(Ticking::found(*world.index.view(), cube32(-100, -100, -100, 200)).size(), 2'000u);
  }
}

TEST(RowsIndex, NamesItsSteps) {
  IndexSettings settings = eager_settings();
  std::vector<std::string> steps;
  settings.on_step = [&](std::string_view step) { steps.emplace_back(step); };
  Ticking world(settings);
  world.put(0, cube32(0, 0, 0));
  world.tick();
  EXPECT_GE(steps.size(), 6u);
  EXPECT_EQ(steps.front(), "classify");
  EXPECT_EQ(steps.back(), "publish");
}

// Ten rest in one place, twenty more come and stop. In every tick in which one of the ten may go,
// in some of them just when the twenty are about to rest and the nine have become too few to stay:
// no pair may be lost on the way, and nobody is woken and at rest in the same tick.
TEST(RowsIndex, LosesNoPairWhenSomeComeToRestWhileOthersAreTakenBack) {
  for (int wait = 1; wait <= 30; ++wait) {
    IndexSettings settings;
    settings.kind = IndexKind::Rows;
    Ticking world(settings);
    PairList all;
    std::uint64_t alive = 10;
    const auto tick = [&] {
      PairList now = world.tick(all.size());
      for (const SlotPair& pair : world.index.woken_pairs()) {
        EXPECT_FALSE(world.index.at_rest(pair.a) && world.index.at_rest(pair.b));
      }
      for (const SlotPair& pair : all) {
        if (world.index.at_rest(pair.a) && world.index.at_rest(pair.b)) now.push_back(pair);
      }
      std::ranges::sort(now);
      all = std::move(now);
      ASSERT_EQ(all.size(), alive * (alive - 1) / 2) << "wait " << wait;
      ASSERT_TRUE(std::ranges::adjacent_find(all) == all.end());
    };
    for (std::uint32_t slot = 0; slot < 10; ++slot) world.put(slot, cube32(0, 0, 0));
    for (int i = 0; i < 60; ++i) tick();
    ASSERT_TRUE(world.index.at_rest(0));
    for (std::uint32_t slot = 10; slot < 30; ++slot) world.put(slot, cube32(0, 0, 0));
    alive = 30;
    for (int i = 0; i < wait; ++i) tick();
    world.remove(3);
    alive = 29;
    for (int i = 0; i < 40; ++i) tick();
  }
}

}  // namespace
}  // namespace vicinity
