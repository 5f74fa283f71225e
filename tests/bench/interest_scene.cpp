// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/interest_scene.h"

#include <algorithm>
#include <cmath>

#include "world/placed_box.h"

namespace vicinity::bench {
namespace {

constexpr std::int64_t units_per_m = 1024;
constexpr double units = 1024;
/// People per square metre: about 60 within the enter radius.
constexpr double density = 60 / (3.14159265 * enter_radius_m * enter_radius_m);

std::int64_t between(Prng& prng, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(prng.below(static_cast<std::uint64_t>(high - low)));
}

}  // namespace

WalkScene::WalkScene(std::string_view name, std::uint32_t entities, std::uint32_t observers,
                     std::uint64_t seed)
    : prng_(seed),
      walks_(name != "rest"),
      observers_(observers),
      stride_(entities / observers),
      side_(static_cast<std::int64_t>(std::sqrt(entities / density) * units)) {
  const std::size_t count = entities;
  snapshot_.entity_count = entities;
  snapshot_.dt_s = 0.05;
  for (std::uint32_t slot = 0; slot < entities; ++slot) {
    snapshot_.id.emplace_back(slot, 1);
    Walker w{between(prng_, 0, side_), between(prng_, 0, side_), 0, 0};
    if (name == "hot" && slot % 3 == 0) {
      const auto spot = static_cast<std::int64_t>(prng_.below(10));
      const std::int64_t spread = 150 * units_per_m;
      w.x = std::clamp<std::int64_t>(side_ * spot / 10 + between(prng_, 0, spread), 0, side_ - 1);
      w.z = std::clamp<std::int64_t>(side_ * (spot * 7 % 10) / 10 + between(prng_, 0, spread), 0,
                                     side_ - 1);
    }
    // 1.0 to 1.8 m/s in some direction.
    const double speed = prng_.between(1.0, 1.8) * 0.05 * units;
    const double x = prng_.between(-1, 1);
    const double z = (prng_.chance(0.5) ? 1 : -1) * std::sqrt(1 - x * x);
    w.step_x = std::llround(speed * x);
    w.step_z = std::llround(speed * z);
    walkers_.push_back(w);
    changed_.push_back(slot);
  }
  snapshot_.position.resize(count);
  snapshot_.velocity.resize(count);
  snapshot_.tight_box.resize(count);
  snapshot_.start_box.resize(count);
  snapshot_.start_position.resize(count);
  snapshot_.form.assign(count, Form::Round);
  snapshot_.motion.assign(count, Motion::Path);
  snapshot_.shape.assign(count, Shape::capsule(person_radius_m, person_half_height_m));
  snapshot_.filter.resize(count);
  snapshot_.user_data.resize(count);
  snapshot_.relevance.resize(count);
  snapshot_.owner.resize(count);
  snapshot_.changed.assign(count, EntityVersions{1, 1, 0, 1, 1, 1, 1, 1});
  for (std::uint32_t i = 0; i < observers; ++i) snapshot_.owner[anchor(i)] = SessionId{i + 1};
  for (std::uint32_t slot = 0; slot < entities; ++slot) put(slot);
}

void WalkScene::put(std::uint32_t slot) {
  const Walker& w = walkers_[slot];
  const Vec3 at{static_cast<double>(w.x) / units, 0, static_cast<double>(w.z) / units};
  snapshot_.position[slot] = at;
  snapshot_.tight_box[slot] = placed_around(local_box(snapshot_.shape[slot]), at);
}

void WalkScene::step() {
  if (++snapshot_.tick == 1) return;
  if (!walks_) {
    changed_.clear();
    return;
  }
  for (std::uint32_t slot = 0; slot < walkers_.size(); ++slot) {
    Walker& w = walkers_[slot];
    if (w.x + w.step_x < 0 || w.x + w.step_x >= side_) w.step_x = -w.step_x;
    if (w.z + w.step_z < 0 || w.z + w.step_z >= side_) w.step_z = -w.step_z;
    w.x += w.step_x;
    w.z += w.step_z;
    put(slot);
    snapshot_.changed[slot].pose = snapshot_.tick;
  }
}

double axis_distance_squared(Vec3 from, Vec3 person) {
  const double x = from.x - person.x;
  const double z = from.z - person.z;
  const double y = std::max(0.0, std::abs(from.y - person.y) - person_half_height_m);
  return x * x + y * y + z * z;
}

}  // namespace vicinity::bench
