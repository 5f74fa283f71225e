// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// How often an entity in view is updated: by its distance from the areas of the observer, with
// hysteresis. One object per observer and frame. Values; pure.
//
//      interval   1            2                  5
//               |------------|------------------|-------------- distance from the position
//                inner  +10 %               +10 %
//
// An entity keeps its interval until it is a tenth beyond the distance of its ring, or within that
// of a nearer one. Of several areas, the one that says the shortest interval counts.

#include <cstdint>
#include <span>
#include <vector>

#include "interest/interest_area.h"

namespace vicinity {

class RingRule {
 public:
  /// Areas must be placed.
  void reset(std::span<const InterestArea> areas);

  /// Everything is updated every tick.
  bool trivial() const { return trivial_; }
  /// In ticks, >= 1. `present`: the interval that the entity has; 0 = none yet.
  std::uint32_t interval(Vec3 position, std::uint32_t present) const;

 private:
  struct Step {
    double enter_squared = 0;  ///< of the distance, square metres
    double leave_squared = 0;
    std::uint32_t interval_ticks = 1;
  };
  struct Area {
    Vec3 position;
    double reach_squared = 0;  ///< beyond it the area has no say
    std::vector<Step> steps;   ///< ascending
  };

  std::vector<Area> areas_;
  std::size_t area_count_ = 0;
  std::uint32_t outermost_ = 1;
  bool trivial_ = true;
};

}  // namespace vicinity
