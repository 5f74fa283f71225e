// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the table says has changed, and snapshots that are brought up to date instead of made anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>

#include "base/limits.h"
#include "base/prng.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

constexpr double dt_s = 0.5;
const Shape unit_box = Shape::box({0.5, 0.5, 0.5});

using Slots = std::vector<std::uint32_t>;

/// A table whose tick next() ends.
class World {
 public:
  explicit World(std::uint32_t reuse_delay_ticks = 0)
      : table(
            EntityTableSettings{.world_half_size_m = 100, .reuse_delay_ticks = reuse_delay_ticks}) {
    table.begin_tick(1);
  }
  EntityId spawn(Vec3 position = {}, Vec3 velocity = {}) {
    return table.spawn(SessionId{1}, {position, velocity, unit_box, {}, 0}).value();
  }
  Slots next() {
    table.advance(dt_s, workers);
    const std::span<const std::uint32_t> changed = table.changed();
    Slots out(changed.begin(), changed.end());
    table.begin_tick(++tick_);
    return out;
  }

  EntityTable table;
  Workers workers{1};

 private:
  Tick tick_ = 1;
};

// --- changed() -------------------------------------------------------------------------------

TEST(Changes, AreNoneBeforeTheFirstTickAndInAnIdleOne) {
  EXPECT_TRUE(EntityTable({}).changed().empty());
  World world;
  world.spawn();
  world.next();
  EXPECT_EQ(world.next(), Slots{});
}

TEST(Changes, NameSpawnedSlotsAscending) {
  World world;
  for (int i = 0; i < 3; ++i) world.spawn();
  EXPECT_EQ(world.next(), (Slots{0, 1, 2}));
}

TEST(Changes, NameASlotOnceHoweverOftenItWasTouched) {
  World world;
  world.spawn();
  const EntityId b = world.spawn();
  const EntityId c = world.spawn();
  world.next();
  world.table.teleport(c, {1, 0, 0});
  world.table.set_user_data(b, 5);
  world.table.set_user_data(c, 5);
  world.table.move_to(c, {2, 0, 0}, false);
  EXPECT_EQ(world.next(), (Slots{1, 2}));
}

TEST(Changes, EveryKindOfChangeCounts) {
  World world;
  const EntityId id = world.spawn();
  world.next();
  using Change = void (*)(EntityTable&, EntityId);
  const Change changes[] = {
      [](EntityTable& t, EntityId e) { t.set_shape(e, Shape::sphere(2)); },
      [](EntityTable& t, EntityId e) { t.set_filter(e, {.mask = 6}); },
      [](EntityTable& t, EntityId e) { t.set_filter(e, {.enabled = false}); },
      [](EntityTable& t, EntityId e) { t.set_user_data(e, 6); },
      [](EntityTable& t, EntityId e) { t.set_relevance(e, {.boost = 1}); },
      [](EntityTable& t, EntityId) { t.release_owned_by(SessionId{1}); },
      [](EntityTable& t, EntityId e) {
        t.teleport(e, {6, 0, 0});
      },
      [](EntityTable& t, EntityId e) { t.despawn(e, DespawnReason::Command); },
  };
  for (const Change change : changes) {
    change(world.table, id);
    EXPECT_EQ(world.next(), Slots{0});
    EXPECT_EQ(world.next(), Slots{}) << "and the tick after it is quiet";
  }
}

TEST(Changes, WhatChangesNothingDoesNotCount) {
  World world;
  const EntityId id = world.spawn();
  world.next();
  world.table.set_velocity(id, {});
  world.table.move_to(id, {}, false);
  world.table.set_shape(id, unit_box);
  world.table.set_filter(id, {});
  world.table.set_user_data(id, 0);
  world.table.set_relevance(id, {});
  world.table.release_owned_by(SessionId{2});
  world.table.teleport(id, {1000, 0, 0});  // refused
  EXPECT_EQ(world.next(), Slots{});
}

TEST(Changes, AMoverIsNamedUntilTheTickAfterItStopped) {
  World world;
  const EntityId id = world.spawn({}, {1, 0, 0});
  EXPECT_EQ(world.next(), Slots{0});
  EXPECT_EQ(world.next(), Slots{0});
  EXPECT_EQ(world.next(), Slots{0});
  world.table.set_velocity(id, {});
  EXPECT_EQ(world.next(), Slots{0}) << "its start box becomes its tight box";
  EXPECT_EQ(world.next(), Slots{});
}

