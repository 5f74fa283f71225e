// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Random histories of contacts: against a plain map, and with rest against without.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/prng.h"
#include "events/contact_tracker.h"
#include "support/snapshot_builder.h"
#include "unit/events/contact_world.h"
#include "unit/pairs/pair_world.h"

namespace vicinity {
namespace {

std::uint64_t digest_of_all(const std::vector<OpenContact>& contacts) {
  std::uint64_t sum = 0;
  for (const OpenContact& contact : contacts) sum += digest_of(contact);
  return sum;
}

void expect_open(const OpenContacts& open, const std::vector<OpenContact>& expected) {
  ASSERT_EQ(open.to_vector(), expected);
  EXPECT_EQ(open.size(), expected.size());
  EXPECT_EQ(open.digest(), digest_of_all(expected));
}

/// Values of past ticks, which must stay as they were.
class Kept {
 public:
  void take(const OpenContacts& open) {
    if (kept_.size() == 6) kept_.erase(kept_.begin());
    kept_.emplace_back(open, open.to_vector());
  }
  void expect_unchanged() const {
    for (const auto& [open, contacts] : kept_) {
      ASSERT_EQ(open.to_vector(), contacts);
      for (std::size_t i = 0; i < contacts.size(); i += 97)
        EXPECT_TRUE(open.contains(contacts[i].a, contacts[i].b));
    }
  }

 private:
  std::vector<std::pair<OpenContacts, std::vector<OpenContact>>> kept_;
};

// --- Against a map: every pair touches
// ------------------------------------------------------------

class PairHistory {
 public:
  PairHistory(std::uint32_t slot_count, std::size_t pair_count, std::uint64_t seed)
      : slot_count_(slot_count), pair_count_(pair_count), prng_(seed), world_(slot_count) {
    for (std::uint32_t i = 0; i < slot_count; ++i) snapshot_.add(test::box_at(i, 0, 0));
    snapshot_.snapshot().tick = 0;
  }

  void next_tick() {
    ++snapshot_.snapshot().tick;
    for (std::uint32_t i = 0; i < 1 + slot_count_ / 20; ++i)
      world_.index().set_at_rest(slot(), prng_.chance(0.6));
    if (prng_.chance(0.1)) set_all(prng_.chance(0.5));
    test::PairSet wanted;
    const double change = prng_.chance(0.1) ? 1.0 : 0.1;
    for (const SlotPair pair : world_.pairs())
      if (!prng_.chance(change)) wanted.insert(pair);
    const std::size_t count = prng_.chance(0.1) ? pair_count_ / 10 : pair_count_;
    while (wanted.size() < count) {
      const std::uint32_t a = slot();
      const std::uint32_t b = slot();
      if (a < b) wanted.insert({a, b});
    }
    world_.set_pairs(wanted);
    contacts_.clear();
    for (const SlotPair pair : world_.active())
      contacts_.push_back({EntityId(pair.a, 1), EntityId(pair.b, 1), {}, false, true});
    for (const SlotPair pair : world_.ends()) begin_ticks_.erase(pair);
    for (const SlotPair pair : world_.begins()) begin_ticks_[pair] = tick();
  }
  Tick tick() { return snapshot_.snapshot().tick; }
  const test::PairWorld& world() const { return world_; }
  ContactInput input() {
    return {snapshot_.snapshot(), snapshot_.snapshot(), contacts_, world_.index(), false};
  }
  std::vector<OpenContact> open() const {
    std::vector<OpenContact> out;
    for (const auto& [pair, tick] : begin_ticks_)
      out.push_back({EntityId(pair.a, 1), EntityId(pair.b, 1), tick, false});
    return out;
  }

 private:
  std::uint32_t slot() { return static_cast<std::uint32_t>(prng_.below(slot_count_)); }
  void set_all(bool rests) {
    for (std::uint32_t i = 0; i < slot_count_; ++i) world_.index().set_at_rest(i, rests);
  }

  std::uint32_t slot_count_;
  std::size_t pair_count_;
  Prng prng_;
  test::SnapshotBuilder snapshot_;
  test::PairWorld world_;
  std::vector<Contact> contacts_;
  std::map<SlotPair, Tick> begin_ticks_;
};

template <class Events>
std::vector<SlotPair> pairs_of(const Events& events) {
  std::vector<SlotPair> pairs;
  for (const auto& event : events)
    pairs.push_back({event.contact.a.index(), event.contact.b.index()});
  return pairs;
}

std::vector<SlotPair> list(const test::PairSet& pairs) { return {pairs.begin(), pairs.end()}; }

void expect_history(std::uint32_t slots, std::size_t pairs, std::uint64_t seed, int tick_count) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::vector<std::unique_ptr<Workers>> workers;
  for (const int count : {1, 2, 3, 8}) workers.push_back(std::make_unique<Workers>(count));
  std::vector<ContactTracker> trackers(workers.size());
  ContactEvents events;
  Kept kept;
  PairHistory history(slots, pairs, seed);
  for (int i = 0; i < tick_count; ++i) {
    history.next_tick();
    for (std::size_t k = 0; k < trackers.size(); ++k) {
      trackers[k].update(history.input(), *workers[k], events);
      ASSERT_EQ(pairs_of(events.begins), list(history.world().begins()));
      ASSERT_EQ(pairs_of(events.ends), list(history.world().ends()));
      EXPECT_TRUE(events.passed.empty());
      expect_open(trackers[k].open(), history.open());
      if (testing::Test::HasFailure()) return;
    }
    kept.take(trackers[i % trackers.size()].open());
    kept.expect_unchanged();
  }
}

TEST(ContactHistory, OfFewContacts) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) expect_history(20, 60, seed, 40);
}

