// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/tick_clock.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/limits.h"

namespace vicinity {
namespace {

constexpr std::int64_t start = 123'456'789;
constexpr std::int64_t period_20hz = 50'000'000;

/// Ticks that run back to back when the time stands still at `now`.
std::uint64_t run_all(TickClock& clock, std::int64_t now) {
  std::uint64_t count = 0;
  while (clock.take(now).run) ++count;
  return count;
}

TEST(TickClock, RunsNothingBeforeTheFirstDeadline) {
  TickClock clock(start, 20);
  EXPECT_EQ(clock.next_deadline_ns(), start + period_20hz);
  EXPECT_FALSE(clock.take(start - 1'000).run);
  EXPECT_FALSE(clock.take(start + period_20hz - 1).run);
  EXPECT_TRUE(clock.take(start + period_20hz).run);
  EXPECT_FALSE(clock.take(start + period_20hz).run);
  EXPECT_EQ(clock.next_deadline_ns(), start + 2 * period_20hz);
}

TEST(TickClock, LateTicksDoNotShiftTheDeadlines) {
  TickClock clock(start, 20);
  for (std::int64_t slot = 1; slot <= 1000; ++slot) {
    EXPECT_EQ(clock.next_deadline_ns(), start + slot * period_20hz);
    EXPECT_TRUE(clock.take(start + slot * period_20hz + slot % 49 * 1'000'000).run);
  }
  EXPECT_EQ(clock.skipped_count(), 0u);
}

TEST(TickClock, DoesNotDriftOverAMillionTicks) {
  // Rates whose period is no whole number of nanoseconds: a summed period would drift by up to
  // 0.67 ms here.
  for (const std::uint32_t rate : {3u, 30u, 60u, 144u, 240u}) {
    TickClock clock(0, rate);
    for (std::int64_t slot = 1; slot <= 1'000'000; ++slot) {
      const std::int64_t deadline = clock.next_deadline_ns();
      ASSERT_FALSE(clock.take(deadline - 1).run) << rate << " Hz, slot " << slot;
      ASSERT_TRUE(clock.take(deadline).run) << rate << " Hz, slot " << slot;
    }
    ASSERT_EQ(clock.skipped_count(), 0u);
    EXPECT_EQ(clock.next_deadline_ns(), 1'000'001 * std::int64_t{1'000'000'000} / rate);
  }
}

TEST(TickClock, CatchesUpAfterAShortStallWithoutSkipping) {
  TickClock clock(start, 20);
  const auto overdue = static_cast<std::int64_t>(1 + limits::catch_up_ticks_max);
  EXPECT_EQ(run_all(clock, start + overdue * period_20hz), 1 + limits::catch_up_ticks_max);
  EXPECT_EQ(clock.skipped_count(), 0u);
}

TEST(TickClock, SkipsAndCountsWhatIsTooLateAfterALongStall) {
  TickClock clock(start, 20);
  ASSERT_TRUE(clock.take(start + period_20hz).run);
  const std::int64_t now = start + 1'000'000 * period_20hz + 5;  // some fourteen hours
  const TickDecision first = clock.take(now);
  EXPECT_TRUE(first.run);
  EXPECT_EQ(first.skipped, 1'000'000u - 1 - 1 - limits::catch_up_ticks_max);
  EXPECT_EQ(run_all(clock, now), limits::catch_up_ticks_max);
  EXPECT_EQ(clock.skipped_count(), first.skipped);
  EXPECT_EQ(clock.next_deadline_ns(), start + 1'000'001 * period_20hz);
}

TEST(TickClock, EverySlotIsRunOrSkippedWhenTicksTakeTooLong) {
  TickClock clock(0, 100);
  std::int64_t now = 0;
  std::uint64_t run_count = 0;
  for (int i = 0; i < 1000; ++i) {
    now = now < clock.next_deadline_ns() ? clock.next_deadline_ns() : now;
    ASSERT_TRUE(clock.take(now).run);
    ++run_count;
    now += 25'000'000;  // a tick of 2.5 periods
    // Never more than the kept backlog behind the present.
    ASSERT_GE(clock.next_deadline_ns() + 60'000'000, now);
  }
  const auto slots_by_now = static_cast<std::uint64_t>(now / 10'000'000);
  EXPECT_LE(run_count + clock.skipped_count(), slots_by_now);
  EXPECT_GE(run_count + clock.skipped_count() + 5, slots_by_now);
  EXPECT_GT(clock.skipped_count(), 1000u);
}

TEST(TickClock, AClockThatGoesBackwardsRunsNothing) {
  TickClock clock(start, 20);
  ASSERT_TRUE(clock.take(start + period_20hz).run);
  EXPECT_FALSE(clock.take(0).run);
  EXPECT_FALSE(clock.take(start + period_20hz).run);
  EXPECT_TRUE(clock.take(start + 2 * period_20hz).run);
}

TEST(TickClock, HoldsAfterYearsOfUptime) {
  TickClock clock(0, limits::tick_rate_hz_max);
  const std::int64_t century = std::int64_t{100} * 365 * 86'400 * 1'000'000'000;
  EXPECT_EQ(run_all(clock, century), 1 + limits::catch_up_ticks_max);
  EXPECT_GT(clock.next_deadline_ns(), century);
  EXPECT_LE(clock.next_deadline_ns(), century + 1'000'000'000 / 240 + 1);
}

}  // namespace
}  // namespace vicinity
