// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/random_script.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace vicinity::oracle {
namespace {

constexpr double cluster_distance_m = 0x1p40;
constexpr double all_of_it_m = 0x1p43;
constexpr std::uint32_t area_names = 6;
constexpr std::uint32_t observer_names = 3;
constexpr std::size_t entities_aimed_at = 40;

}  // namespace

RandomScript::RandomScript(std::uint64_t seed)
    : prng_(seed),
      reach_eighths_(std::uint64_t{8} << prng_.below(5)),
      far_(prng_.chance(0.25)),
      reuse_delay_ticks_(static_cast<std::uint32_t>(prng_.below(3))) {}

SimulationSettings RandomScript::settings() const {
  SimulationSettings settings;
  settings.dt_s = 1;
  settings.world_half_size_m = far_ ? 0 : static_cast<double>(reach_eighths_);
  settings.entities_per_player_max = 6;
  settings.reuse_delay_ticks = reuse_delay_ticks_;
  return settings;
}

std::vector<Command> RandomScript::next_tick() {
  spawns_.clear();
  open_and_close_sessions();
  // Sessions one after the other, so that sequences ascend within each.
  const std::map<SessionId, Role> sessions = open_;
  for (const auto& [session, role] : sessions) {
    spawns_.clear();
    const bool starts_the_world = role == Role::Authority && entities_.size() < 10;
    const std::uint64_t count = starts_the_world ? 15 : prng_.below(5);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (prng_.chance(role == Role::Observer ? 0.95 : 0.2)) {
        area_command(session);
      } else {
        entity_command(session);
      }
    }
  }
  std::stable_sort(commands_.begin(), commands_.end(), [](const Command& a, const Command& b) {
    return std::tie(a.session, a.sequence) < std::tie(b.session, b.sequence);
  });
  return std::exchange(commands_, {});
}

void RandomScript::open_and_close_sessions() {
  if (!open_.empty() && prng_.chance(0.05)) {
    const auto leaver = std::next(open_.begin(), static_cast<int>(prng_.below(open_.size())));
    send(leaver->first, CloseSessionCommand{});
    open_.erase(leaver);
  }
  while (open_.size() < 2 || (open_.size() < 5 && prng_.chance(0.2))) {
    const SessionId session{next_session_++};
    const auto role = open_.empty() ? Role::Authority : static_cast<Role>(prng_.below(3));
    const auto contacts = static_cast<ContactScope>(prng_.below(role == Role::Player ? 2 : 3));
    send(session, OpenSessionCommand{role, contacts});
    open_.emplace(session, role);
  }
}

void RandomScript::entity_command(SessionId session) {
  if (prng_.chance(entities_.size() < entities_aimed_at ? 0.5 : 0.1)) {
    const Filter f = filter();
    send(session,
         SpawnCommand{position(), f.is_static ? Vec3{} : offset(16), shape(), f, prng_.below(100)});
    spawns_.push_back(sequence_);
    return;
  }
  const EntityRef target = entity();
  switch (prng_.below(10)) {
    case 0: return send(session, DespawnCommand{target});
    case 1: return send(session, SetVelocityCommand{target, offset(16)});
    case 2:
    case 3: return send(session, MoveToCommand{target, position(), prng_.chance(0.3)});
    case 4:
    case 5: return send(session, TeleportCommand{target, position()});
    case 6: return send(session, SetShapeCommand{target, shape()});
    case 7:
    case 8: return send(session, SetFilterCommand{target, patch()});
    default: return send(session, SetUserDataCommand{target, prng_.below(100)});
  }
}

void RandomScript::area_command(SessionId session) {
  const AreaId area{static_cast<std::uint32_t>(prng_.below(area_names))};
  const ObserverId observer{static_cast<std::uint32_t>(prng_.below(observer_names))};
  switch (prng_.below(6)) {
    case 0: return send(session, RemoveAreaCommand{area});
    case 1:
    case 2: return send(session, ChangeAreaCommand{area, area_spec()});
    default: return send(session, AddAreaCommand{observer, area, area_spec()});
  }
}

void RandomScript::send(SessionId session, CommandBody body) {
  commands_.push_back({session, ++sequence_, std::move(body)});
}

void RandomScript::learn(const TickOutput& output) {
  const Snapshot& snapshot = *output.frame->snapshot;
  for (const EntityId id : entities_)
    if (!snapshot.contains(id)) dead_.push_back(id);
  entities_.clear();
  for (const EntityId id : snapshot.id)
    if (id) entities_.push_back(id);
}

