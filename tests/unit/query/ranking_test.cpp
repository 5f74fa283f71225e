// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace vicinity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::size_t no_end = 1'000'000;

RankedHit hit(double value, std::uint32_t index) { return {{value, {}, {}}, EntityId(index, 1)}; }

std::vector<std::uint32_t> indexes(Ranking& ranking) {
  std::vector<std::uint32_t> out;
  for (const RankedHit& kept : ranking.finish()) out.push_back(kept.id.index());
  return out;
}

TEST(Ranking, KeepsTheFirstByValueThenId) {
  Ranking ranking(3, {}, no_end);
  for (const RankedHit& one : {hit(5, 1), hit(2, 9), hit(2, 4), hit(7, 2), hit(1, 8)})
    ranking.offer(one);
  EXPECT_THAT(indexes(ranking), ElementsAre(8, 4, 9));
  EXPECT_FALSE(ranking.is_complete());
}

TEST(Ranking, IsCompleteAtExactlyTheLimit) {
  Ranking full(2, {}, no_end);
  full.offer(hit(1, 1));
  full.offer(hit(2, 2));
  EXPECT_THAT(indexes(full), ElementsAre(1, 2));
  EXPECT_TRUE(full.is_complete());
}

TEST(Ranking, BeginsBehindThePlace) {
  Ranking ranking(10, QueryPlace{2, EntityId(4, 1)}, no_end);
  for (const RankedHit& one : {hit(1, 7), hit(2, 3), hit(2, 4), hit(2, 5), hit(3, 0)})
    ranking.offer(one);
  EXPECT_THAT(indexes(ranking), ElementsAre(5, 0));
}

TEST(Ranking, CountsWhatIsOnEarlierPagesAlsoWhenItComesLater) {
  Ranking ranking(10, QueryPlace{2, EntityId(4, 1)}, 3);
  for (const RankedHit& one : {hit(3, 0), hit(4, 0), hit(5, 0), hit(1, 7), hit(2, 4)})
    ranking.offer(one);
  EXPECT_THAT(indexes(ranking), ElementsAre(0));  // two before, one of three is left
  EXPECT_TRUE(ranking.is_complete());
}

TEST(Ranking, TakesNothingWhenAllAreOnEarlierPages) {
  Ranking ranking(10, QueryPlace{2, EntityId(4, 1)}, 1);
  ranking.offer(hit(3, 0));
  ranking.offer(hit(1, 7));
  EXPECT_FALSE(ranking.may_take(0));
  EXPECT_THAT(indexes(ranking), IsEmpty());
  EXPECT_TRUE(ranking.is_complete());
}

TEST(Ranking, MayTakeWhatTiesWithTheLastOne) {
  Ranking ranking(1, {}, no_end);
  EXPECT_TRUE(ranking.may_take(1e300));
  ranking.offer(hit(1, 5));
  EXPECT_TRUE(ranking.may_take(1e300));  // would show that there is more
  ranking.offer(hit(4, 5));
  EXPECT_TRUE(ranking.may_take(4));
  EXPECT_FALSE(ranking.may_take(4.0000001));
}

TEST(Ranking, GivesOnlyWhatComesBeforeTheUnknown) {
  Ranking ranking(10, {}, no_end);
  for (const RankedHit& one : {hit(1, 5), hit(2, 6), hit(3, 1), hit(4, 2)}) ranking.offer(one);
  std::vector<double> values;
  for (const RankedHit& kept : ranking.finish(3)) values.push_back(kept.surface.value);
  EXPECT_THAT(values, ElementsAre(1, 2));  // one of the same value may have a smaller id
  EXPECT_FALSE(ranking.is_complete());
}

}  // namespace
}  // namespace vicinity
