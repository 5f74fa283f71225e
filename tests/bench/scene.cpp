// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/scene.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace vicinity::bench {
namespace {

constexpr double dt_s = 1.0 / 30;

/// Smallest whole number whose cube is at least `volume`: std::cbrt differs between libraries.
double cube_side(double volume) {
  double side = 1;
  while (side * side * side < volume) side += 1;
  return side;
}

}  // namespace

const std::vector<std::string>& scene_names() {
  static const std::vector<std::string> names = {"uniform", "uniform_fast", "crowd", "mixed",
                                                 "mostly_static"};
  return names;
}

Scene::Scene(std::string_view name, std::uint32_t count, std::uint64_t seed) : prng_(seed) {
  bodies_.reserve(count);
  if (name == "uniform") {
    add_uniform(count, 0.05, 0);
  } else if (name == "uniform_fast") {
    add_uniform(count, 2.0, 0);
  } else if (name == "crowd") {
    add_crowd(count);
  } else if (name == "mixed") {
    add_mixed(count);
  } else {
    CHECK(name == "mostly_static");
    add_uniform(count, 0.05, 0.95);
  }
}

Vec3 Scene::anywhere() {
  const double x = prng_.between(-half_size_m_, half_size_m_);
  const double y = prng_.between(-half_size_m_, half_size_m_);
  const double z = prng_.between(-half_size_m_, half_size_m_);
  return {x, y, z};
}

Vec3 Scene::any_step(double speed_m_per_tick) {
  const double x = prng_.between(-speed_m_per_tick, speed_m_per_tick);
  const double y = prng_.between(-speed_m_per_tick, speed_m_per_tick);
  const double z = prng_.between(-speed_m_per_tick, speed_m_per_tick);
  return {x, y, z};
}

// Two boxes of about one metre meet when their centres are within a cube of 2 m: 8 cubic metres
// for each give about one partner each.
void Scene::add_uniform(std::uint32_t count, double speed_m_per_tick, double static_share) {
  half_size_m_ = cube_side(8.0 * count) / 2;
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    body.position = anywhere();
    for (int axis = 0; axis < 3; ++axis) body.half_extent_m[axis] = prng_.between(0.25, 0.75);
    body.is_static = prng_.chance(static_share);
    const Vec3 step = any_step(speed_m_per_tick);
    if (!body.is_static) body.step = step;
    bodies_.push_back(body);
  }
}

void Scene::add_crowd(std::uint32_t count) {
  half_size_m_ = std::sqrt(4.0 * count) / 2;
  std::vector<Vec3> hot_spots;
  for (int i = 0; i < 8; ++i) hot_spots.push_back(anywhere());
  const double spot_m = half_size_m_ / 10;
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    body.position = anywhere();
    const Vec3 spot = hot_spots[prng_.below(hot_spots.size())];
    if (prng_.chance(0.3)) {
      body.position = {spot.x + prng_.between(-spot_m, spot_m), 0,
                       spot.z + prng_.between(-spot_m, spot_m)};
    }
    body.position.y = 0.9;
    body.half_extent_m = {0.25, 0.9, 0.25};
    body.step = any_step(1.5 * dt_s);
    body.step.y = 0;
    bodies_.push_back(body);
  }
}

void Scene::add_mixed(std::uint32_t count) {
  half_size_m_ = cube_side(64.0 * count) / 2;
  const std::uint32_t plates = std::min(20u, count / 10);
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    body.position = anywhere();
    const int doublings = std::min(7, std::countr_zero(prng_.next()));
    const double size_m = 0.25 * static_cast<double>(1 << doublings) * prng_.between(1, 2);
    for (int axis = 0; axis < 3; ++axis)
      body.half_extent_m[axis] = size_m / 2 * prng_.between(0.5, 1);
    body.is_static = i < plates || prng_.chance(0.5);
    const Vec3 step = any_step(0.05);
    if (!body.is_static) body.step = step;
    if (i < plates) body.half_extent_m = {half_size_m_, 0.25, half_size_m_};
    bodies_.push_back(body);
  }
}

void Scene::move(Body& body) const {
  body.position = body.position + body.step;
  for (int axis = 0; axis < 3; ++axis)
    if (std::abs(body.position[axis]) > half_size_m_ &&
        (body.position[axis] > 0) == (body.step[axis] > 0))
      body.step[axis] = -body.step[axis];
}

std::shared_ptr<const Snapshot> Scene::advance() {
  ++tick_;
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->tick = tick_;
  snapshot->dt_s = dt_s;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Body& body = bodies_[i];
    const auto slot = static_cast<std::uint32_t>(i);
    const Shape shape = Shape::box(body.half_extent_m);
    snapshot->start_box.push_back(tight_box(shape, body.position));
    const Vec3 step = body.step;
    move(body);
    snapshot->id.push_back(EntityId(slot, 1));
    snapshot->position.push_back(body.position);
    snapshot->velocity.push_back(step * (1 / dt_s));
    snapshot->tight_box.push_back(tight_box(shape, body.position));
    snapshot->motion.push_back(body.is_static ? Motion::None : Motion::Path);
    snapshot->shape.push_back(shape);
    Filter filter;
    filter.is_static = body.is_static;
    snapshot->filter.push_back(filter);
    snapshot->user_data.push_back(0);
    snapshot->owner.push_back({});
    snapshot->changed.push_back({.spawned = 1});
    snapshot->row_of_slot.push_back(slot);
  }
  return snapshot;
}

}  // namespace vicinity::bench
