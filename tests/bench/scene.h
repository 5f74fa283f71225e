// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Scenes for benchmarks: boxes that move, made from a seed with integer arithmetic and sqrt only,
// so that every machine generates the same. Not thread-safe.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "world/snapshot.h"

namespace vicinity::bench {

/// "uniform": 0.5-1.5 m, about one overlap each, slow. "uniform_fast": the same at two sizes per
/// tick. "crowd": people on a plane, 30 % in hot spots. "mixed": 0.25-64 m, small ones most, 20
/// plates as wide as the map, half of all static. "mostly_static": uniform, 95 % static.
const std::vector<std::string>& scene_names();

class Scene {
 public:
  /// `name` must be one of scene_names().
  Scene(std::string_view name, std::uint32_t count, std::uint64_t seed);

  /// Moves everything by one tick and returns the frozen state after it.
  std::shared_ptr<const Snapshot> advance();

 private:
  struct Body {
    Vec3 position;
    Vec3 step;  ///< metres per tick
    Vec3 half_extent_m;
    bool is_static = false;
  };
  void add_uniform(std::uint32_t count, double speed_m_per_tick, double static_share);
  void add_crowd(std::uint32_t count);
  void add_mixed(std::uint32_t count);
  Vec3 anywhere();
  Vec3 any_step(double speed_m_per_tick);
  void move(Body& body) const;

  Prng prng_;
  double half_size_m_ = 0;  ///< bodies turn back at this distance from the origin
  std::vector<Body> bodies_;
  Tick tick_ = 0;
};

}  // namespace vicinity::bench
