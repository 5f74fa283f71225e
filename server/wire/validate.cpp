// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What every command and every query must be, field by field: one overload for each.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/limits.h"
#include "wire/decode.h"
#include "world/checker.h"

namespace vicinity::wire {
namespace {

bool check(Checker& c, const SpawnCommand& spawn) {
  if (!c.position("position", spawn.position) || !c.velocity(spawn.velocity) ||
      !c.rotation("rotation", spawn.rotation) || !c.angular_velocity(spawn.angular_velocity) ||
      !c.relevance(spawn.relevance) || !c.shape(spawn.shape) ||
      !c.inside_world(spawn.shape, {spawn.position, spawn.rotation}))
    return false;
  if (!spawn.filter.is_static) return true;
  if (spawn.velocity == Vec3{} && spawn.angular_velocity == Vec3{}) return true;
  return c.refuse(
      ErrorCode::StaticMotion,
      "velocity or angular_velocity of a static entity; allowed: 0 while filter.is_static");
}
bool check(Checker& c, const DespawnCommand& command) { return c.entity("entity", command.entity); }
bool check(Checker& c, const SetVelocityCommand& command) {
  return c.entity("entity", command.entity) && c.velocity(command.velocity) &&
         (!command.angular_velocity || c.angular_velocity(*command.angular_velocity));
}
bool check_pose(Checker& c, Vec3 position, const std::optional<Quat>& rotation) {
  return c.position("position", position) && (!rotation || c.rotation("rotation", *rotation));
}
bool check(Checker& c, const MoveToCommand& command) {
  return c.entity("entity", command.entity) && check_pose(c, command.position, command.rotation);
}
bool check(Checker& c, const TeleportCommand& command) {
  return c.entity("entity", command.entity) && check_pose(c, command.position, command.rotation);
}
bool check(Checker& c, const SetShapeCommand& command) {
  return c.entity("entity", command.entity) && c.shape(command.shape);
}
bool check(Checker& c, const SetFilterCommand& command) {
  return c.entity("entity", command.entity);
}
bool check(Checker& c, const SetUserDataCommand& command) {
  return c.entity("entity", command.entity);
}
bool check(Checker& c, const AttachCommand& command) {
  if (!c.entity("entity", command.entity) || !c.entity("parent", command.parent)) return false;
  if (command.relative &&
      (!c.vector("relative_position", command.relative->position, search_coordinate) ||
       !c.rotation("relative_rotation", command.relative->rotation)))
    return false;
  return c.kind("on_parent_end", static_cast<int>(command.on_parent_end), 1,
                ErrorCode::InvalidNumber, "0 (detach), 1 (despawn)");
}
bool check(Checker& c, const DetachCommand& command) { return c.entity("entity", command.entity); }
bool check(Checker& c, const ExcludePairCommand& command) {
  return c.entity("entity", command.a) && c.entity("b", command.b);
}
bool check(Checker& c, const SetPolicyCommand& command) {
  if (!c.count("the number of rules", command.rules.size(), 0, limits::policy_rules_max))
    return false;
  for (const PolicyRule& rule : command.rules) {
    if (!c.kind("action of a rule", static_cast<int>(rule.action), 2, ErrorCode::InvalidNumber,
                "0 (contact), 1 (trigger), 2 (ignore)") ||
        !c.count("stay_interval_ticks of a rule", rule.stay_interval_ticks, 0,
                 limits::policy_ticks_max) ||
        !c.count("cooldown_ticks of a rule", rule.cooldown_ticks, 0, limits::policy_ticks_max))
      return false;
  }
  return true;
}
bool check(Checker& c, const SubscribeCommand& command) {
  switch (command.kind) {
    case SubscriptionKind::Entity: return c.entity("entity", command.entity);
    case SubscriptionKind::Categories: return true;
    case SubscriptionKind::Area: return c.box("box_min", "box_max", command.box, search_coordinate);
  }
  return c.kind("subscription_kind", static_cast<int>(command.kind), 2, ErrorCode::InvalidNumber,
                "0 (entity), 1 (categories), 2 (area)");
}
bool check(Checker&, const UnsubscribeCommand&) { return true; }
bool check(Checker& c, const SetRelevanceCommand& command) {
  return c.entity("entity", command.entity) && c.relevance(command.relevance);
}
bool check(Checker& c, const SetVisibilityCommand& command) {
  return c.entity("entity", command.entity) &&
         c.kind("visibility", static_cast<int>(command.visibility), 2, ErrorCode::InvalidNumber,
                "0 (default), 1 (always), 2 (never)");
}
bool check(Checker& c, const AddAreaCommand& command) { return c.area(command.spec); }
bool check(Checker& c, const ChangeAreaCommand& command) { return c.area(command.spec); }
bool check(Checker&, const RemoveAreaCommand&) { return true; }
bool check(Checker& c, const OpenSessionCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "sessions are opened by the server alone");
}
bool check(Checker& c, const DespawnOwnedCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "this command is made by the server alone");
}
bool check(Checker& c, const RestartCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "this command is made by the server alone");
}
bool check(Checker& c, const CloseSessionCommand&) {
  return c.refuse(ErrorCode::UnknownCommand, "sessions are closed by the server alone");
}

