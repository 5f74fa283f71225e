// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/lane_turn.h"

#include <gtest/gtest.h>

#include <array>

#include "base/prng.h"

namespace vicinity {
namespace {

using Records = std::array<LaneRecord, lane_count>;

Records random_records(Prng& prng) {
  Records out;
  for (LaneRecord& record : out) {
    for (int axis = 0; axis < 3; ++axis) {
      record.low[axis] = static_cast<float>(prng.between(-60, 60));
      record.high[axis] = record.low[axis] + static_cast<float>(prng.between(0, 2));
    }
    record.radius = static_cast<float>(prng.between(0, 3));
    for (const std::uint32_t flag :
         {LaneRecord::is_alive, LaneRecord::is_loose, LaneRecord::differs})
      if (prng.chance(0.5)) record.flags |= flag;
  }
  return out;
}

TEST(LaneTurn, PutsEveryRecordIntoItsLane) {
  Prng prng(1);
  const Records records = random_records(prng);
  LaneGroup group;
  turn_lanes(records.data(), group);
  for (std::size_t k = 0; k < lane_count; ++k) {
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(group.low[axis][k], records[k].low[axis]);
      EXPECT_EQ(group.high[axis][k], records[k].high[axis]);
    }
    EXPECT_EQ(group.radius[k], records[k].radius);
  }
}

TEST(LaneTurn, SumHoldsEveryFlagAndShape) {
  Prng prng(2);
  for (int round = 0; round < 100; ++round) {
    const Records records = random_records(prng);
    LaneGroup group;
    const LaneSum sum = turn_lanes(records.data(), group);
    for (std::size_t k = 0; k < lane_count; ++k) {
      const LaneRecord& record = records[k];
      EXPECT_EQ((sum.alive >> k & 1) != 0, (record.flags & LaneRecord::is_alive) != 0);
      EXPECT_EQ((sum.loose >> k & 1) != 0, (record.flags & LaneRecord::is_loose) != 0);
      EXPECT_EQ((sum.differs >> k & 1) != 0, (record.flags & LaneRecord::differs) != 0);
      EXPECT_LE(record.radius, sum.radius);
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_LE(sum.low[axis], record.low[axis] - record.radius);
        EXPECT_GE(sum.high[axis], record.high[axis] + record.radius);
      }
    }
  }
}

}  // namespace
}  // namespace vicinity