double RandomScript::length(std::uint64_t eighths_max) {
  return static_cast<double>(prng_.below(eighths_max + 1)) / 8;
}

Vec3 RandomScript::offset(std::uint64_t eighths_max) {
  Vec3 out;
  for (int axis = 0; axis < 3; ++axis)
    out[axis] = length(2 * eighths_max) - static_cast<double>(eighths_max) / 8;
  return out;
}

Vec3 RandomScript::position() {
  Vec3 out = offset(reach_eighths_);
  if (!far_) return out;
  for (int axis = 0; axis < 3; ++axis)
    out[axis] += cluster_distance_m * (static_cast<double>(prng_.below(3)) - 1);
  return out;
}

Shape RandomScript::shape() {
  switch (prng_.below(4)) {
    case 0: return Shape::sphere(length(16), offset(4));
    case 1: return Shape::capsule(length(8), length(16), offset(4));
    case 2: return Shape::sphere(0);
    default: {
      const Vec3 corner = offset(16);
      return Shape::box_corners(corner, corner + Vec3{length(24), length(24), length(24)});
    }
  }
}

Filter RandomScript::filter() {
  Filter out;
  out.category = static_cast<std::uint32_t>(1 + prng_.below(3));
  if (prng_.chance(0.3)) out.mask = static_cast<std::uint32_t>(prng_.below(4));
  if (prng_.chance(0.2)) out.group = static_cast<std::int32_t>(prng_.below(5)) - 2;
  out.instance = prng_.chance(0.1) ? 1 : 0;
  out.sensor = prng_.chance(0.15);
  out.is_static = prng_.chance(0.15);
  out.enabled = prng_.chance(0.9);
  return out;
}

FilterPatch RandomScript::patch() {
  const Filter f = filter();
  FilterPatch out;
  switch (prng_.below(6)) {
    case 0: out.category = f.category; break;
    case 1: out.mask = f.mask; break;
    case 2: out.instance = f.instance; break;
    case 3: out.sensor = f.sensor; break;
    case 4: out.group = f.group; break;
    default: out.enabled = prng_.chance(0.6); break;
  }
  return out;
}

/// Mostly someone alive, sometimes this session's spawn of this tick, seldom someone dead.
EntityRef RandomScript::entity() {
  if (!spawns_.empty() && prng_.chance(0.3)) return {{}, spawns_[prng_.below(spawns_.size())]};
  if (!dead_.empty() && prng_.chance(0.05)) return {dead_[prng_.below(dead_.size())], 0};
  if (entities_.empty()) return {EntityId(1, 1), 0};
  return {entities_[prng_.below(entities_.size())], 0};
}

AreaSpec RandomScript::area_spec() {
  AreaSpec spec;
  spec.kind = prng_.chance(0.5) ? AreaKind::Sphere : AreaKind::Box;
  spec.reach = prng_.chance(0.5) ? Reach::Shape : Reach::Centre;
  if (prng_.chance(0.4)) {
    spec.anchor = entity();
    spec.centre = prng_.chance(0.5) ? Vec3{} : offset(16);
    spec.include_anchor = prng_.chance(0.3);
  } else {
    spec.centre = position();
  }
  if (prng_.chance(0.1)) {
    spec.enter_radius_m = spec.leave_radius_m = all_of_it_m;
    spec.enter_half_extent_m = spec.leave_half_extent_m = {all_of_it_m, all_of_it_m, all_of_it_m};
  } else {
    spec.enter_radius_m = length(reach_eighths_);
    spec.leave_radius_m = spec.enter_radius_m + length(16);
    for (int axis = 0; axis < 3; ++axis) {
      spec.enter_half_extent_m[axis] = length(reach_eighths_);
      spec.leave_half_extent_m[axis] = spec.enter_half_extent_m[axis] + length(16);
    }
  }
  if (prng_.chance(0.4)) spec.filter.category_mask = static_cast<std::uint32_t>(prng_.below(4));
  spec.filter.instance = prng_.chance(0.1) ? 1 : 0;
  if (prng_.chance(0.4)) spec.min_dwell_ticks = static_cast<std::uint32_t>(prng_.below(5));
  return spec;
}

}  // namespace vicinity::oracle
