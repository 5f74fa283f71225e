// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/apply.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/check.h"

namespace vicinity {
namespace {

/// Farthest that the box of the shape, not turned, reaches from the origin along an axis, metres.
double extent_m(const Shape& shape) {
  const Aabb box = local_box(shape);
  double extent = 0;
  for (int axis = 0; axis < 3; ++axis) extent = std::max({extent, -box.min[axis], box.max[axis]});
  return extent;
}

/// None when a player may give an entity this shape.
ErrorCode check_shape(const CommandBody& body, const PlayerLimits& limits) {
  const auto* spawn = std::get_if<SpawnCommand>(&body);
  const auto* reshape = std::get_if<SetShapeCommand>(&body);
  const Shape* shape = spawn ? &spawn->shape : reshape ? &reshape->shape : nullptr;
  if (shape == nullptr || extent_m(*shape) <= limits.shape_extent_max_m) return ErrorCode::None;
  return ErrorCode::LimitExceeded;
}

/// None when a player may give an entity this angular velocity.
ErrorCode check_spin(const CommandBody& body) {
  const auto* spawn = std::get_if<SpawnCommand>(&body);
  const auto* velocity = std::get_if<SetVelocityCommand>(&body);
  Vec3 spin;
  if (spawn != nullptr) spin = spawn->angular_velocity;
  if (velocity != nullptr) spin = velocity->angular_velocity.value_or(Vec3{});
  return length(spin) <= limits::player_angular_speed_rad_per_s ? ErrorCode::None
                                                                : ErrorCode::LimitExceeded;
}

/// None when a player may give an entity this relevance.
ErrorCode check_relevance(const CommandBody& body, const PlayerLimits& limits) {
  const auto* spawn = std::get_if<SpawnCommand>(&body);
  const auto* change = std::get_if<SetRelevanceCommand>(&body);
  const Relevance* relevance = spawn ? &spawn->relevance : change ? &change->relevance : nullptr;
  if (relevance == nullptr) return ErrorCode::None;
  if (relevance->always || relevance->boost > limits::player_boost_max) return ErrorCode::WrongRole;
  const double seen_from_m = std::max(relevance->seen_from_enter_m, relevance->seen_from_leave_m);
  return seen_from_m <= limits.shape_extent_max_m ? ErrorCode::None : ErrorCode::LimitExceeded;
}

/// None when the values of the command are open to players.
ErrorCode check_values(const CommandBody& body, const PlayerLimits& limits) {
  if (const ErrorCode code = check_relevance(body, limits); code != ErrorCode::None) return code;
  if (const ErrorCode code = check_shape(body, limits); code != ErrorCode::None) return code;
  return check_spin(body);
}

ApplyOutcome apply_spawn(const Command& command, Role role, const PlayerLimits& limits,
                         EntityTable& table, SpawnedThisTick& spawned) {
  if (role == Role::Player) {
    const ErrorCode code = check_values(command.body, limits);
    if (code != ErrorCode::None) return {code, {}};
    if (table.owned_count(command.session) >= limits.entities_max ||
        spawned.count() >= limits.entities_max || !table.has_slot_for_player()) {
      return {ErrorCode::EntityLimit, {}};
    }
  }
  const auto made = table.spawn(command.session, std::get<SpawnCommand>(command.body));
  if (!made) return {made.error(), {}};
  spawned.add(command.sequence, made.value());
  return {ErrorCode::None, made.value()};
}

/// A command that names two entities; a player must own both.
template <class Change>
ApplyOutcome apply_to_two(const EntityRef& first, const EntityRef& second, SessionId session,
                          Role role, EntityTable& table, const SpawnedThisTick& spawned,
                          const Change& change_both) {
  const auto a = resolve(table, spawned, first);
  if (!a) return {a.error(), first.id};
  const auto b = resolve(table, spawned, second);
  if (!b) return {b.error(), a.value()};
  const bool is_owner =
      table.owner_of(a.value()) == session && table.owner_of(b.value()) == session;
  if (role == Role::Player && !is_owner) return {ErrorCode::NotOwner, a.value()};
  return {change_both(a.value(), b.value()), a.value()};
}

// One overload per command on an existing entity.
ErrorCode change(EntityTable& table, EntityId id, SessionId by, const DespawnCommand&) {
  return table.despawn(id, DespawnReason::Command, by);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const SetVelocityCommand& command) {
  return table.set_velocity(id, command.velocity, command.angular_velocity);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const MoveToCommand& command) {
  return table.move_to(id, command.position, command.continuous, command.rotation);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const TeleportCommand& command) {
  return table.teleport(id, command.position, command.rotation);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const SetShapeCommand& command) {
  return table.set_shape(id, command.shape);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const SetFilterCommand& command) {
  return table.set_filter(id, command.patch);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const SetUserDataCommand& command) {
  return table.set_user_data(id, command.user_data);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const SetRelevanceCommand& command) {
  return table.set_relevance(id, command.relevance);
}
ErrorCode change(EntityTable& table, EntityId id, SessionId, const DetachCommand&) {
  return table.detach(id);
}

template <class Body>
concept ChangesEntity = requires(EntityTable& table, EntityId id, SessionId by, const Body& body) {
  change(table, id, by, body);
};

}  // namespace

void SpawnedThisTick::add(std::uint64_t sequence, EntityId entity) {
  CHECK(by_sequence_.empty() || by_sequence_.back().first <= sequence);
  by_sequence_.emplace_back(sequence, entity);
}

std::optional<EntityId> SpawnedThisTick::find(std::uint64_t sequence) const {
  const auto after =
      std::upper_bound(by_sequence_.begin(), by_sequence_.end(), sequence,
                       [](std::uint64_t value, const auto& entry) { return value < entry.first; });
  if (after == by_sequence_.begin() || std::prev(after)->first != sequence) return std::nullopt;
  return std::prev(after)->second;
}

Result<EntityId, ErrorCode> resolve(const EntityTable& table, const SpawnedThisTick& spawned,
                                    const EntityRef& ref) {
  if (!ref.present()) return ErrorCode::MissingField;
  EntityId id = ref.id;
  if (!id) {
    const auto found = spawned.find(ref.spawned_by);
    if (!found) return ErrorCode::UnknownEntity;
    id = *found;
  }
  switch (table.status(id)) {
    case EntityStatus::Alive: return id;
    case EntityStatus::Stale: return ErrorCode::StaleEntity;
    case EntityStatus::Unknown: break;
  }
  return ErrorCode::UnknownEntity;
}

bool is_entity_command(const CommandBody& body) {
  return std::visit(
      [](const auto& concrete) {
        using Body = std::decay_t<decltype(concrete)>;
        return std::is_same_v<Body, SpawnCommand> || std::is_same_v<Body, AttachCommand> ||
               std::is_same_v<Body, ExcludePairCommand> || ChangesEntity<Body>;
      },
      body);
}

ApplyOutcome apply_entity_command(const Command& command, Role role, const PlayerLimits& limits,
                                  EntityTable& table, SpawnedThisTick& spawned) {
  CHECK(is_entity_command(command.body));
  if (role == Role::Observer) return {ErrorCode::WrongRole, {}};
  if (std::holds_alternative<SpawnCommand>(command.body)) {
    return apply_spawn(command, role, limits, table, spawned);
  }
  if (const auto* attach = std::get_if<AttachCommand>(&command.body)) {
    return apply_to_two(attach->entity, attach->parent, command.session, role, table, spawned,
                        [&](EntityId entity, EntityId parent) {
                          const double distance_max_m =
                              role == Role::Player ? limits.shape_extent_max_m
                                                   : std::numeric_limits<double>::infinity();
                          return table.attach(entity, parent, attach->relative,
                                              attach->on_parent_end, distance_max_m,
                                              attach->follow_visibility);
                        });
  }
  if (const auto* exclude = std::get_if<ExcludePairCommand>(&command.body)) {
    return apply_to_two(
        exclude->a, exclude->b, command.session, role, table, spawned,
        [&](EntityId a, EntityId b) { return table.exclude_pair(a, b, exclude->excluded); });
  }
  return std::visit(
      [&](const auto& body) -> ApplyOutcome {
        if constexpr (ChangesEntity<std::decay_t<decltype(body)>>) {
          const auto id = resolve(table, spawned, body.entity);
          if (!id) return {id.error(), body.entity.id};
          if (role == Role::Player && table.owner_of(id.value()) != command.session) {
            return {ErrorCode::NotOwner, id.value()};
          }
          if (role == Role::Player) {
            const ErrorCode code = check_values(command.body, limits);
            if (code != ErrorCode::None) return {code, id.value()};
          }
          return {change(table, id.value(), command.session, body), id.value()};
        } else {
          check_failed(__FILE__, __LINE__, "not an entity command");
        }
      },
      command.body);
}

}  // namespace vicinity
