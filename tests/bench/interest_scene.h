// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// People who walk on a plane, and observers that are attached to some of them: what `bench
// interest` measures. Positions are whole multiples of 1/1024 m, from the project's own generator.
// Not thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "world/snapshot.h"

namespace vicinity::bench {

inline constexpr double enter_radius_m = 50;
inline constexpr double leave_radius_m = 55;
/// A person is an upright capsule.
inline constexpr double person_radius_m = 0.25;
inline constexpr double person_half_height_m = 0.625;

class WalkScene {
 public:
  /// `hot`: a third of all stand around ten places. `rest`: nobody walks.
  WalkScene(std::string_view name, std::uint32_t entities, std::uint32_t observers,
            std::uint64_t seed);
  /// The next tick of 50 ms; the first shows where everybody begins.
  void step();

  const Snapshot& snapshot() const { return snapshot_; }
  const std::vector<std::uint32_t>& changed() const { return changed_; }
  /// Slot that an observer is attached to.
  std::uint32_t anchor(std::uint32_t observer) const { return observer * stride_; }
  std::uint32_t observer_count() const { return observers_; }

 private:
  void put(std::uint32_t slot);

  Prng prng_;
  bool walks_;
  std::uint32_t observers_;
  std::uint32_t stride_;
  std::int64_t side_;  ///< in 1/1024 m
  Snapshot snapshot_;
  std::vector<std::uint32_t> changed_;
  struct Walker {
    std::int64_t x, z, step_x, step_z;
  };
  std::vector<Walker> walkers_;
};

/// Exactly what an observer sees: the distance of its position to a person, without the radius of
/// the person, squared.
double axis_distance_squared(Vec3 from, Vec3 person);
inline bool is_within(Vec3 from, Vec3 person, double radius_m) {
  const double reach_m = radius_m + person_radius_m;
  return axis_distance_squared(from, person) <= reach_m * reach_m;
}

}  // namespace vicinity::bench
