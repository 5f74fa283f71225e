// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One number for everything a tick decided, to compare runs with: the same commands must give the
// same hash for any number of workers, any kind of index and any build. One exception: while the
// pair budget bites (TickReport::pairs_truncated), and for the contacts that go on from such a
// tick, kinds of index differ, since each keeps another subset of the pairs.
//
// What goes in, in this order: tick and length of a tick, all entities, entities that ended, open
// contacts, contact events (ends, begins, passed, stays), observer events and the outcomes of the
// commands of open sessions. What only describes how the answer was found (index version and
// statistics, candidate counts, buffers, timings) stays out.

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "events/contact_events.h"
#include "events/open_contacts.h"
#include "interest/interest.h"
#include "tick/session_table.h"
#include "world/snapshot.h"

namespace vicinity {

/// The hash of all living entities: the sum of a hash of each, so that a tick costs what changed in
/// it. An entity counts as it is in the snapshot, all arrays, with its id.
class EntityHash {
 public:
  /// Once for every tick, with all slots whose entity may differ from the last. O(changed),
  /// parallel in fixed blocks.
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed, Workers& workers);
  std::uint64_t digest() const { return sum_; }

 private:
  /// Of one slot; 0 without an entity.
  struct Part {
    std::uint64_t pose = 0;     ///< what changes when it moves
    std::uint64_t details = 0;  ///< the rest
  };
  std::uint64_t update_slot(const Snapshot& snapshot, std::uint32_t slot);

  std::vector<Part> parts_;
  std::vector<std::uint64_t> block_changes_;  ///< of the sum, by block; a buffer
  std::uint64_t sum_ = 0;
};

/// Field by field; -0 counts as +0. `entities`: of this very snapshot. `sessions` still holds the
/// results of the tick. O(events).
std::uint64_t result_hash(const Snapshot& snapshot, const EntityHash& entities,
                          const OpenContacts& open, const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers,
                          const SessionTable& sessions);

}  // namespace vicinity
