// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What interest tells: plain values, made in the tick room, read by tick/ and wire/.

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "world/reasons.h"

namespace vicinity {

struct Leave {
  EntityId id;
  LeaveReason reason = LeaveReason::OutOfRange;
  std::uint64_t user_data = 0;  ///< of the entity now, or when it ended
  bool suspended = false;       ///< out of range of an area that suspends
};

/// What one observer learns in one tick. Slots are of the snapshot of that tick, ascending.
struct ObserverEvents {
  SessionId session;
  ObserverId observer;
  std::vector<Leave> leaves;          ///< ascending by id; sent first
  std::vector<std::uint32_t> enters;  ///< full state is sent
  std::uint32_t visible_count = 0;    ///< after this tick
  /// The observer that had this name until this tick is gone, without leaves; the lists are of a
  /// new one, if there is any.
  bool dropped = false;
};

}  // namespace vicinity
