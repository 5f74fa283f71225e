// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/query_budget.h"

#include <gtest/gtest.h>

#include <chrono>

namespace vicinity::access {
namespace {

using namespace std::chrono_literals;
const QueryBudget::Clock::time_point start = QueryBudget::Clock::time_point{} + 1h;

/// 2000 at once, of which 500 are kept for authorities.
TEST(QueryBudget, RefusesAuthoritiesLast) {
  QueryBudget budget(1000);
  EXPECT_TRUE(budget.admits(false, start));
  budget.charge(1499us, true, start);
  EXPECT_TRUE(budget.admits(false, start));
  budget.charge(1us, false, start);
  EXPECT_FALSE(budget.admits(false, start));
  EXPECT_TRUE(budget.admits(true, start));
  budget.charge(500us, true, start);
  EXPECT_FALSE(budget.admits(true, start));
}

/// Also what is refused costs time, and is charged.
TEST(QueryBudget, KeepsWhatIsForAuthoritiesHoweverMuchOthersAsk) {
  QueryBudget budget(1000);
  for (int i = 0; i < 1000; ++i) budget.charge(100us, false, start);
  EXPECT_FALSE(budget.admits(false, start));
  EXPECT_TRUE(budget.admits(true, start));
}

/// 750 per second come back for everybody, 250 for authorities.
TEST(QueryBudget, ComesBackWithTime) {
  QueryBudget budget(1000);
  budget.charge(1800us, false, start);  // 300 below nothing
  budget.charge(600us, true, start);    // 100 below
  EXPECT_FALSE(budget.admits(true, start + 399ms));
  EXPECT_FALSE(budget.admits(false, start + 399ms));
  EXPECT_TRUE(budget.admits(false, start + 401ms));
  budget.charge(600us, false, start + 401ms);
  EXPECT_FALSE(budget.admits(false, start + 410ms));
  EXPECT_TRUE(budget.admits(true, start + 410ms));
}

/// As when the process was stopped meanwhile: ten seconds are charged, 10000, of which 1500 were
/// there and 750 come back per second.
TEST(QueryBudget, AnAnswerThatSeemsToTakeAnHourEndsNobodysQuestionsForLong) {
  QueryBudget budget(1000);
  budget.charge(1h, false, start);
  EXPECT_FALSE(budget.admits(false, start + 11s));
  EXPECT_TRUE(budget.admits(false, start + 12s));
}

TEST(QueryBudget, WithoutABoundAdmitsEverybody) {
  QueryBudget budget(0);
  budget.charge(1h, false, start);
  EXPECT_TRUE(budget.admits(false, start));
}

TEST(QueryBudget, KnowsAllThatWasChargedWithABoundOrWithout) {
  for (const double us_per_s : {0.0, 10.0}) {
    QueryBudget budget(us_per_s);
    budget.charge(700us, false, start);
    budget.charge(50us, true, start);
    EXPECT_EQ(budget.charged_us(), 750u);
  }
}

}  // namespace
}  // namespace vicinity::access
