// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "base/ids.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

TEST(EntityId, DefaultIsNoEntity) {
  EXPECT_FALSE(EntityId());
  EXPECT_EQ(EntityId().raw(), 0u);
}

TEST(EntityId, FirstEntityOfSlotZeroIsNotNoEntity) { EXPECT_TRUE(EntityId(0, 1)); }

TEST(EntityId, KeepsIndexLowAndGenerationHigh) {
  const EntityId id(0x89AB'CDEFu, 0x0123'4567u);
  EXPECT_EQ(id.raw(), 0x0123'4567'89AB'CDEFull);
  EXPECT_EQ(id.index(), 0x89AB'CDEFu);
  EXPECT_EQ(id.generation(), 0x0123'4567u);
}

TEST(EntityId, SurvivesTheWireAtBothEnds) {
  for (const EntityId id : {EntityId(0xFFFF'FFFFu, 1), EntityId(0, 0xFFFF'FFFFu), EntityId(7, 9)}) {
    EXPECT_EQ(EntityId::from_raw(id.raw()), id);
  }
}

TEST(EntityId, OrdersBySlotBeforeGeneration) {
  EXPECT_LT(EntityId(1, 900), EntityId(2, 1));
  EXPECT_LT(EntityId(2, 1), EntityId(2, 2));
  EXPECT_NE(EntityId(2, 1), EntityId(2, 2));
}

}  // namespace
}  // namespace vicinity