TEST(Changes, AMoveIsNamedInItsTickAndTheNext) {
  for (const bool continuous : {false, true}) {
    World world;
    const EntityId id = world.spawn();
    world.next();
    world.table.move_to(id, {1, 0, 0}, continuous);
    EXPECT_EQ(world.next(), Slots{0});
    EXPECT_EQ(world.next(), Slots{0});
    EXPECT_EQ(world.next(), Slots{});
  }
}

TEST(Changes, AVelocityTooSmallToMoveItDoesNotCount) {
  World world;
  world.spawn({50, 0, 0}, {1e-300, 0, 0});
  world.next();
  EXPECT_EQ(world.next(), Slots{});
}

TEST(Changes, NameTheSlotOfWhoLeftTheWorld) {
  World world;
  world.spawn({99, 0, 0}, {10, 0, 0});
  world.next();
  EXPECT_EQ(world.next(), Slots{0});
  EXPECT_EQ(world.next(), Slots{});
}

TEST(Changes, NameASlotThatWasUsedAgainInTheSameTick) {
  World world;
  const EntityId id = world.spawn();
  world.next();
  world.table.despawn(id, DespawnReason::Command);
  ASSERT_EQ(world.spawn().index(), id.index());
  EXPECT_EQ(world.next(), Slots{0});
}

TEST(Changes, DoNotNameWhatCameAndWentBetweenTwoTicks) {
  World world;
  world.table.despawn(world.spawn(), DespawnReason::Command);
  EXPECT_EQ(world.next(), Slots{});
}

// --- freeze() --------------------------------------------------------------------------------

Relevance relevance_of(const Snapshot& snapshot, std::uint32_t slot) {
  return snapshot.relevance.empty() ? Relevance{} : snapshot.relevance[slot];
}

/// Whether two snapshots say the same of a slot, of which both are. A hole may hold anything.
bool same_slot(const Snapshot& a, const Snapshot& b, std::uint32_t slot) {
  if (a.id[slot] != b.id[slot]) return false;
  return !a.is_alive(slot) ||
         (a.position[slot] == b.position[slot] && a.velocity[slot] == b.velocity[slot] &&
          a.tight_box[slot] == b.tight_box[slot] && a.start_box[slot] == b.start_box[slot] &&
          a.motion[slot] == b.motion[slot] && a.shape[slot] == b.shape[slot] &&
          a.filter[slot] == b.filter[slot] && a.user_data[slot] == b.user_data[slot] &&
          a.owner[slot] == b.owner[slot] && relevance_of(a, slot) == relevance_of(b, slot) &&
          a.changed[slot] == b.changed[slot]);
}

testing::AssertionResult same(const Snapshot& a, const Snapshot& b) {
  if (a.tick != b.tick || a.dt_s != b.dt_s) return testing::AssertionFailure() << "time";
  if (a.id.size() != b.id.size() || a.entity_count != b.entity_count)
    return testing::AssertionFailure() << "counts";
  for (std::uint32_t slot = 0; slot < a.slot_count(); ++slot)
    if (!same_slot(a, b, slot)) return testing::AssertionFailure() << "slot " << slot;
  if (!std::ranges::equal(a.despawned, b.despawned, {}, &Despawn::id, &Despawn::id))
    return testing::AssertionFailure() << "despawned";
  if (a.followers != b.followers) return testing::AssertionFailure() << "followers";
  return testing::AssertionSuccess();
}

/// Changes a table at random, mostly a few of many entities.
class RandomHistory {
 public:
  explicit RandomHistory(std::uint64_t seed)
      : prng_(seed), world_(static_cast<std::uint32_t>(prng_.below(3))) {}

  EntityTable& table() { return world_.table; }
  Workers& workers() { return world_.workers; }
  Tick tick() const { return tick_; }

  /// Ends the present tick, ready to be frozen.
  void end_tick() {
    if (tick_ > 0) table().begin_tick(tick_ + 1);
    ++tick_;
    const std::uint64_t changes = prng_.chance(0.1) ? 200 : prng_.below(8);
    for (std::uint64_t i = 0; i < changes; ++i) change();
    table().advance(dt_s, world_.workers);
  }

