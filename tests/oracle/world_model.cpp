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

/// The pair rule in the words of the contract, one sentence each.
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

/// First moment at which all six gaps between the faces are positive.
std::optional<Fraction> first_meeting(const ModelEntity& a, const ModelEntity& b) {
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
    if (!gap(b.start.max[i] - a.start.min[i], b.end.max[i] - a.end.min[i])) return std::nullopt;
    if (!gap(a.start.max[i] - b.start.min[i], a.end.max[i] - b.end.min[i])) return std::nullopt;
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
    contact.toi = moved ? first_meeting(a, b)->value() : 1.0;
    return contact;
  }
  if (!moved || touch(a.start, b.start)) return std::nullopt;
  if (!a.continuous && !b.continuous && !long_path(a, b)) return std::nullopt;
  const std::optional<Fraction> meeting = first_meeting(a, b);
  if (!meeting) return std::nullopt;
  contact.toi = meeting->value();
  return contact;
}

}  // namespace

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

void WorldModel::spawn(EntityId id, const Point& position, const Point& velocity,
                       const IntBox& local, const Filter& filter) {
  ModelEntity entity;
  entity.position = position;
  entity.velocity = velocity;
  entity.local = local;
  entity.filter = filter;
  entity.last_box = at(local, position);
  entity.placed = true;
  entities_[id] = entity;
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
      it = entities_.erase(it);
      continue;
    }
    entity.position = target;
    entity.end = at(entity.local, target);
    entity.start = drifts || entity.path ? entity.last_box : entity.end;
    ++it;
  }
}

ExpectedTick WorldModel::end_tick() {
  advance();
  ExpectedTick tick;
  std::map<IdPair, bool> touching;
  for (auto a = entities_.begin(); a != entities_.end(); ++a) {
    for (auto b = std::next(a); b != entities_.end(); ++b) {
      const std::optional<ExpectedContact> contact = contact_of(a->second, b->second);
      if (!contact) continue;
      const IdPair pair{a->first, b->first};
      tick.contacts[pair] = *contact;
      if (contact->touching) touching[pair] = contact->sensor;
      if (!contact->touching) tick.passed.insert(pair);
      const auto old = touching_.find(pair);
      const bool goes_on =
          contact->touching && old != touching_.end() && old->second == contact->sensor;
      if (!goes_on) tick.begins.insert(pair);
    }
  }
  for (const auto& [pair, sensor] : touching_) {
    const auto now = touching.find(pair);
    if (now == touching.end() || now->second != sensor) tick.ends.insert(pair);
  }
  touching_ = std::move(touching);
  for (auto& [id, entity] : entities_) {
    entity.last_box = entity.end;
    entity.placed = entity.path = entity.continuous = false;
  }
  return tick;
}

}  // namespace vicinity::oracle
