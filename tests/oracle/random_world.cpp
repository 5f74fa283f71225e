// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/random_world.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vicinity::oracle {
namespace {

constexpr std::int64_t metre = units_per_m;
constexpr std::uint64_t owner_count = 3;

std::int64_t half_size(Scene scene) {
  return scene == Scene::SmallWorld ? 12 * metre : (std::int64_t{1} << 41) * metre;
}

EntityTableSettings table_settings(Scene scene, std::uint64_t seed) {
  EntityTableSettings settings;
  settings.world_half_size_m = static_cast<double>(half_size(scene) / metre);
  settings.reuse_delay_ticks = static_cast<std::uint32_t>(seed % 3);
  return settings;
}

Shape to_shape(const IntBox& local) {
  return Shape::box_corners(to_metres(local.min), to_metres(local.max));
}

}  // namespace

RandomWorld::RandomWorld(std::uint64_t seed)
    : prng_(seed),
      scene_(static_cast<Scene>(seed % scene_count)),
      table_(table_settings(scene_, seed)),
      model_(half_size(scene_)) {}

Point RandomWorld::random_position() {
  auto within = [&](std::int64_t reach) {
    return static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(2 * reach + 1))) -
           reach;
  };
  Point point{within(6 * metre), within(6 * metre), within(6 * metre)};
  switch (scene_) {
    case Scene::Borders:
      for (std::int64_t& value : point) value = value / metre * metre;
      break;
    case Scene::Far:
      for (std::int64_t& value : point) value += within(1) * (std::int64_t{1} << 39) * metre;
      break;
    case Scene::Line: point = {within(40 * metre), within(metre / 8), 0}; break;
    case Scene::OnePoint: point = {-3 * metre, 5, 7 * metre}; break;
    case Scene::MixedSizes:
      if (prng_.chance(0.5)) point[0] = within(20'000 * metre);
      break;
    case Scene::Cluster:
    case Scene::SmallWorld: break;
  }
  return point;
}

Point RandomWorld::random_step(std::int64_t reach) {
  Point step{};
  for (std::int64_t& value : step) {
    value =
        static_cast<std::int64_t>(prng_.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
  }
  if (scene_ == Scene::Borders) {
    for (std::int64_t& value : step) value = value / metre * metre;
  }
  return step;
}

IntBox RandomWorld::random_local_box() {
  IntBox local;
  for (std::size_t i = 0; i < 3; ++i) {
    auto size = static_cast<std::int64_t>(prng_.below(3 * metre));
    if (scene_ == Scene::Borders) size = size / metre * metre;
    if (scene_ == Scene::MixedSizes) size = std::int64_t{1} << prng_.below(24);
    if (prng_.chance(0.1)) size = 0;
    const std::int64_t offset = scene_ == Scene::Borders || prng_.chance(0.5) ? 0 : size / 2;
    local.min[i] = -offset;
    local.max[i] = size - offset;
  }
  if (scene_ == Scene::MixedSizes && prng_.chance(0.15)) {  // a plate, thin in y
    local.min = {-5'000 * metre, 0, -5'000 * metre};
    local.max = {5'000 * metre, metre / 16, 5'000 * metre};
  }
  return local;
}

Filter RandomWorld::random_filter() {
  Filter filter;
  if (prng_.chance(0.3)) filter.category = static_cast<std::uint32_t>(prng_.below(4));
  if (prng_.chance(0.3)) filter.mask = static_cast<std::uint32_t>(prng_.below(4));
  if (prng_.chance(0.3)) filter.group = static_cast<std::int32_t>(prng_.below(5)) - 2;
  if (prng_.chance(0.2)) filter.instance = 1;
  filter.sensor = prng_.chance(0.2);
  filter.is_static = prng_.chance(0.2);
  filter.enabled = prng_.chance(0.9);
  return filter;
}

FilterPatch RandomWorld::random_patch() {
  const Filter filter = random_filter();
  FilterPatch patch;
  if (prng_.chance(0.3)) patch.category = filter.category;
  if (prng_.chance(0.3)) patch.mask = filter.mask;
  if (prng_.chance(0.3)) patch.group = filter.group;
  if (prng_.chance(0.3)) patch.instance = filter.instance;
  if (prng_.chance(0.3)) patch.sensor = filter.sensor;
  if (prng_.chance(0.3)) patch.is_static = filter.is_static;
  if (prng_.chance(0.5)) patch.enabled = filter.enabled;
  return patch;
}

EntityId RandomWorld::random_entity() {
  auto it = model_.entities().begin();
  std::advance(it, static_cast<std::ptrdiff_t>(prng_.below(model_.entities().size())));
  return it->first;
}

void RandomWorld::spawn() {
  ModelEntity entity;
  entity.owner = SessionId{1 + prng_.below(owner_count)};
  entity.user_data = prng_.below(100);
  entity.position = random_position();
  entity.local = random_local_box();
  entity.filter = random_filter();
  entity.velocity = prng_.chance(0.3) ? random_step(2 * metre) : Point{};
  const auto id =
      table_.spawn(entity.owner, {to_metres(entity.position), to_metres(entity.velocity),
                                  to_shape(entity.local), entity.filter, entity.user_data});
  if (entity.filter.is_static && entity.velocity != Point{}) {
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.error(), ErrorCode::StaticMotion);
  } else if (!model_.in_world(entity.local, entity.position)) {
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.error(), ErrorCode::OutOfWorld);
  } else {
    ASSERT_TRUE(id.ok()) << to_string(id.error());
    ASSERT_EQ(model_.entities().count(id.value()), 0u);
    model_.spawn(id.value(), entity);
  }
}

