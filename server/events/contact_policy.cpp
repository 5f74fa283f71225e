// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_policy.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace vicinity {
namespace {

const PolicyRule no_rule = {};

}  // namespace

void ContactPolicy::replace(std::span<const PolicyRule> rules, Tick tick) {
  CHECK(rules.size() <= limits::policy_rules_max);
  if (std::equal(rules.begin(), rules.end(), rules_.begin(), rules_.end())) return;
  rules_.assign(rules.begin(), rules.end());
  changed_ = tick;
  by_category_ = {};
  has_cooldowns_ = false;
  has_stays_ = false;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const PolicyRule& rule = rules_[i];
    has_cooldowns_ = has_cooldowns_ || rule.cooldown_ticks > 0;
    has_stays_ = has_stays_ || rule.stay_interval_ticks > 0;
    for (std::size_t bit = 0; bit < by_category_.size(); ++bit) {
      if ((rule.categories_a >> bit & 1) != 0) by_category_[bit].as_a |= RuleBits{1} << i;
      if ((rule.categories_b >> bit & 1) != 0) by_category_[bit].as_b |= RuleBits{1} << i;
    }
  }
}

ContactPolicy::CategoryRules ContactPolicy::rules_of(std::uint32_t category) const {
  CategoryRules all;
  for (std::uint32_t left = category; left != 0; left &= left - 1) {
    const auto& of_bit = by_category_[static_cast<std::size_t>(std::countr_zero(left))];
    all.as_a |= of_bit.as_a;
    all.as_b |= of_bit.as_b;
  }
  return all;
}

const PolicyRule& ContactPolicy::rule_of(const Filter& a, const Filter& b) const {
  const CategoryRules of_a = rules_of(a.category);
  const CategoryRules of_b = rules_of(b.category);
  const RuleBits fitting = (of_a.as_a & of_b.as_b) | (of_a.as_b & of_b.as_a);
  if (fitting == 0) return no_rule;
  return rules_[static_cast<std::size_t>(std::countr_zero(fitting))];
}

}  // namespace vicinity
