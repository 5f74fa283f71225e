// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_timers.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

/// Three entities; every pair has the same rule.
class Timers : public testing::Test {
 protected:
  explicit Timers(PolicyRule rule = {}) {
    for (int i = 0; i < 3; ++i) world_.add(test::box_at(0, 0, 0));
    set_rule(rule, 0);
  }
  void set_rule(const PolicyRule& rule, Tick tick) {
    policy_.replace(std::vector<PolicyRule>{rule}, tick);
  }
  void set_rule_with_cooldown(std::uint32_t ticks, Tick tick = 0) {
    set_rule({~0u, ~0u, PolicyAction::Contact, 0, ticks}, tick);
  }
  Snapshot& at(Tick tick) {
    world_.snapshot().tick = tick;
    return world_.snapshot();
  }
  EventContact contact(std::uint32_t a, std::uint32_t b, Tick begin_tick) {
    return describe({EntityId(a, 1), EntityId(b, 1), begin_tick, false}, world_.snapshot());
  }
  /// A tick in which contacts end.
  void tick(ContactTimers& timers, Tick tick, const std::vector<SlotPair>& ending = {}) {
    at(tick);
    timers.begin_tick(world_.snapshot(), policy_);
    ContactEvents events;
    for (const SlotPair pair : ending) events.ends.push_back({contact(pair.a, pair.b, 1)});
    timers.end_tick(world_.snapshot(), policy_, {}, events);
  }
  static bool is_cooling(const ContactTimers& timers, std::uint32_t a, std::uint32_t b) {
    return timers.is_cooling(EntityId(a, 1), EntityId(b, 1));
  }

  test::SnapshotBuilder world_;
  ContactPolicy policy_;
};

TEST_F(Timers, LetAPairGoInTheTickInWhichItsCooldownIsOver) {
  set_rule_with_cooldown(3);
  ContactTimers timers;
  tick(timers, 5, {{0, 1}});
  EXPECT_TRUE(is_cooling(timers, 0, 1));
  EXPECT_FALSE(is_cooling(timers, 0, 2));
  tick(timers, 6);
  tick(timers, 7);
  EXPECT_TRUE(is_cooling(timers, 0, 1));
  EXPECT_TRUE(timers.released().empty());
  tick(timers, 8);
  EXPECT_FALSE(is_cooling(timers, 0, 1));
  ASSERT_EQ(timers.released().size(), 1u);
  EXPECT_EQ(timers.released()[0], (SlotPair{0, 1}));
  tick(timers, 9);
  EXPECT_TRUE(timers.released().empty());
}

TEST_F(Timers, ForgetPairsWhoseEntitiesAreGone) {
  set_rule_with_cooldown(3);
  ContactTimers timers;
  tick(timers, 5, {{0, 1}, {0, 2}});
  world_.snapshot().id[1] = EntityId(1, 2);  // another one
  tick(timers, 8);
  ASSERT_EQ(timers.released().size(), 1u);
  EXPECT_EQ(timers.released()[0], (SlotPair{0, 2}));
  EXPECT_EQ(timers.cooldown_count(), 0u);
}

TEST_F(Timers, KeepAsManyCooldownsAsTheLimitSaysAndTellSo) {
  set_rule_with_cooldown(3);
  ContactTimers timers(2);
  tick(timers, 5, {{0, 1}, {0, 2}});
  EXPECT_FALSE(timers.truncated());
  tick(timers, 6, {{1, 2}});
  EXPECT_TRUE(timers.truncated());
  EXPECT_FALSE(is_cooling(timers, 1, 2));
  EXPECT_TRUE(is_cooling(timers, 0, 1) && is_cooling(timers, 0, 2));
  tick(timers, 7);
  EXPECT_FALSE(timers.truncated());
  tick(timers, 8, {{1, 2}});  // the others were let go
  EXPECT_FALSE(timers.truncated());
  EXPECT_TRUE(is_cooling(timers, 1, 2));
}

TEST_F(Timers, MakeRoomForTheLivingWhenTheDeadHoldAllPlaces) {
  set_rule_with_cooldown(1'000);
  ContactTimers timers(1);
  tick(timers, 5, {{0, 1}});
  tick(timers, 6, {{1, 2}});
  EXPECT_TRUE(timers.truncated());
  EXPECT_FALSE(is_cooling(timers, 1, 2));
  world_.snapshot().id[0] = {};  // ended
  tick(timers, 7, {{1, 2}});
  EXPECT_FALSE(timers.truncated());
  EXPECT_TRUE(is_cooling(timers, 1, 2));
  EXPECT_EQ(timers.cooldown_count(), 1u);
}

TEST_F(Timers, RememberNothingOfStaysThatEnded) {
  set_rule({~0u, ~0u, PolicyAction::Contact, 4, 0}, 0);
  ContactTimers timers;
  ContactEvents events;
  at(5);
  timers.begin_tick(world_.snapshot(), policy_);
  events.begins = {{contact(0, 1, 5)}, {contact(0, 2, 5)}, {contact(1, 2, 5)}};
  events.passed = {{contact(0, 2, 5)}};
  timers.end_tick(world_.snapshot(), policy_, {}, events);
  EXPECT_EQ(timers.stay_count(), 2u);
  tick(timers, 6, {{1, 2}});
  EXPECT_EQ(timers.stay_count(), 1u);
  set_rule({~0u, ~0u, PolicyAction::Contact, 0, 1}, 7);  // no stays any more
  tick(timers, 7);
  EXPECT_EQ(timers.stay_count(), 0u);
}

}  // namespace
}  // namespace vicinity
