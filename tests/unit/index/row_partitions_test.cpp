// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_partitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using test::cube32;

IndexSettings rows_settings(double row_size_m = 0) {
  IndexSettings settings;
  settings.kind = IndexKind::Rows;
  settings.row_size_m = row_size_m;
  settings.rest_after_ticks = 2;
  settings.demote_after_ticks = 5;
  return settings;
}

/// Partitions, their bounds, and where each slot rests.
class Partitioned {
 public:
  Partitioned(const IndexSettings& settings, std::vector<Aabb32> boxes)
      : partitions(settings, row_kernels(IndexKernel::Auto)), bounds(test::bounds_of(boxes)) {
    partitions.resize(bounds.size());
    places.resize(bounds.size());
    for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
      bounds[slot].stamp = stamp_of(version + 1);
      partitions.add_moving(slot);
    }
  }

  void change(std::uint32_t slot, const Aabb32& box) {
    bounds[slot].box = box;
    bounds[slot].stamp = stamp_of(version + 1);
  }
  void keep_moving(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t slot = begin; slot < end; ++slot) change(slot, bounds[slot].box);
  }
  void tick(bool may_rest = true) {
    ++version;
    partitions.settle(bounds, stamp_of(version), may_rest, workers, placed);
    for (const RowPartitions::Placed& at : placed) places[at.slot] = at.place;
    partitions.build_moving(bounds, version, workers);
  }
  void wake(std::uint32_t slot) {
    partitions.end_rest(places[slot], version + 1);
    places[slot] = {};
    partitions.add_moving(slot);
    change(slot, bounds[slot].box);
  }
  /// Ticks until somebody rests.
  int ticks_to_rest(int ticks_max, std::uint32_t moving = 0) {
    for (int i = 0; i < ticks_max; ++i) {
      keep_moving(0, moving);
      tick();
      if (partitions.resting_count() > 0) return i;
    }
    return ticks_max;
  }
  /// The level among the moving.
  std::optional<std::size_t> level_of(std::uint32_t slot) const {
    const RowStack& stack = *partitions.moving();
    for (std::size_t level = 0; level < stack.levels().size(); ++level) {
      if (std::ranges::binary_search(test::members_of(stack.levels()[level]), slot)) return level;
    }
    return std::nullopt;
  }

  RowPartitions partitions;
  Bounds bounds;
  std::vector<RestingPlace> places;
  std::vector<RowPartitions::Placed> placed;
  IndexVersion version = 0;
  Workers workers{1};
};

std::vector<Aabb32> cubes(std::size_t count) {
  Prng prng(1);
  return test::random_cubes(prng, count, 100, 100, 100);
}

// --- Coming to rest ------------------------------------------------------------------------------

