// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

TEST(Progress, LineSaysWhatIsNotAsItShouldBeOnlyWhenItIsNot) {
  Progress progress;
  progress.phase = "running";
  progress.elapsed_s = 2;
  progress.bots = progress.bots_joined = 100;
  progress.tick = 59;
  progress.entities = 100;
  progress.check.checked_views = 3448;
  progress.kbit_per_s = 7022;
  EXPECT_EQ(format_progress(progress),
            "   2 s  running    bots 100/100  tick 59  entities 100  views checked 3448, wrong 0  "
            "rx 7022 kbit/s");
  progress.check.unchecked_views = 7;
  EXPECT_THAT(format_progress(progress),
              HasSubstr("  views checked 3448, wrong 0, unchecked 7  rx"));
  progress.bots_lost = 3;
  progress.evictions = 2;
  progress.update_age_p99_ms = 43.5;
  EXPECT_THAT(format_progress(progress), HasSubstr("bots 100/100 (3 lost)  tick"));
  EXPECT_THAT(format_progress(progress), HasSubstr("kbit/s  evictions 2  age p99 43.5 ms"));
}

}  // namespace
}  // namespace vicinity::sim
