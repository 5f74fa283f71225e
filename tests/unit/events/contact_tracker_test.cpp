// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_tracker.h"

#include <gtest/gtest.h>

#include "unit/events/contact_world.h"

namespace vicinity {
namespace {

/// Whether entities come to rest when they do not change. Nothing that is told may depend on it.
enum class Rest : std::uint8_t { Never, AtOnce };

class World : public test::ContactWorld {
 public:
  explicit World(Rest rest) : World(rest, test::brute_force()) {}
  World(Rest rest, std::unique_ptr<Index> restless) : rest_(rest) {
    if (rest == Rest::Never) {
      add(std::move(restless));
    } else {
      add(std::make_unique<test::RestingIndex>());
    }
  }
  const ContactEvents& events() const { return pipeline(0).events(); }
  std::vector<OpenContact> open() const { return pipeline(0).open().to_vector(); }
  bool rests(EntityId id) const { return pipeline(0).index().at_rest(id.index()); }
  Rest rest() const { return rest_; }

 private:
  Rest rest_;
};

/// Two entities in contact since tick 1.
struct TouchingPair : World {
  explicit TouchingPair(Rest kind) : World(kind), a(spawn(0, {}, 10)), b(spawn(0.5, {}, 20)) {
    tick();
    EXPECT_EQ(events().begins.size(), 1u);
    if (kind == Rest::AtOnce) {
      tick();
      EXPECT_TRUE(rests(a) && rests(b));
    }
    EXPECT_EQ(open().size(), 1u);
  }
  /// Ends the contact and says why.
  EndReason reason() {
    tick();
    EXPECT_EQ(events().ends.size(), 1u);
    EXPECT_TRUE(events().begins.empty());
    EXPECT_TRUE(open().empty());
    EXPECT_EQ(pipeline(0).open().size(), 0u);
    return events().ends.empty() ? EndReason::PassedThrough : events().ends[0].reason;
  }
  EntityId a;
  EntityId b;
};

class ContactEventsOf : public testing::TestWithParam<Rest> {};

INSTANTIATE_TEST_SUITE_P(Rest, ContactEventsOf, testing::Values(Rest::Never, Rest::AtOnce),
                         [](const auto& each) {
                           return each.param == Rest::Never ? "Moving" : "Resting";
                         });

TEST_P(ContactEventsOf, BeginOnceAndGoOnInSilence) {
  World world(GetParam());
  const EntityId a = world.spawn(0, {}, 10);
  const EntityId b = world.spawn(0.5, {}, 20);
  world.tick();
  ASSERT_EQ(world.events().begins.size(), 1u);
  const EventContact contact = world.events().begins[0].contact;
  EXPECT_EQ(contact.a, a);
  EXPECT_EQ(contact.b, b);
  EXPECT_EQ(contact.begin_tick, 1u);
  EXPECT_EQ(contact.user_data_a, 10u);
  EXPECT_EQ(contact.user_data_b, 20u);
  EXPECT_EQ(contact.owner_a, SessionId{3});
  for (int i = 0; i < 3; ++i) {
    world.tick();
    EXPECT_TRUE(world.events().begins.empty());
    EXPECT_TRUE(world.events().ends.empty());
    EXPECT_EQ(world.open(), (std::vector<OpenContact>{{a, b, 1, false}}));
    EXPECT_TRUE(world.pipeline(0).open().contains(a, b));
    EXPECT_EQ(world.rests(a), GetParam() == Rest::AtOnce);
  }
}

TEST_P(ContactEventsOf, EndWithTheReason) {
  {
    TouchingPair world(GetParam());
    world.table.move_to(world.b, {5, 0, 0}, false);
    EXPECT_EQ(world.reason(), EndReason::Separated);
  }
  {
    TouchingPair world(GetParam());
    world.table.teleport(world.b, {5, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::Teleported);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_shape(world.a, Shape::sphere(0));
    EXPECT_EQ(world.reason(), EndReason::ShapeChanged);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_filter(world.a, {.instance = 1});
    EXPECT_EQ(world.reason(), EndReason::FilterChanged);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_filter(world.b, {.enabled = false});
    EXPECT_EQ(world.reason(), EndReason::Disabled);
  }
  {
    TouchingPair world(GetParam());
    world.table.despawn(world.a, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world(GetParam());
    world.table.despawn_owned_by(SessionId{3});
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_velocity(world.b, {1000, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::OutOfWorld);
  }
}

TEST_P(ContactEventsOf, OfSeveralReasonsTheFirstOfTheListCounts) {
  for (const bool smaller_leaves : {true, false}) {
    TouchingPair world(GetParam());
    world.table.set_velocity(smaller_leaves ? world.a : world.b, {1000, 0, 0});
    world.table.despawn(smaller_leaves ? world.b : world.a, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_shape(world.a, Shape::sphere(0));
    world.table.teleport(world.b, {5, 0, 0});
    EXPECT_EQ(world.reason(), EndReason::Teleported);
  }
  {
    TouchingPair world(GetParam());
    world.table.teleport(world.b, {5, 0, 0});
    world.table.set_filter(world.b, {.category = 0, .enabled = false});
    EXPECT_EQ(world.reason(), EndReason::Disabled);
  }
  {
    TouchingPair world(GetParam());
    world.table.set_filter(world.a, {.enabled = false});
    world.table.despawn(world.b, DespawnReason::Command);
    EXPECT_EQ(world.reason(), EndReason::Despawned);
  }
}

// A filter change that still lets them meet is not why they parted.
TEST_P(ContactEventsOf, AHarmlessFilterChangeIsNoReason) {
  TouchingPair world(GetParam());
  world.table.set_filter(world.a, {.category = 3});
  world.table.move_to(world.b, {5, 0, 0}, false);
  EXPECT_EQ(world.reason(), EndReason::Separated);
}

TEST_P(ContactEventsOf, EndsAreReadableAfterBothAreGone) {
  TouchingPair world(GetParam());
  world.table.set_user_data(world.a, 11);
  world.tick();
  world.table.set_user_data(world.b, 99);  // never seen: both end in this tick
  world.table.despawn(world.a, DespawnReason::Command);
  world.table.despawn(world.b, DespawnReason::Command);
  world.tick();
  const EventContact ended = world.events().ends.at(0).contact;
  EXPECT_EQ(ended.a, world.a);
  EXPECT_EQ(ended.begin_tick, 1u);
  EXPECT_EQ(ended.user_data_a, 11u);
  EXPECT_EQ(ended.user_data_b, 20u);
  EXPECT_EQ(ended.owner_b, SessionId{3});
}

TEST_P(ContactEventsOf, AnEndBetweenTheLivingCarriesTheUserDataOfItsTick) {
  TouchingPair world(GetParam());
  world.table.set_user_data(world.a, 12);
  world.table.teleport(world.b, {5, 0, 0});
  world.tick();
  EXPECT_EQ(world.events().ends.at(0).contact.user_data_a, 12u);
}

// What carries the data is not woken by the change.
TEST_P(ContactEventsOf, AnEndCarriesDataThatChangedWhileNobodyMoved) {
  TouchingPair world(GetParam());
  world.table.set_user_data(world.a, 12);
  world.tick();
  EXPECT_EQ(world.rests(world.a), GetParam() == Rest::AtOnce);
  world.table.despawn(world.b, DespawnReason::Command);
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 1u);
  EXPECT_EQ(world.events().ends[0].reason, EndReason::Despawned);
  EXPECT_EQ(world.events().ends[0].contact.user_data_a, 12u);
  EXPECT_EQ(world.events().ends[0].contact.user_data_b, 20u);
}

TEST_P(ContactEventsOf, ANewEntityInTheSameSlotIsAnotherContact) {
  TouchingPair world(GetParam());
  world.table.despawn(world.a, DespawnReason::Command);
  const EntityId heir = world.spawn(0.25);
  ASSERT_EQ(heir.index(), world.a.index());
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 1u);
  EXPECT_EQ(world.events().ends[0].contact.a, world.a);
  EXPECT_EQ(world.events().ends[0].reason, EndReason::Despawned);
  ASSERT_EQ(world.events().begins.size(), 1u);
  EXPECT_EQ(world.events().begins[0].contact.a, heir);
  EXPECT_EQ(world.events().begins[0].contact.begin_tick, world.snapshot().tick);
}

TEST_P(ContactEventsOf, AFlippedSensorEndsTheContactAndBeginsATrigger) {
  TouchingPair world(GetParam());
  world.table.set_filter(world.b, {.sensor = true});
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 1u);
  EXPECT_EQ(world.events().ends[0].reason, EndReason::FilterChanged);
  EXPECT_FALSE(world.events().ends[0].contact.sensor);
  EXPECT_EQ(world.events().ends[0].contact.begin_tick, 1u);
  ASSERT_EQ(world.events().begins.size(), 1u);
  EXPECT_TRUE(world.events().begins[0].contact.sensor);
  EXPECT_EQ(world.events().begins[0].contact.begin_tick, world.snapshot().tick);
  EXPECT_EQ(world.open().size(), 1u);
}

TEST_P(ContactEventsOf, PassingThroughBeginsAndEndsInOneTickAndIsNeverOpen) {
  World world(GetParam());
  const EntityId wall = world.spawn(0);
  const EntityId bullet = world.spawn(-5);
  world.tick();
  world.table.move_to(bullet, {5, 0, 0}, false);
  world.tick();
  ASSERT_EQ(world.events().begins.size(), 1u);
  EXPECT_EQ(world.events().begins[0].toi, 0.4);
  ASSERT_EQ(world.events().passed.size(), 1u);
  EXPECT_EQ(world.events().passed[0].reason, EndReason::PassedThrough);
  EXPECT_EQ(world.events().passed[0].contact.a, wall);
  EXPECT_EQ(world.events().passed[0].contact.begin_tick, world.snapshot().tick);
  EXPECT_TRUE(world.events().ends.empty());
  EXPECT_TRUE(world.open().empty());
  world.tick();
  EXPECT_TRUE(world.events().begins.empty());
  EXPECT_TRUE(world.events().ends.empty());
  EXPECT_TRUE(world.events().passed.empty());
}

TEST_P(ContactEventsOf, TeleportedAwayAndShotBackThroughIsTwoContacts) {
  TouchingPair world(GetParam());
  world.table.teleport(world.b, {-5, 0, 0});
  world.table.move_to(world.b, {5, 0, 0}, true);
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 1u);
  EXPECT_EQ(world.events().ends[0].reason, EndReason::Teleported);
  EXPECT_EQ(world.events().ends[0].contact.begin_tick, 1u);
  EXPECT_EQ(world.events().begins.size(), 1u);
  ASSERT_EQ(world.events().passed.size(), 1u);
  EXPECT_EQ(world.events().passed[0].contact.begin_tick, world.snapshot().tick);
}

TEST_P(ContactEventsOf, AreSortedByPair) {
  World world(GetParam());
  for (int i = 0; i < 5; ++i) world.spawn(0.1 * i);
  world.tick();
  ASSERT_EQ(world.events().begins.size(), 10u);
  world.table.despawn_owned_by(SessionId{3});
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 10u);
  std::size_t at = 0;
  for (std::uint32_t a = 0; a < 5; ++a) {
    for (std::uint32_t b = a + 1; b < 5; ++b, ++at) {
      EXPECT_EQ(world.events().ends[at].contact.a.index(), a);
      EXPECT_EQ(world.events().ends[at].contact.b.index(), b);
    }
  }
}

TEST(ContactEvents, CutOffByThePairBudgetSaysSo) {
  World world(Rest::Never, test::brute_force(1));
  const EntityId first = world.spawn(50);
  const EntityId second = world.spawn(10);
  const EntityId third = world.spawn(10.5);
  world.tick();
  ASSERT_EQ(world.open().size(), 1u);
  // The budget of one pair now goes to the smallest slot.
  world.table.teleport(first, {10.25, 0, 0});
  world.tick();
  ASSERT_EQ(world.events().ends.size(), 1u);
  EXPECT_EQ(world.events().ends[0].contact.a, second);
  EXPECT_EQ(world.events().ends[0].contact.b, third);
  EXPECT_EQ(world.events().ends[0].reason, EndReason::PairBudget);
}

}  // namespace
}  // namespace vicinity