 private:
  Vec3 somewhere() {
    return {prng_.between(-99, 99), prng_.between(-99, 99), prng_.between(-99, 99)};
  }
  void spawn() {
    const Vec3 velocity = prng_.chance(0.2) ? somewhere() * 0.05 : Vec3{};
    ids_.push_back(world_.spawn(somewhere(), velocity));
  }
  void change() {
    if (ids_.size() < 20 || prng_.chance(0.2)) return spawn();
    const std::size_t chosen = prng_.below(ids_.size());
    const EntityId id = ids_[chosen];
    switch (prng_.below(11)) {
      case 0: table().set_velocity(id, prng_.chance(0.5) ? Vec3{} : somewhere() * 0.05); break;
      case 1: table().move_to(id, somewhere(), prng_.chance(0.5)); break;
      case 2: table().teleport(id, somewhere()); break;
      case 3: table().set_shape(id, Shape::sphere(prng_.chance(0.5) ? 1 : 2)); break;
      case 4: table().set_filter(id, {.is_static = prng_.chance(0.3)}); break;
      case 5: table().set_filter(id, {.enabled = prng_.chance(0.5)}); break;
      case 6: table().set_user_data(id, prng_.below(3)); break;
      case 7:
        table().despawn(id, DespawnReason::Command);
        ids_[chosen] = ids_.back();
        ids_.pop_back();
        break;
      case 8:
        table().set_relevance(id, {.boost = static_cast<std::uint8_t>(prng_.below(3))});
        break;
      case 9:
        table().attach(id, ids_[prng_.below(ids_.size())], {},
                       prng_.chance(0.5) ? OnParentEnd::Detach : OnParentEnd::Despawn,
                       std::numeric_limits<double>::infinity(), prng_.chance(0.7));
        break;
      case 10: table().detach(id); break;
    }
  }

  Prng prng_;
  World world_;
  Tick tick_ = 0;
  std::vector<EntityId> ids_;  ///< some may have left the world
};

TEST(Freeze, BringsAnyEarlierSnapshotToTheStateOfANewOne) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomHistory history(seed);
    Prng prng(seed);
    std::deque<Snapshot> earlier(1);
    for (int tick = 0; tick < 60; ++tick) {
      history.end_tick();
      if (prng.chance(0.3)) continue;  // nobody looks at this one
      Snapshot fresh;
      history.table().freeze(dt_s, history.workers(), fresh);
      const auto chosen = static_cast<std::ptrdiff_t>(prng.below(earlier.size()));
      Snapshot reused = std::move(earlier[static_cast<std::size_t>(chosen)]);
      const Tick from = reused.tick;
      history.table().freeze(dt_s, history.workers(), reused);
      ASSERT_TRUE(same(reused, fresh))
          << "seed " << seed << ", from tick " << from << " to " << history.tick();
      earlier[static_cast<std::size_t>(chosen)] = std::move(reused);
      // Up to more ticks than the table remembers.
      if (earlier.size() < 8) earlier.push_back(fresh);
    }
  }
}

TEST(Freeze, AnEqualSnapshotTwiceIsTheSame) {
  RandomHistory history(7);
  history.end_tick();
  Snapshot once;
  history.table().freeze(dt_s, history.workers(), once);
  Snapshot twice = once;
  history.table().freeze(dt_s, history.workers(), twice);
  EXPECT_TRUE(same(once, twice));
}

TEST(Freeze, CopiesWhatChangedAndNothingElse) {
  World world;
  const EntityId a = world.spawn({1, 0, 0});
  world.spawn({2, 0, 0});
  for (int i = 0; i < 8; ++i) world.spawn();
  world.table.advance(dt_s, world.workers);
  Snapshot snapshot;
  world.table.freeze(dt_s, world.workers, snapshot);
  // A mark in what nobody changes: it stays as long as only changes are copied.
  const Vec3 mark{77, 0, 0};
  snapshot.position[1] = mark;
  Tick tick = 1;
  for (std::size_t i = 0; i < limits::changes_kept_ticks; ++i) {
    world.table.begin_tick(++tick);
    world.table.set_user_data(a, tick);
    world.table.advance(dt_s, world.workers);
  }
  world.table.freeze(dt_s, world.workers, snapshot);
  EXPECT_EQ(snapshot.user_data[0], tick);
  EXPECT_EQ(snapshot.position[1], mark);

  snapshot.tick = 1;  // as if it were one tick older than what the table remembers
  world.table.begin_tick(++tick);
  world.table.advance(dt_s, world.workers);
  world.table.freeze(dt_s, world.workers, snapshot);
  EXPECT_EQ(snapshot.position[1], (Vec3{2, 0, 0})) << "all of it was copied";
}

