// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Which bodies each scene has. The figures are part of what a scene is: results are comparable only
// while they stay.

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "bench/body_scene.h"
#include "bench/integer_roots.h"

namespace vicinity::bench {
namespace {

/// Entities of static_1m that move.
constexpr std::uint32_t movers_max = 1'000;
/// Free slots per entity in a scene with churn: at 10 % per tick a slot rests for ten ticks.
constexpr std::uint32_t churn_slots = 2;

void set_cube(BodyScene& scene, std::uint64_t count, std::uint64_t cubic_metres_each) {
  const auto side =
      static_cast<Units>(cube_root(count * cubic_metres_each * metre * metre * metre));
  scene.set_world({side, side, side});
}

void set_square(BodyScene& scene, std::uint64_t count, Units height) {
  const auto side = static_cast<Units>(square_root(count * 16 * metre * metre));
  scene.set_world({side, height, side});
}

/// 0.5-1.5 m on each axis.
Body metre_box(BodyScene& scene) {
  Body body;
  for (int axis = 0; axis < 3; ++axis) body.half[axis] = scene.between(metre / 4, 3 * metre / 4);
  return body;
}

void add_uniform(BodyScene& scene, std::uint32_t count, Units speed, std::uint32_t static_percent,
                 const Filter& filter = {}) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body = metre_box(scene);
    scene.place_anywhere(body);
    body.speed = speed;
    scene.turn(body);
    if (scene.prng().below(100) < static_percent) body.gait = Gait::Static;
    scene.add(body, filter);
  }
}

void add_person(BodyScene& scene, bool may_stand_at_hot_spot, std::uint64_t hot_spot_count) {
  Body body;
  body.half = {scene.between(256, 358), scene.between(820, 970), scene.between(256, 358)};
  scene.place_anywhere(body);
  body.position[1] = body.half[1] + scene.between(0, 60);
  if (may_stand_at_hot_spot && scene.prng().below(10) < 3)
    scene.place_at_hot_spot(body, static_cast<std::int32_t>(scene.prng().below(hot_spot_count)));
  scene.turn(body);
  if (scene.prng().below(5) == 0) body.gait = Gait::Idle;
  scene.add(body);
}

void fill_crowd(BodyScene& scene, std::uint32_t count) {
  set_square(scene, count, 2 * metre);
  scene.habits() = {.on_ground = true, .idles = true};
  const Units side = scene.world()[0];
  const Units margin = std::min(30 * metre, side / 4);
  const std::uint64_t hot_spots = std::max<std::uint64_t>(1, std::uint64_t{count} * 3 / 1000);
  for (std::uint64_t i = 0; i < hot_spots; ++i) {
    const Units x = scene.between(margin, side - margin);
    scene.add_hot_spot(x, scene.between(margin, side - margin));
  }
  for (std::uint32_t i = 0; i < count; ++i) add_person(scene, true, hot_spots);
}

void fill_bullets(BodyScene& scene, std::uint32_t count) {
  set_square(scene, count, 4 * metre);
  scene.habits() = {.on_ground = true, .idles = true};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (scene.prng().below(10) != 0) {
      add_person(scene, false, 0);
      continue;
    }
    Body bullet;
    bullet.half = {51, 51, 51};
    bullet.speed = 20 * metre;
    scene.set_flying(bullet);
    scene.add(bullet);
  }
}

void fill_flat(BodyScene& scene, std::uint32_t count) {
  scene.set_world({std::max<Units>(count * metre / 5, 64 * metre), 2 * metre, 20 * metre});
  scene.habits() = {.on_ground = true};
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body = metre_box(scene);
    scene.place_anywhere(body);
    body.position[1] = body.half[1] + scene.between(0, 100);
    scene.turn(body);
    scene.add(body);
  }
}

void fill_mixed(BodyScene& scene, std::uint32_t count) {
  constexpr Units plates = 20;
  set_cube(scene, count, 332);
  const UnitVector world = scene.world();
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    if (i < plates) {
      body.half = {world[0] / 2, metre / 2, world[2] / 2};
      body.position = {world[0] / 2, world[1] * (2 * i + 1) / (2 * plates), world[2] / 2};
      body.gait = Gait::Static;
    } else {
      const Units base = (metre / 8) << std::min(7, std::countr_zero(scene.prng().next()));
      for (int axis = 0; axis < 3; ++axis) body.half[axis] = scene.between(base, 2 * base - 1);
      scene.place_anywhere(body);
      scene.turn(body);
      if (scene.prng().below(2) == 0) body.gait = Gait::Static;
    }
    scene.add(body);
  }
}

