// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bounds/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "support/snapshot_builder.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

using Slots = std::vector<std::uint32_t>;

// --- Boxes -----------------------------------------------------------------------------------

TEST(Bounds, OfAnUnmovedBoxOnFloatsIsTheBox) {
  SnapshotBuilder world;
  world.add({{-1, -2, -3}, {1, 2, 3}});
  EXPECT_EQ(world.bounds()[0].box, (Aabb32{{-1, -2, -3}, {1, 2, 3}}));
}

TEST(Bounds, CoverStartAndEndOfAPath) {
  SnapshotBuilder world;
  world.add_moved(box_at(0, 0, 0), box_at(10, -5, 2));
  EXPECT_EQ(world.bounds()[0].box, (Aabb32{{0, -5, 0}, {11, 1, 3}}));
}

TEST(Bounds, AreRoundedOutwardFarFromTheOrigin) {
  SnapshotBuilder world;
  const Aabb box{{1e12 + 0.1, -1e12 - 0.3, 0.1}, {1e12 + 0.2, -1e12 - 0.1, 0.3}};
  world.add(box);
  const Aabb32 bound = world.bounds()[0].box;
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(static_cast<double>(bound.min[axis]), box.min[axis]);
    EXPECT_GE(static_cast<double>(bound.max[axis]), box.max[axis]);
  }
}

// Property: at 64 instants of the tick the moving box lies inside its bound.
TEST(Bounds, ContainTheBoxAtEveryInstant) {
  Prng prng(20260101);
  SnapshotBuilder world;
  for (int i = 0; i < 200; ++i) {
    const double far = prng.chance(0.5) ? 1e6 : 1;
    auto somewhere = [&] {
      return box_at(prng.between(-far, far), prng.between(-far, far), prng.between(-far, far),
                    prng.unit());
    };
    world.add_moved(somewhere(), somewhere());
  }
  const Bounds bounds = world.bounds();
  for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
    const Aabb& start = world.snapshot().start_box[slot];
    const Aabb& end = world.snapshot().tight_box[slot];
    for (int instant = 0; instant <= 64; ++instant) {
      const double t = instant / 64.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double low = start.min[axis] * (1 - t) + end.min[axis] * t;
        const double high = start.max[axis] * (1 - t) + end.max[axis] * t;
        ASSERT_LE(static_cast<double>(bounds[slot].box.min[axis]), low) << "slot " << slot;
        ASSERT_GE(static_cast<double>(bounds[slot].box.max[axis]), high) << "slot " << slot;
      }
    }
  }
}

// --- Flags -----------------------------------------------------------------------------------

TEST(Bounds, FlagsSayWhatTheFilterSays) {
  EXPECT_EQ(bound_flags({}), bound_alive | bound_searched | bound_default_filter);
  EXPECT_EQ(bound_flags({.is_static = true}), bound_alive | bound_searched | bound_static);
  EXPECT_EQ(bound_flags({.mask = 0}), bound_alive);
  EXPECT_EQ(bound_flags({.enabled = false}), bound_alive);
  EXPECT_EQ(bound_flags({.instance = 3}), bound_alive | bound_searched);
}

TEST(Bounds, AHoleHasNoFlagsAndIsNotMoved) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0));
  world.add_hole();
  world.add(box_at(0, 0, 0));
  Workers workers(1);
  Bounds bounds;
  BlockBuffers<std::uint32_t> blocks;
  Slots moved;
  compute_bounds(world.snapshot(), world.all_slots(), workers, bounds, blocks, moved);
  EXPECT_FALSE(bounds.at(1).is_alive());
  EXPECT_EQ(moved, (Slots{0, 2}));
}

// --- What moved ------------------------------------------------------------------------------

/// A world that is changed, and of which step() ends the tick.
class World {
 public:
  explicit World(const EntityTableSettings& settings = {}) : table(settings) {
    table.begin_tick(1);
  }
  EntityId spawn_box(const Aabb& box) {
    return table.spawn(SessionId{1}, {{}, {}, Shape::box_corners(box.min, box.max), {}, 0}).value();
  }
  /// What moved. Checks that the stamps say the same.
  Slots step() {
    table.advance(1.0, workers_);
    table.freeze(1.0, workers_, snapshot_);
    Slots moved;
    compute_bounds(snapshot_, table.changed(), workers_, bounds, blocks_, moved);
    for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
      const bool named = std::ranges::binary_search(moved, slot);
      EXPECT_EQ(bounds[slot].stamp == stamp_of(snapshot_.tick), named) << "slot " << slot;
    }
    table.begin_tick(snapshot_.tick + 1);
    return moved;
  }

  EntityTable table;
  Bounds bounds;

 private:
  Workers workers_{1};
  Snapshot snapshot_;
  BlockBuffers<std::uint32_t> blocks_;
};

/// A world of which tick 1, with two entities, is over.
class Moved : public testing::Test {
 protected:
  Slots step() { return world.step(); }

  World world;
  EntityTable& table = world.table;
  Bounds& bounds = world.bounds;
  EntityId a = world.spawn_box(box_at(0, 0, 0));
  EntityId b = world.spawn_box(box_at(5, 0, 0));
  Slots first = world.step();
};

TEST_F(Moved, NamesNewEntitiesOnce) {
  EXPECT_EQ(first, (Slots{0, 1}));
  EXPECT_EQ(step(), Slots{});
}

