// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth_check.h"

#include <gtest/gtest.h>

#include "unit/client-sim/truth_check_fixture.h"

namespace vicinity::sim::truth_check_test {
namespace {

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

/// As of a bot of another process: a turned crate is not all of its box.
TEST_F(TruthCheckTest, OfAShapeThatIsNotKnownOnlyTheBoxIsJudged) {
  const ShapeOf unknown = [](std::uint64_t) { return std::nullopt; };
  const auto add = [&](double x, const client::TickFrame& seen) {
    check.add_truth(truth(seen.tick, {entity(own, 0), entity(other, x)}, unknown));
    check.add_frame(bot, seen, 0);
  };
  add(10.4, frame(1));  // the near side of the box is in reach
  add(10.4, enter_frame(2, entity(other, 10.4)));
  EXPECT_EQ(stats.wrong_views, 0u);
  add(5, leave_frame(3, other));  // and now all of it
  EXPECT_EQ(stats.missing, 1u);
  add(13, enter_frame(4, entity(other, 13)));  // nothing of it
  EXPECT_EQ(stats.extra, 1u);
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

}  // namespace
}  // namespace vicinity::sim::truth_check_test
