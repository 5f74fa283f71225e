// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/box_world.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vicinity::oracle {
namespace {

constexpr double metre_grid = 1.0 / 64;  ///< corners are multiples of it, so that many coincide

double on_grid(double value, double grid) { return std::floor(value / grid) * grid; }

}  // namespace

PairList all_pairs(const Bounds& bounds, const std::vector<Filter>& filters) {
  PairList pairs;
  for (std::uint32_t a = 0; a < bounds.size(); ++a) {
    if (!bounds[a].is_alive()) continue;
    for (std::uint32_t b = a + 1; b < bounds.size(); ++b) {
      if (!bounds[b].is_alive() || !overlaps(bounds[a].box, bounds[b].box)) continue;
      if (accepts(filters[a], filters[b])) pairs.push_back({a, b});
    }
  }
  return pairs;
}

std::vector<std::uint32_t> all_in_box(const Bounds& bounds, const Aabb32& box) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
    if (bounds[slot].is_alive() && touches(bounds[slot].box, box)) slots.push_back(slot);
  }
  return slots;
}

BoxWorldSettings random_box_world(Prng& prng) {
  BoxWorldSettings settings;
  settings.scene = static_cast<BoxScene>(prng.below(box_scene_count));
  if (settings.scene == BoxScene::Rods && prng.chance(0.7)) settings.scene = BoxScene::Spread;
  settings.entity_count = static_cast<std::uint32_t>(1 + prng.below(120));
  if (prng.chance(0.04)) settings.entity_count *= 6;
  if (settings.scene == BoxScene::OnePoint) settings.entity_count %= 60;
  if (settings.scene == BoxScene::Rods) settings.entity_count += 350;
  settings.churn = prng.chance(0.3) ? 0.1 : prng.chance(0.5) ? 0.02 : 0;
  settings.filters = prng.chance(0.3) ? 0 : prng.chance(0.5) ? 0.2 : 1;
  settings.resizes_all = prng.chance(0.08);
  // Stamps are 32 bits of it.
  if (prng.chance(0.1)) settings.first_version = (IndexVersion{1} << 32) - 4;
  return settings;
}

BoxWorld::BoxWorld(const BoxWorldSettings& settings, std::uint64_t seed)
    : settings_(settings), prng_(seed), version_(settings.first_version - 1) {}

double BoxWorld::within(double reach) { return on_grid(prng_.between(-reach, reach), metre_grid); }

