// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/command_rules.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <variant>

#include "base/limits.h"
#include "wire/decode.h"

namespace vicinity::app {
namespace {

constexpr std::uint32_t all_categories = 0xFFFF'FFFFu;

bool is_for_observers(const CommandBody& body) {
  return std::holds_alternative<AddAreaCommand>(body) ||
         std::holds_alternative<ChangeAreaCommand>(body) ||
         std::holds_alternative<RemoveAreaCommand>(body) ||
         std::holds_alternative<SetVisibilityCommand>(body) ||
         std::holds_alternative<SubscribeCommand>(body) ||
         std::holds_alternative<UnsubscribeCommand>(body);
}

/// Made by the server itself.
bool is_internal(const CommandBody& body) {
  return std::holds_alternative<OpenSessionCommand>(body) ||
         std::holds_alternative<CloseSessionCommand>(body) ||
         std::holds_alternative<DespawnOwnedCommand>(body) ||
         std::holds_alternative<RestartCommand>(body);
}

const Shape* shape_of(const CommandBody& body) {
  if (const auto* spawn = std::get_if<SpawnCommand>(&body)) return &spawn->shape;
  const auto* reshape = std::get_if<SetShapeCommand>(&body);
  return reshape ? &reshape->shape : nullptr;
}

double length(double x, double y, double z) { return std::hypot(x, y, z); }

Error check_filter(const access::Caps& caps, std::optional<std::uint32_t> category,
                   std::optional<std::int32_t> group) {
  if (category && (*category & ~caps.categories) != 0)
    return {ErrorCode::WrongRole, "the token does not allow this category"};
  if (group && caps.group && *group != *caps.group)
    return {ErrorCode::WrongRole, "the token asks for the group " + std::to_string(*caps.group)};
  return {};
}

Error check_area(const access::Caps& caps, AreaSpec& area) {
  area.filter.category_mask &= caps.categories;
  if (!caps.area_radius_max_m) return {};
  if (reach_m(area) > *caps.area_radius_max_m) {
    return {ErrorCode::LimitExceeded, "the area reaches farther than the token allows: " +
                                          std::to_string(*caps.area_radius_max_m) + " m"};
  }
  // What an area holds on to is seen from anywhere.
  if (area.min_dwell_ticks > limits::capped_dwell_ticks_max) {
    return {ErrorCode::LimitExceeded, "min_dwell_ticks is " + std::to_string(area.min_dwell_ticks) +
                                          "; allowed with the areas of this token: 0 to " +
                                          std::to_string(limits::capped_dwell_ticks_max)};
  }
  return {};
}

/// One function for each kind of command that a token can restrict.
struct ApplyCaps {
  access::SessionGuard& guard;
  const access::Caps& caps = guard.caps;

  Error operator()(SpawnCommand& spawn) const {
    return check_filter(caps, spawn.filter.category, spawn.filter.group);
  }
  Error operator()(SetFilterCommand& command) const {
    return check_filter(caps, command.patch.category, command.patch.group);
  }
  Error operator()(AddAreaCommand& add) const {
    Error error = check_area(caps, add.spec);
    if (error.code == ErrorCode::None && !guard.add_area(add.area))
      error = {ErrorCode::LimitExceeded,
               "the token allows no more than " + std::to_string(*caps.areas_max) + " areas"};
    return error;
  }
  Error operator()(ChangeAreaCommand& change) const { return check_area(caps, change.spec); }
  Error operator()(RemoveAreaCommand& remove) const {
    guard.remove_area(remove.area);
    return {};
  }
  Error operator()(SetVisibilityCommand& command) const {
    if (command.visibility != Visibility::Always) return {};
    if (caps.categories != all_categories)
      return {ErrorCode::WrongRole, "the token allows views by category only"};
    if (caps.area_radius_max_m)
      return {ErrorCode::WrongRole, "the token allows views by areas of its size only"};
    return {};
  }
  Error operator()(SubscribeCommand& command) const {
    if (caps.categories == all_categories) return {};
    if (command.kind != SubscriptionKind::Categories)
      return {ErrorCode::WrongRole, "the token allows subscriptions by category only"};
    command.categories_a &= caps.categories;
    command.categories_b &= caps.categories;
    return {};
  }
  template <class Other>
  Error operator()(Other&) const {
    return {};
  }
};

}  // namespace

Error check_role(Role role, const CommandBody& body) {
  if (is_internal(body)) return {ErrorCode::UnknownCommand, "no session may send this"};
  if (role == Role::Authority) return {};
  if (role == Role::Observer && !is_for_observers(body)) {
    return {ErrorCode::WrongRole, "an observer may send commands about areas and subscriptions"};
  }
  if (std::holds_alternative<SetPolicyCommand>(body))
    return {ErrorCode::WrongRole, "only an authority may set the policy"};
  const Shape* shape = shape_of(body);
  if (shape != nullptr && wire::has_mesh(*shape))
    return {ErrorCode::InvalidShape, "shape has a mesh; allowed: for an authority only"};
  return {};
}

Error apply_caps(access::SessionGuard& guard, CommandBody& body) {
  return std::visit(ApplyCaps{guard}, body);
}

Error apply_caps(const access::Caps& caps, Query& query) {
  query.filter.category_mask &= caps.categories;
  const bool is_of_all = std::holds_alternative<ContactsQuery>(query.body) ||
                         std::holds_alternative<ExplainPairQuery>(query.body) ||
                         std::holds_alternative<ExplainViewQuery>(query.body);
  if (caps.categories == all_categories || !is_of_all) return {};
  return {ErrorCode::WrongRole, "the token allows queries by category only"};
}

double reach_m(const AreaSpec& area) {
  const double margin = area.leave_margin_m;
  switch (area.kind) {
    case AreaKind::Sphere: return std::max(area.enter_radius_m, area.leave_radius_m);
    case AreaKind::Box: {
      const Vec3& half = area.leave_half_extent_m;
      return length(half.x, half.y, half.z);
    }
    case AreaKind::Cylinder: return length(area.radius_m, area.half_height_m, 0) + margin;
    case AreaKind::OrientedBox: {
      const Vec3& half = area.half_extent_m;
      return length(half.x, half.y, half.z) + margin;
    }
    case AreaKind::Cone: return area.range_m + margin;
    case AreaKind::Frustum:
      return area.range_m *
                 length(1, std::tan(area.half_angle_rad), std::tan(area.half_angle_up_rad)) +
             margin;
    case AreaKind::Prism: break;
  }
  double farthest_m = 0;
  for (const OutlinePoint& point : area.outline)
    farthest_m = std::max(farthest_m, length(point.x, area.half_height_m, point.z));
  return farthest_m + margin;
}

}  // namespace vicinity::app
