// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the contact policy has to remember of pairs: which of them cool down, and which contacts are
// told again and when. What both mean, exactly, is said in events/contact_policy.h. Costs what
// begins, ends and is due, under rules that say so; nothing without them. Tick thread, but for
// is_cooling().

#include <cstddef>
#include <span>
#include <vector>

#include "base/archive.h"
#include "base/limits.h"
#include "events/contact_events.h"
#include "events/contact_policy.h"
#include "events/pair_alarms.h"
#include "index/index.h"
#include "world/restored_entities.h"
#include "world/snapshot.h"

namespace vicinity {

class ContactTimers {
 public:
  /// Tests lower the limit.
  explicit ContactTimers(std::size_t cooldowns_max = limits::cooldowns_max)
      : cooldowns_max_(cooldowns_max) {}

  /// First of all in a tick: lets go of the pairs whose cooldown is over.
  void begin_tick(const Snapshot& snapshot, const ContactPolicy& policy);
  /// Pairs that were let go in this tick and whose entities live, sorted.
  std::span<const SlotPair> released() const { return released_; }
  /// Any worker, between begin_tick() and end_tick().
  bool is_cooling(EntityId a, EntityId b) const { return cooldowns_.contains({a, b}); }

  /// Last of all: `events` holds ends, begins and passed of this tick and gets the stays.
  /// `reviewed`: contacts that go on, under a rule that may be another one than in the last tick.
  void end_tick(const Snapshot& snapshot, const ContactPolicy& policy,
                std::span<const OpenContact> reviewed, ContactEvents& events);
  /// In this tick a pair should have begun to cool down and did not: there are
  /// limits::cooldowns_max that do. Those that came first in the order of events are kept; pairs
  /// whose entities have ended make room from the next tick on.
  bool truncated() const { return truncated_; }

  /// Between two ticks. Without the stays, which follow from the open contacts and the policy.
  void save(ArchiveWriter& out) const;
  /// Into timers that are new. `open`: all open contacts of the restored world.
  void load(ArchiveReader& in, const RestoredEntities& entities, const ContactPolicy& policy,
            std::span<const OpenContact> open);

  std::size_t cooldown_count() const { return cooldowns_.size(); }
  std::size_t stay_count() const { return stays_.size(); }

 private:
  void drop_dead(const Snapshot& snapshot);
  void release(const Snapshot& snapshot, const EntityPair& pair);
  void judge_anew(const Snapshot& snapshot, const ContactPolicy& policy);
  void cool_down(const Snapshot& snapshot, const ContactPolicy& policy,
                 const std::vector<ContactEnd>& ends);
  void tell_stays(const Snapshot& snapshot, const ContactPolicy& policy,
                  std::vector<ContactStay>& out);

  std::size_t cooldowns_max_;
  PairAlarms cooldowns_;
  PairAlarms stays_;
  std::vector<SlotPair> released_;
  std::vector<PairAlarm> due_;  ///< a buffer
  bool truncated_ = false;
  Tick next_clearing_ = 0;
};

}  // namespace vicinity
