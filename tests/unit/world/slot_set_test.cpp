// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/slot_set.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"

namespace vicinity {
namespace {

using Slots = std::vector<std::uint32_t>;

TEST(SlotSet, GivesBackAscendingAndOnce) {
  SlotSet set;
  set.grow(100'000);
  for (const std::uint32_t slot : {99'999u, 0u, 4096u, 63u, 64u, 4095u, 0u, 64u}) set.add(slot);
  Slots out{7};
  set.drain_into(out);
  EXPECT_EQ(out, (Slots{7, 0, 63, 64, 4095, 4096, 99'999}));
}

TEST(SlotSet, IsEmptyAfterwards) {
  SlotSet set;
  set.grow(1);
  set.add(0);
  Slots out;
  set.drain_into(out);
  out.clear();
  set.drain_into(out);
  EXPECT_EQ(out, Slots{});
}

TEST(SlotSet, KeepsWhatItHoldsWhenItGrows) {
  SlotSet set;
  set.grow(1);
  set.add(0);
  set.grow(1'000'000);
  set.add(999'999);
  set.grow(10);
  Slots out;
  set.drain_into(out);
  EXPECT_EQ(out, (Slots{0, 999'999}));
}

TEST(SlotSet, HoldsWhatAnOrderedSetHolds) {
  Prng prng(20261);
  SlotSet set;
  for (int round = 0; round < 50; ++round) {
    const auto slots = static_cast<std::uint32_t>(1 + prng.below(20'000));
    set.grow(slots);
    std::set<std::uint32_t> expected;
    for (std::uint64_t i = prng.below(500); i > 0; --i) {
      const auto slot = static_cast<std::uint32_t>(prng.below(slots));
      expected.insert(slot);
      set.add(slot);
    }
    Slots out;
    set.drain_into(out);
    ASSERT_EQ(out, Slots(expected.begin(), expected.end())) << "round " << round;
  }
}

}  // namespace
}  // namespace vicinity
