// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/load_governor.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

constexpr std::uint32_t rate_hz = 20;
constexpr std::int64_t tick_ns = 1'000'000'000 / rate_hz;

/// Ticks until it says `wanted`, at this load; 0 = never within ten minutes.
int ticks_until(LoadGovernor& governor, Shedding wanted, double load) {
  for (int tick = 1; tick <= 600 * static_cast<int>(rate_hz); ++tick)
    if (governor.note(static_cast<std::int64_t>(load * tick_ns), 0) == wanted) return tick;
  return 0;
}

TEST(LoadGovernor, LeavesOutNothingBelowTheMark) {
  LoadGovernor governor(rate_hz);
  EXPECT_EQ(ticks_until(governor, Shedding::OuterRings, 0.84), 0);
}

TEST(LoadGovernor, IsNotScaredByASingleLongTick) {
  LoadGovernor governor(rate_hz);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(governor.note(i % 10 == 0 ? 5 * tick_ns : tick_ns / 10, 0), Shedding::None);
  }
}

TEST(LoadGovernor, LeavesOutOneStageAfterTheOther) {
  LoadGovernor governor(rate_hz);
  EXPECT_GT(ticks_until(governor, Shedding::OuterRings, 0.95), 0);
  EXPECT_GT(ticks_until(governor, Shedding::Queries, 0.95), 5);
  EXPECT_GT(ticks_until(governor, Shedding::Sessions, 0.95), 5);
  EXPECT_EQ(ticks_until(governor, Shedding::None, 0.95), 0);
}

TEST(LoadGovernor, TakesSkippedTicksForFullOnes) {
  LoadGovernor governor(rate_hz);
  Shedding last = Shedding::None;
  for (int i = 0; i < 40; ++i) last = governor.note(0, 1);
  EXPECT_GE(last, Shedding::OuterRings);
}

TEST(LoadGovernor, TakesEverythingUpAgainInReverseOrder) {
  LoadGovernor governor(rate_hz);
  ASSERT_GT(ticks_until(governor, Shedding::Sessions, 1), 0);
  EXPECT_GT(ticks_until(governor, Shedding::Queries, 0.1), 0);
  EXPECT_GT(ticks_until(governor, Shedding::OuterRings, 0.1), 0);
  EXPECT_GT(ticks_until(governor, Shedding::None, 0.1), 0);
}

/// Load that is high while everything is served and low while something is left out: the classic
/// case of a server that swings.
TEST(LoadGovernor, ChangesLessAndLessOftenWhereLeavingOutIsWhatHelps) {
  LoadGovernor governor(rate_hz);
  const auto changes_in = [&](int ticks) {
    int changes = 0;
    for (int i = 0; i < ticks; ++i) {
      const Shedding before = governor.shedding();
      const double load = before == Shedding::None ? 0.95 : 0.5;
      changes += governor.note(static_cast<std::int64_t>(load * tick_ns), 0) != before;
    }
    return changes;
  };
  const int first_minute = changes_in(60 * static_cast<int>(rate_hz));
  changes_in(180 * static_cast<int>(rate_hz));
  const int later_minute = changes_in(60 * static_cast<int>(rate_hz));
  EXPECT_GT(first_minute, 2);
  EXPECT_LE(later_minute, first_minute / 2);
}

/// Three seconds for each of the three stages, and one in which the smoothed load comes down.
TEST(LoadGovernor, ForgetsAnOverloadThatIsOverWithinSecondsHoweverFarItWent) {
  LoadGovernor governor(rate_hz);
  for (int minute = 0; minute < 5; ++minute) {
    ASSERT_GT(ticks_until(governor, Shedding::Sessions, 1), 0);
    const int took = ticks_until(governor, Shedding::None, 0.1);
    EXPECT_GT(took, 0);
    EXPECT_LE(took, 10 * static_cast<int>(rate_hz)) << "minute " << minute;
    for (int i = 0; i < 50 * static_cast<int>(rate_hz); ++i) governor.note(tick_ns / 10, 0);
  }
}

TEST(LoadGovernor, TicksThatWereSkippedAreTimeAsWell) {
  // A server that gets one of eight ticks done: sixty of them are two seconds.
  LoadGovernor governor(240);
  for (int i = 0; i < 60; ++i) governor.note(0, 7);
  EXPECT_NE(governor.shedding(), Shedding::None);
}

}  // namespace
}  // namespace vicinity
