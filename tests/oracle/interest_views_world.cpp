// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/interest_views_world.h"

#include <algorithm>
#include <cmath>

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t sessions = 3;  ///< 1 and 2 are players, 3 an observer
constexpr std::uint64_t reach_eighths = 320;
/// Many groups of lanes, and most of them far from everybody.
bool is_large(std::uint64_t seed) { return seed % 10 == 1; }

IndexSettings index_of(std::uint64_t seed) {
  IndexSettings settings;
  settings.kind = seed % 2 == 0 ? IndexKind::Rows : IndexKind::Sweep;
  settings.rest_after_ticks = 1 + static_cast<std::uint32_t>(seed % 3);
  settings.rest_eagerly = true;
  return settings;
}

EntityTableSettings table_of(std::uint64_t seed) {
  EntityTableSettings settings;
  settings.reuse_delay_ticks = static_cast<std::uint32_t>(seed % 3);
  return settings;
}

InterestSettings interest_of(std::uint64_t seed) {
  InterestSettings settings;
  if (seed % 5 == 3) settings.visible_max = 12;
  constexpr IndexKernel kernels[] = {IndexKernel::Auto, IndexKernel::Scalar, IndexKernel::Avx2,
                                     IndexKernel::Avx512};
  const IndexKernel kernel = kernels[seed / 2 % 4];
  settings.kernel = is_supported(kernel) ? kernel : IndexKernel::Auto;
  settings.uses_masks = seed % 7 != 0;
  return settings;
}

}  // namespace

ViewsWorld::ViewsWorld(std::uint64_t seed)
    : prng_(seed),
      uses_all_rules_(seed % 2 == 0),
      turns_(seed % 4 == 0),
      reach_eighths_(is_large(seed) ? 4 * reach_eighths : reach_eighths),
      origin_(seed % 3 == 0 ? Vec3{0x1p30, -0x1p30, 0x1p30} : Vec3{}),
      world_(index_of(seed), table_of(seed)),
      interest_(interest_of(seed)),
      workers_(static_cast<int>(1 + seed % 4)) {
  model_.visible_max = interest_of(seed).visible_max;
  for (std::uint64_t i = 1; i <= sessions; ++i) {
    interest_.open_session(SessionId{i}, i < sessions ? Role::Player : Role::Observer);
    if (i < sessions) model_.players.insert(SessionId{i});
  }
  for (int i = is_large(seed) ? 500 : 40; i > 0; --i) spawn();
}

double ViewsWorld::length(std::uint64_t eighths) {
  return static_cast<double>(prng_.below(eighths + 1)) / 8;
}
Vec3 ViewsWorld::offset(std::uint64_t eighths) {
  const double half = static_cast<double>(eighths) / 8;
  return {length(2 * eighths) - half, length(2 * eighths) - half, length(2 * eighths) - half};
}
Vec3 ViewsWorld::position() {
  const Vec3 at = offset(reach_eighths_);
  return origin_ + Vec3{at.x, at.y / 4, at.z};
}
Quat ViewsWorld::rotation() {
  return normalized({prng_.between(-1, 1), prng_.between(-1, 1), prng_.between(-1, 1), 1});
}
EntityId ViewsWorld::any_entity() {
  return entities_.empty() ? EntityId{} : entities_[prng_.below(entities_.size())];
}

void ViewsWorld::spawn() {
  SpawnCommand command;
  command.position = position();
  switch (prng_.below(4)) {
    case 0: command.shape = Shape::sphere(length(16), offset(4)); break;
    case 1: command.shape = Shape::capsule(length(8), length(16), offset(4)); break;
    case 2: command.shape = Shape::sphere(0); break;
    default: {
      const Vec3 low = offset(16);
      command.shape = Shape::box_corners(low, low + Vec3{length(24), length(24), length(24)});
      if (turns_ && prng_.chance(0.5)) command.rotation = rotation();
    }
  }
  command.filter.category = static_cast<std::uint32_t>(1 + prng_.below(3));
  command.filter.instance = prng_.chance(0.1) ? 1 : 0;
  command.filter.is_static = prng_.chance(0.1);
  if (!command.filter.is_static && prng_.chance(0.7)) command.velocity = offset(16);
  const auto id = world_.table().spawn(SessionId{1 + prng_.below(sessions + 1)}, command);
  CHECK(id.ok());
  entities_.push_back(id.value());
}