TEST_F(Moved, NamesWhatIsOnAPathAndOnceMoreWhenItStops) {
  table.move_to(b, {1, 0, 0}, false);
  EXPECT_EQ(step(), Slots{1});
  EXPECT_EQ(bounds[1].box, (Aabb32{{5, 0, 0}, {7, 1, 1}}));
  EXPECT_EQ(step(), Slots{1});
  EXPECT_EQ(bounds[1].box, (Aabb32{{6, 0, 0}, {7, 1, 1}}));
  EXPECT_EQ(step(), Slots{});
}

TEST_F(Moved, NamesAMoveThatIsLostInTheRoundingOfTheBound) {
  table.teleport(b, {1e9, 0, 0});
  step();
  const Aabb32 box = bounds[1].box;
  table.move_to(b, {1e9 + 0.5, 0, 0}, false);
  EXPECT_EQ(step(), Slots{1});
  EXPECT_EQ(bounds[1].box, box);
  table.teleport(b, {1e9 + 0.25, 0, 0});
  EXPECT_EQ(step(), Slots{1});
  table.set_shape(b, Shape::box_corners({5, 0, 0}, {6.25, 1, 1}));
  EXPECT_EQ(step(), Slots{1});
  EXPECT_EQ(bounds[1].box, box);
}

TEST_F(Moved, DoesNotNameWhatChangedElsewhere) {
  table.set_user_data(a, 9);
  table.move_to(b, {0, 0, 0}, true);  // a path that leads nowhere
  EXPECT_EQ(step(), Slots{});
  EXPECT_EQ(bounds[0].stamp, 1u);
}

TEST_F(Moved, NamesAChangeOfTheFilterThatChangesNoFlag) {
  table.set_filter(a, {.category = 2});
  EXPECT_EQ(step(), Slots{0});
  table.set_filter(a, {.category = 4});
  EXPECT_EQ(step(), Slots{0});
  EXPECT_EQ(bounds[0].flags, bound_alive | bound_searched);
  table.set_filter(a, {.enabled = false});
  EXPECT_EQ(step(), Slots{0});
  EXPECT_EQ(bounds[0].flags, bound_alive + 0u);
  table.set_filter(a, {.category = 1, .enabled = true});
  EXPECT_EQ(step(), Slots{0});
  EXPECT_EQ(bounds[0].flags, bound_flags({}));
}

TEST_F(Moved, NamesASlotThatLostItsEntity) {
  table.despawn(a, DespawnReason::Command);
  EXPECT_EQ(step(), Slots{0});
  EXPECT_FALSE(bounds[0].is_alive());
  EXPECT_EQ(bounds[0].box, Aabb32{});
  EXPECT_EQ(step(), Slots{});
}

TEST(MovedAgain, NamesASlotThatWasGivenToAnother) {
  World world(EntityTableSettings{.reuse_delay_ticks = 0});
  const EntityId first = world.spawn_box(box_at(0, 0, 0));
  world.step();
  world.table.despawn(first, DespawnReason::Command);
  ASSERT_EQ(world.spawn_box(box_at(0, 0, 0)).index(), first.index());
  EXPECT_EQ(world.step(), Slots{0}) << "although its box is the same";
}

// --- Workers ---------------------------------------------------------------------------------

TEST(Bounds, AreTheSameForAnyNumberOfWorkersAndOnlyOfTheChangedSlots) {
  SnapshotBuilder many(7);
  for (int i = 0; i < 20'000; ++i) many.add(box_at(i * 0.1, 0, 0));
  Slots changed;
  for (std::uint32_t slot = 0; slot < 20'000; slot += 1 + slot % 2) changed.push_back(slot);
  for (const int worker_count : {1, 2, 3, 8}) {
    Workers workers(worker_count);
    Bounds bounds;
    BlockBuffers<std::uint32_t> blocks;
    Slots moved;
    compute_bounds(many.snapshot(), changed, workers, bounds, blocks, moved);
    EXPECT_EQ(moved, changed);
    EXPECT_EQ(bounds.size(), 20'000u);
    for (std::uint32_t slot = 0, next = 0; slot < 20'000; ++slot) {
      const bool named = next < changed.size() && changed[next] == slot;
      next += named ? 1 : 0;
      ASSERT_EQ(bounds[slot].is_alive(), named) << "slot " << slot;
      ASSERT_EQ(bounds[slot].stamp, named ? 7u : 0u) << "slot " << slot;
      const Aabb32 box = named ? round_outward(many.snapshot().tight_box[slot]) : Aabb32{};
      ASSERT_EQ(bounds[slot].box, box) << "slot " << slot;
    }
    compute_bounds(many.snapshot(), changed, workers, bounds, blocks, moved);
    EXPECT_EQ(moved, Slots{}) << "nothing differs from the first time";
  }
}

// Two boxes morph into one another, everything else meets the new box all along.
TEST(SweptBox, OfAReshapedBoxHoldsTheNewOneAtTheStartToo) {
  EntityTable table{EntityTableSettings{}};
  Workers workers(1);
  Snapshot snapshot;
  table.begin_tick(1);
  const EntityId id = table.spawn(SessionId{1}, {{}, {}, Shape::box({1, 1, 1}), {}, 0}).value();
  table.advance(1, workers);
  table.begin_tick(2);
  table.set_shape(id, Shape::box({3, 1, 1}));
  table.move_to(id, {0, 20, 0}, false);
  table.advance(1, workers);
  table.freeze(1, workers, snapshot);
  EXPECT_EQ(swept_box(snapshot, id.index()), (Aabb{{-3, -1, -1}, {3, 21, 1}}));
}

}  // namespace
}  // namespace vicinity
