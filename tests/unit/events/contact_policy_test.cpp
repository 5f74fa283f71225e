// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_policy.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"

namespace vicinity {
namespace {

Filter of_category(std::uint32_t category) {
  Filter filter;
  filter.category = category;
  return filter;
}

/// As the contract says it, word by word.
PolicyRule first_that_fits(const std::vector<PolicyRule>& rules, std::uint32_t a, std::uint32_t b) {
  for (const PolicyRule& rule : rules) {
    const bool this_way = (a & rule.categories_a) != 0 && (b & rule.categories_b) != 0;
    const bool that_way = (b & rule.categories_a) != 0 && (a & rule.categories_b) != 0;
    if (this_way || that_way) return rule;
  }
  return {};
}

TEST(ContactPolicy, WithoutRulesChangesNothing) {
  const ContactPolicy policy;
  EXPECT_TRUE(policy.empty());
  EXPECT_FALSE(policy.has_cooldowns() || policy.has_stays() || policy.changed_in(0));
  EXPECT_EQ(policy.rule_of(of_category(1), of_category(0xFFFF'FFFF)), PolicyRule{});
}

TEST(ContactPolicy, FindsTheFirstRuleThatFitsWhicheverWayRound) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Prng prng(seed);
    // Few bits, so that rules fit often and often not; all 32 now and then.
    const auto categories = [&] {
      if (prng.chance(0.1)) return static_cast<std::uint32_t>(prng.next());
      std::uint32_t bits = 0;
      for (std::uint64_t i = prng.below(3); i > 0; --i) bits |= 1u << prng.below(8) * 4;
      return bits;
    };
    std::vector<PolicyRule> rules(prng.below(limits::policy_rules_max + 1));
    for (std::size_t i = 0; i < rules.size(); ++i)
      rules[i] = {categories(), categories(), static_cast<PolicyAction>(prng.below(3)),
                  static_cast<std::uint32_t>(i), 0};
    ContactPolicy policy;
    policy.replace(rules, 1);
    for (int i = 0; i < 200; ++i) {
      const std::uint32_t a = categories();
      const std::uint32_t b = categories();
      const PolicyRule expected = first_that_fits(rules, a, b);
      ASSERT_EQ(policy.rule_of(of_category(a), of_category(b)), expected) << a << ' ' << b;
      ASSERT_EQ(policy.rule_of(of_category(b), of_category(a)), expected) << a << ' ' << b;
    }
  }
}

TEST(ContactPolicy, AllSixtyFourRulesCanCount) {
  std::vector<PolicyRule> rules;
  for (std::uint32_t i = 0; i < 64; ++i)
    rules.push_back({1u << i % 32, i < 32 ? 1u : 2u, PolicyAction::Contact, i + 1, 0});
  ContactPolicy policy;
  policy.replace(rules, 1);
  EXPECT_EQ(policy.rule_of(of_category(1u << 31), of_category(1)).stay_interval_ticks, 32u);
  EXPECT_EQ(policy.rule_of(of_category(2), of_category(1u << 31)).stay_interval_ticks, 64u);
  EXPECT_EQ(policy.rule_of(of_category(1), of_category(1)).stay_interval_ticks, 1u);
}

TEST(ContactPolicy, KnowsWhenItChangedAndWhatItNeeds) {
  ContactPolicy policy;
  policy.replace(std::vector<PolicyRule>{{1, 1, PolicyAction::Contact, 0, 5}}, 3);
  EXPECT_TRUE(policy.changed_in(3) && !policy.changed_in(2) && !policy.changed_in(4));
  EXPECT_TRUE(policy.has_cooldowns() && !policy.has_stays());
  policy.replace(std::vector<PolicyRule>{{1, 1, PolicyAction::Contact, 0, 5}}, 4);
  EXPECT_FALSE(policy.changed_in(4));  // the same table
  policy.replace(std::vector<PolicyRule>{{1, 1, PolicyAction::Contact, 5, 0}}, 5);
  EXPECT_TRUE(policy.changed_in(5) && policy.has_stays() && !policy.has_cooldowns());
  policy.replace({}, 6);
  EXPECT_TRUE(policy.changed_in(6) && policy.empty());
  EXPECT_FALSE(policy.has_stays() || policy.has_cooldowns());
}

}  // namespace
}  // namespace vicinity
