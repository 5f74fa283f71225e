// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/pair_exclusions.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/limits.h"
#include "base/prng.h"

namespace vicinity {
namespace {

TEST(PairExclusions, AreTheSameBothWays) {
  PairExclusions exclusions;
  EXPECT_EQ(exclusions.freeze(), nullptr);
  EXPECT_EQ(exclusions.add(70, 3), ErrorCode::None);
  EXPECT_TRUE(exclusions.contains(3, 70));
  EXPECT_TRUE(exclusions.contains(70, 3));
  const auto frozen = exclusions.freeze();
  ASSERT_NE(frozen, nullptr);
  EXPECT_TRUE(frozen->contains(3, 70));
  EXPECT_TRUE(frozen->contains(70, 3));
  EXPECT_FALSE(frozen->contains(3, 4));
  EXPECT_FALSE(frozen->contains(3, 5'000'000));
  EXPECT_EQ(exclusions.freeze(), frozen);
  exclusions.remove(3, 70);
  EXPECT_EQ(exclusions.freeze(), nullptr);
  EXPECT_TRUE(frozen->contains(3, 70));  // what is frozen stays
}

TEST(PairExclusions, AreThoseOfAPlainSet) {
  Prng prng(1);
  PairExclusions exclusions;
  std::set<std::pair<std::uint32_t, std::uint32_t>> plain;
  for (int step = 0; step < 5'000; ++step) {
    const auto a = static_cast<std::uint32_t>(prng.below(200));
    const auto b = static_cast<std::uint32_t>(prng.below(200));
    if (a == b) continue;
    const std::pair pair{std::min(a, b), std::max(a, b)};
    switch (prng.below(8)) {
      case 0:
        exclusions.remove_all(a);
        std::erase_if(plain, [&](const auto& p) { return p.first == a || p.second == a; });
        break;
      case 1:
      case 2:
        exclusions.remove(a, b);
        plain.erase(pair);
        break;
      default: ASSERT_EQ(exclusions.add(a, b), ErrorCode::None); plain.insert(pair);
    }
    if (step % 50 != 0) continue;
    const auto frozen = exclusions.freeze();
    ASSERT_EQ(frozen == nullptr ? 0 : frozen->size(), plain.size());
    for (const auto& [x, y] : plain) ASSERT_TRUE(frozen->contains(y, x));
  }
}

TEST(PairExclusions, OfOneEntityAreBounded) {
  PairExclusions exclusions;
  for (std::uint32_t i = 1; i <= limits::exclusions_per_entity_max; ++i) {
    ASSERT_EQ(exclusions.add(0, i), ErrorCode::None);
  }
  EXPECT_EQ(exclusions.add(0, 1), ErrorCode::None);  // is there already
  EXPECT_EQ(exclusions.add(0, 1'000), ErrorCode::LimitExceeded);
  EXPECT_EQ(exclusions.add(1'000, 0), ErrorCode::LimitExceeded);
  exclusions.remove(0, 1);
  EXPECT_EQ(exclusions.add(0, 1'000), ErrorCode::None);
}

}  // namespace
}  // namespace vicinity
