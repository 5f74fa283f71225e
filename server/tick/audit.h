// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Compares what a tick found with a plain search of everything, for a sample of the entities: the
// proof, while the server runs, that the index misses nothing. Reads finished results only and
// changes nothing. Tick room; O(sample * slots).

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/ids.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "events/contact_policy.h"
#include "events/open_contacts.h"
#include "index/index.h"
#include "pairs/pair_tracker.h"
#include "world/snapshot.h"

namespace vicinity {

/// Why something was missed: the first stage, in the order of the tick, that lost it.
enum class AuditCause : std::uint8_t {
  None = 0,
  CellArithmetic = 1,  ///< both are registered, yet a search with the one's bound misses the other
  SweptBound = 2,      ///< a bound does not contain what the entity occupied during the tick
  Filter = 3,          ///< the bounds stage holds another filter than the snapshot
  Transition = 4,      ///< one of the two is registered nowhere: its level or partition lost it
  PairSearch = 5,      ///< the index sees both, yet did not report the pair
  NarrowPhase = 6,     ///< a candidate pair that touches, yet no contact is open
};
std::string_view to_string(AuditCause cause);  ///< "cell_arithmetic", "swept_bound", ...

struct AuditMiss {
  EntityId a;
  EntityId b;  ///< equal to a when the entity itself is not found
  AuditCause cause = AuditCause::None;
};

struct AuditReport {
  std::uint64_t entities = 0;  ///< looked at
  std::uint64_t misses = 0;
  std::optional<AuditMiss> first{};  ///< by slots
};

/// The results of one tick.
struct AuditInput {
  const Snapshot& snapshot;
  const Bounds& bounds;
  const Index& index;
  const IndexView& view;
  std::span<const SlotPair> active;  ///< pairs that the index reported, sorted
  const OpenContacts& contacts;
  bool truncated = false;  ///< the pair budget was reached: pairs and contacts are not judged
  /// Pairs that it may keep from being contacts are not judged as such. Null: none.
  const ContactPolicy* policy = nullptr;
};

/// Looks at a part `rate`, [0, 1], of the entities; which, depends on the tick only. Parallel.
AuditReport audit_tick(const AuditInput& input, double rate, Workers& workers);

}  // namespace vicinity