void ViewsWorld::change_entities() {
  EntityTable& table = world_.table();
  if (prng_.chance(0.3)) spawn();
  if (prng_.chance(0.2)) table.despawn(any_entity(), DespawnReason::Command);
  if (prng_.chance(0.3)) table.teleport(any_entity(), position());
  if (prng_.chance(0.3)) table.set_velocity(any_entity(), offset(24));
  if (prng_.chance(0.02)) table.set_velocity(any_entity(), {1e13, 0, 0});  // out of the world
  if (prng_.chance(0.2)) table.set_shape(any_entity(), Shape::sphere(length(24)));
  if (prng_.chance(0.3)) {
    FilterPatch patch;
    if (prng_.chance(0.5)) patch.enabled = prng_.chance(0.6);
    if (prng_.chance(0.5)) patch.category = static_cast<std::uint32_t>(1 + prng_.below(3));
    if (prng_.chance(0.3)) patch.instance = static_cast<std::uint32_t>(prng_.below(2));
    table.set_filter(any_entity(), patch);
  }
  if (uses_all_rules_ && prng_.chance(0.2)) {
    Relevance relevance;
    relevance.always = prng_.chance(0.3);
    if (prng_.chance(0.5)) {
      relevance.seen_from_enter_m = length(400);
      relevance.seen_from_leave_m = relevance.seen_from_enter_m + length(40);
    }
    relevance_[any_entity()] = relevance;
  }
}

void ViewsWorld::change_followers() {
  if (prng_.chance(0.15)) {
    const EntityId child = any_entity();
    const EntityId parent = any_entity();
    EntityId root = parent;
    while (parents_.contains(root)) root = parents_.at(root);
    bool is_cycle = root == child;
    for (EntityId at = parent; parents_.contains(at); at = parents_.at(at))
      is_cycle = is_cycle || at == child;
    if (!is_cycle && child != parent) parents_[child] = parent;
  }
  if (prng_.chance(0.1) && !parents_.empty()) {
    auto at = parents_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(prng_.below(parents_.size())));
    parents_.erase(at);
  }
}

/// What the table of entities does not say yet: relevance and followers.
void ViewsWorld::finish_snapshot() {
  snapshot_ = *world_.snapshot();
  entities_.clear();
  for (const EntityId id : snapshot_.id)
    if (id) entities_.push_back(id);
  std::erase_if(parents_, [&](const auto& entry) {
    return !snapshot_.contains(entry.first) || !snapshot_.contains(entry.second);
  });
  snapshot_.followers.clear();
  for (const auto& [child, parent] : parents_)
    snapshot_.followers.push_back({child.index(), parent.index()});
  std::sort(snapshot_.followers.begin(), snapshot_.followers.end(),
            [](const Follower& a, const Follower& b) { return a.slot < b.slot; });
  snapshot_.relevance.clear();
  if (relevance_.empty()) return;
  snapshot_.relevance.resize(snapshot_.slot_count());
  for (const auto& [id, relevance] : relevance_)
    if (snapshot_.contains(id)) snapshot_.relevance[id.index()] = relevance;
}

void ViewsWorld::give_sizes(AreaSpec& spec) {
  spec.enter_radius_m = length(240);
  spec.leave_radius_m = spec.enter_radius_m + length(16);
  for (int axis = 0; axis < 3; ++axis) {
    spec.enter_half_extent_m[axis] = length(160);
    spec.leave_half_extent_m[axis] = spec.enter_half_extent_m[axis] + length(16);
    spec.half_extent_m[axis] = length(160);
  }
  spec.leave_margin_m = length(16);
  spec.radius_m = length(240);
  spec.half_height_m = length(80);
  spec.near_m = length(8);
  spec.range_m = spec.near_m + 0.125 + length(320);
  spec.half_angle_rad = prng_.between(0.1, 1.4);
  spec.half_angle_up_rad = prng_.between(0.1, 1.4);
  const auto corners = 3 + prng_.below(6);
  for (std::uint64_t i = 0; i < corners; ++i) {
    const double angle = 6.283185307179586 * static_cast<double>(i) / static_cast<double>(corners);
    spec.outline.push_back({20 * std::cos(angle), -15 * std::sin(angle)});
  }
}

AreaSpec ViewsWorld::area_spec() {
  AreaSpec spec;
  spec.kind = static_cast<AreaKind>(prng_.below(uses_all_rules_ ? 7 : 2));
  spec.reach = prng_.chance(0.6) ? Reach::Shape : Reach::Centre;
  give_sizes(spec);
  if (prng_.chance(0.5)) {
    spec.anchor.id = any_entity();
    spec.centre = prng_.chance(0.5) ? Vec3{} : offset(16);
    spec.include_anchor = prng_.chance(0.3);
  } else {
    spec.centre = position();
  }
  if (prng_.chance(0.3)) spec.filter.category_mask = static_cast<std::uint32_t>(1 + prng_.below(3));
  spec.filter.instance = prng_.chance(0.1) ? 1 : 0;
  spec.suspend = prng_.chance(0.4);
  // Kinds that stay upright, or are not turned at all, do so in the model as well.
  const bool turns = spec.kind == AreaKind::OrientedBox || spec.kind == AreaKind::Cone ||
                     spec.kind == AreaKind::Frustum;
  if (turns) spec.rotation = rotation();
  if (turns && prng_.chance(0.5)) spec.follow = AreaFollow::PositionAndHeading;
  if (spec.kind == AreaKind::Prism) spec.rotation = normalized({0, prng_.between(-1, 1), 0, 1});
  if (!uses_all_rules_) return spec;
  if (prng_.chance(0.3)) spec.min_dwell_ticks = static_cast<std::uint32_t>(prng_.below(5));
  if (prng_.chance(0.3)) spec.nearest_max = static_cast<std::uint32_t>(1 + prng_.below(8));
  return spec;
}

