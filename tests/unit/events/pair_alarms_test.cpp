// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/pair_alarms.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

EntityPair pair(std::uint32_t a, std::uint32_t b, std::uint32_t generation = 1) {
  return {EntityId(a, generation), EntityId(b, 1)};
}

struct Due {
  EntityPair pair;
  Tick at = 0;
  friend bool operator==(const Due&, const Due&) = default;
};
std::vector<Due> take(PairAlarms& alarms, Tick tick) {
  std::vector<PairAlarm> out;
  alarms.take_due(tick, out);
  std::vector<Due> due;
  for (const PairAlarm& alarm : out) due.push_back({alarm.pair, alarm.at});
  return due;
}

TEST(PairAlarms, AreDueOnceInTheirTickSortedByPair) {
  PairAlarms alarms;
  alarms.set({pair(3, 4), 7, 1, true});
  alarms.set({pair(1, 9), 7, 2, false});
  alarms.set({pair(1, 2), 8, 3, false});
  EXPECT_TRUE(take(alarms, 6).empty());
  EXPECT_EQ(take(alarms, 7), (std::vector<Due>{{pair(1, 9), 7}, {pair(3, 4), 7}}));
  EXPECT_TRUE(take(alarms, 7).empty());
  EXPECT_TRUE(alarms.contains(pair(1, 2)));
  EXPECT_EQ(alarms.size(), 1u);
}

TEST(PairAlarms, TheNewestOfAPairCountsAndCancelledOnesDoNot) {
  PairAlarms alarms;
  alarms.set({pair(1, 2), 5, 0, false});
  alarms.set({pair(1, 2), 9, 0, false});
  alarms.set({pair(1, 3), 5, 0, false});
  alarms.cancel(pair(1, 3));
  alarms.cancel(pair(1, 4));
  EXPECT_TRUE(take(alarms, 8).empty());
  alarms.set({pair(1, 2), 10, 0, false});
  alarms.set({pair(1, 2), 9, 0, false});  // back again: still once
  EXPECT_EQ(take(alarms, 9), (std::vector<Due>{{pair(1, 2), 9}}));
  EXPECT_EQ(alarms.size(), 0u);
}

TEST(PairAlarms, AnotherGenerationIsAnotherPair) {
  PairAlarms alarms;
  alarms.set({pair(1, 2, 1), 5, 0, false});
  EXPECT_FALSE(alarms.contains(pair(1, 2, 2)));
  alarms.cancel(pair(1, 2, 2));
  EXPECT_EQ(take(alarms, 5).size(), 1u);
}

TEST(PairAlarms, ActLikeAPlainMapWhateverIsSetAndCancelled) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    PairAlarms alarms;
    std::map<EntityPair, Tick> model;
    for (Tick tick = 1; tick < 300; ++tick) {
      for (std::uint64_t i = prng.below(60); i > 0; --i) {
        const auto a = static_cast<std::uint32_t>(prng.below(10));
        const EntityPair each = pair(a, a + 1 + static_cast<std::uint32_t>(prng.below(5)));
        if (prng.chance(0.3)) {
          alarms.cancel(each);
          model.erase(each);
        } else {
          const Tick at = tick + 1 + prng.below(prng.chance(0.1) ? 200 : 5);
          alarms.set({each, at, tick, false});
          model[each] = at;
        }
      }
      std::vector<Due> expected;
      for (const auto& [each, at] : model)
        if (at <= tick) expected.push_back({each, at});
      for (const Due& due : expected) model.erase(due.pair);
      ASSERT_EQ(take(alarms, tick), expected) << "tick " << tick;
      ASSERT_EQ(alarms.size(), model.size());
    }
    std::vector<PairAlarm> rest;
    alarms.take_all(rest);
    EXPECT_EQ(rest.size(), model.size());
    EXPECT_EQ(alarms.size(), 0u);
  }
}

TEST(PairAlarms, ForgetWhatWasPutOff) {
  PairAlarms alarms;
  for (Tick tick = 1; tick <= 100'000; ++tick) alarms.set({pair(1, 2), 10'000'000, tick, false});
  EXPECT_LT(alarms.calendar_size(), 3'000u);
  EXPECT_EQ(take(alarms, 10'000'000).size(), 1u);
}

TEST(PairAlarms, ForgetWhatWasCancelled) {
  PairAlarms alarms;
  for (std::uint32_t i = 0; i < 20'000; ++i) alarms.set({pair(i, i + 1), 1'000'000, 0, false});
  for (std::uint32_t i = 1; i < 20'000; ++i) alarms.cancel(pair(i, i + 1));
  EXPECT_EQ(alarms.size(), 1u);
  EXPECT_LT(alarms.calendar_size(), 3'000u);
  EXPECT_EQ(take(alarms, 1'000'000).size(), 1u);
}

}  // namespace
}  // namespace vicinity
