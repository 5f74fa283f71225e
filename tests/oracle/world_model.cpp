// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/world_model.h"

#include <algorithm>
#include <cmath>

namespace vicinity::oracle {
namespace {

__extension__ using Wide = __int128;

/// A fraction with a positive denominator, compared exactly.
struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;
  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  }
  double value() const {
    return static_cast<double>(static_cast<long double>(numerator) /
                               static_cast<long double>(denominator));
  }
};

IntBox at(const IntBox& local, const Point& position) {
  IntBox box;
  for (std::size_t i = 0; i < 3; ++i) {
    box.min[i] = position[i] + local.min[i];
    box.max[i] = position[i] + local.max[i];
  }
  return box;
}

bool touch(const IntBox& a, const IntBox& b) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (a.max[i] <= b.min[i] || b.max[i] <= a.min[i]) return false;
  }
  return true;
}

/// First moment at which all six gaps between the faces are positive.
std::optional<Fraction> exact_meeting(const IntBox& a_start, const IntBox& a_end,
                                      const IntBox& b_start, const IntBox& b_end) {
  Fraction after{0, 1};
  Fraction until{1, 1};
  bool open_after = false;  // the moment `after` itself is excluded
  bool open_until = false;
  auto gap = [&](std::int64_t start, std::int64_t end) {
    if (start <= 0 && end <= 0) return false;
    if (start > 0 && end > 0) return true;
    // Positive on one side of the root start / (start - end).
    const Wide slope = static_cast<Wide>(start) - end;
    const Fraction root{slope > 0 ? Wide{start} : -Wide{start}, slope > 0 ? slope : -slope};
    if (start <= 0) {
      if (!(root < after)) after = root, open_after = true;
    } else {
      if (!(until < root)) until = root, open_until = true;
    }
    return true;
  };
  for (std::size_t i = 0; i < 3; ++i) {
    if (!gap(b_start.max[i] - a_start.min[i], b_end.max[i] - a_end.min[i])) return std::nullopt;
    if (!gap(a_start.max[i] - b_start.min[i], a_end.max[i] - b_end.min[i])) return std::nullopt;
  }
  if (until < after) return std::nullopt;
  if (!(after < until) && (open_after || open_until)) return std::nullopt;
  return after;
}

std::int64_t thickness(const IntBox& box) {
  return std::min({box.max[0] - box.min[0], box.max[1] - box.min[1], box.max[2] - box.min[2]});
}

/// Relative path longer than the smaller thickness, compared exactly (doubled: centres are halves).
bool long_path(const ModelEntity& a, const ModelEntity& b) {
  Wide sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    auto doubled_path = [i](const ModelEntity& e) {
      return (e.end.min[i] + e.end.max[i]) - (e.start.min[i] + e.start.max[i]);
    };
    const Wide path = doubled_path(b) - doubled_path(a);
    sum += path * path;
  }
  const Wide thin = 2 * static_cast<Wide>(std::min(thickness(a.end), thickness(b.end)));
  return sum > thin * thin;
}

std::optional<ExpectedContact> contact_of(const ModelEntity& a, const ModelEntity& b) {
  if (!may_meet(a.filter, b.filter)) return std::nullopt;
  const bool moved = a.start != a.end || b.start != b.end || a.continuous || b.continuous;
  ExpectedContact contact;
  contact.sensor = a.filter.sensor || b.filter.sensor;
  contact.touching = touch(a.end, b.end);
  if (contact.touching) {
    contact.toi = moved ? first_meeting(a.start, a.end, b.start, b.end).value() : 1.0;
    return contact;
  }
  if (!moved || touch(a.start, b.start)) return std::nullopt;
  if (!a.continuous && !b.continuous && !long_path(a, b)) return std::nullopt;
  const std::optional<double> meeting = first_meeting(a.start, a.end, b.start, b.end);
  if (!meeting) return std::nullopt;
  contact.toi = *meeting;
  return contact;
}

}  // namespace