bool check(Checker& c, const BoxQuery& query) {
  return c.box("min", "max", query.box, search_coordinate);
}
bool check(Checker& c, const SphereQuery& query) {
  return c.vector("point", query.centre, search_coordinate) &&
         c.scalar("radius_m", query.radius_m, search_size);
}
bool check_path(Checker& c, Vec3 delta, double max_t, bool is_point) {
  // So that the product with the longest delta stays finite.
  static constexpr Range times =
      positive_range(1e250, "", ErrorCode::InvalidNumber, ErrorCode::LimitExceeded);
  if (!c.vector("delta", delta, search_coordinate) || !c.scalar("max_t", max_t, times))
    return false;
  if (delta == Vec3{} && is_point)
    return c.refuse(ErrorCode::InvalidQuery, "delta is 0; a ray needs a direction");
  // The far end must stay in the range of the index, or its box would overflow.
  return c.vector("delta * max_t", delta * max_t, search_coordinate);
}
bool check(Checker& c, const CastQuery& query) {
  return check(c, BoxQuery{query.box}) &&
         check_path(c, query.delta, query.max_t, query.box.min == query.box.max);
}
/// `kind_max`: the last kind that may be asked with.
bool check_solid(Checker& c, const Primitive& shape, const Pose& pose, PrimitiveKind kind_max,
                 const char* allowed) {
  return c.kind("shape.kind", static_cast<int>(shape.kind), static_cast<int>(kind_max),
                ErrorCode::InvalidShape, allowed) &&
         c.primitive("shape.", shape) && c.vector("point", pose.position, search_coordinate) &&
         c.rotation("rotation", pose.rotation);
}
bool check(Checker& c, const OverlapQuery& query) {
  return check_solid(c, query.shape, query.pose, PrimitiveKind::Hull,
                     "0 (sphere), 1 (capsule), 2 (box), 3 (hull)");
}
bool check(Checker& c, const ShapeCastQuery& query) {
  const Primitive& shape = query.shape;
  return check_solid(c, shape, query.start, PrimitiveKind::Box,
                     "0 (sphere), 1 (capsule), 2 (box)") &&
         check_path(
             c, query.delta, query.max_t,
             shape.radius_m == 0 && shape.half_height_m == 0 && shape.half_extent_m == Vec3{});
}
bool check(Checker& c, const NearestQuery& query) {
  static constexpr Range distance =
      signed_range(limits::area_size_m, " m", ErrorCode::LimitExceeded);  // negative: no limit
  return c.vector("point", query.point, search_coordinate) &&
         c.count("k", query.k, 0, limits::query_hits_max) &&
         c.scalar("max_distance_m", query.max_distance_m, distance);
}
bool check(Checker& c, const ContactsQuery& query) {
  return static_cast<bool>(query.entity) ||
         c.refuse(ErrorCode::MissingField, "entity is 0; needed: the id of an entity");
}

bool check(Checker& c, const ExplainPairQuery& query) {
  if (!query.a) return check(c, ContactsQuery{query.a});
  if (!query.b) return c.refuse(ErrorCode::MissingField, "other is 0; needed: the id of an entity");
  return query.a.index() != query.b.index() ||
         c.refuse(ErrorCode::InvalidQuery,
                  "entity and other are in one slot; needed: two entities of one tick");
}
bool check(Checker& c, const ExplainViewQuery& query) {
  return check(c, ContactsQuery{query.entity});
}

bool check(Checker& c, const std::optional<QueryPlace>& after) {
  static constexpr Range value =
      positive_range(1e250, "", ErrorCode::InvalidNumber, ErrorCode::InvalidNumber);
  if (!after) return true;
  return c.scalar("after_value", after->value, value) &&
         (static_cast<bool>(after->id) ||
          c.refuse(ErrorCode::MissingField, "after_id is 0; needed: the id of the last hit"));
}

}  // namespace

bool has_mesh(const Shape& shape) {
  return !shape.is_plain() &&
         std::any_of(shape.compound->parts.begin(), shape.compound->parts.end(),
                     [](const Primitive& part) { return part.kind == PrimitiveKind::Mesh; });
}

Error validate(const CommandBody& command, const DecodeLimits& limits) {
  Checker checker(limits.world_half_size_m);
  std::visit([&checker](const auto& value) { return check(checker, value); }, command);
  return checker.take();
}

Error validate(const Query& query, const DecodeLimits& limits) {
  Checker checker(limits.world_half_size_m);
  if (checker.count("limit", query.limit, 1, limits::query_hits_max) && check(checker, query.after))
    std::visit([&checker](const auto& value) { return check(checker, value); }, query.body);
  return checker.take();
}

}  // namespace vicinity::wire