TEST(RowPartitions, LetsEntitiesRestWhenTheWasteHasReachedThePrice) {
  Partitioned world(rows_settings(), cubes(1'000));
  // Not as soon as they may: a rebuild costs more than a tick of them among the moving.
  const int ticks = world.ticks_to_rest(50);
  EXPECT_GT(ticks, 3);
  EXPECT_LT(ticks, 20);
  EXPECT_EQ(world.partitions.resting_count(), 1'000u);
  EXPECT_EQ(world.partitions.moving_count(), 0u);
  EXPECT_EQ(world.placed.size(), 1'000u);
}

TEST(RowPartitions, LetsNobodyRestWhereMostMove) {
  Partitioned world(rows_settings(), cubes(1'000));
  EXPECT_EQ(world.ticks_to_rest(60, 600), 60);
}

TEST(RowPartitions, EagerlyLetsThemRestAsSoonAsTheyMay) {
  IndexSettings settings = rows_settings();
  settings.rest_eagerly = true;
  Partitioned world(settings, cubes(10));
  world.keep_moving(0, 9);
  const int ticks = world.ticks_to_rest(20, 9);
  EXPECT_LE(ticks, 4);
  EXPECT_EQ(world.partitions.resting_count(), 1u);
  EXPECT_FALSE(world.partitions.is_moving(9));
  EXPECT_TRUE(world.partitions.is_moving(8));
}

TEST(RowPartitions, NobodyRestsWhenThatIsNotAllowed) {
  IndexSettings settings = rows_settings();
  settings.rest_eagerly = true;
  Partitioned forbidden(settings, cubes(50));
  for (int i = 0; i < 20; ++i) forbidden.tick(false);
  EXPECT_EQ(forbidden.partitions.resting_count(), 0u);
  settings.rest_after_ticks = 0;
  Partitioned never(settings, cubes(50));
  EXPECT_EQ(never.ticks_to_rest(20), 20);
}

TEST(RowPartitions, StaticsRestSoonerAndApart) {
  IndexSettings settings = rows_settings();
  settings.rest_eagerly = true;
  settings.rest_after_ticks = 6;
  Partitioned world(settings, cubes(20));
  for (std::uint32_t slot = 0; slot < 5; ++slot) world.bounds[slot].flags |= bound_static;
  world.ticks_to_rest(20);
  EXPECT_EQ(world.partitions.static_count(), 5u);
  EXPECT_EQ(world.partitions.resting_count(), 5u);
  for (int i = 0; i < 8; ++i) world.tick();
  EXPECT_EQ(world.partitions.static_count(), 5u);
  EXPECT_EQ(world.partitions.resting_count(), 20u);
  ASSERT_EQ(world.partitions.runs().size(), 2u);
  EXPECT_NE(world.partitions.runs()[0]->is_static(), world.partitions.runs()[1]->is_static());
}

// --- Waking --------------------------------------------------------------------------------------

TEST(RowPartitions, WhoWakesIsAmongTheMovingOfTheSameTick) {
  Partitioned world(rows_settings(), cubes(1'000));
  world.ticks_to_rest(50);
  const RestingPlace place = world.places[17];
  const auto run = world.partitions.runs()[0];
  world.wake(17);
  world.tick();
  EXPECT_TRUE(world.level_of(17).has_value());
  EXPECT_TRUE(run->exists_in(place.member, world.version - 1));
  EXPECT_FALSE(run->exists_in(place.member, world.version));
  EXPECT_EQ(world.partitions.resting_count(), 999u);
}

TEST(RowPartitions, ARunWornToHalfIsBuiltAnew) {
  Partitioned world(rows_settings(), cubes(1'000));
  world.ticks_to_rest(50);
  const std::uint32_t first = world.partitions.runs()[0]->id();
  for (std::uint32_t slot = 0; slot < 499; ++slot) world.wake(slot);
  world.keep_moving(0, 499);
  world.tick();
  ASSERT_EQ(world.partitions.runs().size(), 1u);
  EXPECT_EQ(world.partitions.runs()[0]->id(), first);
  world.wake(499);
  world.wake(500);
  world.tick();
  ASSERT_EQ(world.partitions.runs().size(), 1u);
  const RestingRun& run = *world.partitions.runs()[0];
  EXPECT_NE(run.id(), first);
  EXPECT_EQ(run.member_count(), 499u);
  EXPECT_EQ(run.alive_count(), 499u);
  EXPECT_EQ(world.places[501].run, run.id());
  EXPECT_EQ(run.slot(world.places[501].member), 501u);
}

TEST(RowPartitions, ARunThatAllHaveLeftIsDropped) {
  Partitioned world(rows_settings(), cubes(300));
  world.ticks_to_rest(100);
  ASSERT_EQ(world.partitions.runs().size(), 1u);
  for (std::uint32_t slot = 0; slot < 300; ++slot) world.wake(slot);
  world.tick();
  EXPECT_TRUE(world.partitions.runs().empty());
}

TEST(RowPartitions, FewThatRestAmongManyThatMoveAreBetterTakenBack) {
  Partitioned world(rows_settings(), cubes(900));
  world.ticks_to_rest(100);
  EXPECT_FALSE(world.partitions.should_dissolve());
  for (std::uint32_t slot = 0; slot < 600; ++slot) world.wake(slot);
  EXPECT_FALSE(world.partitions.should_dissolve());
  for (std::uint32_t slot = 600; slot < 610; ++slot) world.wake(slot);
  EXPECT_TRUE(world.partitions.should_dissolve());
}

// --- Levels --------------------------------------------------------------------------------------

/// Half of them small, half of them large, in rows of one metre.
std::vector<Aabb32> two_sizes() {
  Prng prng(1);
  std::vector<Aabb32> boxes;
  for (const double size : {1.0, 50.0}) {
    const auto more = test::random_cubes(prng, 200, 300, 300, 300, size, size);
    boxes.insert(boxes.end(), more.begin(), more.end());
  }
  return boxes;
}

TEST(RowPartitions, PromotesAtOnceAndDemotesAfterTheDwell) {
  Partitioned world(rows_settings(1), two_sizes());
  world.tick(false);
  ASSERT_GE(world.partitions.plan().levels.size(), 2u);
  ASSERT_EQ(world.level_of(7), 0u);
  ASSERT_EQ(world.level_of(300), 1u);
  world.change(7, cube32(0, 0, 0, 40));
  world.tick(false);
  EXPECT_EQ(world.level_of(7), 1u);
  world.change(7, cube32(0, 0, 0, 1));
  world.tick(false);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(world.level_of(7), 1u) << i;
    world.tick(false);
  }
  EXPECT_EQ(world.level_of(7), 0u);
}

TEST(RowPartitions, TheDwellBeginsAnewWithEveryRelapse) {
  Partitioned world(rows_settings(1), two_sizes());
  world.change(7, cube32(0, 0, 0, 40));
  world.tick(false);
  for (int i = 0; i < 20; ++i) {
    world.change(7, cube32(0, 0, 0, i % 3 == 0 ? 40 : 1));
    world.tick(false);
    EXPECT_EQ(world.level_of(7), 1u) << i;
  }
}

TEST(RowPartitions, StaysWhenItIsNotWellBelowTheFinerLevel) {
  Partitioned world(rows_settings(1), two_sizes());
  world.tick(false);
  const float limit = std::ranges::min(world.partitions.plan().levels[0].extent_max);
  world.change(7, cube32(0, 0, 0, 40));
  world.tick(false);
  world.change(7, cube32(0, 0, 0, 0.95f * limit));
  for (int i = 0; i < 20; ++i) world.tick(false);
  EXPECT_EQ(world.level_of(7), 1u);
  world.change(7, cube32(0, 0, 0, 0.85f * limit));
  for (int i = 0; i < 6; ++i) world.tick(false);
  EXPECT_EQ(world.level_of(7), 0u);
}

TEST(RowPartitions, WhatIsTooLargeForAllLevelsIsListed) {
  Partitioned world(rows_settings(1), two_sizes());
  world.change(7, test::box32(0, 0, 0, 1e6f, 1e6f, 1e6f));
  world.tick(false);
  EXPECT_EQ(world.level_of(7), world.partitions.plan().levels.size());
}

/// Small ones spread along y, and rods along x: the two levels run along different axes, and a rod
/// along y is too long for the coarser one.
std::vector<Aabb32> rods_and_cubes() {
  Prng prng(24);
  std::vector<Aabb32> boxes;
  for (int i = 0; i < 1'024; ++i) {
    const auto within = [&](double reach) { return static_cast<float>(prng.between(0, reach)); };
    boxes.push_back(i % 5 == 0
                        ? test::box32(within(32'000), within(24'000), within(3'600), 9'000, 1, 1)
                        : cube32(within(5'000), within(44'000), within(3'200)));
  }
  return boxes;
}

TEST(RowPartitions, NobodyWaitsForDemotionInALevelThatDoesNotHoldIt) {
  for (const std::uint32_t demote_after_ticks : {0u, 1u, 5u}) {
    IndexSettings settings = rows_settings();
    settings.demote_after_ticks = demote_after_ticks;
    Partitioned world(settings, rods_and_cubes());
    world.tick(false);
    const std::span<const LevelPlan> levels = world.partitions.plan().levels;
    ASSERT_EQ(levels.size(), 2u);
    const Aabb32 turned = test::box32(0, 0, 0, 1, 20'000, 1);
    ASSERT_TRUE(fits_level(levels[0], turned));
    ASSERT_FALSE(fits_level(levels[1], turned));
    ASSERT_EQ(world.level_of(5), 1u);
    world.change(5, turned);
    world.change(10, test::box32(0, 0, 0, 1e6f, 1, 1));
    world.tick(false);
    EXPECT_EQ(world.level_of(5), 0u);
    EXPECT_EQ(world.level_of(10), 2u);
    world.change(10, turned);  // goes past the coarser level, when its time has come
    for (std::uint32_t i = 0; i < demote_after_ticks; ++i) {
      EXPECT_EQ(world.level_of(10), 2u);
      world.tick(false);
    }
    world.tick(false);
    EXPECT_EQ(world.level_of(10), 0u);
  }
}

// --- Plans ---------------------------------------------------------------------------------------

TEST(RowPartitions, PlansAnewWhenTheWorldHasGrownAndNotWhenItStays) {
  Partitioned world(rows_settings(), cubes(4'000));
  for (std::uint32_t slot = 1'000; slot < 4'000; ++slot) world.partitions.remove_moving(slot);
  for (int i = 0; i < 300; ++i) {
    world.keep_moving(0, 1'000);
    world.tick();
  }
  EXPECT_EQ(world.partitions.plan_version(), 1u);
  for (std::uint32_t slot = 1'000; slot < 4'000; ++slot) world.partitions.add_moving(slot);
  world.keep_moving(0, 4'000);
  world.tick();
  EXPECT_EQ(world.partitions.plan_version(), 2u);
}

}  // namespace
}  // namespace vicinity
