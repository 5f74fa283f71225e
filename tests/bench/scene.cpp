// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/scene.h"

#include <algorithm>

#include "base/check.h"
#include "bench/body_scene.h"

namespace vicinity::bench {
namespace {

constexpr double metres_per_unit = 1.0 / metre;  // a power of two: products are exact

Aabb to_metres(const UnitVector& min, const UnitVector& max) {
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    box.min[axis] = static_cast<double>(min[axis]) * metres_per_unit;
    box.max[axis] = static_cast<double>(max[axis]) * metres_per_unit;
  }
  return box;
}

constexpr SceneInfo infos[] = {
    {"uniform", "cube, 8 m3 each, sizes 0.5-1.5 m, slow: about one overlap each"},
    {"uniform_fast", "the same at 2 m per tick"},
    {"crowd", "people on a plane, 16 m2 each, 30 % in hot spots, a fifth of them idle"},
    {"flat", "a corridor 2 m high and 20 m wide, 5 of them per metre"},
    {"mixed", "0.25-64 m by a power law, half at rest, 20 plates as wide as the world"},
    {"mostly_static", "uniform, 95 % never move"},
    {"teleport", "uniform, 5 % per tick anywhere"},
    {"bullets", "a crowd without hot spots, 10 % are small and fly 20 m per tick"},
    {"churn", "uniform, 10 % removed and as many added per tick"},
    {"level_storm", "0.5-16 m, every size changes by a factor in every tick"},
    {"heap", "half as uniform, half are specks of 2-6 cm in one heap: thousands in a cell"},
    {"one_point", "all in one place: n * (n - 1) / 2 pairs", 5'000, 5'000},
    {"static_1m", "uniform, all flagged static, and 1 000 that move", 1'000'000},
    {"moving_1k_alone", "the 1 000 of static_1m without the static ones", 1'000'000},
    {"recorded_crowd", "recorded people, copies side by side", 10'000, 10'000},
};

}  // namespace

Scene::Scene(std::uint32_t slot_count) {
  state_.boxes.resize(slot_count);
  state_.bounds.resize(slot_count);
  state_.filters.resize(slot_count);
  state_.alive.resize(slot_count);
}

void Scene::step() {
  state_.moved.clear();
  advance();
  std::ranges::sort(state_.moved);
}

void Scene::set_extent(const UnitVector& min, const UnitVector& max) {
  state_.extent = round_outward(to_metres(min, max));
}

// At most once per slot and tick, so that a slot is in `moved` once.
void Scene::place(std::uint32_t slot, const UnitVector& min, const UnitVector& max) {
  const Aabb box = to_metres(min, max);
  if (is_alive(slot) && state_.boxes[slot] == box) return;
  if (!is_alive(slot)) ++state_.alive_count;
  state_.alive[slot] = 1;
  state_.boxes[slot] = box;
  state_.bounds[slot] = round_outward(box);
  state_.moved.push_back(slot);
}

void Scene::remove(std::uint32_t slot) {
  CHECK(is_alive(slot));
  --state_.alive_count;
  state_.alive[slot] = 0;
  state_.moved.push_back(slot);
}

std::span<const SceneInfo> scene_infos() { return infos; }

const SceneInfo& scene_info(std::string_view name) {
  const auto found = std::ranges::find(infos, name, &SceneInfo::name);
  CHECK(found != std::end(infos));
  return *found;
}

std::unique_ptr<Scene> make_scene(std::string_view name, std::uint32_t count, std::uint64_t seed) {
  CHECK(count > 0);
  if (name == "recorded_crowd") return make_recorded_scene(count);
  return make_body_scene(name, count, seed);
}

}  // namespace vicinity::bench
