// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the contract says of contacts, by brute force: every pair of every tick is judged from the
// snapshot alone, with a plain map of what is open and of what cools down. No index, no rest, no
// lists that are kept.

#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "narrow/entity_tests.h"
#include "unit/tick/world_of_sessions.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity::test {

/// A contact with all that tells it apart from another of the same pair.
struct ModelContact {
  ContactName name;
  bool sensor = false;
  friend auto operator<=>(const ModelContact&, const ModelContact&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const ModelContact& contact) {
  const auto& [a, b, begin_tick] = contact.name;
  return out << a.index() << ':' << a.generation() << '-' << b.index() << ':' << b.generation()
             << " of " << begin_tick << (contact.sensor ? " sensor" : "");
}
using ContactSet = std::set<ModelContact>;

template <class Event>
ContactSet set_of(const std::vector<Event>& events) {
  ContactSet out;
  for (const Event& event : events) out.insert({name_of(event.contact), event.contact.sensor});
  return out;
}

class ContactModel {
 public:
  using Pair = std::pair<EntityId, EntityId>;

  std::vector<PolicyRule> policy;  ///< to be set before the tick in which it counts

  void tick(const Snapshot& snapshot) {
    now_ = &snapshot;
    ends.clear();
    begins.clear();
    passed.clear();
    stays.clear();
    if (policy != last_policy_) judge_cooldowns_anew();
    last_policy_ = policy;
    for (const auto& [pair, contact] : std::map(open_)) end_or_go_on(pair, contact);
    for (std::uint32_t a = 0; a < snapshot.slot_count(); ++a)
      for (std::uint32_t b = a + 1; b < snapshot.slot_count(); ++b)
        if (snapshot.is_alive(a) && snapshot.is_alive(b)) maybe_begin(a, b);
  }

  std::map<ModelContact, EndReason> ends;
  ContactSet begins;
  ContactSet passed;
  ContactSet stays;
  ContactSet open() const {
    ContactSet out;
    for (const auto& [pair, contact] : open_) out.insert(contact);
    return out;
  }
  /// Pairs that touch and are allowed to and wait for the end of a cooldown.
  std::size_t held_back = 0;

 private:
  struct Cooldown {
    Tick since = 0;
    Tick over = 0;
  };

  PolicyRule rule_of(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t of_a = now_->filter[a].category;
    const std::uint32_t of_b = now_->filter[b].category;
    for (const PolicyRule& rule : policy) {
      if ((of_a & rule.categories_a) != 0 && (of_b & rule.categories_b) != 0) return rule;
      if ((of_b & rule.categories_a) != 0 && (of_a & rule.categories_b) != 0) return rule;
    }
    return {};
  }
  bool may_touch(std::uint32_t a, std::uint32_t b) const {
    return accepts(now_->filter[a], now_->filter[b]) && !now_->ignore_one_another(a, b) &&
           rule_of(a, b).action != PolicyAction::Ignore;
  }
  bool is_sensor(std::uint32_t a, std::uint32_t b) const {
    return now_->filter[a].sensor || now_->filter[b].sensor ||
           rule_of(a, b).action == PolicyAction::Trigger;
  }
  bool both_live(const Pair& pair) const {
    return now_->contains(pair.first) && now_->contains(pair.second);
  }

  void judge_cooldowns_anew() {
    for (auto& [pair, cooldown] : cooldowns_) {
      if (!both_live(pair) || cooldown.over <= now_->tick) continue;
      const Tick ticks = rule_of(pair.first.index(), pair.second.index()).cooldown_ticks;
      cooldown.over = cooldown.since + ticks;
    }
  }

  void cool_down(const Pair& pair) {
    const Tick ticks = rule_of(pair.first.index(), pair.second.index()).cooldown_ticks;
    cooldowns_[pair] = {now_->tick, now_->tick + ticks};
  }

  EndReason gone_reason(const Pair& pair) const {
    for (const Despawn& despawn : now_->despawned) {
      const bool is_one = despawn.id == pair.first || despawn.id == pair.second;
      if (is_one && despawn.reason != DespawnReason::LeftWorld) return EndReason::Despawned;
    }
    return EndReason::OutOfWorld;
  }
  EndReason reason(std::uint32_t a, std::uint32_t b) const {
    const EntityVersions& of_a = now_->changed[a];
    const EntityVersions& of_b = now_->changed[b];
    const Tick tick = now_->tick;
    if (!now_->filter[a].enabled || !now_->filter[b].enabled) return EndReason::Disabled;
    if (!may_touch(a, b)) return EndReason::FilterChanged;
    if (touch_at_end(*now_, a, b)) return EndReason::FilterChanged;  // another kind of contact
    if (of_a.teleported == tick || of_b.teleported == tick) return EndReason::Teleported;
    if (of_a.shape == tick || of_b.shape == tick) return EndReason::ShapeChanged;
    return EndReason::Separated;
  }

  void end_or_go_on(const Pair& pair, const ModelContact& contact) {
    if (!both_live(pair)) {
      ends[contact] = gone_reason(pair);
      open_.erase(pair);
      return;
    }
    const std::uint32_t a = pair.first.index();
    const std::uint32_t b = pair.second.index();
    if (may_touch(a, b) && touch_at_end(*now_, a, b) && is_sensor(a, b) == contact.sensor) {
      const Tick interval = rule_of(a, b).stay_interval_ticks;
      if (interval > 0 && (now_->tick - contact.name.begin_tick) % interval == 0)
        stays.insert(contact);
      return;
    }
    ends[contact] = reason(a, b);
    open_.erase(pair);
    cool_down(pair);
  }

  void maybe_begin(std::uint32_t a, std::uint32_t b) {
    const Pair pair{now_->id[a], now_->id[b]};
    if (open_.contains(pair) || !may_touch(a, b)) return;
    const bool touches = touch_at_end(*now_, a, b);
    if (!touches && !passing(*now_, a, b)) return;
    const auto cooldown = cooldowns_.find(pair);
    if (cooldown != cooldowns_.end() && now_->tick < cooldown->second.over) {
      ++held_back;
      return;
    }
    const ModelContact contact{{pair.first, pair.second, now_->tick}, is_sensor(a, b)};
    begins.insert(contact);
    if (touches) {
      open_[pair] = contact;
    } else {
      passed.insert(contact);
      cool_down(pair);
    }
  }

  const Snapshot* now_ = nullptr;
  std::vector<PolicyRule> last_policy_;
  std::map<Pair, ModelContact> open_;
  std::map<Pair, Cooldown> cooldowns_;  ///< by the last end of each pair
};

}  // namespace vicinity::test