/// A few entities that all change in every tick are not remembered for many ticks.
TEST(Freeze, IsRightWhereMoreChangesThanTheTableRemembers) {
  World world;
  std::vector<EntityId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(world.spawn());
  world.table.advance(dt_s, world.workers);
  Snapshot snapshot;
  world.table.freeze(dt_s, world.workers, snapshot);
  for (Tick tick = 2; tick <= 3 * limits::changes_kept_per_slot; ++tick) {
    world.table.begin_tick(tick);
    for (const EntityId id : ids) world.table.teleport(id, {static_cast<double>(tick), 0, 0});
    world.table.advance(dt_s, world.workers);
  }
  Snapshot fresh;
  world.table.freeze(dt_s, world.workers, fresh);
  world.table.freeze(dt_s, world.workers, snapshot);
  EXPECT_TRUE(same(snapshot, fresh));
}

/// Slots of which two snapshots in a row say something else.
Slots differences(const Snapshot& last, const Snapshot& now) {
  Slots out;
  for (std::uint32_t slot = 0; slot < now.slot_count(); ++slot) {
    const bool is_new = slot >= last.slot_count();
    if (is_new ? now.is_alive(slot) : !same_slot(last, now, slot)) out.push_back(slot);
  }
  return out;
}

TEST(Changes, NameEverySlotThatDiffersAndBesidesOnlyWhatIsOnAPath) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomHistory history(seed);
    Snapshot last;
    for (int tick = 0; tick < 60; ++tick) {
      history.end_tick();
      Snapshot now;
      history.table().freeze(dt_s, history.workers(), now);
      const std::span<const std::uint32_t> changed = history.table().changed();
      const Slots differing = differences(last, now);
      ASSERT_TRUE(std::ranges::is_sorted(changed));
      ASSERT_EQ(std::ranges::adjacent_find(changed), changed.end());
      ASSERT_TRUE(std::ranges::includes(changed, differing)) << "seed " << seed;
      Slots rest;
      std::ranges::set_difference(changed, differing, std::back_inserter(rest));
      for (const std::uint32_t slot : rest)
        ASSERT_EQ(now.motion.at(slot), Motion::Continuous) << "seed " << seed << " slot " << slot;
      last = std::move(now);
    }
  }
}

// --- Workers ---------------------------------------------------------------------------------

/// Thousands drift, dozens leave the world in every tick, and their slots are used again.
class Drift {
 public:
  explicit Drift(int worker_count) : workers_(worker_count) {}

  Snapshot next() {
    table_.begin_tick(snapshot_.tick + 1);
    for (int i = snapshot_.tick == 0 ? 10'000 : 40; i > 0; --i) {
      const Vec3 velocity{prng_.between(-2, 2), prng_.chance(0.3) ? 1.0 : 0.0, 0};
      const Vec3 position{prng_.between(-99, 99), 0, prng_.between(-99, 99)};
      EXPECT_TRUE(table_.spawn(SessionId{1}, {position, velocity, unit_box, {}, 0}).ok());
    }
    table_.advance(dt_s, workers_);
    table_.freeze(dt_s, workers_, snapshot_);
    return snapshot_;
  }
  Slots changed() const { return {table_.changed().begin(), table_.changed().end()}; }

 private:
  EntityTable table_{EntityTableSettings{.world_half_size_m = 100, .reuse_delay_ticks = 1}};
  Workers workers_;
  Prng prng_{20264};
  Snapshot snapshot_;
};

TEST(Changes, AreTheSameForAnyNumberOfWorkers) {
  Drift expected(1);
  Drift three(3);
  Drift eight(8);
  std::size_t left_world = 0;
  for (int tick = 0; tick < 20; ++tick) {
    const Snapshot snapshot = expected.next();
    ASSERT_TRUE(same(three.next(), snapshot)) << "tick " << tick;
    ASSERT_TRUE(same(eight.next(), snapshot)) << "tick " << tick;
    EXPECT_EQ(three.changed(), expected.changed());
    EXPECT_EQ(eight.changed(), expected.changed());
    left_world += snapshot.despawned.size();
  }
  EXPECT_GT(left_world, 200u);
}

}  // namespace
}  // namespace vicinity
