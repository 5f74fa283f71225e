// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Applies the commands that concern entities to the entity table: who may do what, and which entity
// is meant. Tick thread only; pure apart from the table. Areas and sessions are not handled here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/result.h"
#include "world/command.h"
#include "world/entity_table.h"

namespace vicinity {

/// What one session spawned in this tick, so that later commands of it can name the entity by the
/// sequence of its spawn. The caller clears it whenever the commands of another session begin.
class SpawnedThisTick {
 public:
  void clear() { by_sequence_.clear(); }
  /// Sequences must not descend between two clears (the queue orders them); of equal ones the
  /// newest is found.
  void add(std::uint64_t sequence, EntityId entity);
  std::optional<EntityId> find(std::uint64_t sequence) const;
  std::size_t count() const { return by_sequence_.size(); }

 private:
  std::vector<std::pair<std::uint64_t, EntityId>> by_sequence_;
};

/// The living entity that `ref` names. StaleEntity, UnknownEntity (also when the spawn it names
/// was refused) or MissingField when it names nothing.
Result<EntityId, ErrorCode> resolve(const EntityTable& table, const SpawnedThisTick& spawned,
                                    const EntityRef& ref);

/// True for the bodies that apply_entity_command takes.
bool is_entity_command(const CommandBody& body);

struct ApplyOutcome {
  ErrorCode code = ErrorCode::None;
  EntityId entity;  ///< the one named or made; for a refused command as far as it was known
};

/// What one player session may do at most.
struct PlayerLimits {
  std::uint32_t entities_max = 16;
  /// Farthest that a shape may reach from the origin of its entity along an axis, and from which an
  /// entity may be seen (Relevance), metres.
  double shape_extent_max_m = limits::player_shape_extent_default_m;
};

/// `role` is that of command.session. Refuses, in this order: WrongRole (observers), the codes of
/// resolve(), NotOwner (a player and somebody else's entity), WrongRole (a player and
/// Relevance::always, or a boost above limits::player_boost_max), LimitExceeded (a player's shape,
/// or the distance from which its entity is seen, above shape_extent_max_m, or an angular velocity
/// above limits::player_angular_speed_rad_per_s), then what the table refuses. EntityLimit for a
/// player: it owns or spawned entities_max in this tick already, or only the slots kept for
/// authorities are left. So a player uses up at most entities_max slots in a tick, each for the
/// delay of reuse; with a long delay players can use up all slots but those of the authorities.
ApplyOutcome apply_entity_command(const Command& command, Role role, const PlayerLimits& limits,
                                  EntityTable& table, SpawnedThisTick& spawned);

}  // namespace vicinity
