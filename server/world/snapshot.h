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
#include <memory>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/vec.h"
#include "geometry/pose.h"
#include "geometry/shape.h"
#include "world/filter.h"
#include "world/pair_exclusions.h"
#include "world/placed_box.h"
#include "world/reasons.h"

namespace vicinity {

/// Ticks of the last change of each part of an entity; 0 = never. A spawn sets all but
/// `teleported`.
struct EntityVersions {
  Tick spawned = 0;
  Tick pose = 0;        ///< position, rotation or one of the velocities changed
  Tick teleported = 0;  ///< moved without a path
  Tick shape = 0;
  Tick filter = 0;     ///< category, mask, group, instance, sensor or static changed
  Tick enabled = 0;    ///< `enabled` changed
  Tick user_data = 0;  ///< user data or owner changed
  Tick relevance = 0;
  friend constexpr bool operator==(const EntityVersions&, const EntityVersions&) = default;
};

/// Of an entity that is or may be turned. Rotations have length 1.
struct Turn {
  Quat rotation;          ///< at the end of the tick
  Vec3 angular_velocity;  ///< radians per second, world axes
  Quat start_rotation;    ///< where the path of this tick began
  Vec3 rotation_vector;   ///< of the path, radians, world axes; more than half a turn is possible
  /// Place in Snapshot::swings, or no_swing.
  std::uint32_t swing = no_swing;
  friend bool operator==(const Turn&, const Turn&) = default;

  static constexpr std::uint32_t no_swing = 0xFFFF'FFFFu;
};

/// How an attached entity moved: its root along `root`, and it at a fixed place in the frame of the
/// root. So it swings on an arc when the root turns.
struct Swing {
  std::uint32_t root_slot = 0;
  Path root;
  Pose in_root;
};

/// What the tight box says about the shape.
enum class Form : std::uint8_t {
  Box = 0,    ///< it is the shape: a plain box, never turned. Against another one its corners move
              ///< straight from start_box to tight_box along a path
  Round = 1,  ///< a plain sphere or capsule, never turned: as thin as its tight box, and inside
  Other = 2,  ///< the shape is somewhere inside
};

/// How an entity moved in this tick.
enum class Motion : std::uint8_t {
  None = 0,        ///< path() is a single pose (unmoved, teleported or new)
  Path = 1,        ///< along path()
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

/// An entity that is in view exactly when `parent` is.
struct Follower {
  std::uint32_t slot = 0;
  std::uint32_t parent = 0;  ///< slot of what it is attached to
  friend bool operator==(const Follower&, const Follower&) = default;
};

struct Snapshot {
  Tick tick = 0;
  double dt_s = 0;  ///< length of a tick in seconds

  std::vector<EntityId> id;
  std::vector<Vec3> position;        ///< metres, end of the tick
  std::vector<Vec3> velocity;        ///< metres per second
  std::vector<Aabb> tight_box;       ///< end of the tick, no margin, no sweep
  std::vector<Aabb> start_box;       ///< where the path of this tick began
  std::vector<Vec3> start_position;  ///< the same, of the origin
  std::vector<Form> form;
  std::vector<Motion> motion;
  std::vector<Shape> shape;
  std::vector<Filter> filter;
  std::vector<std::uint64_t> user_data;
  /// By slot as well; empty as long as no entity ever had one that is not the default.
  std::vector<Relevance> relevance;
  std::vector<SessionId> owner;
  std::vector<EntityVersions> changed;
  /// By slot as well; empty as long as no entity was ever turned.
  std::vector<Turn> turn;
  std::vector<Swing> swings;  ///< of those that swung in this tick; Turn::swing says whose

  /// Entities that are attached with follow_visibility, ascending by slot.
  std::vector<Follower> followers;

  std::shared_ptr<const ExcludedPairs> excluded;  ///< null = none

  /// Entities that were alive at the end of the last tick and ended in this one, by ascending id.
  /// (One that was spawned and despawned between two ticks is in no snapshot and not here.)
  std::vector<Despawn> despawned;

  std::uint32_t entity_count = 0;  ///< living entities

  Pose pose(std::uint32_t slot) const {
    return {position[slot], turn.empty() ? Quat{} : turn[slot].rotation};
  }
  bool ignore_one_another(std::uint32_t a, std::uint32_t b) const {
    return excluded != nullptr && excluded->contains(a, b);
  }
  /// Null unless the entity is attached and moved in this tick.
  const Swing* swing(std::uint32_t slot) const {
    if (turn.empty() || turn[slot].swing == Turn::no_swing) return nullptr;
    return &swings[turn[slot].swing];
  }
  /// Path of this tick; from a pose to itself for what did not move. What swings goes from the
  /// start to the end of it, but not along it.
  Path path(std::uint32_t slot) const {
    Path out = {{start_position[slot], {}}, {position[slot], {}}, {}};
    if (turn.empty()) return out;
    out.start.rotation = turn[slot].start_rotation;
    out.end.rotation = turn[slot].rotation;
    out.rotation_vector = turn[slot].rotation_vector;
    return out;
  }
  /// Around the shape at the start of the path: the start box, but where a plain box was given
  /// another shape in this tick and its start box is that of the old one.
  Aabb begin_box(std::uint32_t slot) const {
    if (form[slot] != Form::Box || changed[slot].shape != tick) return start_box[slot];
    return placed_box(local_box(shape[slot]), start_position[slot]);
  }
  Vec3 angular_velocity(std::uint32_t slot) const {
    return turn.empty() ? Vec3{} : turn[slot].angular_velocity;
  }

  std::uint32_t slot_count() const { return static_cast<std::uint32_t>(id.size()); }
  bool is_alive(std::uint32_t slot) const { return static_cast<bool>(id[slot]); }
  /// Whether this very entity lives; false for a stale, dead or unknown id. Its slot is
  /// entity.index(). O(1).
  bool contains(EntityId entity) const {
    return entity && entity.index() < id.size() && id[entity.index()] == entity;
  }
};

}  // namespace vicinity
