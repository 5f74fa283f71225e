// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pairs.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

CandidatePairs candidates(const std::vector<std::vector<SlotPair>>& blocks) {
  CandidatePairs out;
  out.blocks.reset(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) out.blocks.at(i) = blocks[i];
  return out;
}

TEST(Pairs, AreSortedAcrossBlocks) {
  Workers workers(1);
  PairList pairs{{9, 9}};
  unique_pairs(candidates({{{3, 4}, {1, 9}}, {}, {{1, 2}, {0, 7}}}), workers, pairs);
  EXPECT_EQ(pairs, (PairList{{0, 7}, {1, 2}, {1, 9}, {3, 4}}));
}

TEST(Pairs, AreTheSameForAnyNumberOfWorkers) {
  std::vector<std::vector<SlotPair>> blocks(7);
  PairList expected;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const std::uint32_t a = (i * 7919) % 50'000;  // a permutation
    blocks[i % 7].push_back({a, a + 1});
    expected.push_back({i, i + 1});
  }
  for (const int count : {1, 2, 8}) {
    Workers workers(count);
    PairList pairs;
    unique_pairs(candidates(blocks), workers, pairs);
    EXPECT_EQ(pairs, expected) << count;
  }
}

TEST(Pairs, NoCandidatesGiveNoPairs) {
  Workers workers(1);
  PairList pairs{{1, 2}};
  unique_pairs(candidates({}), workers, pairs);
  EXPECT_TRUE(pairs.empty());
}

TEST(Pairs, GiveMemoryBackAfterAPeak) {
  Workers workers(1);
  std::vector<SlotPair> many;
  for (std::uint32_t i = 0; i < 50'000; ++i) many.push_back({i, i + 1});
  PairList pairs;
  unique_pairs(candidates({many}), workers, pairs);
  unique_pairs(candidates({{{1, 2}}}), workers, pairs);
  EXPECT_GE(pairs.capacity(), 50'000u) << "kept for a second tick of that kind";
  unique_pairs(candidates({{{1, 2}}}), workers, pairs);
  EXPECT_LT(pairs.capacity(), 50'000u);
  EXPECT_EQ(pairs, (PairList{{1, 2}}));
}

TEST(PairsDeathTest, APairReportedTwiceStopsTheProcess) {
  Workers workers(1);
  PairList pairs;
  EXPECT_DEATH(unique_pairs(candidates({{{1, 2}}, {{1, 2}}}), workers, pairs), "CHECK failed");
}

}  // namespace
}  // namespace vicinity
