// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A witness that sees no more than what is around the bots that are checked: when that is enough,
// what its views come to, and from when on views are judged by it.

#include <gtest/gtest.h>

#include "client-sim/crew.h"
#include "unit/client-sim/truth_check_fixture.h"

namespace vicinity::sim::truth_check_test {
namespace {

// --- From which tick on ------------------------------------------------------------------------

class ToldWhereFrom : public ::testing::Test {
 protected:
  static CheckSettings settings() {
    CheckSettings out = small_settings();
    out.is_told_where_from = true;
    return out;
  }
  ToldWhereFrom() { check.add_bot(bot, spec_of(1)); }

  /// Nothing is around the bot that the witness sees.
  void tick_unseen(const client::TickFrame& frame) {
    check.add_truth(truth(frame.tick, {}));
    check.add_frame(bot, frame, 0);
  }
  void tick(const client::TickFrame& frame, double x) {
    check.add_truth(truth(frame.tick, {entity(own, 0), entity(other, x)}));
    check.add_frame(bot, frame, 0);
  }

  TruthCheck check{settings()};
  const CheckStats& stats = check.stats();
};

TEST_F(ToldWhereFrom, FramesBeforeAreAppliedAndNotJudged) {
  tick_unseen(enter_frame(1, entity(other, 5)));
  tick_unseen(frame(2));
  EXPECT_EQ(stats.checked_views, 0u);
  check.compare_from(bot, 3);
  tick(frame(3), 5);
  tick(leave_frame(4, other), 13);
  check.finish(4);
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.unchecked_views, 0u);
}

TEST_F(ToldWhereFrom, FromThenOnWhatIsWrongIsFound) {
  tick_unseen(frame(1));
  check.compare_from(bot, 2);
  tick(frame(2), 5);  // it should have entered
  EXPECT_EQ(stats.missing, 1u);
  tick(enter_frame(3, entity(other, 5)), 5);
  tick(frame(4), 13);  // and should have left
  EXPECT_EQ(stats.extra, 1u);
  EXPECT_EQ(stats.wrong_views, 2u);
}

TEST_F(ToldWhereFrom, ItMayBeToldWhenLaterFramesAreThereAlready) {
  tick_unseen(enter_frame(1, entity(other, 5)));
  check.add_frame(bot, frame(2), 0);
  check.add_frame(bot, frame(3), 0);
  check.compare_from(bot, 2);
  for (Tick at = 2; at <= 4; ++at) check.add_truth(truth(at, {entity(own, 0), entity(other, 5)}));
  check.add_frame(bot, frame(4), 0);
  check.finish(4);
  EXPECT_EQ(stats.checked_views, 1u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.unchecked_views, 0u);
}

TEST_F(ToldWhereFrom, ABotOfWhichItIsNeverToldIsUnchecked) {
  for (Tick at = 1; at <= 3; ++at) tick(frame(at), 100);
  check.finish(3);
  EXPECT_EQ(stats.checked_views, 0u);
  EXPECT_EQ(stats.unchecked_views, 3u);
}

TEST_F(ToldWhereFrom, ASessionThatBeginsAnewIsToldAnew) {
  check.compare_from(bot, 1);
  tick(frame(1), 100);
  check.end_bot(bot);
  check.add_bot(bot, spec_of(2));
  tick_unseen(frame(2));
  check.compare_from(bot, 3);
  tick(frame(3), 100);
  check.finish(3);
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.unchecked_views, 0u);
}

// --- Views of several observers ----------------------------------------------------------------

client::EntityView seen_by(std::uint32_t number, const client::EntityView& entity) {
  client::EntityView out = entity;
  out.observer = ObserverId{number};
  return out;
}

TEST(ViewsOfOneSession, TakeWhatIsTheirsOutOfAFrame) {
  client::TickFrame both = frame(1);
  both.enters = {seen_by(1, entity(own, 0)), seen_by(2, entity(other, 5))};
  View first(ObserverId{1}, true);
  View second(ObserverId{2}, true);
  EXPECT_EQ(first.apply(both).count(), 0u);
  EXPECT_EQ(second.apply(both).count(), 0u);
  ASSERT_EQ(first.seen().size(), 1u);
  EXPECT_EQ(first.seen()[0].entity.id, own);
  client::TickFrame leave = frame(2);
  leave.leaves.push_back({other, ObserverId{2}, LeaveReason::OutOfRange});
  leave.changed.push_back(seen_by(1, entity(own, 1)));
  EXPECT_EQ(first.apply(leave).count(), 0u);
  EXPECT_EQ(second.apply(leave).count(), 0u);
  EXPECT_EQ(first.seen()[0].entity.position.x, 1);
  EXPECT_TRUE(second.seen().empty());
}

TEST(ViewsOfOneSession, AreOneTruthWithEachEntityOnce) {
  client::TickFrame both = frame(1);
  both.enters = {seen_by(1, entity(other, 5)), seen_by(2, entity(own, 0)),
                 seen_by(2, entity(other, 5))};
  std::vector<View> views{View(ObserverId{1}, true), View(ObserverId{2}, true)};
  for (View& view : views) view.apply(both);
  TruthTick truth;
  make_truth(1, 0, views, {}, truth);
  ASSERT_EQ(truth.entities.size(), 2u);
  EXPECT_EQ(truth.boxes.size(), 2u);
  EXPECT_TRUE(truth.row_of(own));
  EXPECT_TRUE(truth.row_of(other));
}

// --- When it is enough -------------------------------------------------------------------------

TEST(Crew, IsWatchedInPartsWhenFewOfALargeWorldAreChecked) {
  SwarmOptions options;
  options.scenario = Scenario::Walk;
  options.bots = 1000;
  options.entities = 50'000;
  options.enter_radius_m = 50;
  options.leave_radius_m = 55;
  options.check_share = 0.01;
  EXPECT_TRUE(Crew(options).is_watched_in_parts());
  EXPECT_GT(Crew(options).watch_radius_m(0), 55 + 5);
  SwarmOptions many = options;
  many.check_share = 1;
  EXPECT_FALSE(Crew(many).is_watched_in_parts());
  SwarmOptions small = options;
  small.entities = 0;
  small.bots = 100;
  EXPECT_FALSE(Crew(small).is_watched_in_parts());
}

}  // namespace
}  // namespace vicinity::sim::truth_check_test
