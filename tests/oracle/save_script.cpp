// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/save_script.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "oracle/shape_script.h"

namespace vicinity::oracle {
namespace {

constexpr SessionId server{0};
constexpr SessionId builder{1000};  // authority
constexpr SessionId player{1001};
constexpr SessionId watcher{1002};   // observer, with subscriptions
constexpr SessionId newcomer{1003};  // authority that is told all, and begins anew
constexpr std::uint32_t area_names = 5;
constexpr std::uint32_t observer_names = 3;

}  // namespace

SimulationSettings SaveScript::settings() const {
  SimulationSettings settings = base_.settings();
  settings.dt_s = 0.25;
  settings.policy = {{1, 2, PolicyAction::Contact, 2, 1}};
  return settings;
}

std::vector<Command> SaveScript::next_tick() {
  commands_ = base_.next_tick();
  if (!is_open_) open_sessions();
  session_commands();
  for (const SessionId session : {builder, builder, player}) {
    if (prng_.chance(0.8)) entity_command(session);
    if (prng_.chance(0.6)) pair_command(session);
  }
  for (const SessionId session : {player, watcher, watcher, newcomer})
    if (prng_.chance(0.6)) area_command(session);
  if (prng_.chance(0.5)) rule_command(builder);
  std::stable_sort(commands_.begin(), commands_.end(), [](const Command& a, const Command& b) {
    return std::tie(a.session, a.sequence) < std::tie(b.session, b.sequence);
  });
  return std::exchange(commands_, {});
}

void SaveScript::learn(const TickOutput& output) {
  base_.learn(output);
  const Snapshot& snapshot = *output.frame->snapshot;
  entities_.clear();
  positions_.clear();
  owned_.clear();
  for (const EntityId id : snapshot.id) {
    if (!id) continue;
    entities_.push_back(id);
    positions_.push_back(snapshot.position[id.index()]);
    owned_[snapshot.owner[id.index()]].push_back(id);
  }
}

void SaveScript::open_sessions() {
  is_open_ = true;
  send(builder, OpenSessionCommand{Role::Authority, ContactScope::Own, true});
  send(player, OpenSessionCommand{Role::Player, ContactScope::Own});
  send(watcher, OpenSessionCommand{Role::Observer, ContactScope::None});
  send(newcomer, OpenSessionCommand{Role::Authority, ContactScope::All, true});
}

void SaveScript::session_commands() {
  if (prng_.chance(0.05)) send(player, DespawnOwnedCommand{});
  if (prng_.chance(0.04)) {
    send(player, CloseSessionCommand{prng_.chance(0.5)});
    send(player, OpenSessionCommand{Role::Player, ContactScope::Own});
  }
  const SessionId anew[] = {builder, player, watcher, newcomer};
  if (prng_.chance(0.08)) {
    OpenSessionCommand open;
    open.view_number = ++view_number_;
    send(anew[prng_.below(4)], open);
  }
  if (prng_.chance(0.02)) send(server, RestartCommand{});
}

void SaveScript::entity_command(SessionId session) {
  const EntityRef target = session == player ? entity_of(player) : any_entity();
  switch (prng_.below(9)) {
    case 0:
    case 1:
    case 2: {
      SpawnCommand spawn{position(), {}, any_shape(prng_), {}, prng_.below(100)};
      if (prng_.chance(0.6)) spawn.velocity = offset(3);
      if (prng_.chance(0.5)) spawn.rotation = any_rotation(prng_);
      if (prng_.chance(0.4)) spawn.angular_velocity = offset(2);
      spawn.filter.category = 1u << prng_.below(3);
      spawn.filter.continuous = prng_.chance(0.2);
      spawn.filter.sensor = prng_.chance(0.1);
      if (session != player && prng_.chance(0.2)) spawn.relevance = {prng_.chance(0.5), 3, 4, 6};
      return send(session, spawn);
    }
    case 3: {
      MoveToCommand move{target, position(), prng_.chance(0.3)};
      if (prng_.chance(0.5)) move.rotation = any_rotation(prng_);
      return send(session, move);
    }
    case 4: {
      SetVelocityCommand velocity{target, prng_.chance(0.3) ? Vec3{} : offset(3)};
      if (prng_.chance(0.5)) velocity.angular_velocity = offset(2);
      return send(session, velocity);
    }
    case 5: return send(session, SetShapeCommand{target, any_shape(prng_)});
    case 6: {
      const double range_m = length(8);
      return send(session, SetRelevanceCommand{target,
                                               {prng_.chance(0.3) && session != player, 2, range_m,
                                                range_m + length(2)}});
    }
    case 7: {
      FilterPatch patch;
      if (prng_.chance(0.5)) patch.category = 1u << prng_.below(3);
      if (prng_.chance(0.5)) patch.is_static = prng_.chance(0.5);
      return send(session, SetFilterCommand{target, patch});
    }
    default: return send(session, DespawnCommand{target});
  }
}

void SaveScript::pair_command(SessionId session) {
  const EntityRef a = session == player ? entity_of(player) : any_entity();
  const EntityRef b = session == player ? entity_of(player) : any_entity();
  switch (prng_.below(5)) {
    case 0:
    case 1: {
      AttachCommand attach{a, b};
      if (prng_.chance(0.5)) attach.relative = Pose{offset(3), any_rotation(prng_)};
      attach.on_parent_end = prng_.chance(0.5) ? OnParentEnd::Detach : OnParentEnd::Despawn;
      attach.follow_visibility = prng_.chance(0.5);
      return send(session, attach);
    }
    case 2: return send(session, DetachCommand{a});
    default: return send(session, ExcludePairCommand{a, b, prng_.chance(0.7)});
  }
}

void SaveScript::area_command(SessionId session) {
  const AreaId area{static_cast<std::uint32_t>(prng_.below(area_names))};
  const ObserverId observer{static_cast<std::uint32_t>(prng_.below(observer_names))};
  SubscribeCommand wish;
  wish.subscription = static_cast<std::uint32_t>(prng_.below(4));
  switch (prng_.below(10)) {
    case 0: return send(session, RemoveAreaCommand{area});
    case 1: return send(session, ChangeAreaCommand{area, area_spec()});
    case 2:
    case 3:
    case 4: return send(session, AddAreaCommand{observer, area, area_spec()});
    case 5:
    case 6:
      return send(session, SetVisibilityCommand{observer, any_entity(),
                                                static_cast<Visibility>(prng_.below(3))});
    case 7: return send(session, UnsubscribeCommand{wish.subscription});
    default:
      wish.kind = static_cast<SubscriptionKind>(prng_.below(3));
      wish.entity = session == player ? entity_of(player) : any_entity();
      wish.categories_a = static_cast<std::uint32_t>(prng_.below(4));
      wish.box = {position() - Vec3{4, 4, 4}, position() + Vec3{4, 4, 4}};
      for (int axis = 0; axis < 3; ++axis)
        wish.box.max[axis] = std::max(wish.box.max[axis], wish.box.min[axis]);
      return send(session, wish);
  }
}

void SaveScript::rule_command(SessionId session) {
  SetPolicyCommand policy;
  for (std::uint64_t count = prng_.below(4); count > 0; --count)
    policy.rules.push_back({1u << prng_.below(3), static_cast<std::uint32_t>(prng_.below(8)),
                            static_cast<PolicyAction>(prng_.below(3)),
                            static_cast<std::uint32_t>(prng_.below(4)),
                            static_cast<std::uint32_t>(prng_.below(5))});
  if (prng_.chance(0.3)) policy.rules.clear();
  send(session, policy);
}

void SaveScript::send(SessionId session, CommandBody body) {
  commands_.push_back({session, ++sequence_, std::move(body)});
}

double SaveScript::length(double max) { return std::floor(prng_.between(0, max) * 8) / 8; }

Vec3 SaveScript::offset(double max) {
  return {length(2 * max) - max, length(2 * max) - max, length(2 * max) - max};
}

/// Close to somebody, and in the world.
Vec3 SaveScript::position() {
  const Vec3 near = positions_.empty() ? Vec3{} : positions_[prng_.below(positions_.size())];
  Vec3 out = near + offset(4);
  if (const double half_m = base_.settings().world_half_size_m; half_m > 0)
    for (int axis = 0; axis < 3; ++axis) out[axis] = std::clamp(out[axis], -half_m, half_m);
  return out;
}

EntityRef SaveScript::any_entity() {
  if (entities_.empty()) return {EntityId(0, 1), 0};
  return {entities_[prng_.below(entities_.size())], 0};
}

EntityRef SaveScript::entity_of(SessionId session) {
  const auto& own = owned_[session];
  return own.empty() ? any_entity() : EntityRef{own[prng_.below(own.size())], 0};
}

AreaSpec SaveScript::area_spec() {
  AreaSpec spec;
  spec.kind = static_cast<AreaKind>(prng_.below(7));
  spec.reach = prng_.chance(0.5) ? Reach::Shape : Reach::Centre;
  if (prng_.chance(0.5)) {
    spec.anchor = any_entity();
    spec.centre = prng_.chance(0.5) ? Vec3{} : offset(3);
    spec.include_anchor = prng_.chance(0.3);
    spec.follow = static_cast<AreaFollow>(prng_.below(2));
  } else {
    spec.centre = position();
  }
  if (prng_.chance(0.2)) spec.filter.category_mask = static_cast<std::uint32_t>(prng_.below(8));
  if (prng_.chance(0.3)) spec.min_dwell_ticks = static_cast<std::uint32_t>(prng_.below(6));
  if (prng_.chance(0.3)) spec.nearest_max = static_cast<std::uint32_t>(prng_.below(6));
  if (prng_.chance(0.3)) spec.rings = {{2, 1}, {5, 3}};
  spec.suspend = prng_.chance(0.3);
  give_sizes(spec);
  return spec;
}

void SaveScript::give_sizes(AreaSpec& spec) {
  spec.enter_radius_m = length(12);
  spec.leave_radius_m = spec.enter_radius_m + length(3);
  for (int axis = 0; axis < 3; ++axis) {
    spec.enter_half_extent_m[axis] = length(8);
    spec.leave_half_extent_m[axis] = spec.enter_half_extent_m[axis] + length(3);
  }
  spec.leave_margin_m = length(3);
  spec.radius_m = length(8);
  spec.half_height_m = length(8);
  spec.half_extent_m = {length(8), length(8), length(8)};
  spec.near_m = 0.5;
  spec.range_m = 1 + length(12);
  spec.half_angle_rad = 0.2 + prng_.between(0, 1);
  spec.half_angle_up_rad = 0.2 + prng_.between(0, 1);
  if (spec.kind == AreaKind::Prism) {
    const double size_m = 1 + length(6);
    spec.outline = {{-size_m, -size_m}, {-size_m, size_m}, {size_m, size_m}, {size_m, -size_m}};
    spec.rotation = from_rotation_vector({0, prng_.between(-3, 3), 0});
  } else {
    spec.rotation = any_rotation(prng_);
  }
}

}  // namespace vicinity::oracle
