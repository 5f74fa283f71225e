// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The frozen state of all entities at the end of one tick. Written once by EntityTable::freeze in
// the tick room, read-only afterwards and shared with queries through std::shared_ptr<const>.
//
// Structure of arrays, one row per living entity, rows in ascending slot order:
//
//      row     0        1        2        3
//      slot    0        2        3        9       -> the smaller row is the smaller slot,
//      id    (0,g1)  (2,g4)   (3,g1)   (9,g2)        so (row a < row b) is the canonical pair
//
// Invariant: id[] is strictly ascending by slot; all arrays have the same length.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "world/filter.h"
#include "world/reasons.h"
#include "world/shape.h"

namespace vicinity {

/// Ticks of the last change of each part of an entity; 0 = never. A spawn sets all but
/// `teleported`.
struct EntityVersions {
  Tick spawned = 0;
  Tick pose = 0;        ///< position or velocity changed
  Tick teleported = 0;  ///< moved without a path
  Tick shape = 0;
  Tick filter = 0;   ///< category, mask, group, instance, sensor or static changed
  Tick enabled = 0;  ///< `enabled` changed
  Tick user_data = 0;
};

/// How an entity moved in this tick.
enum class Motion : std::uint8_t {
  None = 0,        ///< start_box equals tight_box (unmoved, teleported or new)
  Path = 1,        ///< straight line from start_box to tight_box
  Continuous = 2,  ///< the same, and passing through must be looked for
};

/// An entity that ended in this tick.
struct Despawn {
  EntityId id;
  SessionId owner;
  DespawnReason reason = DespawnReason::Command;
  std::uint64_t user_data = 0;  ///< the last it had
  SessionId by = {};            ///< whose command it was; none when the server itself ended it
};

struct Snapshot {
  Tick tick = 0;
  double dt_s = 0;  ///< length of a tick in seconds

  std::vector<EntityId> id;
  std::vector<Vec3> position;   ///< metres, end of the tick
  std::vector<Vec3> velocity;   ///< metres per second
  std::vector<Aabb> tight_box;  ///< end of the tick, no margin, no sweep
  std::vector<Aabb> start_box;  ///< where the path of this tick began
  std::vector<Motion> motion;
  std::vector<Shape> shape;
  std::vector<Filter> filter;
  std::vector<std::uint64_t> user_data;
  std::vector<SessionId> owner;
  std::vector<EntityVersions> changed;

  /// Entities that were alive at the end of the last tick and ended in this one, by ascending id.
  /// (One that was spawned and despawned between two ticks is in no snapshot and not here.)
  std::vector<Despawn> despawned;

  /// Slot index -> row, `no_row` where the slot is empty.
  std::vector<std::uint32_t> row_of_slot;
  static constexpr std::uint32_t no_row = 0xFFFF'FFFFu;

  std::uint32_t row_count() const { return static_cast<std::uint32_t>(id.size()); }
  /// Row of a living entity; nothing for a stale, dead or unknown id. O(1).
  std::optional<std::uint32_t> find(EntityId entity) const {
    if (entity.index() >= row_of_slot.size()) return std::nullopt;
    const std::uint32_t row = row_of_slot[entity.index()];
    if (row == no_row || id[row] != entity) return std::nullopt;
    return row;
  }
};

}  // namespace vicinity
