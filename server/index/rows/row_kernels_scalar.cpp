// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

struct Plain : BitByBit {
  static constexpr std::uint32_t width = 8;

  struct Query {
    explicit Query(const Aabb32& b) : box(b) {}
    Aabb32 box;
  };

  static std::uint32_t open(const Query& query, const RowArrays& rows, std::uint32_t j) {
    std::uint32_t mask = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      bool hit = true;
      for (int axis = 0; axis < 3; ++axis) {
        hit = hit & (rows.min[axis][j + k] < query.box.max[axis]) &
              (query.box.min[axis] < rows.max[axis][j + k]);
      }
      mask |= static_cast<std::uint32_t>(hit) << k;
    }
    return mask;
  }
  static std::uint32_t closed(const Query& query, const RowArrays& rows, std::uint32_t j) {
    std::uint32_t mask = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      bool hit = true;
      for (int axis = 0; axis < 3; ++axis) {
        hit = hit & (rows.min[axis][j + k] <= query.box.max[axis]) &
              (query.box.min[axis] <= rows.max[axis][j + k]);
      }
      mask |= static_cast<std::uint32_t>(hit) << k;
    }
    return mask;
  }
};

void enroll_plain(const RowGrid& grid, const Bound* bounds, const std::uint32_t* members,
                  std::size_t count, Registering& out) {
  for (; out.member_count < count && out.entry_count + entries_per_member_max <= out.capacity;
       ++out.member_count) {
    const std::uint32_t member = members[out.member_count];
    const Aabb32& box = bounds[member].box;
    const float extent = box.max[grid.along] - box.min[grid.along];
    if (extent > out.along_extent_max) out.along_extent_max = extent;
    out.entry_count += put_rows(grid, box, member, out.entries + out.entry_count);
  }
}

}  // namespace

const RowKernels scalar_row_kernels = {enroll_plain,        join<Plain>,        probe_all<Plain>,
                                       probe<Plain, false>, probe<Plain, true>, gather_plain};

}  // namespace vicinity
