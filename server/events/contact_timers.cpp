// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "events/contact_timers.h"

#include <algorithm>

#include "base/check.h"
#include "base/parallel.h"

namespace vicinity {
namespace {

/// Ticks between two looks at all that cools down, when there is no room left.
constexpr Tick clearing_interval_ticks = 1024;

const PolicyRule& rule_of(const Snapshot& snapshot, const ContactPolicy& policy, EntityId a,
                          EntityId b) {
  return policy.rule_of(snapshot.filter[a.index()], snapshot.filter[b.index()]);
}

bool both_live(const Snapshot& snapshot, EntityId a, EntityId b) {
  return snapshot.contains(a) && snapshot.contains(b);
}

template <class AnyContact>
EntityPair pair_of(const AnyContact& contact) {
  return {contact.a, contact.b};
}

}  // namespace

void ContactTimers::begin_tick(const Snapshot& snapshot, const ContactPolicy& policy) {
  recycle(released_);
  recycle(due_);
  if (truncated_ && snapshot.tick >= next_clearing_) drop_dead(snapshot);
  truncated_ = false;
  if (policy.changed_in(snapshot.tick)) {
    judge_anew(snapshot, policy);
  } else if (cooldowns_.size() > 0) {
    cooldowns_.take_due(snapshot.tick, due_);
    for (const PairAlarm& alarm : due_) release(snapshot, alarm.pair);
  }
}

/// Pairs with an entity that ended since are of no use any more, and would hold places for as long
/// as the cooldown is.
void ContactTimers::drop_dead(const Snapshot& snapshot) {
  next_clearing_ = snapshot.tick + clearing_interval_ticks;
  cooldowns_.take_all(due_);
  for (const PairAlarm& alarm : due_) {
    if (both_live(snapshot, alarm.pair.a, alarm.pair.b)) cooldowns_.set(alarm);
  }
  recycle(due_);
}

void ContactTimers::release(const Snapshot& snapshot, const EntityPair& pair) {
  if (both_live(snapshot, pair.a, pair.b)) released_.push_back({pair.a.index(), pair.b.index()});
}

/// By a new table.
void ContactTimers::judge_anew(const Snapshot& snapshot, const ContactPolicy& policy) {
  list_.clear();
  cooldowns_.take_all(due_);
  for (PairAlarm& alarm : due_) {
    if (!both_live(snapshot, alarm.pair.a, alarm.pair.b)) continue;
    const bool was_over = alarm.at <= snapshot.tick;
    const Tick cooldown = rule_of(snapshot, policy, alarm.pair.a, alarm.pair.b).cooldown_ticks;
    alarm.at = alarm.since + cooldown;
    if (was_over || alarm.at <= snapshot.tick) {
      release(snapshot, alarm.pair);
    } else {
      cooldowns_.set(alarm);
      list_.note({alarm.pair, alarm.at, alarm.since});
    }
  }
  if (policy.has_stays()) return;
  recycle(due_);
  stays_.take_all(due_);
}

void ContactTimers::end_tick(const Snapshot& snapshot, const ContactPolicy& policy,
                             std::span<const OpenContact> reviewed, ContactEvents& events) {
  recycle(events.stays);
  if (policy.has_cooldowns()) {
    cool_down(snapshot, policy, events.ends);
    cool_down(snapshot, policy, events.passed);
  }
  list_.publish(snapshot.tick, cooldowns_.size());
  if (stays_.size() > 0) {
    for (const ContactEnd& end : events.ends) stays_.cancel(pair_of(end.contact));
  }
  if (!policy.has_stays()) return;
  const Tick now = snapshot.tick;
  for (const ContactBegin& begin : events.begins) {
    const EventContact& contact = begin.contact;
    const Tick interval = rule_of(snapshot, policy, contact.a, contact.b).stay_interval_ticks;
    if (interval > 0) stays_.set({pair_of(contact), now + interval, now, contact.sensor});
  }
  for (const ContactEnd& end : events.passed) stays_.cancel(pair_of(end.contact));
  for (const OpenContact& contact : reviewed) {
    const Tick interval = rule_of(snapshot, policy, contact.a, contact.b).stay_interval_ticks;
    if (interval == 0) {
      stays_.cancel(pair_of(contact));
      continue;
    }
    const Tick intervals = (now - contact.begin_tick + interval - 1) / interval;
    stays_.set({pair_of(contact), contact.begin_tick + intervals * interval, contact.begin_tick,
                contact.sensor});
  }
  tell_stays(snapshot, policy, events.stays);
}

void ContactTimers::cool_down(const Snapshot& snapshot, const ContactPolicy& policy,
                              const std::vector<ContactEnd>& ends) {
  for (const ContactEnd& end : ends) {
    const EventContact& contact = end.contact;
    if (!both_live(snapshot, contact.a, contact.b)) continue;
    const Tick cooldown = rule_of(snapshot, policy, contact.a, contact.b).cooldown_ticks;
    if (cooldown == 0) continue;
    if (cooldowns_.size() >= cooldowns_max_) {
      truncated_ = true;
      return;
    }
    cooldowns_.set({pair_of(contact), snapshot.tick + cooldown, snapshot.tick, false});
    list_.note({pair_of(contact), snapshot.tick + cooldown, snapshot.tick});
  }
}

/// Invariant: an alarm is set exactly for the open contacts whose rule has an interval, at the next
/// tick in which they are told.
void ContactTimers::tell_stays(const Snapshot& snapshot, const ContactPolicy& policy,
                               std::vector<ContactStay>& out) {
  recycle(due_);
  stays_.take_due(snapshot.tick, due_);
  for (PairAlarm& alarm : due_) {
    const OpenContact contact{alarm.pair.a, alarm.pair.b, alarm.since, alarm.sensor};
    out.push_back({describe(contact, snapshot)});
    const Tick interval = rule_of(snapshot, policy, contact.a, contact.b).stay_interval_ticks;
    CHECK(interval > 0 && alarm.at == snapshot.tick);
    DCHECK((alarm.at - alarm.since) % interval == 0);
    alarm.at += interval;
    stays_.set(alarm);
  }
}

}  // namespace vicinity
