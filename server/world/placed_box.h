// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A local box put into the world. Pure values; any room.

#include <bit>
#include <cstdint>

#include "base/aabb.h"

namespace vicinity {

/// position + corner, rounded to the nearest: what a plain box is (Form::Box).
constexpr Aabb placed_box(const Aabb& local, Vec3 position) {
  return {position + local.min, position + local.max};
}

/// The f64 so many steps away, none or one; finite values only.
inline double step_f64(double value, std::int64_t steps) {
  constexpr std::int64_t magnitude = 0x7FFF'FFFF'FFFF'FFFF;
  const auto turned = [](std::int64_t bits) { return bits ^ ((bits >> 63) & magnitude); };
  return std::bit_cast<double>(turned(turned(std::bit_cast<std::int64_t>(value)) + steps));
}

/// Contains position + local, rounding included: for shapes that only lie inside of their box. The
/// same as placed_box() where the sums are exact.
inline Aabb placed_around(const Aabb& local, Vec3 position) {
  Aabb out = placed_box(local, position);
  for (int axis = 0; axis < 3; ++axis) {
    // What rounding added, if positive, makes the box too small there. (Two-sum, Knuth.)
    const auto added = [&](double sum, double part) {
      const double back = sum - position[axis];
      return (back - part) + ((sum - back) - position[axis]);
    };
    // Every other time it did; a branch would be mispredicted as often.
    const std::int64_t is_inward_at_min = added(out.min[axis], local.min[axis]) > 0;
    const std::int64_t is_inward_at_max = added(out.max[axis], local.max[axis]) < 0;
    out.min[axis] = step_f64(out.min[axis], -is_inward_at_min);
    out.max[axis] = step_f64(out.max[axis], is_inward_at_max);
  }
  return out;
}

}  // namespace vicinity
