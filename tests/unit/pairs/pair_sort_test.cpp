// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

using Pairs = std::vector<SlotPair>;

Pairs sorted(Pairs from) {
  Pairs to(from.size(), SlotPair{7, 7});
  SlotRange slots{0xFFFF'FFFFu, 0, 0};
  for (const SlotPair pair : from) {
    slots.first_begin = std::min(slots.first_begin, std::uint64_t{pair.a});
    slots.first_end = std::max(slots.first_end, std::uint64_t{pair.a} + 1);
    slots.bits = std::max(slots.bits, 32 - std::countl_zero(pair.b));
  }
  Pairs scratch = from;
  sort_pairs(scratch, to, slots);
  // The same when less is known of where they lie.
  Pairs again(from.size(), SlotPair{7, 7});
  sort_pairs(from, again, {0, std::uint64_t{1} << 32, 32});
  EXPECT_EQ(again, to);
  return to;
}

/// Tries the set in random order.
void expect_sorts(const std::set<SlotPair>& pairs, std::uint64_t seed) {
  Prng prng(seed);
  Pairs order(pairs.begin(), pairs.end());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
  EXPECT_EQ(sorted(order), Pairs(pairs.begin(), pairs.end())) << "seed " << seed;
}

TEST(PairSort, SortsNothingAndOne) {
  EXPECT_EQ(sorted({}), Pairs{});
  EXPECT_EQ(sorted({{3, 9}}), (Pairs{{3, 9}}));
}

TEST(PairSort, SortsByTheFirstSlotThenByTheSecond) {
  EXPECT_EQ(sorted({{2, 3}, {1, 9}, {1, 4}, {0, 5}}), (Pairs{{0, 5}, {1, 4}, {1, 9}, {2, 3}}));
}

TEST(PairSort, SortsAnyNumberOfRandomPairs) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Prng prng(seed);
    const std::uint64_t slots = std::uint64_t{2} << prng.below(24);
    const std::uint64_t count = prng.below(std::uint64_t{1} << prng.below(13));
    std::set<SlotPair> pairs;
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto a = static_cast<std::uint32_t>(prng.below(slots));
      const auto b = static_cast<std::uint32_t>(prng.below(slots));
      if (a != b) pairs.insert({std::min(a, b), std::max(a, b)});
    }
    expect_sorts(pairs, seed);
  }
}

TEST(PairSort, SortsTheManyPartnersOfOneSlot) {
  std::set<SlotPair> pairs;
  for (std::uint32_t i = 1; i <= 100'000; ++i) pairs.insert({0, i});
  expect_sorts(pairs, 1);
  for (std::uint32_t i = 0; i < 1000; ++i) pairs.insert({i, i + 1});
  expect_sorts(pairs, 2);
}

// All ranges are cut at both of these, so that one bucket holds nearly everything, again and again.
TEST(PairSort, SortsCrowdsFarApart) {
  std::set<SlotPair> pairs;
  for (std::uint32_t step = 0; step < 32; ++step)
    for (std::uint32_t i = 1; i < 200; ++i) pairs.insert({0, (1u << step) / 2 + i});
  pairs.insert({0xFFFF'FFFEu, 0xFFFF'FFFFu});
  expect_sorts(pairs, 3);
}

TEST(PairSortDeathTest, RefusesAPairThatIsThereTwice) {
  EXPECT_DEATH(sorted({{1, 2}, {3, 4}, {1, 2}}), "CHECK failed");
  EXPECT_DEATH(sorted({{1, 2}, {1, 2}}), "CHECK failed");
  EXPECT_DEATH(sorted(Pairs(100, SlotPair{1, 2})), "CHECK failed");
  Pairs many;
  for (std::uint32_t i = 0; i < 1000; ++i) many.push_back({i / 40, 100 + i % 40});
  many.push_back(many[500]);
  EXPECT_DEATH(sorted(many), "CHECK failed");
}

}  // namespace
}  // namespace vicinity
