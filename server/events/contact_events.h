// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What is told of contacts: their begins and their ends. Values; both rooms.

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "world/reasons.h"
#include "world/snapshot.h"

namespace vicinity {

/// A contact that goes on. Named by (a, b, begin_tick). What its entities carry is in the snapshot
/// of the same tick; both are alive there.
struct OpenContact {
  EntityId a;  ///< smaller slot
  EntityId b;
  Tick begin_tick = 0;
  bool sensor = false;
  friend bool operator==(const OpenContact&, const OpenContact&) = default;
};

/// A contact as events tell of it, readable after its entities are gone.
struct EventContact {
  EntityId a;
  EntityId b;
  Tick begin_tick = 0;
  std::uint64_t user_data_a = 0;  ///< as of the last tick both were alive
  std::uint64_t user_data_b = 0;
  SessionId owner_a;
  SessionId owner_b;
  bool sensor = false;
};
/// Both entities must be alive in the snapshot (CHECKed).
EventContact describe(const OpenContact& contact, const Snapshot& snapshot);

struct ContactBegin {
  EventContact contact;
  /// First moment of overlap as a fraction of the tick, [0, 1]. 0 when they overlapped at its
  /// start; 1 when neither moved along a path (the touch is judged at the end of the tick).
  double toi = 1;
  bool capped = false;  ///< see Impact::capped
  /// Number of the event in this world, from 1, in the order in which events are told. 0 for one
  /// that is told again to a session that is new.
  std::uint64_t event_seq = 0;
};
struct ContactEnd {
  EventContact contact;
  EndReason reason = EndReason::Separated;
  std::uint64_t event_seq = 0;
};
/// A contact that goes on, told every so many ticks where the policy says so.
struct ContactStay {
  EventContact contact;
  std::uint64_t event_seq = 0;
};

struct ContactEvents {
  std::vector<ContactEnd> ends;      ///< sorted by pair; sent before the begins
  std::vector<ContactBegin> begins;  ///< sorted by pair; includes those that passed through,
                                     ///< whose end is in `passed`
  std::vector<ContactEnd> passed;  ///< ends of contacts that began in this very tick; after begins
  std::vector<ContactStay> stays;  ///< sorted by pair; after all others
};

}  // namespace vicinity
