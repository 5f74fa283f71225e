// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_events.h"

#include <gtest/gtest.h>

#include "pairs/pairs.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

const Shape unit_box = Shape::box({0.5, 0.5, 0.5});

/// A world run through all stages up to the events, on brute force.
class World {
 public:
  explicit World(std::uint64_t candidate_pairs_max = 1'000'000)
      : table(EntityTableSettings{.world_half_size_m = 100, .reuse_delay_ticks = 0}) {
    settings_.kind = IndexKind::BruteForce;
    settings_.candidate_pairs_max = candidate_pairs_max;
    table.begin_tick(1);
  }
  EntityId spawn(double x, const Filter& filter = {}, std::uint64_t user_data = 0) {
    return table.spawn(SessionId{3}, {{x, 0, 0}, {}, unit_box, filter, user_data}).value();
  }
  const ContactEvents& tick() {
    table.advance(1);
    auto snapshot = std::make_shared<Snapshot>();
    table.freeze(1, *snapshot);
    auto bounds = std::make_shared<Bounds>();
    compute_bounds(*snapshot, workers_, *bounds);
    CandidatePairs candidates;
    build_index(settings_, 1, snapshot, bounds, workers_)->find_pairs(workers_, candidates);
    PairList pairs;
    unique_pairs(candidates, workers_, pairs);
    ContactList contacts;
    find_contacts(*snapshot, pairs, workers_, contacts);
    diff_contacts(*snapshot, contacts, candidates.truncated, open, events);
    table.begin_tick(snapshot->tick + 1);
    return events;
  }

  EntityTable table;
  std::vector<OpenContact> open;
  ContactEvents events;

 private:
  Workers workers_{1};
  IndexSettings settings_;
};

/// Two entities in contact since tick 1.
struct TouchingPair : World {
  TouchingPair() : a(spawn(0, {}, 10)), b(spawn(0.5, {}, 20)) {
    tick();
    EXPECT_EQ(events.begins.size(), 1u);
    EXPECT_EQ(open.size(), 1u);
  }
  /// Ends the contact and says why.
  EndReason reason() {
    tick();
    EXPECT_EQ(events.ends.size(), 1u);
    EXPECT_TRUE(events.begins.empty());
    EXPECT_TRUE(open.empty());
    return events.ends.empty() ? EndReason::PassedThrough : events.ends[0].reason;
  }
  EntityId a;
  EntityId b;
};

TEST(ContactEvents, BeginOnceAndGoOnInSilence) {
  TouchingPair world;
  const OpenContact contact = world.events.begins[0].contact;
  EXPECT_EQ(contact.a, world.a);
  EXPECT_EQ(contact.b, world.b);
  EXPECT_EQ(contact.begin_tick, 1u);
  EXPECT_EQ(contact.user_data_a, 10u);
  EXPECT_EQ(contact.user_data_b, 20u);
  EXPECT_EQ(contact.owner_a, SessionId{3});
  for (int i = 0; i < 3; ++i) {
    world.tick();
    EXPECT_TRUE(world.events.begins.empty());
    EXPECT_TRUE(world.events.ends.empty());
    EXPECT_EQ(world.open.at(0).begin_tick, 1u);
  }
}

