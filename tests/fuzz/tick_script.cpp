// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "fuzz/tick_script.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_rules.h"
#include "base/check.h"

namespace vicinity::fuzz {
// Arguments of one call are evaluated in any order, so that no two of them may read bytes; what
// stands in braces is read from left to right, by every compiler.

/// What an operation does, by the low bits of its first byte.
enum class TickScript::What : std::uint32_t {
  EndTick = 0,
  QuietTicks,
  Restore,
  OfSession,
  Spawn,
  SpawnMany,
  Despawn,
  SetVelocity,
  MoveTo,
  MoveNear,
  Teleport,
  Reshape,
  Refilter,
  Mark,
  Relevant,
  Attach,
  Detach,
  Exclude,
  Policy,
  Subscribe,
  Unsubscribe,
  AddArea,
  AddSphere,
  ChangeArea,
  RemoveArea,
  Show,
};
namespace {
constexpr std::uint32_t what_mask = 31;
}  // namespace

TickScript::TickScript(std::span<const std::uint8_t> bytes)
    : bytes_(bytes),
      seats_{Seat{Role::Authority, ContactScope::All, true},
             Seat{Role::Player, ContactScope::Own, false},
             Seat{Role::Observer, ContactScope::None, false},
             Seat{Role::Player, ContactScope::Own, true},
             Seat{Role::Authority, ContactScope::Own, false}} {
  static constexpr std::array<double, 4> half_sizes = {64, 1024, 0x1p30, 0};
  static constexpr std::array<double, 4> steps = {0.25, 0.05, 1, 1.0 / 240};
  settings_.world_half_size_m = half_sizes[bytes_.below(4)];
  const std::uint8_t more = bytes_.byte();
  settings_.dt_s = steps[more & 3u];
  settings_.entity_count_max = entities_max;
  settings_.entities_per_player_max = (more & 4u) != 0 ? 2 : 16;
  settings_.reuse_delay_ticks = (more & 8u) != 0 ? 3 : 1;
  if ((more & 16u) != 0) settings_.policy = {{1, 2, PolicyAction::Contact, 2, 1}};
  if ((more & 32u) != 0) settings_.policy.push_back({2, 2, PolicyAction::Trigger, 0, 3});
  wants_workers_ = (more & 64u) != 0;
  wants_brute_force_ = (more & 128u) != 0;
  limits_.world_half_size_m =
      settings_.world_half_size_m == 0 ? limits::world_half_size_m : settings_.world_half_size_m;
}

TickScript::Step TickScript::next_tick() {
  Step step;
  for (Seat& seat : seats_) {
    seat.spawns.clear();
    if (is_first_) open(seat);
  }
  is_first_ = false;
  if (quiet_ticks_ > 0) {
    --quiet_ticks_;
  } else {
    while (!bytes_.done() && operation(step)) continue;
  }
  step.commands = queue_.drain();
  return step;
}

void TickScript::learn(const TickOutput& output) {
  const Snapshot& snapshot = *output.frame->snapshot;
  for (const Despawn& gone : snapshot.despawned) ended_.push_back(gone.id);
  if (ended_.size() > ids_kept) ended_.erase(ended_.begin(), ended_.end() - ids_kept);
  alive_.clear();
  positions_.clear();
  for (const EntityId id : snapshot.id) {
    if (!id) continue;
    alive_.push_back(id);
    positions_.push_back(snapshot.position[id.index()]);
  }
}

bool TickScript::operation(Step& step) {
  const std::uint8_t first = bytes_.byte();
  const auto what = static_cast<What>(first & what_mask);
  Seat& seat = seats_[(first >> 5) % seats_.size()];
  switch (what) {
    case What::EndTick: return false;
    case What::QuietTicks: quiet_ticks_ = bytes_.below(12); return false;
    case What::Restore: step.restores = true; break;
    case What::OfSession: session_operation(seat); break;
    case What::Attach:
    case What::Detach:
    case What::Exclude:
    case What::Policy:
    case What::Subscribe:
    case What::Unsubscribe: pair_operation(what, seat); break;
    case What::AddArea:
    case What::AddSphere:
    case What::ChangeArea:
    case What::RemoveArea:
    case What::Show: interest_operation(what, seat); break;
    default: entity_operation(what, seat);
  }
  return true;
}

void TickScript::entity_operation(What what, Seat& seat) {
  const auto turn = [&] { return bytes_.flag() ? std::optional(bytes_.rotation()) : std::nullopt; };
  switch (what) {
    case What::Spawn: return send(seat, spawn());
    case What::SpawnMany: {
      SpawnCommand one = spawn();
      const Vec3 step = bytes_.numbers() * 0.25;
      for (std::uint32_t count = bytes_.below(16); count > 0; --count) {
        send(seat, one);
        one.position = one.position + step;
      }
      return;
    }
    case What::Despawn: return send(seat, DespawnCommand{entity(seat)});
    case What::SetVelocity: {
      SetVelocityCommand command{entity(seat), bytes_.numbers()};
      if (bytes_.flag()) command.angular_velocity = bytes_.numbers();
      return send(seat, command);
    }
    case What::MoveTo:
      return send(seat, MoveToCommand{entity(seat), bytes_.numbers(), bytes_.flag(), turn()});
    case What::MoveNear:
      return send(seat, MoveToCommand{entity(seat), near_somebody(), bytes_.flag(), turn()});
    case What::Teleport:
      return send(seat,
                  TeleportCommand{entity(seat), bytes_.flag() ? near_somebody() : bytes_.numbers(),
                                  turn()});
    case What::Reshape: return send(seat, SetShapeCommand{entity(seat), shape()});
    case What::Refilter: return send(seat, SetFilterCommand{entity(seat), patch()});
    case What::Mark: return send(seat, SetUserDataCommand{entity(seat), bytes_.byte()});
    case What::Relevant: {
      SetRelevanceCommand command{entity(seat), {}};
      command.relevance.always = bytes_.flag();
      command.relevance.boost = bytes_.byte();
      command.relevance.seen_from_enter_m = bytes_.length();
      command.relevance.seen_from_leave_m =
          bytes_.flag() ? command.relevance.seen_from_enter_m : bytes_.length();
      return send(seat, command);
    }
    default: return;  // none of ours: nothing happens
  }
}

void TickScript::pair_operation(What what, Seat& seat) {
  switch (what) {
    case What::Attach: {
      AttachCommand command{entity(seat), entity(seat)};
      const std::uint8_t how = bytes_.byte();
      if ((how & 1u) != 0) command.relative = Pose{bytes_.numbers(), bytes_.rotation()};
      command.on_parent_end = static_cast<OnParentEnd>((how >> 1) % 3);
      command.follow_visibility = (how & 8u) != 0;
      return send(seat, command);
    }
    case What::Detach: return send(seat, DetachCommand{entity(seat)});
    case What::Exclude:
      return send(seat, ExcludePairCommand{entity(seat), entity(seat), bytes_.below(4) != 0});
    case What::Policy: return send(seat, policy());
    case What::Subscribe: return send(seat, subscription(seat));
    default: return send(seat, UnsubscribeCommand{bytes_.below(4)});
  }
}

void TickScript::interest_operation(What what, Seat& seat) {
  const std::uint8_t names = bytes_.byte();
  const AreaId area_id{names % 6u};
  const ObserverId observer{(names >> 4) % 3u};
  switch (what) {
    case What::AddArea: return send(seat, AddAreaCommand{observer, area_id, area(seat)});
    case What::AddSphere: {  // the quick way of interest, in few bytes
      AreaSpec spec;
      spec.anchor = bytes_.flag() ? entity(seat) : EntityRef{};
      if (!spec.anchor.present()) spec.centre = near_somebody();
      spec.enter_radius_m = bytes_.length();
      spec.leave_radius_m = spec.enter_radius_m + 1;
      return send(seat, AddAreaCommand{observer, area_id, spec});
    }
    case What::ChangeArea: return send(seat, ChangeAreaCommand{area_id, area(seat)});
    case What::RemoveArea: return send(seat, RemoveAreaCommand{area_id});
    default:
      return send(seat, SetVisibilityCommand{observer, entity(seat),
                                             static_cast<Visibility>(bytes_.below(4))});
  }
}

/// Ids of sessions are given out once.
void TickScript::session_operation(Seat& seat) {
  switch (bytes_.below(5)) {
    case 0:
    case 1:
      send_by_server(seat, CloseSessionCommand{bytes_.flag()});
      seat.spawns.clear();
      return open(seat);
    case 2:
      return send_by_server(
          seat, OpenSessionCommand{seat.role, seat.contacts, seat.details, ++seat.view_number});
    case 3: return send_by_server(seat, DespawnOwnedCommand{});
    default: CHECK(queue_.push(SessionId{}, {Command{SessionId{}, 0, RestartCommand{}}}));
  }
}

void TickScript::open(Seat& seat) {
  seat.session = SessionId{next_session_++};
  seat.sequence = 0;
  seat.view_number = 0;
  send_by_server(seat, OpenSessionCommand{seat.role, seat.contacts, seat.details});
}

void TickScript::send(Seat& seat, CommandBody body) {
  ++seat.sequence;
  if (app::check_role(seat.role, body).code != ErrorCode::None) return;
  if (wire::validate(body, limits_).code != ErrorCode::None) return;
  if (std::holds_alternative<SpawnCommand>(body)) seat.spawns.push_back(seat.sequence);
  CHECK(queue_.push(seat.session, {Command{seat.session, seat.sequence, std::move(body)}}));
}

void TickScript::send_by_server(Seat& seat, CommandBody body) {
  CHECK(queue_.push(seat.session, {Command{seat.session, ++seat.sequence, std::move(body)}}));
}

/// Mostly somebody alive, else a spawn of this tick, somebody who has ended, or nobody.
EntityRef TickScript::entity(const Seat& seat) {
  const std::uint8_t place = bytes_.byte();
  if (place >= 254) return {EntityId::from_raw(place == 254 ? bytes_.word(8) : 0), 0};
  if (place >= 224 && !ended_.empty()) return {ended_[place % ended_.size()], 0};
  if (place >= 192 && !seat.spawns.empty()) return {{}, seat.spawns[place % seat.spawns.size()]};
  if (alive_.empty()) return {{}, seat.spawns.empty() ? 1 : seat.spawns.front()};
  return {alive_[place % alive_.size()], 0};
}

Vec3 TickScript::near_somebody() {
  const std::uint8_t place = bytes_.byte();
  const Vec3 base = positions_.empty() ? Vec3{} : positions_[place % positions_.size()];
  return base + bytes_.numbers() * 0.125;
}

SpawnCommand TickScript::spawn() {
  SpawnCommand out;
  const std::uint8_t how = bytes_.byte();
  out.position = (how & 1u) != 0 ? near_somebody() : bytes_.numbers();
  if ((how & 2u) != 0) out.velocity = bytes_.numbers();
  if ((how & 4u) != 0) out.rotation = bytes_.rotation();
  if ((how & 8u) != 0) out.angular_velocity = bytes_.numbers();
  if ((how & 16u) != 0) out.filter = filter();
  if ((how & 32u) != 0) out.relevance = {bytes_.flag(), bytes_.byte(), 3, 4};
  out.shape = (how & 64u) != 0 ? shape() : Shape::sphere(bytes_.length());
  out.user_data = how;
  return out;
}

Shape TickScript::shape() {
  switch (bytes_.below(7)) {
    case 0: {
      const double radius_m = bytes_.length();
      return Shape::sphere(radius_m, bytes_.flag() ? bytes_.numbers() : Vec3{});
    }
    case 1: {
      const double radius_m = bytes_.length();
      return Shape::capsule(radius_m, bytes_.length());
    }
    case 2: return Shape::box(bytes_.lengths());
    case 3: {
      const Vec3 corner = bytes_.numbers();
      return Shape::box_corners(corner, corner + bytes_.lengths());
    }
    case 4: {
      const Vec3 corner = bytes_.numbers();
      return Shape::box_corners(corner, bytes_.numbers());
    }
    default: {
      std::vector<Primitive> parts;
      for (std::uint32_t count = bytes_.below(5); count > 0; --count) parts.push_back(part());
      return Shape::of_parts(std::move(parts));
    }
  }
}

/// Hulls and meshes that cannot be are points, so that what is beside them counts all the same.
Primitive TickScript::part() {
  const std::uint32_t kind = bytes_.below(5);
  const Pose offset{bytes_.flag() ? bytes_.numbers() : Vec3{}, bytes_.rotation()};
  if (kind == 0) return sphere_primitive(bytes_.length(), offset.position);
  if (kind == 1) {
    const double radius_m = bytes_.length();
    return capsule_primitive(radius_m, bytes_.length(), offset);
  }
  if (kind == 2) return box_primitive(bytes_.lengths(), offset);
  std::vector<Vec3> points;
  for (std::uint32_t count = 3 + bytes_.below(6); count > 0; --count)
    points.push_back(bytes_.numbers() * 0.25);
  if (kind == 3) {
    auto hull = ConvexHull::build(points, "points");
    if (!hull) return sphere_primitive(0, offset.position);
    return hull_primitive(std::make_shared<ConvexHull>(std::move(hull.value())), offset);
  }
  std::vector<TriangleMesh::Indices> triangles;
  const auto count = static_cast<std::uint32_t>(points.size());
  for (std::uint32_t i = 0; i + 2 < count; ++i) triangles.push_back({i, i + 1, i + 2});
  auto mesh = TriangleMesh::build(std::move(points), std::move(triangles), bytes_.flag(), "mesh");
  if (!mesh) return sphere_primitive(0, offset.position);
  return mesh_primitive(std::make_shared<TriangleMesh>(std::move(mesh.value())), offset);
}

Filter TickScript::filter() {
  const std::uint8_t bits = bytes_.byte();
  const std::uint8_t sets = bytes_.byte();
  Filter out;
  out.sensor = (bits & 1u) != 0;
  out.is_static = (bits & 2u) != 0;
  out.enabled = (bits & 4u) == 0;
  out.continuous = (bits & 8u) != 0;
  out.group = static_cast<std::int32_t>((bits >> 4) % 5) - 2;
  out.category = sets & 3u;
  out.mask = (sets & 4u) != 0 ? 0xFFFF'FFFFu : (sets >> 3) & 3u;
  out.instance = (sets >> 5) % 3;
  return out;
}

FilterPatch TickScript::patch() {
  const std::uint8_t fields = bytes_.byte();
  const Filter values = filter();
  FilterPatch out;
  if ((fields & 1u) != 0) out.category = values.category;
  if ((fields & 2u) != 0) out.mask = values.mask;
  if ((fields & 4u) != 0) out.group = values.group;
  if ((fields & 8u) != 0) out.instance = values.instance;
  if ((fields & 16u) != 0) out.sensor = values.sensor;
  if ((fields & 32u) != 0) out.is_static = values.is_static;
  if ((fields & 64u) != 0) out.enabled = values.enabled;
  if ((fields & 128u) != 0) out.continuous = values.continuous;
  return out;
}

SetPolicyCommand TickScript::policy() {
  SetPolicyCommand out;
  for (std::uint32_t count = bytes_.below(4); count > 0; --count) {
    const std::uint8_t who = bytes_.byte();
    out.rules.push_back({who & 3u, (who >> 2) & 3u, static_cast<PolicyAction>((who >> 4) % 4),
                         bytes_.below(5), bytes_.below(6)});
  }
  return out;
}

SubscribeCommand TickScript::subscription(const Seat& seat) {
  SubscribeCommand out;
  const std::uint8_t how = bytes_.byte();
  out.subscription = how & 3u;
  out.kind = static_cast<SubscriptionKind>((how >> 2) % 4);
  out.entity = out.kind == SubscriptionKind::Entity ? entity(seat) : EntityRef{};
  out.categories_a = (how >> 4) & 3u;
  out.categories_b = (how >> 6) & 3u;
  if (out.kind == SubscriptionKind::Area) out.box = {bytes_.numbers(), bytes_.numbers()};
  return out;
}

AreaSpec TickScript::area(const Seat& seat) {
  AreaSpec spec;
  const std::uint8_t how = bytes_.byte();
  spec.kind = static_cast<AreaKind>((how & 7u));
  spec.reach = (how & 8u) != 0 ? Reach::Centre : Reach::Shape;
  if ((how & 16u) != 0) spec.anchor = entity(seat);
  spec.centre = bytes_.numbers();
  const std::uint8_t rules = bytes_.byte();
  spec.include_anchor = (rules & 1u) != 0;
  spec.follow = static_cast<AreaFollow>((rules >> 1) & 1u);
  spec.suspend = (rules & 4u) != 0;
  if ((rules & 8u) != 0) spec.min_dwell_ticks = bytes_.below(6);
  if ((rules & 16u) != 0) spec.nearest_max = bytes_.below(6);
  if ((rules & 32u) != 0) spec.rings = {{bytes_.length(), bytes_.below(4)}, {bytes_.length(), 3}};
  if ((rules & 64u) != 0) spec.filter = {bytes_.byte(), bytes_.below(3)};
  give_sizes(spec);
  return spec;
}

void TickScript::give_sizes(AreaSpec& spec) {
  const Vec3 sizes = bytes_.lengths();
  const double more = bytes_.length();
  spec.enter_radius_m = sizes.x;
  spec.leave_radius_m = sizes.x + more;
  spec.enter_half_extent_m = spec.half_extent_m = sizes;
  spec.leave_half_extent_m = sizes + Vec3{more, more, more};
  spec.leave_margin_m = more;
  spec.radius_m = sizes.x;
  spec.half_height_m = sizes.y;
  spec.near_m = sizes.y;
  spec.range_m = sizes.z;
  if (spec.kind == AreaKind::Cone || spec.kind == AreaKind::Frustum) {
    spec.half_angle_rad = bytes_.length() * 0.125;
    spec.half_angle_up_rad = bytes_.length() * 0.125;
  }
  if (spec.kind == AreaKind::Prism) {
    for (std::uint32_t count = bytes_.below(6); count > 0; --count)
      spec.outline.push_back({bytes_.number(), bytes_.number()});
    if (spec.outline.empty())
      spec.outline = {{-sizes.x, -sizes.x}, {-sizes.x, sizes.x}, {sizes.x, sizes.z}};
  }
  spec.rotation = bytes_.rotation();
}

}  // namespace vicinity::fuzz
