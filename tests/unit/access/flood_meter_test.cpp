// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/flood_meter.h"

#include <gtest/gtest.h>

#include "access/session_guard.h"

namespace vicinity::access {
namespace {

using namespace std::chrono_literals;

constexpr FloodMeter::Clock::time_point start{1h};

/// How many of `count` single units, spread evenly over `time`, pass in the given way.
int count_of(FloodMeter& meter, Passage wanted, int count, std::chrono::milliseconds time) {
  int found = 0;
  for (int i = 0; i < count; ++i) found += meter.take(1, start + time * i / count) == wanted;
  return found;
}

TEST(FloodMeter, LetsTheRateAndABurstPass) {
  FloodMeter meter(100);
  EXPECT_EQ(count_of(meter, Passage::Within, 1000, 10s), 1000);
  FloodMeter burst(100);
  EXPECT_EQ(count_of(burst, Passage::Within, 1000, 0ms), 200);
}

TEST(FloodMeter, RefusesWhatIsAboveAndClosesWhoGoesOn) {
  FloodMeter at_once(100);
  EXPECT_EQ(count_of(at_once, Passage::Refused, 1200, 0ms), 1000);
  EXPECT_EQ(at_once.take(1, start), Passage::Flooding);
  FloodMeter twice(100);
  EXPECT_EQ(count_of(twice, Passage::Flooding, 2000, 10s), 0);
  FloodMeter longer(100);
  EXPECT_GT(count_of(longer, Passage::Flooding, 4000, 20s), 0);
}

TEST(FloodMeter, ForgivesWithTime) {
  FloodMeter meter(100);
  EXPECT_EQ(count_of(meter, Passage::Refused, 1200, 0ms), 1000);
  EXPECT_EQ(meter.take(1, start + 1s), Passage::Within);
  EXPECT_EQ(meter.take(200, start + 1s), Passage::Flooding);
  EXPECT_EQ(meter.take(200, start + 100s), Passage::Within);
  EXPECT_EQ(meter.take(1000, start + 100s), Passage::Refused);
}

TEST(FloodMeter, WithoutARateTakesEverything) {
  FloodMeter meter(0);
  EXPECT_EQ(meter.take(1e18, start), Passage::Within);
  meter.charge(1e18, start);
  EXPECT_EQ(meter.admit(1e18, start), Passage::Within);
}

TEST(FloodMeter, PaysAfterwardsForWhatHasNoPriceBefore) {
  FloodMeter meter(100);
  EXPECT_EQ(meter.admit(1, start), Passage::Within);
  meter.charge(1200, start);  // 1000 below nothing
  EXPECT_EQ(meter.admit(1, start + 9s), Passage::Refused);
  EXPECT_EQ(meter.admit(1, start + 11s), Passage::Within);
}

TEST(FloodMeter, OneLargePieceMayComeAtOnceWhateverTheRate) {
  FloodMeter meter(1, 1024);
  EXPECT_EQ(meter.take(1024, start), Passage::Within);
  EXPECT_EQ(meter.take(1024, start), Passage::Refused);
}

TEST(SessionGuard, CountsAreasByNameAndKeepsThoseThatWereNotRemovedAfterAll) {
  Caps caps;
  caps.areas_max = 2;
  SessionGuard guard({}, caps);
  EXPECT_TRUE(guard.add_area(AreaId{1}));
  EXPECT_TRUE(guard.add_area(AreaId{2}));
  EXPECT_TRUE(guard.add_area(AreaId{2})) << "one name is one area";
  EXPECT_FALSE(guard.add_area(AreaId{3}));
  const auto before = guard.areas();
  guard.remove_area(AreaId{1});
  EXPECT_TRUE(guard.add_area(AreaId{3}));
  guard.restore_areas(before);
  EXPECT_FALSE(guard.add_area(AreaId{3})) << "1 and 2 are there";
  guard.remove_area(AreaId{1});
  EXPECT_TRUE(guard.add_area(AreaId{3})) << "3 was not, before";
}

TEST(SessionGuard, AThousandRefusedQueriesAreAFlood) {
  SessionGuard guard({0, 0, 100});
  EXPECT_EQ(guard.query(start), Passage::Within);
  guard.charge_query(std::chrono::microseconds(1'000'000), start);
  for (int i = 0; i < 999; ++i) ASSERT_EQ(guard.query(start), Passage::Refused) << i;
  guard.query(start);
  EXPECT_EQ(guard.query(start), Passage::Flooding);
}

}  // namespace
}  // namespace vicinity::access
