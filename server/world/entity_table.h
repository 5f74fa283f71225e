// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The only mutable copy of the world: the state of every entity, by slot. Tick thread only; nobody
// else ever sees it, readers get a Snapshot. One tick is always:
//
//      begin_tick(N) -> any number of changes -> advance(dt) -> freeze(snapshot)
//
// A change that is refused (any code but None) has changed nothing.
//
// Slots. An id is a slot and a generation; generations start at 1. A slot whose entity ended in
// tick N is used again in tick N + reuse_delay_ticks at the earliest, the longest-dead slot first,
// and only then are new slots made. A slot that has used up its generations is retired for good.

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/result.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity {

struct EntityTableSettings {
  double world_half_size_m = limits::world_half_size_m;
  /// Living entities. Slots (living, waiting for reuse and retired together) are bounded too, see
  /// EntityTable::slot_count_max, so that churn cannot grow memory without end.
  std::uint32_t entity_count_max = limits::entity_count_max;
  std::uint32_t reuse_delay_ticks = limits::reuse_delay_ticks_default;  ///< 0 = at once
  std::uint32_t generation_max = 0xFFFF'FFFFu;  ///< tests lower it to reach the end of a slot
};

enum class EntityStatus : std::uint8_t {
  Alive = 0,
  Stale = 1,    ///< was given out, and its entity has ended
  Unknown = 2,  ///< was never given out
};

class EntityTable {
 public:
  explicit EntityTable(const EntityTableSettings& settings);

  /// Starts a tick; must grow. Changes from here on carry this tick as their version.
  void begin_tick(Tick tick);

  EntityStatus status(EntityId id) const;
  /// Owner of a living entity (CHECKed).
  SessionId owner_of(EntityId id) const;
  /// Living entities of one owner. O(log owners).
  std::uint32_t owned_count(SessionId owner) const;
  std::uint32_t slot_count_max() const;
  /// False when no more slots are left than are kept for authorities (one in
  /// limits::authority_slots_share). Slots that wait for reuse are not left. O(log slots).
  bool has_slot_for_player() const;

  // Changes. `id` may be anything; StaleEntity and UnknownEntity are answers. Numbers must be
  // finite and shapes valid (wire/decode sees to it); what leaves the world is OutOfWorld.

  /// A new entity stands at its position in this tick; its velocity moves it from the next tick on.
  /// StaticMotion: a static entity with a velocity. EntityLimit: no entity or slot left.
  Result<EntityId, ErrorCode> spawn(SessionId owner, const SpawnCommand& command);
  /// `by`: the session whose command it is, none for the server itself.
  ErrorCode despawn(EntityId id, DespawnReason reason, SessionId by = {});
  /// Ends every entity of `owner` with SessionEnded. O(entities of the owner).
  void despawn_owned_by(SessionId owner);
  /// StaticMotion when the entity is static and the velocity is not zero.
  ErrorCode set_velocity(EntityId id, Vec3 velocity);
  /// Straight line from the box at the end of the last tick, or, when the entity was spawned or
  /// teleported earlier in this tick, from there. StaticMotion when the entity is static.
  ErrorCode move_to(EntityId id, Vec3 position, bool continuous);
  /// Forgets any path of this tick. Static entities may be teleported.
  ErrorCode teleport(EntityId id, Vec3 position);
  /// An entity that its velocity moves has the new shape all along its path; a path by move_to
  /// still begins with the box at the end of the last tick.
  ErrorCode set_shape(EntityId id, const Shape& shape);
  /// An entity that becomes static loses its velocity.
  ErrorCode set_filter(EntityId id, const FilterPatch& patch);
  ErrorCode set_user_data(EntityId id, std::uint64_t user_data);

  /// Adds velocity * dt to every entity that was neither spawned, moved nor teleported in this
  /// tick, and ends (LeftWorld) those that this carries out of the world. O(slots).
  void advance(double dt_s);
  /// After advance(): slots whose entity is in another state than at the end of the last tick, or
  /// that gained or lost one, ascending, each once. An entity that came to a stop in the last tick
  /// is among them, since its start box changes. Valid until the next begin_tick().
  std::span<const std::uint32_t> changed() const;
  /// Brings `out` to the state of this tick. It may be new or hold an earlier tick of this very
  /// table: then only what changed since is copied, if that is still known
  /// (limits::changes_kept_ticks), else everything. O(changed) or O(slots).
  void freeze(double dt_s, Snapshot& out) const;

 private:
  static constexpr std::uint32_t no_slot = 0xFFFF'FFFFu;

  /// What decides the position at the end of the tick. The last command wins.
  enum class Move : std::uint8_t { Velocity, Spawn, Teleport, Path, ContinuousPath };

  struct Entity {
    Vec3 position;
    Vec3 velocity;
    Shape shape;
    Filter filter;
    std::uint64_t user_data = 0;
    SessionId owner;
    EntityVersions changed;
    Aabb path_start;  ///< where a path of this tick begins: box at the last tick, spawn or teleport
    std::uint32_t generation = 0;            ///< the newest one given out
    std::uint32_t owner_previous = no_slot;  ///< list of the entities of one owner
    std::uint32_t owner_next = no_slot;
    Move move = Move::Velocity;
    bool alive = false;
  };
  struct OwnerList {
    std::uint32_t first = no_slot;
    std::uint32_t count = 0;
  };
  struct FreeSlot {
    std::uint32_t slot = 0;
    Tick reusable_from = 0;
  };

  bool in_world(const Shape& shape, Vec3 position) const;
  ErrorCode check_alive(EntityId id) const;
  std::uint32_t take_slot();
  void link_owner(std::uint32_t slot);
  void unlink_owner(std::uint32_t slot);
  void end(std::uint32_t slot, DespawnReason reason, SessionId by);
  void place(Entity& entity, Vec3 position);

  EntityTableSettings settings_;
  Tick tick_ = 0;
  std::uint32_t entity_count_ = 0;
  std::vector<Entity> slots_;
  std::deque<FreeSlot> free_slots_;  ///< ascending reusable_from, since the delay is the same
  std::map<SessionId, OwnerList> owners_;
  std::vector<Despawn> despawned_;  ///< of this tick
};

}  // namespace vicinity
