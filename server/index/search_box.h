// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// From the f64 box that a search means to the f32 box that an index is asked for. Pure; any room.

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/aabb.h"

namespace vicinity {

/// Contains `box`, and a little more: corners that were computed (centre + radius) are rounded, and
/// so is the exact test that follows; a candidate must not be lost between the two. The slack of
/// 2^-50 of the largest coordinate covers a few roundings. Corners beyond the f32 range, infinite
/// ones included, become its ends; every bound lies inside those. No corner may be NaN.
inline Aabb32 search_box(const Aabb& box) {
  constexpr double f32_max = std::numeric_limits<float>::max();
  Aabb32 out;
  for (int axis = 0; axis < 3; ++axis) {
    const double slack = (std::abs(box.min[axis]) + std::abs(box.max[axis])) * 0x1p-50;
    out.min[axis] = round_down(std::clamp(box.min[axis] - slack, -f32_max, f32_max));
    out.max[axis] = round_up(std::clamp(box.max[axis] + slack, -f32_max, f32_max));
  }
  return out;
}

}  // namespace vicinity
