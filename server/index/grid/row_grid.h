// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The geometry of rows: one axis is swept ("along"), the two others are hashed ("across") into
// square rows that run through the whole world.
//
//        across[1]                    row (0,1) holds B, row (1,0) holds C,
//          ^   +-------+-------+      A touches four rows and is registered in each.
//        1 |   |  B    |       |
//          |   |     +-|-+     |      Two boxes that overlap share at least one row: the row of the
//          |   +-----|-A-|-----+      lower corner of their intersection is the first they share,
//        0 |   |     +-|-+     |      and the only one in which the pair is reported.
//          |   |       |   C   |
//          |   +-------+-------+ --> across[0]
//                 0        1
//
// Pure values and functions; any room.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/aabb.h"
#include "bounds/bounds.h"
#include "index/index.h"

namespace vicinity {

/// Exact key of one row: both row numbers, packed so that keys sort by (first, second).
using RowKey = std::uint64_t;

constexpr RowKey row_key(std::int32_t first, std::int32_t second) {
  constexpr std::uint32_t flip_sign = 0x8000'0000u;
  return (static_cast<RowKey>(static_cast<std::uint32_t>(first) ^ flip_sign) << 32) |
         (static_cast<std::uint32_t>(second) ^ flip_sign);
}

/// The rows that a box touches: [low, high] on both axes across, closed.
struct RowRange {
  std::int32_t low[2] = {0, 0};
  std::int32_t high[2] = {0, 0};

  /// Rows touched on one axis. The numbers are clamped to 31 bits, so this cannot overflow.
  std::int64_t count(int axis) const {
    return static_cast<std::int64_t>(high[axis]) - low[axis] + 1;
  }
};

struct RowGrid {
  double row_size_m = 1;
  int along = 0;
  int across[2] = {1, 2};

  /// Rows numbered beyond this share the outermost row. It stays monotone, which is all that
  /// correctness needs: far rows cost more, they never wrap and never miss.
  static constexpr double number_max = 1 << 30;

  /// Monotone in the coordinate: floor, never truncation, and IEEE division keeps the order.
  std::int32_t number(float coordinate) const {
    const double quotient = std::floor(static_cast<double>(coordinate) / row_size_m);
    return static_cast<std::int32_t>(std::clamp(quotient, -number_max, number_max));
  }
  RowRange range(const Aabb32& box) const {
    RowRange range;
    for (int i = 0; i < 2; ++i) {
      range.low[i] = number(box.min[across[i]]);
      range.high[i] = number(box.max[across[i]]);
    }
    return range;
  }
  /// The first row that two boxes share which overlap or touch across.
  RowKey first_shared(const Aabb32& a, const Aabb32& b) const {
    return row_key(number(std::max(a.min[across[0]], b.min[across[0]])),
                   number(std::max(a.min[across[1]], b.min[across[1]])));
  }
};

/// Sweeps the axis with the widest spread of centres, and takes settings.row_size_m or, when that
/// is 0, a size by expected cost. Both are judged by a fixed sample of the bounds, so
/// the choice depends on nothing but the bounds. O(1).
RowGrid choose_row_grid(const IndexSettings& settings, const Bounds& bounds);

/// An entity that touches more rows than this on one axis is not registered in rows at all.
inline constexpr std::int64_t rows_touched_max = 8;

}  // namespace vicinity