bool ViewsWorld::add_or_change(SessionId session, ObserverId observer, AreaId area) {
  const AreaSpec spec = area_spec();
  for (auto& [name, entry] : model_.observers) {
    if (name.first != session || !entry.areas.contains(area)) continue;
    if (prng_.chance(0.1))
      return interest_.add_area(session, {observer, area, spec}, spec.anchor.id) ==
             ErrorCode::DuplicateArea;
    ModelArea& old = entry.areas.at(area);
    old.spec = spec;
    old.anchor = spec.anchor.id;
    entry.touched.insert(area);
    return interest_.change_area(session, {area, spec}, spec.anchor.id) == ErrorCode::None;
  }
  model_.observers[{session, observer}].areas[area] = {spec, spec.anchor.id, {}, {}};
  return interest_.add_area(session, {observer, area, spec}, spec.anchor.id) == ErrorCode::None;
}

bool ViewsWorld::remove(SessionId session, AreaId area) {
  const ErrorCode code = interest_.remove_area(session, {area});
  for (auto at = model_.observers.begin(); at != model_.observers.end(); ++at) {
    auto& [name, entry] = *at;
    if (name.first != session || !entry.areas.contains(area)) continue;
    entry.areas.erase(area);
    entry.touched.insert(area);
    if (entry.areas.empty()) {
      dropped_.insert(name);
      model_.observers.erase(at);
    }
    return code == ErrorCode::None;
  }
  return code == ErrorCode::UnknownArea;
}

bool ViewsWorld::area_command() {
  const SessionId session{1 + prng_.below(sessions)};
  const ObserverId observer{static_cast<std::uint32_t>(prng_.below(3))};
  const AreaId area{static_cast<std::uint32_t>(prng_.below(5))};
  return prng_.chance(0.75) ? add_or_change(session, observer, area) : remove(session, area);
}

bool ViewsWorld::visibility_command() {
  const SessionId session{1 + prng_.below(sessions)};
  const ObserverId observer{static_cast<std::uint32_t>(prng_.below(3))};
  const EntityId entity = any_entity();
  const auto said = static_cast<Visibility>(prng_.below(3));
  const ErrorCode code = interest_.set_visibility(session, {observer, {entity}, said}, entity);
  const auto found = model_.observers.find({session, observer});
  if (found == model_.observers.end()) return code == ErrorCode::UnknownObserver;
  auto& entries = found->second.visibilities;
  if (entries.contains(entity) && entries.at(entity) == Visibility::Always &&
      said != Visibility::Always)
    found->second.released.insert(entity);
  if (said == Visibility::Default) {
    entries.erase(entity);
  } else {
    entries[entity] = said;
  }
  return code == ErrorCode::None;
}

void ViewsWorld::reopen_session() {
  const SessionId session{1 + prng_.below(sessions)};
  interest_.close_session(session);
  std::erase_if(model_.observers, [&](const auto& e) { return e.first.first == session; });
  std::erase_if(dropped_, [&](const auto& name) { return name.first == session; });
  model_.players.erase(session);  // what it owned before is nobody's any more
  interest_.open_session(session, Role::Observer);
}

bool ViewsWorld::step() {
  dropped_.clear();
  const bool is_first = world_.tick() == 0;
  bool agree = true;
  if (!is_first) change_entities();
  if (uses_all_rules_) change_followers();
  for (std::uint64_t i = prng_.below(is_first ? 12 : 3); i > 0; --i)
    agree = area_command() && agree;
  if (uses_all_rules_ && prng_.chance(0.3)) agree = visibility_command() && agree;
  if (prng_.chance(0.02)) reopen_session();
  world_.step();
  finish_snapshot();
  std::vector<std::uint32_t> changed = world_.changed();
  for (const auto& [id, relevance] : relevance_)
    if (!relevance_before_.contains(id) || relevance_before_.at(id) != relevance)
      changed.push_back(id.index());
  relevance_before_ = relevance_;
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  interest_.update(snapshot_, changed, *world_.index(), workers_, events_);
  return agree;
}

}  // namespace vicinity::oracle
