// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Boxes by the handful for tests of the parts of an index.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/prng.h"
#include "bounds/bounds.h"
#include "index/rows/row_kernels.h"
#include "index/rows/row_level.h"
#include "index/rows/row_plan.h"

namespace vicinity::test {

inline Aabb32 box32(float x, float y, float z, float size_x, float size_y, float size_z) {
  return {{x, y, z}, {x + size_x, y + size_y, z + size_z}};
}
inline Aabb32 cube32(float x, float y, float z, float size = 1) {
  return box32(x, y, z, size, size, size);
}

inline Bound bound_of(const Aabb32& box, const Filter& filter = {}, std::uint32_t stamp = 1) {
  return {box, stamp, bound_flags(filter)};
}
inline Bounds bounds_of(const std::vector<Aabb32>& boxes, const Filter& filter = {}) {
  Bounds bounds;
  for (const Aabb32& box : boxes) bounds.push_back(bound_of(box, filter));
  return bounds;
}

inline std::vector<std::uint32_t> numbers_to(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

/// Cubes whose lower corners lie in a box of the given widths around the origin.
inline std::vector<Aabb32> random_cubes(Prng& prng, std::size_t count, double width_x,
                                        double width_y, double width_z, double size_min = 0.5,
                                        double size_max = 1.5) {
  std::vector<Aabb32> boxes;
  const double widths[] = {width_x, width_y, width_z};
  for (std::size_t i = 0; i < count; ++i) {
    float min[3];
    for (int axis = 0; axis < 3; ++axis) {
      min[axis] = static_cast<float>(prng.between(-widths[axis] / 2, widths[axis] / 2));
    }
    const auto size = static_cast<float>(prng.between(size_min, size_max));
    boxes.push_back(cube32(min[0], min[1], min[2], size));
  }
  return boxes;
}

/// As an index would take it: every so-manieth box, for all of them.
inline PlanSample sample_of(const std::vector<Aabb32>& boxes, std::uint64_t entity_count = 0) {
  PlanSample sample;
  sample.entity_count = entity_count == 0 ? boxes.size() : entity_count;
  const std::size_t size = std::min(boxes.size(), plan_sample_max);
  for (std::size_t i = 0; i < size; ++i) sample.boxes.push_back(boxes[i * boxes.size() / size]);
  return sample;
}

/// Rows of an axis that a box touches.
inline std::int32_t rows_touched(const RowAxis& axis, const Aabb32& box) {
  return axis.number(box.max[axis.axis]) - axis.number(box.min[axis.axis]) + 1;
}

/// Members of a level, ascending: each has one registration that is the first on both axes.
inline std::vector<std::uint32_t> members_of(const RowLevel& level) {
  std::vector<std::uint32_t> members;
  const RowArrays rows = level.arrays();
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if ((rows.tag[i] & tag_first_both) == tag_first_both) {
      members.push_back(rows.tag[i] & tag_member);
    }
  }
  std::sort(members.begin(), members.end());
  return members;
}

/// Kernels that this processor has.
inline std::vector<IndexKernel> kernels_here() {
  std::vector<IndexKernel> kernels;
  for (const IndexKernel kernel : {IndexKernel::Scalar, IndexKernel::Avx2, IndexKernel::Avx512}) {
    if (is_supported(kernel)) kernels.push_back(kernel);
  }
  return kernels;
}

}  // namespace vicinity::test