void fill_level_storm(BodyScene& scene, std::uint32_t count) {
  set_cube(scene, count, 1024);
  scene.habits() = {.resizes = true};
  add_uniform(scene, count, 51, 0);
}

/// Rows are made for the many places where boxes are, and one place holds far more.
void fill_heap(BodyScene& scene, std::uint32_t count) {
  set_cube(scene, count, 8);
  add_uniform(scene, count - count / 2, 51, 0);
  constexpr Units speck_mean = 41;  // half of what two specks together are wide
  const std::uint64_t volume = count / 2 * std::uint64_t{8} * speck_mean * speck_mean * speck_mean;
  const Units side = std::min(static_cast<Units>(cube_root(volume)), scene.world()[0] / 2);
  for (std::uint32_t i = 0; i < count / 2; ++i) {
    Body speck;
    for (int axis = 0; axis < 3; ++axis) {
      speck.half[axis] = scene.between(speck_mean / 4, 3 * speck_mean / 4);
      speck.position[axis] = (scene.world()[axis] - side) / 2 + scene.between(0, side);
    }
    speck.speed = 2;
    scene.turn(speck);
    scene.add(speck);
  }
}

/// Boxes are wider than their centres can ever be apart, so that all overlap in every tick.
void fill_one_point(BodyScene& scene, std::uint32_t count) {
  constexpr Units half_min = 1280;
  constexpr Units play = 640;  // centres stay within this of the middle, on each axis
  static_assert(2 * play < 2 * half_min);
  scene.set_world({2 * (half_min + play), 2 * (half_min + play), 2 * (half_min + play)});
  for (std::uint32_t i = 0; i < count; ++i) {
    Body body;
    for (int axis = 0; axis < 3; ++axis)
      body.half[axis] = scene.between(half_min, half_min + play / 2);
    scene.place_anywhere(body);
    scene.turn(body);
    scene.add(body);
  }
}

void fill_static_1m(BodyScene& scene, std::uint32_t count, bool with_statics) {
  set_cube(scene, count, 8);
  add_uniform(scene, std::min(count, movers_max), 51, 0);
  if (!with_statics) return;
  Filter filter;
  filter.is_static = true;
  add_uniform(scene, count, 51, 100, filter);
}

std::uint32_t slots_of(std::string_view name, std::uint32_t count) {
  if (name == "churn") return churn_slots * count;
  if (name == "static_1m") return count + std::min(count, movers_max);
  if (name == "moving_1k_alone") return std::min(count, movers_max);
  return count;
}

}  // namespace

std::unique_ptr<BodyScene> make_body_scene(std::string_view name, std::uint32_t count,
                                           std::uint64_t seed) {
  auto scene = std::make_unique<BodyScene>(slots_of(name, count), seed);
  if (name == "crowd") {
    fill_crowd(*scene, count);
  } else if (name == "flat") {
    fill_flat(*scene, count);
  } else if (name == "mixed") {
    fill_mixed(*scene, count);
  } else if (name == "bullets") {
    fill_bullets(*scene, count);
  } else if (name == "level_storm") {
    fill_level_storm(*scene, count);
  } else if (name == "heap") {
    fill_heap(*scene, count);
  } else if (name == "one_point") {
    fill_one_point(*scene, count);
  } else if (name == "static_1m" || name == "moving_1k_alone") {
    fill_static_1m(*scene, count, name == "static_1m");
  } else {
    set_cube(*scene, count, 8);
    if (name == "teleport") scene->habits().teleport_percent = 5;
    if (name == "churn") scene->habits().churn_percent = 10;
    const bool known = name == "uniform" || name == "uniform_fast" || name == "mostly_static" ||
                       name == "teleport" || name == "churn";
    CHECK(known);
    add_uniform(*scene, count, name == "uniform_fast" ? 2 * metre : 51,
                name == "mostly_static" ? 95 : 0);
  }
  scene->start();
  return scene;
}

}  // namespace vicinity::bench
