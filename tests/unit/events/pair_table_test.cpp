// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/pair_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/prng.h"

namespace vicinity {
namespace {

EntityPair pair(std::uint32_t a, std::uint32_t b, std::uint32_t generation = 1) {
  return {EntityId(a, generation), EntityId(b, 1)};
}

TEST(PairTable, WithoutPairsFindsNone) {
  PairTable<int> table;
  EXPECT_TRUE(table.empty());
  EXPECT_FALSE(table.contains(pair(1, 2)));
  EXPECT_FALSE(table.erase(pair(1, 2)));
}

TEST(PairTable, HoldsOneValueForEachPair) {
  PairTable<int> table;
  EXPECT_TRUE(table.set(pair(0, 1), 5));
  EXPECT_FALSE(table.set(pair(0, 1), 6));
  EXPECT_TRUE(table.set(pair(0, 1, 2), 7));  // another generation
  ASSERT_NE(table.find(pair(0, 1)), nullptr);
  EXPECT_EQ(*table.find(pair(0, 1)), 6);
  EXPECT_EQ(*table.find(pair(0, 1, 2)), 7);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_TRUE(table.erase(pair(0, 1)));
  EXPECT_FALSE(table.contains(pair(0, 1)));
  EXPECT_TRUE(table.contains(pair(0, 1, 2)));
}

/// Grows and shrinks many times; crowded, so that pairs stand far from their homes.
TEST(PairTable, ActsLikeAMap) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    PairTable<std::uint64_t> table;
    std::map<EntityPair, std::uint64_t> model;
    const std::uint64_t slots = 4 + prng.below(60);
    for (int step = 0; step < 20'000; ++step) {
      const double fill = step / 2000 % 2 == 0 ? 0.8 : 0.1;
      const auto a = static_cast<std::uint32_t>(prng.below(slots));
      const EntityPair each = pair(a, a + 1 + static_cast<std::uint32_t>(prng.below(slots)));
      if (prng.chance(fill)) {
        const std::uint64_t value = prng.next();
        ASSERT_EQ(table.set(each, value), !model.contains(each));
        model[each] = value;
      } else {
        ASSERT_EQ(table.erase(each), model.erase(each) != 0);
      }
      ASSERT_EQ(table.size(), model.size());
    }
    for (std::uint32_t a = 0; a < slots; ++a) {
      for (std::uint32_t b = a + 1; b <= a + slots; ++b) {
        const auto found = model.find(pair(a, b));
        const std::uint64_t* const value = table.find(pair(a, b));
        ASSERT_EQ(value != nullptr, found != model.end());
        if (value != nullptr) {
          ASSERT_EQ(*value, found->second);
        }
      }
    }
  }
}

}  // namespace
}  // namespace vicinity
