// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Begin and end of contacts, by merging the sorted contact lists of two ticks. Every begin has
// exactly one end. Tick room; pure.

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "narrow/contacts.h"
#include "world/reasons.h"
#include "world/snapshot.h"

namespace vicinity {

/// A contact that goes on. Named by (a, b, begin_tick).
struct OpenContact {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;  ///< as of the last tick both were alive
  std::uint64_t user_data_b = 0;
  SessionId owner_a;
  SessionId owner_b;
  bool sensor = false;
};

struct ContactBegin {
  OpenContact contact;
  double toi = 1;  ///< see Contact::toi
};
struct ContactEnd {
  OpenContact contact;
  EndReason reason = EndReason::Separated;
};

struct ContactEvents {
  std::vector<ContactEnd> ends;      ///< sorted by pair; sent before the begins
  std::vector<ContactBegin> begins;  ///< sorted by pair; includes those that passed through,
                                     ///< whose end is in `passed`
  std::vector<ContactEnd> passed;  ///< ends of contacts that began in this very tick; after begins
};

/// `open` holds the contacts of the last tick, sorted by (a, b), and is brought up to date.
/// A pair whose sensor flag changed ends (FilterChanged) and begins in the same tick.
/// Reason of an end, first that applies to either entity in this tick: despawned, out of world,
/// disabled, filter changed, teleported, shape changed, pair budget, separated.
void diff_contacts(const Snapshot& snapshot, const ContactList& contacts, bool pairs_truncated,
                   std::vector<OpenContact>& open, ContactEvents& out);

}  // namespace vicinity
