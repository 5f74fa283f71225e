// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <algorithm>
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

/// Ten per cent above the enter size, but not above the largest legal size: an area that sees the
/// whole world must not be refused for a default.
double default_leave_size(double enter_size_m) {
  return std::max(enter_size_m, std::min(enter_size_m * 1.1, limits::area_size_m));
}

Error read_area(const proto::Area& in, AreaSpec& out) {
  out.kind = static_cast<AreaKind>(in.kind());
  out.reach = static_cast<Reach>(in.reach());
  out.anchor = {EntityId::from_raw(in.anchor()), in.anchor_spawned_by()};
  out.include_anchor = in.include_anchor();
  if (!out.anchor.present() && !in.centre()) return missing("spec.centre", "a fixed area");
  if (in.centre()) out.centre = to_vec3(*in.centre());
  if (in.kind() == proto::AreaKind::Sphere) {
    out.enter_radius_m = in.enter_radius_m();
    out.leave_radius_m = in.leave_radius_m().has_value() ? in.leave_radius_m().value()
                                                         : default_leave_size(out.enter_radius_m);
  }
  if (in.kind() == proto::AreaKind::Box) {
    if (!in.enter_half_extent_m()) return missing("spec.enter_half_extent_m", "a box area");
    const Vec3 enter = to_vec3(*in.enter_half_extent_m());
    out.enter_half_extent_m = enter;
    out.leave_half_extent_m = in.leave_half_extent_m()
                                  ? to_vec3(*in.leave_half_extent_m())
                                  : Vec3{default_leave_size(enter.x), default_leave_size(enter.y),
                                         default_leave_size(enter.z)};
  }
  out.filter = {in.category_mask(), in.instance()};
  out.min_dwell_ticks = in.min_dwell_ticks();
  return {};
}

Outcome read_spawn(const proto::Command& c, ShapeBudget& budget) {
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

Outcome read_set_shape(const proto::Command& c, ShapeBudget& budget) {
  if (!c.shape()) return missing("shape", "SetShape");
  SetShapeCommand out{entity_of(c), {}};
  if (Error error = read_shape(*c.shape(), budget, out.shape); failed(error)) return error;
  return out;
}

Outcome read_set_filter(const proto::Command& c) {
  if (!c.filter()) return missing("filter", "SetFilter");
  return SetFilterCommand{entity_of(c), read_patch(*c.filter())};
}

Outcome read_add_area(const proto::Command& c) {
  if (!c.spec()) return missing("spec", "AddArea");
  AddAreaCommand out{{c.observer()}, {c.area()}, {}};
  if (Error error = read_area(*c.spec(), out.spec); failed(error)) return error;
  return out;
}

Outcome read_change_area(const proto::Command& c) {
  if (!c.spec()) return missing("spec", "ChangeArea");
  ChangeAreaCommand out{{c.area()}, {}};
  if (Error error = read_area(*c.spec(), out.spec); failed(error)) return error;
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

std::variant<CommandBody, Error> read_command(const proto::Command& c, ShapeBudget& budget) {
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
    case proto::CommandKind::AddArea: return read_add_area(c);
    case proto::CommandKind::ChangeArea: return read_change_area(c);
    case proto::CommandKind::RemoveArea: return RemoveAreaCommand{{c.area()}};
    case proto::CommandKind::Attach: return read_attach(c);
    case proto::CommandKind::Detach: return DetachCommand{entity_of(c)};
    case proto::CommandKind::ExcludePair:
      return ExcludePairCommand{
          entity_of(c), {EntityId::from_raw(c.b()), c.b_spawned_by()}, c.excluded()};
    case proto::CommandKind::SetPolicy: return read_set_policy(c);
    case proto::CommandKind::Subscribe: return read_subscribe(c);
    case proto::CommandKind::Unsubscribe: return UnsubscribeCommand{c.subscription()};
    case proto::CommandKind::SetRelevance: return SetRelevanceCommand{entity_of(c), {}};
    case proto::CommandKind::SetVisibility: return SetVisibilityCommand{{}, entity_of(c), {}};
  }
  return Error{ErrorCode::UnknownCommand,
               "kind is " + std::to_string(static_cast<int>(c.kind())) + "; allowed: 1 to " +
                   std::to_string(static_cast<int>(proto::CommandKind::MAX))};
}

}  // namespace vicinity::wire
