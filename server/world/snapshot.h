// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The frozen state of all entities at the end of one tick. Written by EntityTable::freeze in the
// tick room, read-only while anybody else holds it.
//
// Structure of arrays, one element per slot, so that an entity keeps its place from tick to tick
// and (slot a < slot b) is the canonical pair. Slots without an entity are holes:
//
//      slot     0        1        2        3
//      id    (0,g1)   none     (2,g4)   (3,g1)         none: id 0, the other arrays mean nothing
//
// Invariant: all arrays have the same length; id[slot] is 0 or names that slot.

#include <cstdint>
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
  friend constexpr bool operator==(const EntityVersions&, const EntityVersions&) = default;
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

  std::uint32_t entity_count = 0;  ///< living entities

  std::uint32_t slot_count() const { return static_cast<std::uint32_t>(id.size()); }
  bool is_alive(std::uint32_t slot) const { return static_cast<bool>(id[slot]); }
  /// Whether this very entity lives; false for a stale, dead or unknown id. Its slot is
  /// entity.index(). O(1).
  bool contains(EntityId entity) const {
    return entity && entity.index() < id.size() && id[entity.index()] == entity;
  }
};

}  // namespace vicinity
