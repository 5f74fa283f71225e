// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What becomes of contacts between entities of certain categories: the rules that an authority or
// the configuration set. A table and nothing else; what has to be remembered of pairs is in
// events/contact_timers.h. Tick room.
//
// A rule fits a pair when one of the two has any of categories_a and the other any of categories_b,
// whichever way round. The first rule of the table that fits counts; without one the pair is as the
// shapes and the sensors say.
//
//      rules             bit      0           1           2
//      categories_a             wolf        wolf         any
//      categories_b             sheep       any          crow
//
//      as_a(wolf)               1           1           1
//      as_b(crow)               0           1           1
//
//      as_a(x) & as_b(y) | as_a(y) & as_b(x) are the rules that fit; the lowest bit counts
//
// Exactly, in tick t, by the table after the commands of t and the filters in the snapshot of t:
//
// - Ignore: the pair is in no contact. One that is open ends in t, FilterChanged.
// - Trigger: the pair is a sensor contact. One that is open and was none ends (FilterChanged) and
//   begins anew in t, as when an entity becomes a sensor.
// - Cooldown: when a contact ends in t under a rule with cooldown_ticks k > 0 and both entities
//   live on, the pair begins no contact before t + k, neither by touching nor by passing through.
//   It begins in tick t + k when it touches at the end of that tick, whether anything moved or not
//   (but for what the pair budget cuts off). At most limits::cooldowns_max pairs cool down.
//   A contact that ends and would begin anew in one tick (Trigger, or a change of sensor) waits
//   like any other.
// - A table that is replaced in t by another one: a pair that still cools down in t does so by the
//   rule of the new table that fits it in t, from its end on; without a cooldown there it is over.
//   Categories that change have no such effect: the cooldown that began goes on.
// - Stay: a contact that goes on in t, under a rule with stay_interval_ticks k > 0, is told when
//   t - begin_tick is a multiple of k. The rule of t counts, not the one it began with.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "world/command.h"
#include "world/filter.h"

namespace vicinity {

class ContactPolicy {
 public:
  /// Of a table without rules, which changes nothing.
  ContactPolicy() = default;

  /// Tick thread, while the commands of `tick` are applied. Replaces the table; at most
  /// limits::policy_rules_max rules (CHECKed). The same table again is no change.
  void replace(std::span<const PolicyRule> rules, Tick tick);

  std::span<const PolicyRule> rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }
  bool has_cooldowns() const { return has_cooldowns_; }
  bool has_stays() const { return has_stays_; }
  /// Whether the commands of this tick replaced the table by another one.
  bool changed_in(Tick tick) const { return tick != 0 && changed_ == tick; }

  /// The rule that counts for two entities, else one that changes nothing. Valid until replace().
  /// O(1) for entities of one category.
  const PolicyRule& rule_of(const Filter& a, const Filter& b) const;

 private:
  using RuleBits = std::uint64_t;
  static_assert(limits::policy_rules_max <= 64, "one bit each");

  struct CategoryRules {
    RuleBits as_a = 0;
    RuleBits as_b = 0;
  };
  CategoryRules rules_of(std::uint32_t category) const;

  std::vector<PolicyRule> rules_;
  std::array<CategoryRules, 32> by_category_{};  ///< by bit of the category
  Tick changed_ = 0;
  bool has_cooldowns_ = false;
  bool has_stays_ = false;
};

}  // namespace vicinity