void RandomWorld::move(EntityId id) {
  const ModelEntity& entity = model_.entities().at(id);
  Point target = random_position();
  if (prng_.chance(0.7)) {
    const Point step = random_step(prng_.chance(0.5) ? metre : 8 * metre);
    for (std::size_t i = 0; i < 3; ++i) target[i] = entity.position[i] + step[i];
  }
  if (prng_.chance(0.1)) target = entity.position;  // perhaps where a path of this tick leads
  const bool fits = model_.in_world(entity.local, target);
  if (prng_.chance(0.3)) {
    EXPECT_EQ(table_.teleport(id, to_metres(target)),
              fits ? ErrorCode::None : ErrorCode::OutOfWorld);
    if (fits) model_.teleport(id, target);
    return;
  }
  const bool continuous = prng_.chance(0.3);
  const ErrorCode expected = entity.filter.is_static ? ErrorCode::StaticMotion
                             : fits                  ? ErrorCode::None
                                                     : ErrorCode::OutOfWorld;
  EXPECT_EQ(table_.move_to(id, to_metres(target), continuous), expected);
  if (expected == ErrorCode::None) model_.move_to(id, target, continuous);
}

void RandomWorld::change(EntityId id) {
  ModelEntity& entity = model_.entities().at(id);
  switch (prng_.below(5)) {
    case 0: {
      const Point velocity = prng_.chance(0.3) ? Point{} : random_step(4 * metre);
      const bool refused = entity.filter.is_static && velocity != Point{};
      EXPECT_EQ(table_.set_velocity(id, to_metres(velocity)),
                refused ? ErrorCode::StaticMotion : ErrorCode::None);
      if (!refused) entity.velocity = velocity;
      break;
    }
    case 1: {
      const IntBox local = random_local_box();
      const bool fits = model_.in_world(local, entity.position);
      EXPECT_EQ(table_.set_shape(id, to_shape(local)),
                fits ? ErrorCode::None : ErrorCode::OutOfWorld);
      if (fits) model_.set_shape(id, local);
      break;
    }
    case 2: {
      const FilterPatch patch = random_patch();
      EXPECT_EQ(table_.set_filter(id, patch), ErrorCode::None);
      Filter& filter = entity.filter;
      if (patch.category) filter.category = *patch.category;
      if (patch.mask) filter.mask = *patch.mask;
      if (patch.group) filter.group = *patch.group;
      if (patch.instance) filter.instance = *patch.instance;
      if (patch.sensor) filter.sensor = *patch.sensor;
      if (patch.is_static) filter.is_static = *patch.is_static;
      if (patch.enabled) filter.enabled = *patch.enabled;
      if (filter.is_static) entity.velocity = Point{};
      break;
    }
    case 3: {
      entity.user_data = prng_.below(100);
      EXPECT_EQ(table_.set_user_data(id, entity.user_data), ErrorCode::None);
      break;
    }
    default:
      EXPECT_EQ(table_.despawn(id, DespawnReason::Command), ErrorCode::None);
      model_.despawn(id);
      EXPECT_EQ(table_.despawn(id, DespawnReason::Command), ErrorCode::StaleEntity);
      break;
  }
}

ExpectedTick RandomWorld::run_tick() {
  table_.begin_tick(++tick_);
  if (prng_.chance(0.3)) calm_ = !calm_;
  const std::uint64_t spawns = tick_ == 1 ? 4 + prng_.below(40) : prng_.below(calm_ ? 2 : 6);
  for (std::uint64_t i = 0; i < spawns; ++i) spawn();
  const std::uint64_t commands = prng_.below(calm_ ? 4 : model_.entities().size() + 1);
  for (std::uint64_t i = 0; i < commands && !model_.entities().empty(); ++i) {
    const EntityId id = random_entity();
    if (prng_.chance(0.6)) {
      move(id);
    } else {
      change(id);
    }
  }
  table_.advance(1.0, workers_);
  return model_.end_tick();
}

ExpectedTick RandomWorld::run_last_tick() {
  table_.begin_tick(++tick_);
  for (std::uint64_t owner = 1; owner <= owner_count; ++owner)
    table_.despawn_owned_by(SessionId{owner});
  model_.despawn_all();
  table_.advance(1.0, workers_);
  return model_.end_tick();
}

Aabb RandomWorld::search_area() {
  if (prng_.chance(0.05)) return {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
  const Vec3 corner = to_metres(random_position());
  const Vec3 size = to_metres(random_step(prng_.chance(0.3) ? 10'000 * metre : 4 * metre));
  const Vec3 extent{std::abs(size.x), std::abs(size.y), std::abs(size.z)};
  return {corner, corner + extent};
}

}  // namespace vicinity::oracle
