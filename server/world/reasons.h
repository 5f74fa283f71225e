// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why something ended. Values that travel: proto/server.fbs repeats the numbers and a test
// compares.

#include <cstdint>

namespace vicinity {

/// Why an entity is gone.
enum class DespawnReason : std::uint8_t {
  Command = 0,       ///< despawned by its owner or an authority
  SessionEnded = 1,  ///< its player session ended
  LeftWorld = 2,     ///< its velocity carried it beyond the world's half size
  ParentEnded = 3,   ///< what it was attached to ended, and it was to end with it
};

/// Why a contact ended.
enum class EndReason : std::uint8_t {
  Separated = 0,
  PassedThrough = 1,
  Despawned = 2,
  Disabled = 3,
  FilterChanged = 4,
  ShapeChanged = 5,
  Teleported = 6,
  OutOfWorld = 7,
  PairBudget = 8,  ///< the pair was cut off by the pair budget; it may begin again
};

/// Why an entity left a view.
enum class LeaveReason : std::uint8_t {
  OutOfRange = 0,
  Despawned = 1,
  Disabled = 2,
  FilterChanged = 3,
  AreaChanged = 4,  ///< a command of this tick changed or removed an area that would still keep it
  OutOfWorld = 5,
  Hidden = 6,   ///< SetVisibility says so, or the parent that it follows left
  Crowded = 7,  ///< others are nearer, where the area has a nearest_max
};

}  // namespace vicinity