TEST(ContactHistory, OfContactsThatMakeManyPartsAndRuns) {
  for (std::uint64_t seed = 0; seed < 2; ++seed) expect_history(400, 20'000, seed, 15);
}

// --- With rest against without
// ---------------------------------------------------------------------

/// Random commands to a world of few entities close together, most of which stand still.
class Commands {
 public:
  explicit Commands(std::uint64_t seed) : prng_(seed) {}

  void change(test::ContactWorld& world) {
    if (alive_.size() < 12 && prng_.chance(0.6)) spawn(world);
    const std::uint64_t count = prng_.below(4);
    for (std::uint64_t i = 0; i < count && !alive_.empty(); ++i) change_one(world);
  }
  void despawn_all(test::ContactWorld& world) {
    for (const EntityId id : alive_) world.table.despawn(id, DespawnReason::Command);
  }

 private:
  void spawn(test::ContactWorld& world) {
    Filter filter;
    filter.sensor = prng_.chance(0.1);
    filter.is_static = prng_.chance(0.3);
    alive_.push_back(world.spawn(prng_.between(-3, 3), filter, prng_.below(100)));
  }
  void change_one(test::ContactWorld& world) {
    const std::size_t at = prng_.below(alive_.size());
    const EntityId id = alive_[at];
    const Vec3 place{prng_.between(-3, 3), 0, 0};
    switch (prng_.below(9)) {
      case 0: world.table.despawn(id, DespawnReason::Command); break;
      case 1: world.table.move_to(id, place, prng_.chance(0.5)); break;
      case 2: world.table.teleport(id, place); break;
      case 3: world.table.set_user_data(id, prng_.below(100)); break;
      case 4: world.table.set_shape(id, Shape::sphere(prng_.between(0, 1))); break;
      case 5: world.table.set_filter(id, {.enabled = prng_.chance(0.5)}); break;
      case 6: world.table.set_filter(id, {.sensor = prng_.chance(0.5)}); break;
      case 7: world.table.set_filter(id, {.is_static = prng_.chance(0.5)}); break;
      case 8: world.table.set_velocity(id, {prng_.between(-40, 40), 0, 0}); break;
    }
  }

 public:
  /// After the tick: forgets whoever is gone.
  void forget_dead(const Snapshot& snapshot) {
    std::erase_if(alive_, [&](EntityId id) { return !snapshot.contains(id); });
  }

 private:
  Prng prng_;
  std::vector<EntityId> alive_;
};

auto facts(const EventContact& c) {
  return std::tuple(c.a, c.b, c.begin_tick, c.user_data_a, c.user_data_b, c.owner_a, c.owner_b,
                    c.sensor);
}

void expect_same_ends(const std::vector<ContactEnd>& found,
                      const std::vector<ContactEnd>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(facts(found[i].contact), facts(expected[i].contact));
    EXPECT_EQ(found[i].reason, expected[i].reason);
  }
}

void expect_same(const test::ContactPipeline& found, const test::ContactPipeline& expected) {
  const ContactEvents& events = found.events();
  ASSERT_EQ(events.begins.size(), expected.events().begins.size());
  for (std::size_t i = 0; i < events.begins.size(); ++i) {
    EXPECT_EQ(facts(events.begins[i].contact), facts(expected.events().begins[i].contact));
    EXPECT_EQ(events.begins[i].toi, expected.events().begins[i].toi);
  }
  expect_same_ends(events.ends, expected.events().ends);
  expect_same_ends(events.passed, expected.events().passed);
  expect_open(found.open(), expected.open().to_vector());
  EXPECT_EQ(found.open().digest(), expected.open().digest());
  EXPECT_EQ(found.pairs().pair_count(), expected.pairs().pair_count());
}

TEST(ContactHistory, IsTheSameWithRestAndWithout) {
  std::size_t unreported = 0;
  std::size_t ends = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::ContactWorld world;
    const std::size_t restless = world.add(test::brute_force());
    const std::size_t resting = world.add(std::make_unique<test::RestingIndex>());
    Commands commands(seed);
    Kept kept;
    for (int tick = 0; tick < 40; ++tick) {
      if (tick < 39)
        commands.change(world);
      else
        commands.despawn_all(world);
      world.tick();
      commands.forget_dead(world.snapshot());
      expect_same(world.pipeline(resting), world.pipeline(restless));
      kept.take(world.pipeline(resting).open());
      kept.expect_unchanged();
      if (HasFailure()) return;
      const PairTracker& pairs = world.pipeline(resting).pairs();
      unreported += pairs.pair_count() - pairs.active().size();
      ends += world.pipeline(resting).events().ends.size();
    }
    EXPECT_EQ(world.pipeline(resting).open().size(), 0u);
  }
  EXPECT_GT(unreported, 1000u) << "hardly anything ever rested";
  EXPECT_GT(ends, 1000u);
}

}  // namespace
}  // namespace vicinity