TEST(ContactEvents, EndWithTheReason) {
  {
    TouchingPair world;
    world.table.move_to(world.b, {5, 0, 0}, false);
    EXPECT_EQ(world.reason(), EndReason::Separated);
  }
  {
    TouchingPair world;
    world.table.teleport(world.b, {5, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::Teleported);
  }
  {
    TouchingPair world;
    world.table.set_shape(world.a, Shape::sphere(0));
    EXPECT_EQ(world.reason(), EndReason::ShapeChanged);
  }
  {
    TouchingPair world;
    world.table.set_filter(world.a, {.instance = 1});
    EXPECT_EQ(world.reason(), EndReason::FilterChanged);
  }
  {
    TouchingPair world;
    world.table.set_filter(world.b, {.enabled = false});
    EXPECT_EQ(world.reason(), EndReason::Disabled);
  }
  {
    TouchingPair world;
    world.table.despawn(world.a, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world;
    world.table.despawn_owned_by(SessionId{3});
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world;
    world.table.set_velocity(world.b, {1000, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::OutOfWorld);
  }
}

TEST(ContactEvents, OfSeveralReasonsTheFirstOfTheListCounts) {
  for (const bool smaller_leaves : {true, false}) {
    TouchingPair world;
    world.table.set_velocity(smaller_leaves ? world.a : world.b, {1000, 0, 0});
    world.table.despawn(smaller_leaves ? world.b : world.a, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world;
    world.table.set_shape(world.a, Shape::sphere(0));
    world.table.teleport(world.b, {5, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::Teleported);
  }
  {
    TouchingPair world;
    world.table.teleport(world.b, {5, 0, 0});
    world.table.set_filter(world.b, {.category = 0, .enabled = false});
    EXPECT_EQ(world.reason(), EndReason::Disabled);
  }
  {
    TouchingPair world;
    world.table.set_filter(world.a, {.enabled = false});
    world.table.despawn(world.b, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
}

// A filter change that still lets them meet is not why they parted.
TEST(ContactEvents, AHarmlessFilterChangeIsNoReason) {
  TouchingPair world;
  world.table.set_filter(world.a, {.category = 3});
  world.table.move_to(world.b, {5, 0, 0}, false);
  EXPECT_EQ(world.reason(), EndReason::Separated);
}

TEST(ContactEvents, EndsAreReadableAfterBothAreGone) {
  TouchingPair world;
  world.table.set_user_data(world.a, 11);
  world.tick();
  world.table.set_user_data(world.b, 99);  // never seen: both end in this tick
  world.table.despawn(world.a, DespawnReason::Command);
  world.table.despawn(world.b, DespawnReason::Command);
  world.tick();
  const OpenContact ended = world.events.ends.at(0).contact;
  EXPECT_EQ(ended.a, world.a);
  EXPECT_EQ(ended.begin_tick, 1u);
  EXPECT_EQ(ended.user_data_a, 11u);
  EXPECT_EQ(ended.user_data_b, 20u);
  EXPECT_EQ(ended.owner_b, SessionId{3});
}

TEST(ContactEvents, AnEndBetweenTheLivingCarriesTheUserDataOfItsTick) {
  TouchingPair world;
  world.table.set_user_data(world.a, 12);
  world.table.teleport(world.b, {5, 0, 0});
  world.tick();
  EXPECT_EQ(world.events.ends.at(0).contact.user_data_a, 12u);
}

TEST(ContactEvents, ANewEntityInTheSameSlotIsAnotherContact) {
  TouchingPair world;
  world.table.despawn(world.a, DespawnReason::Command);
  const EntityId heir = world.spawn(0.25);
  ASSERT_EQ(heir.index(), world.a.index());
  world.tick();
  ASSERT_EQ(world.events.ends.size(), 1u);
  EXPECT_EQ(world.events.ends[0].contact.a, world.a);
  EXPECT_EQ(world.events.ends[0].reason, EndReason::Despawned);
  ASSERT_EQ(world.events.begins.size(), 1u);
  EXPECT_EQ(world.events.begins[0].contact.a, heir);
  EXPECT_EQ(world.events.begins[0].contact.begin_tick, 2u);
}

TEST(ContactEvents, AFlippedSensorEndsTheContactAndBeginsATrigger) {
  TouchingPair world;
  world.table.set_filter(world.b, {.sensor = true});
  world.tick();
  ASSERT_EQ(world.events.ends.size(), 1u);
  EXPECT_EQ(world.events.ends[0].reason, EndReason::FilterChanged);
  EXPECT_FALSE(world.events.ends[0].contact.sensor);
  EXPECT_EQ(world.events.ends[0].contact.begin_tick, 1u);
  ASSERT_EQ(world.events.begins.size(), 1u);
  EXPECT_TRUE(world.events.begins[0].contact.sensor);
  EXPECT_EQ(world.events.begins[0].contact.begin_tick, 2u);
  EXPECT_EQ(world.open.size(), 1u);
}

TEST(ContactEvents, PassingThroughBeginsAndEndsInOneTickAndIsNeverOpen) {
  World world;
  const EntityId wall = world.spawn(0);
  const EntityId bullet = world.spawn(-5);
  world.tick();
  world.table.move_to(bullet, {5, 0, 0}, false);
  world.tick();
  ASSERT_EQ(world.events.begins.size(), 1u);
  EXPECT_EQ(world.events.begins[0].toi, 0.4);
  ASSERT_EQ(world.events.passed.size(), 1u);
  EXPECT_EQ(world.events.passed[0].reason, EndReason::PassedThrough);
  EXPECT_EQ(world.events.passed[0].contact.a, wall);
  EXPECT_EQ(world.events.passed[0].contact.begin_tick, 2u);
  EXPECT_TRUE(world.events.ends.empty());
  EXPECT_TRUE(world.open.empty());
  world.tick();
  EXPECT_TRUE(world.events.begins.empty());
  EXPECT_TRUE(world.events.ends.empty());
  EXPECT_TRUE(world.events.passed.empty());
}

TEST(ContactEvents, TeleportedAwayAndShotBackThroughIsTwoContacts) {
  TouchingPair world;
  world.table.teleport(world.b, {-5, 0, 0});
  world.table.move_to(world.b, {5, 0, 0}, true);
  world.tick();
  ASSERT_EQ(world.events.ends.size(), 1u);
  EXPECT_EQ(world.events.ends[0].reason, EndReason::Teleported);
  EXPECT_EQ(world.events.ends[0].contact.begin_tick, 1u);
  EXPECT_EQ(world.events.begins.size(), 1u);
  ASSERT_EQ(world.events.passed.size(), 1u);
  EXPECT_EQ(world.events.passed[0].contact.begin_tick, 2u);
}

TEST(ContactEvents, AreSortedByPair) {
  World world;
  for (int i = 0; i < 5; ++i) world.spawn(0.1 * i);
  world.tick();
  ASSERT_EQ(world.events.begins.size(), 10u);
  world.table.despawn_owned_by(SessionId{3});
  world.tick();
  ASSERT_EQ(world.events.ends.size(), 10u);
  std::size_t at = 0;
  for (std::uint32_t a = 0; a < 5; ++a) {
    for (std::uint32_t b = a + 1; b < 5; ++b, ++at) {
      EXPECT_EQ(world.events.ends[at].contact.a.index(), a);
      EXPECT_EQ(world.events.ends[at].contact.b.index(), b);
    }
  }
}

TEST(ContactEvents, CutOffByThePairBudgetSaysSo) {
  World world(1);
  const EntityId first = world.spawn(50);
  const EntityId second = world.spawn(10);
  const EntityId third = world.spawn(10.5);
  world.tick();
  ASSERT_EQ(world.open.size(), 1u);
  // The budget of one pair now goes to the smallest slot.
  world.table.teleport(first, {10.25, 0, 0});
  world.tick();
  ASSERT_EQ(world.events.ends.size(), 1u);
  EXPECT_EQ(world.events.ends[0].contact.a, second);
  EXPECT_EQ(world.events.ends[0].contact.b, third);
  EXPECT_EQ(world.events.ends[0].reason, EndReason::PairBudget);
}

}  // namespace
}  // namespace vicinity