bool may_meet(const Filter& a, const Filter& b) {
  if (!a.enabled || !b.enabled) return false;
  if (a.mask == 0 || b.mask == 0) return false;
  if (a.instance != b.instance) return false;
  if (a.sensor && b.sensor) return false;
  if (a.is_static && b.is_static) return false;
  const bool same_group = a.group == b.group;
  if (same_group && a.group > 0) return true;
  if (same_group && a.group < 0) return false;
  return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

std::optional<double> first_meeting(const IntBox& a_start, const IntBox& a_end,
                                    const IntBox& b_start, const IntBox& b_end) {
  const std::optional<Fraction> meeting = exact_meeting(a_start, a_end, b_start, b_end);
  if (!meeting) return std::nullopt;
  return meeting->value();
}

Vec3 to_metres(const Point& point) {
  auto metres = [](std::int64_t units) { return std::ldexp(static_cast<double>(units), -10); };
  static_assert(units_per_m == 1 << 10);
  return {metres(point[0]), metres(point[1]), metres(point[2])};
}

bool WorldModel::in_world(const IntBox& local, const Point& position) const {
  const IntBox box = at(local, position);
  for (std::size_t i = 0; i < 3; ++i) {
    if (std::abs(position[i]) > half_size_) return false;
    if (box.min[i] < -half_size_ || box.max[i] > half_size_) return false;
  }
  return true;
}

void WorldModel::spawn(EntityId id, const ModelEntity& entity) {
  ModelEntity& fresh = entities_[id] = entity;
  fresh.last_box = at(entity.local, entity.position);
  fresh.placed = true;
}

void WorldModel::despawn(EntityId id) {
  entities_.erase(id);
  despawned_.insert(id);
}

void WorldModel::despawn_all() {
  while (!entities_.empty()) despawn(entities_.begin()->first);
}

void WorldModel::set_shape(EntityId id, const IntBox& local) {
  ModelEntity& entity = entities_.at(id);
  entity.reshaped = entity.reshaped || entity.local != local;
  entity.local = local;
}

void WorldModel::move_to(EntityId id, const Point& position, bool continuous) {
  ModelEntity& entity = entities_.at(id);
  entity.position = position;
  entity.placed = false;
  entity.path = true;
  entity.continuous = continuous;
}

void WorldModel::teleport(EntityId id, const Point& position) {
  ModelEntity& entity = entities_.at(id);
  entity.teleported = entity.teleported || entity.path || entity.position != position;
  entity.position = position;
  entity.last_box = at(entity.local, position);
  entity.placed = true;
  entity.path = false;
  entity.continuous = false;
}

void WorldModel::advance() {
  for (auto it = entities_.begin(); it != entities_.end();) {
    ModelEntity& entity = it->second;
    const bool drifts = !entity.placed && !entity.path && entity.velocity != Point{};
    Point target = entity.position;
    for (std::size_t i = 0; i < 3 && drifts; ++i) target[i] += entity.velocity[i];
    if (drifts && !in_world(entity.local, target)) {
      left_world_.insert(it->first);
      it = entities_.erase(it);
      continue;
    }
    // A path by command begins with the box as it was, a drift with the shape of now.
    entity.start = entity.path ? entity.last_box : at(entity.local, entity.position);
    entity.position = target;
    entity.end = at(entity.local, target);
    ++it;
  }
}

void WorldModel::find_contacts(ExpectedTick& tick) const {
  for (auto a = entities_.begin(); a != entities_.end(); ++a) {
    for (auto b = std::next(a); b != entities_.end(); ++b) {
      const auto contact = contact_of(a->second, b->second);
      if (contact) tick.contacts[{a->first, b->first}] = *contact;
    }
  }
}

/// How a contact ends in this tick, first reason that applies to either entity. `facts` as of the
/// last tick; while both live, their data is that of now.
ExpectedEnd WorldModel::end_of(const IdPair& pair, ContactFacts facts) const {
  const auto either_in = [&](const std::set<EntityId>& set) {
    return set.count(pair.first) + set.count(pair.second) > 0;
  };
  if (either_in(despawned_)) return {facts, EndReason::Despawned};
  if (either_in(left_world_)) return {facts, EndReason::OutOfWorld};
  const ModelEntity& a = entities_.at(pair.first);
  const ModelEntity& b = entities_.at(pair.second);
  facts.user_data = {a.user_data, b.user_data};
  if (!a.filter.enabled || !b.filter.enabled) return {facts, EndReason::Disabled};
  const bool sensor = a.filter.sensor || b.filter.sensor;
  const bool goes_on_otherwise = touch(a.end, b.end) && sensor != facts.sensor;
  if (!may_meet(a.filter, b.filter) || goes_on_otherwise) return {facts, EndReason::FilterChanged};
  if (a.teleported || b.teleported) return {facts, EndReason::Teleported};
  if (a.reshaped || b.reshaped) return {facts, EndReason::ShapeChanged};
  return {facts, EndReason::Separated};
}

void WorldModel::compare_with_last_tick(ExpectedTick& tick) const {
  for (const auto& [pair, contact] : tick.contacts) {
    const ModelEntity& a = entities_.at(pair.first);
    const ModelEntity& b = entities_.at(pair.second);
    ContactFacts facts{tick_, contact.sensor, {a.user_data, b.user_data}, {a.owner, b.owner}};
    const auto old = open_.find(pair);
    const bool goes_on =
        contact.touching && old != open_.end() && old->second.sensor == contact.sensor;
    if (goes_on) facts.begin_tick = old->second.begin_tick;
    if (!goes_on) tick.begins[pair] = facts;
    if (contact.touching) tick.open[pair] = facts;
    if (!contact.touching) tick.passed[pair] = {facts, EndReason::PassedThrough};
  }
  for (const auto& [pair, facts] : open_) {
    const auto now = tick.open.find(pair);
    const bool goes_on = now != tick.open.end() && now->second.begin_tick == facts.begin_tick;
    if (!goes_on) tick.ends[pair] = end_of(pair, facts);
  }
}

ExpectedTick WorldModel::end_tick() {
  ++tick_;
  advance();
  ExpectedTick tick;
  find_contacts(tick);
  compare_with_last_tick(tick);
  open_ = tick.open;
  despawned_.clear();
  left_world_.clear();
  for (auto& [id, entity] : entities_) {
    entity.last_box = entity.end;
    entity.placed = entity.path = entity.continuous = false;
    entity.teleported = entity.reshaped = false;
  }
  return tick;
}

}  // namespace vicinity::oracle
