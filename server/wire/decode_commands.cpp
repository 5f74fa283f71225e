// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <string>

#include "base/limits.h"
#include "client_generated.h"
#include "wire/decode_values.h"

namespace vicinity::wire {
namespace {

using Outcome = std::variant<CommandBody, Error>;

Error missing(const char* field, const char* kind) {
  return {ErrorCode::MissingField, std::string(field) + " is missing; " + kind + " needs it"};
}
bool failed(const Error& error) { return error.code != ErrorCode::None; }

EntityRef entity_of(const proto::Command& c) {
  return {EntityId::from_raw(c.entity()), c.spawned_by()};
}

std::optional<Quat> optional_rotation(const proto::Quat* rotation) {
  return rotation ? std::optional(read_rotation(rotation)) : std::nullopt;
}

template <class T, class In>
void read_optional(const flatbuffers::Optional<In>& in, std::optional<T>& out) {
  if (in.has_value()) out = in.value();
}

FilterPatch read_patch(const proto::FilterPatch& in) {
  FilterPatch out;
  read_optional(in.category(), out.category);
  read_optional(in.mask(), out.mask);
  read_optional(in.group(), out.group);
  read_optional(in.instance(), out.instance);
  read_optional(in.sensor(), out.sensor);
  read_optional(in.is_static(), out.is_static);
  read_optional(in.continuous(), out.continuous);
  read_optional(in.enabled(), out.enabled);
  return out;
}

Filter read_filter(const proto::FilterPatch& in) {
  const FilterPatch patch = read_patch(in);
  const Filter defaults;
  return {
      patch.category.value_or(defaults.category), patch.mask.value_or(defaults.mask),
      patch.group.value_or(defaults.group),       patch.instance.value_or(defaults.instance),
      patch.sensor.value_or(defaults.sensor),     patch.is_static.value_or(defaults.is_static),
      patch.enabled.value_or(defaults.enabled),   patch.continuous.value_or(defaults.continuous)};
}

Outcome read_spawn(const proto::Command& c, FrameBudget& budget) {
  if (!c.position()) return missing("position", "Spawn");
  if (!c.shape()) return missing("shape", "Spawn");
  SpawnCommand out;
  out.position = to_vec3(*c.position());
  if (c.velocity()) out.velocity = to_vec3(*c.velocity());
  out.rotation = read_rotation(c.rotation());
  if (out.rotation == Quat{0, 0, 0, 0}) out.rotation = {};  // a struct of defaults: not turned
  if (c.angular_velocity()) out.angular_velocity = to_vec3(*c.angular_velocity());
  if (Error error = read_shape(*c.shape(), budget, out.shape); failed(error)) return error;
  if (c.filter()) out.filter = read_filter(*c.filter());
  out.user_data = c.user_data();
  out.relevance = read_relevance(c.relevance());
  return out;
}

Outcome read_set_velocity(const proto::Command& c) {
  if (!c.velocity()) return missing("velocity", "SetVelocity");
  SetVelocityCommand out{entity_of(c), to_vec3(*c.velocity())};
  if (c.angular_velocity()) out.angular_velocity = to_vec3(*c.angular_velocity());
  return out;
}

Outcome read_move_to(const proto::Command& c) {
  if (!c.position()) return missing("position", "MoveTo");
  return MoveToCommand{entity_of(c), to_vec3(*c.position()), c.continuous(),
                       optional_rotation(c.rotation())};
}

Outcome read_teleport(const proto::Command& c) {
  if (!c.position()) return missing("position", "Teleport");
  return TeleportCommand{entity_of(c), to_vec3(*c.position()), optional_rotation(c.rotation())};
}

Outcome read_set_shape(const proto::Command& c, FrameBudget& budget) {
  if (!c.shape()) return missing("shape", "SetShape");
  SetShapeCommand out{entity_of(c), {}};
  if (Error error = read_shape(*c.shape(), budget, out.shape); failed(error)) return error;
  return out;
}

Outcome read_set_filter(const proto::Command& c) {
  if (!c.filter()) return missing("filter", "SetFilter");
  return SetFilterCommand{entity_of(c), read_patch(*c.filter())};
}

Outcome read_set_relevance(const proto::Command& c) {
  if (!c.relevance()) return missing("relevance", "SetRelevance");
  return SetRelevanceCommand{entity_of(c), read_relevance(c.relevance())};
}

Outcome read_add_area(const proto::Command& c, FrameBudget& budget) {
  if (!c.spec()) return missing("spec", "AddArea");
  AddAreaCommand out{{c.observer()}, {c.area()}, {}};
  if (Error error = read_area(*c.spec(), budget, out.spec); failed(error)) return error;
  return out;
}

Outcome read_change_area(const proto::Command& c, FrameBudget& budget) {
  if (!c.spec()) return missing("spec", "ChangeArea");
  ChangeAreaCommand out{{c.area()}, {}};
  if (Error error = read_area(*c.spec(), budget, out.spec); failed(error)) return error;
  return out;
}

AttachCommand read_attach(const proto::Command& c) {
  AttachCommand out{entity_of(c), {EntityId::from_raw(c.parent()), c.parent_spawned_by()}};
  if (c.relative_position() || c.relative_rotation()) {
    Pose& relative = out.relative.emplace();
    if (c.relative_position()) relative.position = to_vec3(*c.relative_position());
    relative.rotation = read_rotation(c.relative_rotation());
  }
  out.on_parent_end = static_cast<OnParentEnd>(c.on_parent_end());
  out.follow_visibility = c.follow_visibility();
  return out;
}

Outcome read_set_policy(const proto::Command& c) {
  SetPolicyCommand out;
  if (!c.rules()) return out;
  // Counted here as well as in validate(): the rules may all be the same table.
  if (c.rules()->size() > limits::policy_rules_max) {
    return Error{ErrorCode::LimitExceeded, "rules has " + std::to_string(c.rules()->size()) +
                                               " elements; allowed: 0 to " +
                                               std::to_string(limits::policy_rules_max)};
  }
  out.rules.reserve(c.rules()->size());
  for (const proto::PolicyRule* rule : *c.rules()) {
    out.rules.push_back({rule->categories_a(), rule->categories_b(),
                         static_cast<PolicyAction>(rule->action()), rule->stay_interval_ticks(),
                         rule->cooldown_ticks()});
  }
  return out;
}

Outcome read_subscribe(const proto::Command& c) {
  SubscribeCommand out;
  out.subscription = c.subscription();
  out.kind = static_cast<SubscriptionKind>(c.subscription_kind());
  if (out.kind == SubscriptionKind::Entity) out.entity = entity_of(c);
  if (out.kind == SubscriptionKind::Categories) {
    out.categories_a = c.categories_a();
    out.categories_b = c.categories_b();
  }
  if (out.kind == SubscriptionKind::Area) {
    if (!c.box_min()) return missing("box_min", "an area subscription");
    if (!c.box_max()) return missing("box_max", "an area subscription");
    out.box = {to_vec3(*c.box_min()), to_vec3(*c.box_max())};
  }
  return out;
}

}  // namespace

Vec3 to_vec3(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }

std::variant<CommandBody, Error> read_command(const proto::Command& c, FrameBudget& budget) {
  switch (c.kind()) {
    case proto::CommandKind::None: break;
    case proto::CommandKind::Spawn: return read_spawn(c, budget);
    case proto::CommandKind::Despawn: return DespawnCommand{entity_of(c)};
    case proto::CommandKind::SetVelocity: return read_set_velocity(c);
    case proto::CommandKind::MoveTo: return read_move_to(c);
    case proto::CommandKind::Teleport: return read_teleport(c);
    case proto::CommandKind::SetShape: return read_set_shape(c, budget);
    case proto::CommandKind::SetFilter: return read_set_filter(c);
    case proto::CommandKind::SetUserData: return SetUserDataCommand{entity_of(c), c.user_data()};
    case proto::CommandKind::AddArea: return read_add_area(c, budget);
    case proto::CommandKind::ChangeArea: return read_change_area(c, budget);
    case proto::CommandKind::RemoveArea: return RemoveAreaCommand{{c.area()}};
    case proto::CommandKind::Attach: return read_attach(c);
    case proto::CommandKind::Detach: return DetachCommand{entity_of(c)};
    case proto::CommandKind::ExcludePair:
      return ExcludePairCommand{
          entity_of(c), {EntityId::from_raw(c.b()), c.b_spawned_by()}, c.excluded()};
    case proto::CommandKind::SetPolicy: return read_set_policy(c);
    case proto::CommandKind::Subscribe: return read_subscribe(c);
    case proto::CommandKind::Unsubscribe: return UnsubscribeCommand{c.subscription()};
    case proto::CommandKind::SetRelevance: return read_set_relevance(c);
    case proto::CommandKind::SetVisibility:
      return SetVisibilityCommand{
          {c.observer()}, entity_of(c), static_cast<Visibility>(c.visibility())};
  }
  return Error{ErrorCode::UnknownCommand,
               "kind is " + std::to_string(static_cast<int>(c.kind())) + "; allowed: 1 to " +
                   std::to_string(static_cast<int>(proto::CommandKind::MAX))};
}

}  // namespace vicinity::wire
