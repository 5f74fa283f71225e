// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/query_budget.h"

#include <gtest/gtest.h>

#include <chrono>

namespace vicinity::access {
namespace {

using namespace std::chrono_literals;
const QueryBudget::Clock::time_point start = QueryBudget::Clock::time_point{} + 1h;

TEST(QueryBudget, RefusesAuthoritiesLast) {
  QueryBudget budget(1000);  // 2000 at once, of which 500 are kept for authorities
  EXPECT_TRUE(budget.admits(false, start));
  budget.charge(1499us, start);
  EXPECT_TRUE(budget.admits(false, start));
  budget.charge(1us, start);
  EXPECT_FALSE(budget.admits(false, start));
  EXPECT_TRUE(budget.admits(true, start));
  budget.charge(500us, start);
  EXPECT_FALSE(budget.admits(true, start));
}

TEST(QueryBudget, ComesBackWithTime) {
  QueryBudget budget(1000);
  budget.charge(3000us, start);  // 1000 below nothing
  EXPECT_FALSE(budget.admits(true, start + 900ms));
  EXPECT_TRUE(budget.admits(true, start + 1100ms));
  EXPECT_FALSE(budget.admits(false, start + 1400ms));
  EXPECT_TRUE(budget.admits(false, start + 1600ms));
}

TEST(QueryBudget, WithoutABoundAdmitsEverybody) {
  QueryBudget budget(0);
  budget.charge(1h, start);
  EXPECT_TRUE(budget.admits(false, start));
}

}  // namespace
}  // namespace vicinity::access
