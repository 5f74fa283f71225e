// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The rules of the truth check for streams that skip ticks, wait for room, update by rings and
// round what they tell.

#include <gtest/gtest.h>

#include "client-sim/bot_area.h"
#include "client-sim/truth_check.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId observer{1};
constexpr EntityId own{0, 1};
constexpr std::uint32_t bot = 7;
constexpr double resolution_m = 1.0 / 256;

client::EntityView entity(std::uint32_t index, double x) {
  client::EntityView view;
  view.id = EntityId{index, 1};
  view.observer = observer;
  view.position = {x, 0, 0};
  view.local_box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  return view;
}

client::TickFrame frame(Tick tick) {
  client::TickFrame out;
  out.tick = tick;
  out.server_time_us = tick * 50'000;
  return out;
}

/// A bot at 0 that sees up to 10 m and holds up to 12 m; ticks of 50 ms, an allowed delay of 200
/// ms.
class Stream : public ::testing::Test {
 protected:
  explicit Stream(Precision precision = Precision{}, const std::vector<Ring>& rings = {})
      : check(settings(precision)) {
    check.add_bot(bot, {own, observer, make_area(AreaKind::Sphere, 10, 12, rings), 1});
  }

  static CheckSettings settings(Precision precision) {
    CheckSettings out;
    out.pending_ticks_max = 64;
    out.allowed_delay_us = 200'000;
    out.precision = precision;
    return out;
  }
  void world(Tick tick, std::vector<client::EntityView> others) {
    client::TickFrame all;
    all.enters = std::move(others);
    all.enters.push_back(entity(0, 0));
    for (client::EntityView& view : all.enters) view.observer = {};
    View view;
    view.apply(all);
    TruthTick truth;
    make_truth(tick, tick * 50'000, {&view, 1}, {}, truth);
    check.add_truth(std::move(truth));
  }
  void told(client::TickFrame said) {
    check.add_frame(bot, said, static_cast<std::int64_t>(said.tick * 50'000 + 3'000));
  }
  static client::TickFrame enters(Tick tick, std::vector<client::EntityView> what) {
    client::TickFrame out = frame(tick);
    out.enters = std::move(what);
    return out;
  }
  static client::TickFrame moves(Tick tick, std::uint32_t index, double x) {
    client::TickFrame out = frame(tick);
    out.moved.push_back({EntityId{index, 1}, observer, 0, {x, 0, 0}});
    return out;
  }
  static client::TickFrame leaves(Tick tick, std::uint32_t index) {
    client::TickFrame out = frame(tick);
    out.leaves.push_back({EntityId{index, 1}, observer});
    return out;
  }

  TruthCheck check;
  const CheckStats& stats = check.stats();
};

// --- Waiting enters ----------------------------------------------------------------------------

TEST_F(Stream, AnEnterThatWaitsIsLateAndNotMissing) {
  client::TickFrame waits = frame(1);
  waits.enters_waiting = 1;
  world(1, {entity(1, 5)});
  told(waits);
  EXPECT_EQ(stats.missing, 0u);
  world(2, {entity(1, 5)});
  told(enters(2, {entity(1, 5)}));
  EXPECT_EQ(stats.late, 1u);
  EXPECT_EQ(stats.wrong_views, 0u);
  ASSERT_EQ(check.enter_latency().count(), 1u);
  EXPECT_EQ(check.enter_latency().max_us(), 53'000u);  // due at 50 ms, here at 103 ms
}

TEST_F(Stream, NoMoreMayBeMissingThanWait) {
  client::TickFrame waits = frame(1);
  waits.enters_waiting = 1;
  world(1, {entity(1, 5), entity(2, 6), entity(3, 7)});
  told(waits);
  EXPECT_EQ(stats.missing, 2u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(Stream, NobodyMayWaitBeyondTheAllowedDelay) {
  for (Tick tick = 1; tick <= 6; ++tick) {
    client::TickFrame waits = frame(tick);
    waits.enters_waiting = 1;
    world(tick, {entity(1, 5)});
    told(waits);
  }
  EXPECT_EQ(stats.missing, 1u);  // up to 200 ms after tick 1 it may wait: ticks 1 to 5
  EXPECT_EQ(stats.wrong_views, 1u);
}

/// At the edge only the view can say whether it is in, and it says so when it is told.
TEST_F(Stream, WhatWaitsAtTheEdgeMayBeToldLater) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  client::TickFrame waits = frame(3);  // after a gap, in which entity 2 came and went back
  waits.enters_waiting = 1;
  world(3, {entity(1, 5), entity(2, 11)});
  told(waits);
  world(4, {entity(1, 5), entity(2, 11)});
  told(enters(4, {entity(2, 11)}));
  EXPECT_EQ(stats.checked_views, 3u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(Stream, WhatIsNotThereAtTheEdgeAndDoesNotWaitIsOut) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  world(3, {entity(1, 5), entity(2, 11)});
  told(frame(3));
  world(4, {entity(1, 5), entity(2, 11)});
  told(enters(4, {entity(2, 11)}));
  EXPECT_EQ(stats.extra, 1u);
}

// --- Skipped ticks -----------------------------------------------------------------------------

TEST_F(Stream, FramesMaySkipTicksAndTellTheLastOne) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  for (Tick tick = 2; tick <= 4; ++tick) world(tick, {entity(1, 5 + static_cast<double>(tick))});
  told(moves(4, 1, 9));
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  world(5, {entity(1, 9)});
  told(moves(5, 1, 8.5));
  EXPECT_EQ(stats.wrong_positions, 1u);
}

TEST_F(Stream, WhatHappensInSkippedTicksCounts) {
  world(1, {entity(1, 11)});
  told(frame(1));
  world(2, {entity(1, 10)});  // comes in while the bot hears nothing
  world(3, {entity(1, 12)});  // and is held up to the leave size
  told(frame(3));
  EXPECT_EQ(stats.missing, 1u);
}

TEST_F(Stream, ALeaveInASkippedTickHasItsLatency) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  world(2, {entity(1, 50)});  // at 100 ms
  world(3, {entity(1, 50)});
  told(leaves(3, 1));  // at 153 ms
  EXPECT_EQ(stats.wrong_views, 0u);
  ASSERT_EQ(check.leave_latency().count(), 1u);
  EXPECT_EQ(check.leave_latency().max_us(), 53'000u);
}

TEST_F(Stream, ATickThatGoesBackIsARegressionAndIsNotApplied) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  world(2, {entity(1, 5)});
  told(frame(2));
  told(leaves(2, 1));
  EXPECT_EQ(stats.version_regressions, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
  world(3, {entity(1, 5)});
  told(frame(3));  // it is still in view
  EXPECT_EQ(stats.missing, 0u);
}

TEST_F(Stream, AnIndexVersionThatGoesBackIsARegression) {
  client::TickFrame first = frame(1);
  first.index_version = 9;
  world(1, {});
  told(first);
  client::TickFrame second = frame(2);
  second.index_version = 8;
  world(2, {});
  told(second);
  EXPECT_EQ(stats.version_regressions, 1u);
}

TEST_F(Stream, ContactsOfSkippedTicksAreTold) {
  world(1, {});
  told(frame(1));
  for (Tick tick = 2; tick <= 4; ++tick) world(tick, {entity(1, 0.5)});
  client::TickFrame said = enters(4, {entity(1, 0.5)});
  said.contact_begins.push_back({own, EntityId{1, 1}, 2, 0, 0, 1, false, false, 17});
  told(said);
  EXPECT_EQ(stats.contact_errors, 0u);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

TEST_F(Stream, AContactOfATickThatWasToldBeforeIsAnError) {
  world(1, {});
  told(frame(1));
  world(2, {entity(1, 0.5)});
  client::TickFrame said = enters(2, {entity(1, 0.5)});
  said.contact_begins.push_back({own, EntityId{1, 1}, 1, 0, 0, 1, false, false, 17});
  told(said);
  EXPECT_EQ(stats.contact_errors, 1u);
}

// --- Ages --------------------------------------------------------------------------------------

TEST_F(Stream, WhileTheStreamIsNotWellUpdatesMayBeOld) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  for (Tick tick = 2; tick <= 6; ++tick) {
    client::TickFrame said = frame(tick);
    said.health = client::StreamHealth::Degraded;
    world(tick, {entity(1, 5 + 0.1 * static_cast<double>(tick))});
    told(said);
  }
  EXPECT_EQ(stats.stale_updates, 1u);  // fresh at 50 ms; at 300 ms it is older than 200 ms
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(Stream, AfterSkippedTicksUpdatesMayBeOldForAWhile) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  world(2, {entity(1, 5.1)});
  world(3, {entity(1, 5.2)});
  told(frame(3));
  EXPECT_EQ(stats.stale_updates, 0u);
  for (Tick tick = 4; tick <= 7; ++tick) {
    world(tick, {entity(1, 5.2 + 0.1 * static_cast<double>(tick))});
    told(frame(tick));
  }
  EXPECT_EQ(stats.stale_updates, 2u);  // at 300 and 350 ms: more than 200 ms after tick 1
}

TEST_F(Stream, BehindAGapOfTheTruthTheEdgeIsOpen) {
  world(1, {entity(1, 5), entity(2, 5)});
  told(enters(1, {entity(1, 5), entity(2, 5)}));
  world(3, {entity(1, 11), entity(2, 11)});
  told(leaves(2, 1));  // perhaps it was outside in tick 2, of which nothing is known
  told(moves(3, 2, 11));
  EXPECT_EQ(stats.unchecked_views, 1u);
  EXPECT_EQ(stats.checked_views, 2u);
  EXPECT_EQ(stats.wrong_views, 0u);
  world(4, {entity(1, 11), entity(2, 11)});
  told(leaves(4, 2));
  EXPECT_EQ(stats.missing, 1u);
}

class RingStream : public Stream {
 protected:
  RingStream() : Stream(Precision{}, {{3, 1}, {20, 4}}) {}
};

TEST_F(RingStream, AnOuterRingMayBeUpdatedEveryFewTicks) {
  world(1, {entity(1, 6)});
  told(enters(1, {entity(1, 6)}));
  for (Tick tick = 2; tick <= 9; ++tick) {
    const double x = 6 + 0.1 * static_cast<double>(tick);
    world(tick, {entity(1, x)});
    told(tick % 4 == 1 ? moves(tick, 1, x) : frame(tick));
  }
  EXPECT_EQ(stats.wrong_views, 0u);
  ASSERT_EQ(check.update_age()[1].count(), 2u);
  EXPECT_EQ(check.update_age()[1].max_us(), 203'000u);  // four ticks and the way
}

TEST_F(RingStream, AnOuterRingThatIsForgottenIsStale) {
  world(1, {entity(1, 6)});
  told(enters(1, {entity(1, 6)}));
  for (Tick tick = 2; tick <= 6; ++tick) {
    world(tick, {entity(1, 6 + 0.1 * static_cast<double>(tick))});
    told(frame(tick));
  }
  EXPECT_EQ(stats.stale_updates, 1u);  // the first five ticks are its interval and one more
}

TEST_F(RingStream, TheInnerRingIsUpdatedEveryTick) {
  world(1, {entity(1, 2)});
  told(enters(1, {entity(1, 2)}));
  world(2, {entity(1, 2.1)});
  told(frame(2));
  EXPECT_EQ(stats.stale_updates, 1u);
}

TEST_F(RingStream, WhatStandsStillNeedsNoUpdate) {
  world(1, {entity(1, 2), entity(2, 8)});
  told(enters(1, {entity(1, 2), entity(2, 8)}));
  for (Tick tick = 2; tick <= 30; ++tick) {
    world(tick, {entity(1, 2), entity(2, 8)});
    told(frame(tick));
  }
  EXPECT_EQ(stats.wrong_views, 0u);
}

// --- Rounded values ----------------------------------------------------------------------------

class RoundedStream : public Stream {
 protected:
  RoundedStream() : Stream(Precision(resolution_m)) {}
};

TEST_F(RoundedStream, APositionWithinTheResolutionIsTheTruth) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  world(2, {entity(1, 5.1)});
  told(moves(2, 1, 5.1 + 0.9 * resolution_m));
  EXPECT_EQ(stats.wrong_views, 0u);
  world(3, {entity(1, 5.2)});
  told(moves(3, 1, 5.2 + 1.1 * resolution_m));
  EXPECT_EQ(stats.wrong_positions, 1u);
}

TEST_F(RoundedStream, NearTheEdgeTheViewsWordIsTaken) {
  world(1, {entity(1, 10.5 - 0.5 * resolution_m), entity(2, 10.5 + 0.5 * resolution_m)});
  told(enters(1, {entity(2, 10.5 + 0.5 * resolution_m)}));  // one of them, the farther
  EXPECT_EQ(stats.wrong_views, 0u);
  world(2, {entity(1, 11), entity(2, 11)});  // from now on it must hold what it has
  told(moves(2, 2, 11));
  EXPECT_EQ(stats.wrong_views, 0u);
  world(3, {entity(1, 11), entity(2, 11)});
  told(leaves(3, 2));
  EXPECT_EQ(stats.missing, 1u);
}

TEST_F(RoundedStream, BeyondTheRoundingTheEdgeHolds) {
  world(1, {entity(1, 10.5 - 8 * resolution_m), entity(2, 10.5 + 8 * resolution_m)});
  told(enters(1, {entity(2, 10.5 + 8 * resolution_m)}));
  EXPECT_EQ(stats.missing, 1u);
  EXPECT_EQ(stats.extra, 1u);
}

TEST_F(RoundedStream, WhatNearlyTouchesMayBeAContactOrNot) {
  world(1, {entity(1, 1 - resolution_m)});
  told(enters(1, {entity(1, 1 - resolution_m)}));
  EXPECT_EQ(stats.wrong_contacts, 0u);
  world(2, {entity(1, 1 - 4 * resolution_m)});
  told(moves(2, 1, 1 - 4 * resolution_m));
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

// --- Resumed sessions --------------------------------------------------------------------------

TEST_F(Stream, AResumedViewGoesOn) {
  world(1, {entity(1, 5)});
  told(enters(1, {entity(1, 5)}));
  for (Tick tick = 2; tick <= 20; ++tick) world(tick, {entity(1, 5)});
  told(frame(20));
  EXPECT_EQ(stats.wrong_views, 0u);
  world(21, {entity(1, 5)});
  told(enters(21, {entity(1, 5)}));
  EXPECT_EQ(stats.duplicate_enters, 1u);
}

TEST_F(Stream, AViewThatIsResetBeginsAnew) {
  world(1, {entity(1, 5), entity(2, 0.5)});
  client::TickFrame first = enters(1, {entity(1, 5), entity(2, 0.5)});
  first.contact_begins.push_back({own, EntityId{2, 1}, 1, 0, 0, 1, false, false, 3});
  told(first);
  check.reset_view(bot);
  world(2, {entity(1, 5), entity(2, 0.5)});
  client::TickFrame again = enters(2, {entity(1, 5), entity(2, 0.5)});
  again.contact_begins.push_back({own, EntityId{2, 1}, 1, 0, 0, 1, false, false, 0});
  told(again);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.contact_errors, 0u);
  check.reset_view(bot);
  world(3, {entity(1, 5)});
  told(frame(3));  // nothing comes again
  EXPECT_EQ(stats.missing, 1u);
}

}  // namespace
}  // namespace vicinity::sim