void BoxWorld::place(Place& place) {
  double* min = place.min;
  for (int axis = 0; axis < 3; ++axis) min[axis] = within(8);
  switch (settings_.scene) {
    case BoxScene::Borders:
      for (int axis = 0; axis < 3; ++axis) min[axis] = std::floor(min[axis]);
      break;
    case BoxScene::Far:
      for (int axis = 0; axis < 3; ++axis) {
        const double far = prng_.chance(0.5) ? 1e6 : 1e9;
        min[axis] += far * (static_cast<double>(prng_.below(3)) - 1);
      }
      break;
    case BoxScene::Outliers:
      if (!prng_.chance(0.08)) break;
      for (int axis = 0; axis < 3; ++axis) {
        const double far = std::pow(10.0, prng_.between(2, 10));
        min[axis] += prng_.chance(0.3) ? far : prng_.chance(0.5) ? -far : 0;
      }
      break;
    case BoxScene::MixedSizes:
      for (int axis = 0; axis < 3; ++axis) {
        if (prng_.chance(0.5)) min[axis] = within(20'000);
      }
      break;
    case BoxScene::Corridor: min[0] = within(400), min[1] = 0.25, min[2] = within(0.5); break;
    case BoxScene::Plane: min[0] = within(60), min[1] = 0, min[2] = within(60); break;
    case BoxScene::OnePoint: min[0] = -3, min[1] = 0.5, min[2] = 7e5; break;
    case BoxScene::Spread:
      for (int axis = 0; axis < 3; ++axis) min[axis] = within(30);
      break;
    case BoxScene::Rods:
      min[0] = within(2'500), min[1] = within(17'000), min[2] = within(1'600);
      break;
    case BoxScene::Cluster:
    case BoxScene::Thin: break;
  }
}

void BoxWorld::size(Place& place) {
  for (double& size : place.size) {
    size = prng_.chance(0.1) ? 0 : on_grid(prng_.between(0, 3), metre_grid);
    if (settings_.scene == BoxScene::Borders) size = std::floor(size);
    if (settings_.scene == BoxScene::MixedSizes) size = std::pow(10.0, prng_.between(-3, 4));
  }
  double* size = place.size;
  if (settings_.scene == BoxScene::MixedSizes && prng_.chance(0.1)) {  // a plate
    size[prng_.below(3)] = 1e7;
    size[0] = 1e7;
    place.min[0] -= 5e6;
  }
  if (settings_.scene == BoxScene::Thin) {
    const double scale = std::pow(4.0, static_cast<double>(prng_.below(5)));
    for (int axis = 0; axis < 3; ++axis) size[axis] = 0.125 * scale * (1 + prng_.unit());
    size[prng_.below(3)] *= 4 * (1 + static_cast<double>(prng_.below(4)));
  }
  if (settings_.scene == BoxScene::Rods && prng_.chance(0.25)) {
    const bool is_across = prng_.chance(0.8);
    size[is_across ? 0 : 1] = is_across ? 9'000 : 40'000;
    place.min[0] = within(16'000);
    place.min[1] = within(12'000);
  }
}

Filter BoxWorld::random_filter() {
  Filter filter;
  if (!prng_.chance(settings_.filters)) return filter;
  if (prng_.chance(0.3)) filter.category = static_cast<std::uint32_t>(prng_.below(4));
  if (prng_.chance(0.3)) filter.mask = static_cast<std::uint32_t>(prng_.below(4));
  if (prng_.chance(0.3)) filter.group = static_cast<std::int32_t>(prng_.below(5)) - 2;
  if (prng_.chance(0.2)) filter.instance = 1;
  filter.sensor = prng_.chance(0.2);
  filter.is_static = prng_.chance(0.4);
  filter.enabled = prng_.chance(0.9);
  return filter;
}

void BoxWorld::touch(std::uint32_t slot) { touched_[slot] = 1; }

void BoxWorld::spawn() {
  std::uint32_t slot = 0;
  if (!free_slots_.empty() && prng_.chance(0.9)) {
    slot = free_slots_.back();
    free_slots_.pop_back();
  } else {
    slot = static_cast<std::uint32_t>(bounds_.size());
    bounds_.emplace_back();
    filters_.emplace_back();
    places_.emplace_back();
    alive_.push_back(0);
    touched_.push_back(0);
  }
  alive_[slot] = 1;
  ++alive_count_;
  place(places_[slot]);
  size(places_[slot]);
  filters_[slot] = random_filter();
  touch(slot);
}

void BoxWorld::despawn(std::uint32_t slot) {
  alive_[slot] = 0;
  --alive_count_;
  free_slots_.push_back(slot);
  touch(slot);
}

void BoxWorld::move(std::uint32_t slot) {
  Place& place_of = places_[slot];
  const double reach = settings_.scene == BoxScene::Borders ? 1.99 : prng_.chance(0.9) ? 0.5 : 20;
  for (double& min : place_of.min) {
    min += within(reach);
    if (settings_.scene == BoxScene::Borders) min = std::floor(min);
  }
  touch(slot);
}

void BoxWorld::change_some() {
  for (std::uint32_t slot = 0; slot < bounds_.size(); ++slot) {
    if (alive_[slot] == 0) continue;
    if (prng_.chance(settings_.churn)) {
      despawn(slot);
    } else if (settings_.resizes_all) {
      size(places_[slot]);
      touch(slot);
    } else if (prng_.chance(activity_)) {
      const std::uint64_t what = prng_.below(20);
      if (what < 13) move(slot);
      if (what == 13 || what == 14) place(places_[slot]);
      if (what == 15 || what == 16) size(places_[slot]);
      if (what == 17) filters_[slot] = random_filter();
      if (what == 18) filters_[slot].enabled = !filters_[slot].enabled;
      if (what == 19) filters_[slot].mask = prng_.chance(0.5) ? 0 : ~0u;
      touch(slot);
    }
  }
}

void BoxWorld::run_tick() {
  ++version_;
  if (prng_.chance(0.35)) {
    constexpr double activities[] = {0, 0.02, 0.1, 0.5, 1};
    activity_ = activities[prng_.below(5)];
  }
  change_some();
  const std::uint32_t missing =
      settings_.entity_count - std::min(settings_.entity_count, alive_count_);
  for (std::uint32_t i = 0; i < missing; ++i) {
    if (moved_.empty() || activity_ > 0.2 || prng_.chance(0.5)) spawn();
  }
  finish();
}

/// Bounds and `moved` as the server makes them: only what really changed counts as moved.
void BoxWorld::finish() {
  moved_.clear();
  for (std::uint32_t slot = 0; slot < bounds_.size(); ++slot) {
    if (touched_[slot] == 0) continue;
    touched_[slot] = 0;
    Bound bound;
    if (alive_[slot] != 0) {
      const Place& from = places_[slot];
      const Vec3 min{from.min[0], from.min[1], from.min[2]};
      bound.box = round_outward({min, min + Vec3{from.size[0], from.size[1], from.size[2]}});
      bound.flags = bound_flags(filters_[slot]);
    }
    bound.stamp = stamp_of(version_);
    bounds_[slot] = bound;
    moved_.push_back(slot);
  }
}

Aabb32 BoxWorld::random_search_box() {
  constexpr float most = std::numeric_limits<float>::max();
  if (prng_.chance(0.03)) return {{-most, -most, -most}, {most, most, most}};
  Aabb32 box;
  const Bound* near = nullptr;
  if (!bounds_.empty() && prng_.chance(0.7)) near = &bounds_[prng_.below(bounds_.size())];
  Place somewhere;
  place(somewhere);
  size(somewhere);
  const bool is_point = prng_.chance(0.2);
  for (int axis = 0; axis < 3; ++axis) {
    auto min = static_cast<float>(somewhere.min[axis]);
    auto max = min + static_cast<float>(somewhere.size[axis] * (prng_.chance(0.3) ? 10 : 1));
    if (near != nullptr) {
      const bool above = prng_.chance(0.5);
      min = above ? near->box.max[axis] : near->box.min[axis];
      const float extent = is_point ? 0 : max - static_cast<float>(somewhere.min[axis]);
      max = min + extent;
      if (!above && prng_.chance(0.5)) {  // ends where the other begins
        max = min;
        min = max - extent;
      }
    }
    box.min[axis] = min;
    box.max[axis] = std::max(min, max);
  }
  return box;
}

}  // namespace vicinity::oracle
