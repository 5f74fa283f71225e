// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/rate_memory.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace vicinity::access {
namespace {

using namespace std::chrono_literals;
const RateMemory::Clock::time_point start = RateMemory::Clock::time_point{} + 1h;

/// After so many microseconds of queries, of 1000 per second and 2000 at once.
SessionMeters used(double query_us) {
  SessionMeters meters{FloodMeter(0), FloodMeter(0), FloodMeter(1000)};
  meters.query_us.charge(query_us, start);
  return meters;
}
bool admits(RateMemory& memory, const std::string& who, RateMemory::Clock::time_point now) {
  auto meters = memory.recall(who, now);
  return !meters || meters->query_us.admit(1, now) == Passage::Within;
}

TEST(RateMemory, GivesBackWhatWasUsedUpAndWhatTimeHasRestored) {
  RateMemory memory;
  memory.remember("eve", used(3500), start);
  EXPECT_FALSE(admits(memory, "eve", start));
  EXPECT_TRUE(admits(memory, "ada", start));
  EXPECT_FALSE(admits(memory, "eve", start + 1400ms));
  EXPECT_TRUE(admits(memory, "eve", start + 1600ms));
}

TEST(RateMemory, OfSeveralSessionsTheWorstCounts) {
  RateMemory memory;
  memory.remember("eve", used(10'000), start);
  memory.remember("eve", used(1), start);
  EXPECT_FALSE(admits(memory, "eve", start));
  EXPECT_EQ(memory.count(), 1u);
}

TEST(RateMemory, ForgetsAfterAWhile) {
  RateMemory memory;
  memory.remember("eve", used(1e9), start);
  const auto while_s = std::chrono::seconds(limits::rates_remembered_s);
  EXPECT_FALSE(admits(memory, "eve", start + while_s - 1s));
  EXPECT_TRUE(admits(memory, "eve", start + while_s));
  EXPECT_EQ(memory.count(), 0u);
}

TEST(RateMemory, RemembersNobodyWhoUsedUpNothingOrIsNobody) {
  RateMemory memory;
  memory.remember("ada", used(0), start);
  memory.remember("", used(1e9), start);
  EXPECT_EQ(memory.count(), 0u);
}

TEST(RateMemory, ForgetsWhoLeftFirstWhenThereAreTooMany) {
  RateMemory memory(100);
  for (int i = 0; i < 1000; ++i) {
    memory.remember("eve-" + std::to_string(i), used(1e9), start + std::chrono::milliseconds(i));
    ASSERT_LE(memory.count(), 100u);
  }
  const auto end = start + 1s;
  EXPECT_TRUE(admits(memory, "eve-899", end));
  EXPECT_FALSE(admits(memory, "eve-900", end));
  EXPECT_FALSE(admits(memory, "eve-999", end));
}

}  // namespace
}  // namespace vicinity::access
