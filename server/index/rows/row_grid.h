// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The geometry of one level of rows: one axis is swept ("along"), the two others are hashed
// ("across") into rows that run through the whole world.
//
//        across[1]                    row (0,1) holds B, row (1,0) holds C,
//          ^   +-------+-------+      A touches four rows and is registered in each.
//        1 |   |  B    |       |
//          |   |     +-|-+     |      Two boxes that overlap share at least one row, and exactly
//          one |   +-----|-A-|-----+      that is, on both axes, the first row of one of the two:
//          there,
//        0 |   |     +-|-+     |      and only there, the pair is reported.
//          |   |       |   C   |
//          |   +-------+-------+ --> across[0]
//                 0        1
//
// Rows of an axis live in a table. Where the whole world fits, a row number is a table position
// (and what lies outside is counted to the outermost row). Elsewhere the table wraps around: rows
// that are a multiple of `count` apart share a position. That costs tests and never a result: every
// hit passes the exact box test, and boxes that overlap cannot meet at a wrong position, because
// the table is longer than two of them (rows_touched_max).
//
// All mappings are monotone in the coordinate, which is all that correctness needs: IEEE
// subtraction, multiplication, clamping and floor keep the order. Pure values; any room.

#include <cstdint>

#include "base/aabb.h"

namespace vicinity {

/// An entity that touches more rows than this on one axis belongs to a coarser level.
inline constexpr std::int32_t rows_touched_max = 16;
/// Shortest table that may wrap.
inline constexpr std::uint32_t wrapped_rows_min = 64;
static_assert(wrapped_rows_min > 2 * (rows_touched_max + 1));

/// Number of the row or cell that holds `coordinate`: floor, never truncation.
// (always_inline: the kernels call these functions from code compiled for other processors, and no
// copy made there may end up in code that runs everywhere.)
[[gnu::always_inline]] inline std::int32_t row_number(float coordinate, float origin,
                                                      float inverse_size, float low, float high) {
  float number = (coordinate - origin) * inverse_size;
  number = number < low ? low : number;
  number = number > high ? high : number;
  const auto truncated = static_cast<std::int32_t>(number);
  return truncated - (static_cast<float>(truncated) > number ? 1 : 0);
}

/// The rows of one axis across.
struct RowAxis {
  int axis = 1;            ///< 0 = x, 1 = y, 2 = z
  float origin = 0;        ///< metres; the lower face of row 0
  float inverse_size = 0;  ///< rows per metre; 0 = a single row
  float low = 0;           ///< row numbers are clamped to [low, high]
  float high = 0;
  std::uint32_t count = 1;   ///< table positions
  std::uint32_t mask = ~0u;  ///< count - 1 when the table wraps (count is a power of two)

  [[gnu::always_inline]] bool wraps() const { return mask != ~0u; }
  [[gnu::always_inline]] std::int32_t number(float coordinate) const {
    return row_number(coordinate, origin, inverse_size, low, high);
  }
  [[gnu::always_inline]] std::uint32_t position(std::int32_t number) const {
    return static_cast<std::uint32_t>(number) & mask;
  }
};

struct RowGrid {
  int along = 0;
  float along_origin = 0;
  float along_inverse_size = 0;   ///< cells per metre
  std::uint32_t along_cells = 1;  ///< per row
  RowAxis across[2];

  [[gnu::always_inline]] std::uint32_t cell_count() const {
    return across[0].count * across[1].count * along_cells;
  }
  [[gnu::always_inline]] std::int32_t cell(float coordinate) const {
    return row_number(coordinate, along_origin, along_inverse_size, 0,
                      static_cast<float>(along_cells - 1));
  }
  /// First cell of the row at these table positions.
  [[gnu::always_inline]] std::uint32_t row_begin(std::uint32_t position0,
                                                 std::uint32_t position1) const {
    return (position1 * across[0].count + position0) * along_cells;
  }
};

}  // namespace vicinity
