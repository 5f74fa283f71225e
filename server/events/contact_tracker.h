// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Begin and end of contacts, by merging the sorted contacts of two ticks. Every begin has exactly
// one end. Tick room.
//
//      open after the last tick                      contacts of this tick
//      | active | + | woken: taken out of what rests |     | of the reported pairs |
//                        \________ merged by pair ________/    and of those that may begin again
//          in both              only before                    only now
//          goes on      both at rest: comes to rest             begins
//                       else: ends, with its reason
//
// A contact whose entities both rest is not looked at until one of them wakes. What the policy says
// of a pair (events/contact_policy.h) is asked for every contact that the index reported; a pair at
// rest is looked at once more when its cooldown is over. When the table changes, the index must be
// told that everything moved: then all of it is reported and decided anew.

#include <vector>

#include "base/archive.h"
#include "base/buffer_pool.h"
#include "base/parallel.h"
#include "events/contact_events.h"
#include "events/contact_policy.h"
#include "events/contact_timers.h"
#include "events/open_contacts.h"
#include "index/index.h"
#include "narrow/contacts.h"
#include "world/restored_entities.h"
#include "world/snapshot.h"

namespace vicinity {

/// What the tracker is told about one tick. Everything outlives update().
struct ContactInput {
  const Snapshot& last;  ///< of the last tick; in the first tick an empty one
  const Snapshot& snapshot;
  ContactList contacts;  ///< of the pairs that the index reported
  const Index& index;    ///< of this tick, pairs found
  bool pairs_truncated = false;
  const ContactPolicy* policy = nullptr;  ///< after the commands of this tick; null = no rules
};

class ContactTracker {
 public:
  ContactTracker();
  ~ContactTracker();
  ContactTracker(const ContactTracker&) = delete;
  ContactTracker& operator=(const ContactTracker&) = delete;

  /// Tick thread, once per tick. Fills `out` anew and numbers what it tells.
  /// A pair whose sensor flag changed ends (FilterChanged) and begins in the same tick.
  /// Reason of an end, first that applies to either entity in this tick: despawned, out of world,
  /// disabled, filter changed (the policy ignores the pair: the same), teleported, shape changed,
  /// pair budget, separated.
  /// O(contacts + active before + what comes to rest or wakes), parallel. With rules, each contact
  /// that is not at rest looks up its rule.
  void update(const ContactInput& input, Workers& workers, ContactEvents& out);

  /// Tick thread. Frozen; the next update() changes nothing of it. O(1).
  const OpenContacts& open() const { return open_; }

  /// RestartCommand: so many numbers of events are never given out.
  void skip_event_numbers(std::uint64_t count) { event_count_ += count; }

  /// Tick thread, between two ticks. O(contacts), parallel.
  void save(ArchiveWriter& out, Workers& workers) const;
  /// Into a tracker that is new, after `policy` and `entities` were restored; fails the reader when
  /// these are no bytes of save(). All contacts count as moving ones: the index has to report their
  /// pairs in the next tick. Those of quarantined entities are left out, without an end.
  void load(ArchiveReader& in, const RestoredEntities& entities, const ContactPolicy& policy);

  /// See ContactTimers::truncated().
  bool cooldowns_truncated() const { return timers_.truncated(); }

 private:
  /// A part of the merge: neighbouring pairs. Parts are joined in order.
  struct Part;

  ContactList find_released(const ContactInput& input, Workers& workers);
  void divide(const ContactInput& input, ContactList released);
  void take_over(Workers& workers);
  void join(ContactEvents& out);
  void number(ContactEvents& events);

  std::vector<Part> parts_;  ///< the first part_count_ are of this tick, the rest are spare
  std::size_t part_count_ = 0;
  std::vector<OpenContact> woken_;
  std::vector<OpenContact> rested_;
  std::vector<OpenContact> reviewed_;  ///< go on, maybe under another rule
  ContactTimers timers_;
  std::vector<SlotPair> released_pairs_;  ///< at rest, and no longer cooling down
  ContactFinder released_finder_;
  std::uint64_t event_count_ = 0;  ///< told so far
  RestingContacts resting_;
  BufferPool<RawBuffer<OpenContact>> pool_;  ///< of open_.active_
  OpenContacts open_;
};

}  // namespace vicinity
