// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "client-sim/bot_area.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId observer{1};
constexpr EntityId own{0, 1};
constexpr EntityId other{1, 1};
constexpr std::uint32_t bot = 7;

client::EntityView entity(EntityId id, double x, ObserverId seen_by = {}) {
  client::EntityView view;
  view.id = id;
  view.observer = seen_by;
  view.position = {x, 0, 0};
  view.local_box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  view.user_data = id.raw();
  return view;
}

TruthTick truth(Tick tick, std::initializer_list<client::EntityView> entities,
                const ShapeOf& shape_of = {}) {
  client::TickFrame all;
  all.enters = entities;
  View view;
  view.apply(all);
  TruthTick out;
  make_truth(tick, tick * 50'000, view, shape_of, out);
  return out;
}

CheckSettings small_settings() {
  CheckSettings settings;
  settings.pending_ticks_max = 16;
  return settings;
}

ViewSpec spec_of(Tick first_tick) {
  return {own, observer, make_area(AreaKind::Sphere, 10, 12, {}), first_tick};
}

client::TickFrame frame(Tick tick) {
  client::TickFrame out;
  out.tick = tick;
  out.server_time_us = tick * 50'000;
  return out;
}
client::TickFrame enter_frame(Tick tick, const client::EntityView& e) {
  client::TickFrame out = frame(tick);
  out.enters.push_back(e);
  out.enters.back().observer = observer;
  return out;
}
client::TickFrame leave_frame(Tick tick, EntityId id) {
  client::TickFrame out = frame(tick);
  out.leaves.push_back({id, observer, LeaveReason::OutOfRange});
  return out;
}
client::TickFrame move_frame(Tick tick, EntityId id, double x) {
  client::TickFrame out = frame(tick);
  out.moved.push_back({id, observer, {x, 0, 0}, {}});
  return out;
}

/// The bot stands at 0 with a box of half size 0.5. A box of the same size at x is x - 0.5 away:
/// it enters at x <= 10.5 and leaves at x > 12.5.
class TruthCheckTest : public ::testing::Test {
 protected:
  TruthCheckTest() { check.add_bot(bot, spec_of(1)); }

  void tick(const client::TickFrame& seen, double x) {
    check.add_truth(truth(seen.tick, {entity(own, 0), entity(other, x)}));
    check.add_frame(bot, seen, 0);
  }
  void see_other(Tick at) { tick(enter_frame(at, entity(other, 5)), 5); }

  TruthCheck check{small_settings()};
  const CheckStats& stats = check.stats();
};

TEST_F(TruthCheckTest, ARightStreamHasNoFault) {
  tick(frame(1), 11);                               // outside the enter size
  tick(enter_frame(2, entity(other, 10.5)), 10.5);  // on the edge, which is inside
  tick(move_frame(3, other, 12.5), 12.5);           // held up to the leave size, edge included
  tick(leave_frame(4, other), 12.6);
  tick(frame(5), 11);  // between the sizes: does not come back
  EXPECT_EQ(stats.checked_views, 5u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.enters, 1u);
  EXPECT_EQ(stats.updates, 1u);
  EXPECT_EQ(stats.leaves, 1u);
  EXPECT_TRUE(check.examples().empty());
}

TEST_F(TruthCheckTest, TheOwnEntityMustNotBeSeen) {
  tick(enter_frame(1, entity(own, 0)), 100);
  EXPECT_EQ(stats.extra, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

// --- What the bot itself knows -----------------------------------------------------------------

TEST_F(TruthCheckTest, AnOwnEntityThatNobodySeesIsMissingInEveryTick) {
  for (Tick at = 1; at <= 2; ++at) {  // a server that shows nothing to anybody
    check.add_truth(truth(at, {}));
    check.add_frame(bot, frame(at), 0);
  }
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.missing, 2u);
  EXPECT_EQ(stats.wrong_views, 2u);
  ASSERT_FALSE(check.examples().empty());
  EXPECT_NE(check.examples()[0].find("has entity 0:1, which nobody sees"), std::string::npos)
      << check.examples()[0];
}

TEST_F(TruthCheckTest, AnOwnEntityThatIsSaidToBeLostMayBeAbsent) {
  tick(frame(1), 100);
  client::TickFrame loss = frame(2);
  loss.lost.push_back({own, DespawnReason::LeftWorld});
  check.add_truth(truth(2, {}));
  check.add_frame(bot, loss, 0);
  check.add_truth(truth(3, {}));
  check.add_frame(bot, frame(3), 0);
  EXPECT_EQ(stats.checked_views, 3u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(TruthCheckTest, AnOwnEntityThatDidNotMoveAsToldIsAWrongPosition) {
  check.add_move(bot, 2, {3, 0, 0});
  tick(frame(1), 100);
  tick(frame(2), 100);  // the witness still sees it at 0
  EXPECT_EQ(stats.wrong_positions, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
  ASSERT_FALSE(check.examples().empty());
  EXPECT_NE(check.examples()[0].find("tick 2: bot 7 moved to 3.0"), std::string::npos)
      << check.examples()[0];
  tick(frame(3), 100);  // a move counts in its own tick only
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, TheLastMoveOfATickCounts) {
  check.add_move(bot, 1, {3, 0, 0});
  check.add_move(bot, 1, {0, 0, 0});
  tick(frame(1), 100);
  EXPECT_EQ(stats.wrong_positions, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(TruthCheckTest, AnAbsentEnterIsMissingInEveryTick) {
  tick(frame(1), 5);
  tick(frame(2), 5);
  EXPECT_EQ(stats.missing, 2u);
  EXPECT_EQ(stats.wrong_views, 2u);
  EXPECT_EQ(stats.late, 0u);
  ASSERT_FALSE(check.examples().empty());
  EXPECT_NE(check.examples()[0].find("misses entity 1:1 at 4.5"), std::string::npos)
      << check.examples()[0];
}

TEST_F(TruthCheckTest, AnEnterOneTickLaterIsMissingAndLate) {
  tick(frame(1), 5);
  tick(enter_frame(2, entity(other, 5)), 5);
  EXPECT_EQ(stats.missing, 1u);
  EXPECT_EQ(stats.late, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, WhatIsGoneBeforeItAppearedWasNotLate) {
  tick(frame(1), 5);
  tick(frame(2), 50);
  tick(enter_frame(3, entity(other, 5)), 5);
  EXPECT_EQ(stats.missing, 1u);
  EXPECT_EQ(stats.late, 0u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, AnEnterBeyondTheEdgeIsExtra) {
  tick(enter_frame(1, entity(other, 10.6)), 10.6);
  EXPECT_EQ(stats.extra, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, AnAbsentLeaveIsExtra) {
  see_other(1);
  tick(move_frame(2, other, 13), 13);
  EXPECT_EQ(stats.extra, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, ALeaveWithinTheHysteresisIsMissing) {
  see_other(1);
  tick(leave_frame(2, other), 12);
  EXPECT_EQ(stats.missing, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, AnEntityThatDoesNotExistIsExtra) {
  tick(enter_frame(1, entity(EntityId{9, 3}, 1)), 100);
  EXPECT_EQ(stats.extra, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, ASecondEnterIsCounted) {
  see_other(1);
  tick(enter_frame(2, entity(other, 5)), 5);
  EXPECT_EQ(stats.duplicate_enters, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, ALeaveAndEnterInOneFrameIsNoSecondEnter) {
  see_other(1);
  client::TickFrame both = enter_frame(2, entity(other, 5));
  both.leaves.push_back({other, observer, LeaveReason::AreaChanged});
  tick(both, 5);
  EXPECT_EQ(stats.duplicate_enters, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(TruthCheckTest, ALeaveWithoutEnterIsCounted) {
  tick(leave_frame(1, other), 100);
  EXPECT_EQ(stats.ghost_leaves, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, ASecondLeaveInTheSameFrameIsCounted) {
  see_other(1);
  client::TickFrame twice = leave_frame(2, other);
  twice.leaves.push_back(twice.leaves[0]);
  tick(twice, 100);
  EXPECT_EQ(stats.ghost_leaves, 1u);
}

TEST_F(TruthCheckTest, AnUpdateWithoutEnterIsCounted) {
  tick(move_frame(1, other, 100), 100);
  client::TickFrame changed = frame(2);
  changed.changed.push_back(entity(other, 100, observer));
  tick(changed, 100);
  EXPECT_EQ(stats.ghost_updates, 2u);
  EXPECT_EQ(stats.ghost_leaves, 0u);
  EXPECT_EQ(stats.duplicate_enters, 0u);
  EXPECT_EQ(stats.wrong_views, 2u);
}

TEST_F(TruthCheckTest, AnAbsentMoveIsStale) {
  see_other(1);
  tick(frame(2), 5.25);
  EXPECT_EQ(stats.stale_updates, 1u);
  EXPECT_EQ(stats.wrong_positions, 0u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckTest, ATurnThatWasCommandedAndIsNotThereIsAWrongPosition) {
  see_other(1);
  client::EntityView self = entity(own, 0);
  self.rotation = {0, 0, 0.6, 0.8};
  check.add_move(bot, 2, {0, 0, 0}, {0, 0, -0.6, -0.8});  // the same rotation
  check.add_truth(truth(2, {self, entity(other, 5)}));
  check.add_frame(bot, frame(2), 0);
  EXPECT_EQ(stats.wrong_positions, 0u);
  check.add_move(bot, 3, {0, 0, 0}, {0, 0, 0.8, 0.6});
  check.add_truth(truth(3, {self, entity(other, 5)}));
  check.add_frame(bot, frame(3), 0);
  EXPECT_EQ(stats.wrong_positions, 1u);
}

TEST_F(TruthCheckTest, EveryPartOfTheStateIsCompared) {
  see_other(1);
  std::vector<client::EntityView> others(8, entity(other, 5));
  others[0].velocity.y = 1;
  others[1].local_box.max.z = 0.75;
  others[2].shape_kind = ShapeKind::Sphere;
  others[3].filter.category = 2;
  others[4].user_data = 99;
  others[5].rotation = {0, 1, 0, 0};
  others[6].angular_velocity.z = 1;
  Tick at = 1;
  for (const client::EntityView& differs : others) {
    client::TickFrame told = frame(++at);  // what the bot is told stays the same
    told.changed.push_back(entity(other, 5, observer));
    check.add_truth(truth(at, {entity(own, 0), differs}));
    check.add_frame(bot, told, 0);
  }
  EXPECT_EQ(stats.wrong_positions, 7u);  // the eighth is as the bot knows it
  EXPECT_EQ(stats.checked_views, 9u);
}

TEST_F(TruthCheckTest, TheViewMovesWithTheCentreOfTheOwnBox) {
  client::EntityView self = entity(own, 20);
  self.local_box = {{-0.5, 0, -0.5}, {1.5, 2, 0.5}};  // centre at (20.5, 1, 0)
  client::EntityView near = entity(other, 31);
  near.position.y = 1;  // the gap along x is 31 - 0.5 - 20.5 = 10
  check.add_truth(truth(1, {self, near}));
  check.add_frame(bot, enter_frame(1, near), 0);
  EXPECT_EQ(stats.wrong_views, 0u);
  self.position.x -= 0.001;  // now it is beyond the enter size, but within the leave size
  check.add_truth(truth(2, {self, near}));
  check.add_frame(bot, leave_frame(2, other), 0);
  EXPECT_EQ(stats.missing, 1u);
}

TEST_F(TruthCheckTest, AFrameWaitsForTheWitness) {
  check.add_frame(bot, enter_frame(1, entity(other, 5)), 0);
  check.add_frame(bot, frame(2), 0);
  EXPECT_EQ(stats.checked_views, 0u);
  EXPECT_EQ(check.unfinished_bots(2), 1u);
  check.add_truth(truth(1, {entity(own, 0), entity(other, 5)}));
  check.add_truth(truth(2, {entity(own, 0), entity(other, 5)}));
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(check.unfinished_bots(2), 0u);
}

TEST_F(TruthCheckTest, TheWitnessMayBeAhead) {
  for (Tick at = 1; at <= 3; ++at) check.add_truth(truth(at, {entity(own, 0), entity(other, 5)}));
  check.add_frame(bot, enter_frame(1, entity(other, 5)), 0);
  EXPECT_EQ(stats.checked_views, 1u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(check.unfinished_bots(1), 0u);
  EXPECT_EQ(check.unfinished_bots(3), 1u);
}

TEST_F(TruthCheckTest, ViewsThatWereNotComparedAreCounted) {
  see_other(1);
  for (Tick at = 2; at <= 4; ++at) check.add_truth(truth(at, {entity(own, 0), entity(other, 5)}));
  check.finish(4);
  EXPECT_EQ(stats.checked_views, 1u);
  EXPECT_EQ(stats.unchecked_views, 3u);
}

TEST_F(TruthCheckTest, FramesThatWaitTooLongAreUnchecked) {
  for (Tick at = 1; at <= 20; ++at) check.add_frame(bot, frame(at), 0);
  EXPECT_EQ(stats.unchecked_views, 4u);  // 16 may wait
}

TEST_F(TruthCheckTest, AFrameWithoutTruthIsNotGuessed) {
  for (Tick at = 1; at <= 20; ++at) check.add_truth(truth(at, {entity(own, 0)}));
  check.add_frame(bot, frame(1), 0);  // the truth of tick 1 has been dropped
  EXPECT_EQ(stats.checked_views, 0u);
  EXPECT_EQ(stats.unchecked_views, 1u);
}

TEST_F(TruthCheckTest, TheCheckGoesOnBehindAGapInTheTruth) {
  see_other(1);
  check.add_truth(truth(3, {entity(own, 0), entity(other, 5)}));
  check.add_frame(bot, frame(2), 0);
  EXPECT_EQ(stats.checked_views, 1u);
  EXPECT_EQ(stats.unchecked_views, 1u);
  check.add_frame(bot, frame(3), 0);
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  tick(leave_frame(4, other), 5);
  EXPECT_EQ(stats.missing, 1u);
}

TEST_F(TruthCheckTest, TruthIsKeptWithinItsBytes) {
  CheckSettings settings = small_settings();
  settings.truth_bytes_max = 1;  // the least that is kept are four ticks
  TruthCheck tight(settings);
  tight.add_bot(bot, spec_of(1));
  for (Tick at = 1; at <= 6; ++at) tight.add_truth(truth(at, {entity(own, 0)}));
  tight.add_frame(bot, frame(2), 0);
  EXPECT_EQ(tight.stats().unchecked_views, 1u);
  tight.add_frame(bot, frame(3), 0);
  EXPECT_EQ(tight.stats().checked_views, 1u);
}

TEST_F(TruthCheckTest, FramesBeforeTheFirstTickAreIgnored) {
  TruthCheck later{small_settings()};
  later.add_bot(bot, spec_of(5));
  later.add_frame(bot, frame(4), 0);
  later.add_truth(truth(5, {entity(own, 0), entity(other, 5)}));
  later.add_frame(bot, enter_frame(5, entity(other, 5)), 0);
  EXPECT_EQ(later.stats().checked_views, 1u);
  EXPECT_EQ(later.stats().unchecked_views, 0u);
  EXPECT_EQ(later.stats().wrong_views, 0u);
}

TEST_F(TruthCheckTest, WhatABotThatIsGoneWasToldIsStillCompared) {
  check.add_frame(bot, frame(1), 0);
  check.end_bot(bot);
  check.add_frame(bot, frame(2), 0);  // nobody's
  EXPECT_EQ(check.unfinished_bots(1), 1u);
  check.add_truth(truth(1, {entity(own, 0), entity(other, 5)}));
  EXPECT_EQ(check.unfinished_bots(1), 0u);
  EXPECT_EQ(stats.checked_views, 1u);
  EXPECT_EQ(stats.missing, 1u);
  check.finish(1);
  EXPECT_EQ(stats.unchecked_views, 0u);
}

TEST_F(TruthCheckTest, ANumberMayBeUsedAgain) {
  see_other(1);
  check.end_bot(bot);
  ViewSpec again = spec_of(2);
  check.add_bot(bot, again);
  tick(enter_frame(2, entity(other, 5)), 5);  // the new session sees it for the first time
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(TruthCheckTest, EnterLatencyRunsFromTheTickWhenItWasDue) {
  tick(frame(1), 5);  // due at 50'000 us
  check.add_truth(truth(2, {entity(own, 0), entity(other, 5)}));
  check.add_frame(bot, enter_frame(2, entity(other, 5)), 110'000);
  ASSERT_EQ(check.enter_latency().count(), 1u);
  // Buckets are up to 1.6 % wide.
  EXPECT_NEAR(static_cast<double>(*check.enter_latency().percentile_us(0.5)), 60'000, 1'000);
}

// --- Contacts ----------------------------------------------------------------------------------

client::ContactBeginEvent begin(Tick tick) { return {own, other, tick, 0, 0, 1, false}; }
client::ContactEndEvent end(Tick begin_tick) {
  return {own, other, begin_tick, 0, 0, EndReason::Separated, false};
}

/// The other overlaps the bot at x = 0.5 and is only in view at x = 5.
class TruthCheckContactTest : public TruthCheckTest {
 protected:
  client::TickFrame at(Tick number, double x) {
    return number == 1 ? enter_frame(1, entity(other, x)) : move_frame(number, other, x);
  }
};

TEST_F(TruthCheckContactTest, ARightPairOfEventsHasNoFault) {
  client::TickFrame first = at(1, 0.5);
  first.contact_begins.push_back(begin(1));
  tick(first, 0.5);
  client::TickFrame second = at(2, 5);
  second.contact_ends.push_back(end(1));
  tick(second, 5);
  client::TickFrame third = at(3, 6);
  third.contact_begins.push_back(begin(3));
  third.contact_passed.push_back(end(3));
  tick(third, 6);
  EXPECT_EQ(stats.contact_errors, 0u);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.contact_begins, 2u);
  EXPECT_EQ(stats.contact_ends, 2u);
}

TEST_F(TruthCheckContactTest, ASecondBeginIsAnError) {
  for (Tick number = 1; number <= 2; ++number) {
    client::TickFrame seen = at(number, 0.5);
    seen.contact_begins.push_back(begin(number));
    tick(seen, 0.5);
  }
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, AnEndWithoutBeginIsAnError) {
  client::TickFrame seen = at(1, 5);
  seen.contact_ends.push_back(end(1));
  tick(seen, 5);
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, AnEndOfAnotherBeginIsAnError) {
  client::TickFrame first = at(1, 0.5);
  first.contact_begins.push_back(begin(1));
  tick(first, 0.5);
  client::TickFrame second = at(2, 5);
  second.contact_ends.push_back(end(2));
  tick(second, 5);
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_contacts, 1u);  // the first one is still open
}

TEST_F(TruthCheckContactTest, AnAbsentBeginIsAWrongContact) {
  tick(at(1, 0.5), 0.5);
  EXPECT_EQ(stats.wrong_contacts, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, BoxesThatOnlyTouchAreNoContact) {
  tick(at(1, 1), 1);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  client::TickFrame seen = at(2, 1);
  seen.contact_begins.push_back(begin(2));
  tick(seen, 1);
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, RoundShapesMeetByTheirShapesAndNotByTheirBoxes) {
  client::EntityView ball = entity(other, 0.9);  // a corner of the bot's box is 0.57 away
  ball.shape_kind = ShapeKind::Sphere;
  ball.position = {0.9, 0.9, 0};
  check.add_truth(truth(1, {entity(own, 0), ball}));
  check.add_frame(bot, enter_frame(1, ball), 0);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  ball.position = {0.8, 0.8, 0};  // and now 0.42
  client::TickFrame seen = frame(2);
  seen.changed.push_back(ball);
  seen.changed.back().observer = observer;
  check.add_truth(truth(2, {entity(own, 0), ball}));
  check.add_frame(bot, seen, 0);
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, ShapesThatTheirBoxDoesNotTellAreLookedUp) {
  const Quat eighth{0, 0, std::sin(0.39269908169872414), std::cos(0.39269908169872414)};
  const Shape diamond = Shape::of_parts({box_primitive({0.5, 0.5, 0.5}, {{}, eighth})});
  client::EntityView turned = entity(other, 0);
  turned.position = {1.1, 0.9, 0};  // only the corner of its box reaches the bot's
  turned.local_box = diamond.compound->local;
  const auto add = [&](Tick at, const ShapeOf& shape_of) {
    check.add_truth(truth(at, {entity(own, 0), turned}, shape_of));
    check.add_frame(bot, at == 1 ? enter_frame(1, turned) : frame(at), 0);
  };
  add(1, [&](std::uint64_t user_data) { return user_data == other.raw() ? &diamond : nullptr; });
  EXPECT_EQ(stats.wrong_contacts, 0u);
  add(2, {});  // as a box that is not turned it would overlap
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, PairsThatTheFilterRefusesAreNoContact) {
  client::EntityView ghost = entity(other, 0.5);
  ghost.filter.mask = 0;
  check.add_truth(truth(1, {entity(own, 0), ghost}));
  check.add_frame(bot, enter_frame(1, ghost), 0);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

}  // namespace
}  // namespace vicinity::sim
