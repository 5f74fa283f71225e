// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The kernels of rows, once for every instruction set: included by row_kernels_*.cpp, each with its
// own Simd. Everything here has internal linkage, so that each file keeps its own copy.
//
// Simd offers: width; Query(box); open(query, rows, j) and closed(query, rows, j): a bit for each
// of the `width` registrations from j on; firsts(tag, rows, j): a bit where both axes have a first;
// put_pairs / put_members(out, own, rows, j, mask): writes the members of the set bits in order,
// may write up to `width` items, returns how many count.

#include "index/rows/row_kernels.h"

namespace vicinity {
namespace {

constexpr std::size_t chunk_items = 512;

/// Bits 0 .. count - 1.
constexpr std::uint32_t low_bits(std::uint32_t count) {
  return count >= 32 ? ~0u : (1u << count) - 1;
}

[[maybe_unused]] Aabb32 box_of(const RowArrays& rows, std::uint32_t i) {
  return {{rows.min[0][i], rows.min[1][i], rows.min[2][i]},
          {rows.max[0][i], rows.max[1][i], rows.max[2][i]}};
}

/// The cell of registration `i`: the last that starts at or before it.
std::uint32_t cell_of_registration(const RowArrays& rows, std::uint32_t cell_count,
                                   std::uint32_t i) {
  std::uint32_t low = 0;
  std::uint32_t high = cell_count;  // start[low] <= i < start[high]
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows.start[middle] <= i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The cells of a row, with everything computed that can be.
struct AlongCells {
  explicit AlongCells(const RowGrid& grid)
      : origin(grid.along_origin),
        inverse_size(grid.along_inverse_size),
        high(static_cast<float>(grid.along_cells - 1)) {}
  [[gnu::always_inline]] std::uint32_t cell(float coordinate) const {
    return static_cast<std::uint32_t>(row_number(coordinate, origin, inverse_size, 0, high));
  }
  float origin;
  float inverse_size;
  float high;
};

/// Whether the registrations of a cell are sorted by where they begin (overfull_cell).
[[gnu::always_inline]] inline bool is_overfull(const RowArrays& rows, std::uint32_t cell) {
  return rows.start[cell + 1] - rows.start[cell] >= overfull_cell;
}

/// The first registration of a sorted cell that begins at or behind `coordinate`.
[[maybe_unused, gnu::noinline]] std::uint32_t first_from(const RowArrays& rows,
                                                         const float* along_min, std::uint32_t cell,
                                                         float coordinate) {
  std::uint32_t begin = rows.start[cell];
  for (std::uint32_t count = rows.start[cell + 1] - begin; count > 0;) {
    const std::uint32_t half = count / 2;
    const bool is_before = along_min[begin + half] < coordinate;
    begin += is_before ? half + 1 : 0;
    count = is_before ? count - half - 1 : half;
  }
  return begin;
}
/// Past the last one that begins at or before `coordinate`.
[[maybe_unused, gnu::noinline]] std::uint32_t first_behind(const RowArrays& rows,
                                                           const float* along_min,
                                                           std::uint32_t cell, float coordinate) {
  std::uint32_t begin = rows.start[cell];
  for (std::uint32_t count = rows.start[cell + 1] - begin; count > 0;) {
    const std::uint32_t half = count / 2;
    const bool is_before = along_min[begin + half] <= coordinate;
    begin += is_before ? half + 1 : 0;
    count = is_before ? count - half - 1 : half;
  }
  return begin;
}

// Each registration is tested against those that follow it in its row, up to the cell in which it
// ends. What lies in the same cell may start before it; the box test looks at both ends. Lanes
// beyond that cell, but in the row, start behind the box and fail by themselves; lanes beyond the
// row have to be cut off.
template <class Simd>
bool join(const RowGrid& grid, const RowArrays& all, std::uint32_t begin, std::uint32_t end,
          TakePairs take, void* context, std::uint64_t& tested) {
  MemberPair chunk[chunk_items + Simd::width];
  std::size_t found = 0;
  if (begin >= end) return true;
  std::uint64_t followers = 0;
  const RowArrays rows = all;  // a copy that nothing else can point to
  const AlongCells along(grid);
  const std::uint32_t along_cells = grid.along_cells;
  const float* const along_min = rows.min[grid.along];
  const float* const along_max = rows.max[grid.along];
  const std::uint32_t cell = cell_of_registration(rows, grid.cell_count(), begin);
  std::uint32_t row_begin = cell / along_cells * along_cells;
  std::uint32_t row_end = rows.start[row_begin + along_cells];
  for (std::uint32_t i = begin; i < end; ++i) {
    while (i >= row_end) [[unlikely]] {
      row_begin += along_cells;
      row_end = rows.start[row_begin + along_cells];
    }
    const std::uint32_t last_cell = row_begin + along.cell(along_max[i]);
    std::uint32_t scan_end = rows.start[last_cell + 1];
    if (is_overfull(rows, last_cell)) [[unlikely]]
      scan_end = first_behind(rows, along_min, last_cell, along_max[i]);
    const typename Simd::Query query(box_of(rows, i));
    const std::uint32_t tag = rows.tag[i];
    std::uint32_t j = i + 1;
    followers += scan_end - j;
    do {  // once at least, needed or not: nearly always it is, and a branch would be guessed wrong
      std::uint32_t mask = Simd::open(query, rows, j);
      if (row_end - j < Simd::width) [[unlikely]]
        mask &= low_bits(row_end - j);
      mask = Simd::firsts(tag, rows, j, mask);
      found += Simd::put_pairs(chunk + found, tag & tag_member, rows, j, mask);
      if (found >= chunk_items) [[unlikely]] {
        if (!take(context, chunk, found)) return false;
        found = 0;
      }
      j += Simd::width;
    } while (j < scan_end);
  }
  tested += followers;
  return found == 0 || take(context, chunk, found);
}

/// The table positions of one axis that a box touches.
struct Visit {
  std::int32_t begin = 0;  ///< row numbers
  std::int32_t end = 0;    ///< past the last
  bool whole = false;      ///< the whole table, whose positions are then the numbers
};

/// A wrapped table that the box and an entity could go all around is visited position by position;
/// then only the entity's own first row counts, and it is certainly among them.
[[gnu::always_inline]] inline Visit visit(const RowAxis& axis, float low, float high) {
  Visit out{axis.number(low), axis.number(high) + 1, false};
  if (axis.wraps() &&
      static_cast<std::int64_t>(out.end) - out.begin + rows_touched_max + 1 > axis.count) {
    out = {0, static_cast<std::int32_t>(axis.count), true};
  }
  return out;
}

/// A coordinate below which no registration starts that reaches `low`.
[[gnu::always_inline]] inline float reach_back(float low, float extent_max) {
  const float start = low - extent_max;
  const float size = (low < 0 ? -low : low) + extent_max;
  return start - size * 0x1p-22f;
}

/// Where those begin, along, that a box may touch.
struct AlongRange {
  float begin;
  float end;
};
[[gnu::always_inline]] inline AlongRange along_range(const RowGrid& grid, const RowArrays& rows,
                                                     const Aabb32& box) {
  return {reach_back(box.min[grid.along], rows.along_extent_max), box.max[grid.along]};
}

/// Registrations [begin, end).
struct Stretch {
  std::uint32_t begin;
  std::uint32_t end;
};
/// Those of the cells `first` to `last`, one row, without those of sorted cells that are not
/// needed.
[[gnu::always_inline]] inline Stretch registrations_in(const RowArrays& rows,
                                                       const float* along_min, std::uint32_t first,
                                                       std::uint32_t last, AlongRange range) {
  Stretch out{rows.start[first], rows.start[last + 1]};
  if (is_overfull(rows, first)) [[unlikely]]
    out.begin = first_from(rows, along_min, first, range.begin);
  if (is_overfull(rows, last)) [[unlikely]]
    out.end = first_behind(rows, along_min, last, range.end);
  return out;
}

template <class Simd, bool is_closed>
bool probe(const RowGrid& grid, const RowArrays& all, const Aabb32& box, TakeMembers take,
           void* context) {
  if (all.count == 0) return true;
  const RowArrays rows = all;  // a copy that nothing else can point to
  std::uint32_t chunk[chunk_items + Simd::width];
  std::size_t found = 0;
  const AlongCells along(grid);
  const AlongRange range = along_range(grid, rows, box);
  const std::uint32_t from = along.cell(range.begin);
  const std::uint32_t to = along.cell(range.end);
  const RowAxis& axis0 = grid.across[0];
  const RowAxis& axis1 = grid.across[1];
  const Visit visit0 = visit(axis0, box.min[axis0.axis], box.max[axis0.axis]);
  const Visit visit1 = visit(axis1, box.min[axis1.axis], box.max[axis1.axis]);
  const typename Simd::Query query(box);
  for (std::int32_t n1 = visit1.begin; n1 < visit1.end; ++n1) {
    const std::uint32_t first1 = n1 == visit1.begin && !visit1.whole ? tag_first[1] : 0;
    for (std::int32_t n0 = visit0.begin; n0 < visit0.end; ++n0) {
      const std::uint32_t first0 = n0 == visit0.begin && !visit0.whole ? tag_first[0] : 0;
      const std::uint32_t row = grid.row_begin(axis0.position(n0), axis1.position(n1));
      const auto [scan_begin, scan_end] =
          registrations_in(rows, rows.min[grid.along], row + from, row + to, range);
      for (std::uint32_t j = scan_begin; j < scan_end; j += Simd::width) {
        std::uint32_t mask = is_closed ? Simd::closed(query, rows, j) : Simd::open(query, rows, j);
        mask = Simd::firsts(first0 | first1, rows, j, mask & low_bits(scan_end - j));
        found += Simd::put_members(chunk + found, rows, j, mask);
        if (found >= chunk_items) {
          if (!take(context, chunk, found)) return false;
          found = 0;
        }
      }
    }
  }
  return found == 0 || take(context, chunk, found);
}

/// One row that one asking registration has to look at.
struct RowVisit {
  std::uint32_t asking;
  std::uint32_t firsts;  ///< of the asking member in that row
  std::uint32_t begin;   ///< first and last cell, then [begin, end) of the registrations
  std::uint32_t end;
};
constexpr std::size_t visits_max = 64;

/// Registrations of one row in the cells of each visit. All is fetched before anything is used:
/// the rows lie anywhere in memory, and waiting for them one by one is what would take the time.
[[gnu::always_inline]] inline void open_visits(const RowGrid& grid, const RowArrays& rows,
                                               const RowArrays& asking, RowVisit* visits,
                                               std::size_t count) {
  const int along = grid.along;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t i = visits[k].asking;
    const AlongRange range{reach_back(asking.min[along][i], rows.along_extent_max),
                           asking.max[along][i]};
    const Stretch stretch =
        registrations_in(rows, rows.min[along], visits[k].begin, visits[k].end, range);
    visits[k].begin = stretch.begin;
    visits[k].end = stretch.end;
    for (int axis = 0; axis < 3; ++axis) {
      __builtin_prefetch(rows.min[axis] + visits[k].begin);
      __builtin_prefetch(rows.max[axis] + visits[k].begin);
    }
    __builtin_prefetch(rows.tag + visits[k].begin);
  }
}

/// Pairs of the visits: (asking member, asked member).
template <class Simd>
bool scan_visits(const RowGrid& grid, const RowArrays& asking, const RowArrays& rows,
                 RowVisit* visits, std::size_t count, TakePairs take, void* context,
                 std::uint64_t& tested) {
  MemberPair chunk[chunk_items + Simd::width];
  std::size_t found = 0;
  open_visits(grid, rows, asking, visits, count);
  for (std::size_t k = 0; k < count; ++k) {
    const RowVisit visit = visits[k];
    if (visit.begin >= visit.end) continue;
    tested += visit.end - visit.begin;
    const typename Simd::Query query(box_of(asking, visit.asking));
    const std::uint32_t member = asking.tag[visit.asking] & tag_member;
    for (std::uint32_t j = visit.begin; j < visit.end; j += Simd::width) {
      std::uint32_t mask = Simd::open(query, rows, j) & low_bits(visit.end - j);
      mask = Simd::firsts(visit.firsts, rows, j, mask);
      found += Simd::put_pairs(chunk + found, member, rows, j, mask);
      if (found >= chunk_items) {
        if (!take(context, chunk, found)) return false;
        found = 0;
      }
    }
  }
  return found == 0 || take(context, chunk, found);
}

// Every member of another level, once: in the row that is its first on both axes.
template <class Simd>
bool probe_all(const RowGrid& grid, const RowArrays& all, const RowArrays& asking,
               std::uint32_t begin, std::uint32_t end, TakePairs take, void* context,
               std::uint64_t& tested) {
  if (all.count == 0) return true;
  const RowArrays rows = all;  // a copy that nothing else can point to
  const AlongCells along(grid);
  const RowAxis axis0 = grid.across[0];
  const RowAxis axis1 = grid.across[1];
  RowVisit visits[visits_max];
  std::size_t count = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    if ((asking.tag[i] & tag_first_both) != tag_first_both) continue;
    const Aabb32 box = box_of(asking, i);
    const AlongRange range = along_range(grid, rows, box);
    const std::uint32_t from = along.cell(range.begin);
    const std::uint32_t to = along.cell(range.end);
    const Visit visit0 = visit(axis0, box.min[axis0.axis], box.max[axis0.axis]);
    const Visit visit1 = visit(axis1, box.min[axis1.axis], box.max[axis1.axis]);
    for (std::int32_t n1 = visit1.begin; n1 < visit1.end; ++n1) {
      const std::uint32_t first1 = n1 == visit1.begin && !visit1.whole ? tag_first[1] : 0;
      for (std::int32_t n0 = visit0.begin; n0 < visit0.end; ++n0) {
        const std::uint32_t first0 = n0 == visit0.begin && !visit0.whole ? tag_first[0] : 0;
        const std::uint32_t row = grid.row_begin(axis0.position(n0), axis1.position(n1));
        visits[count++] = {i, first0 | first1, row + from, row + to};
        __builtin_prefetch(rows.start + row + from);
        if (count < visits_max) continue;
        if (!scan_visits<Simd>(grid, asking, rows, visits, count, take, context, tested))
          return false;
        count = 0;
      }
    }
  }
  return scan_visits<Simd>(grid, asking, rows, visits, count, take, context, tested);
}

/// Every row of a box: the general case.
[[maybe_unused, gnu::noinline]] std::size_t put_rows(const RowGrid& grid, const Aabb32& box,
                                                     std::uint32_t member, RowEntry* out) {
  const RowAxis& axis0 = grid.across[0];
  const RowAxis& axis1 = grid.across[1];
  const std::int32_t low0 = axis0.number(box.min[axis0.axis]);
  const std::int32_t low1 = axis1.number(box.min[axis1.axis]);
  const std::int32_t high0 = axis0.number(box.max[axis0.axis]);
  const std::int32_t high1 = axis1.number(box.max[axis1.axis]);
  const auto cell = static_cast<std::uint32_t>(grid.cell(box.min[grid.along]));
  std::size_t count = 0;
  for (std::int32_t n1 = low1; n1 <= high1; ++n1) {
    const std::uint32_t first1 = n1 == low1 ? tag_first[1] : 0;
    for (std::int32_t n0 = low0; n0 <= high0; ++n0) {
      const std::uint32_t first0 = n0 == low0 ? tag_first[0] : 0;
      const std::uint32_t row = grid.row_begin(axis0.position(n0), axis1.position(n1));
      out[count++] = {row + cell, member | first0 | first1};
    }
  }
  return count;
}

/// One registration at a time.
[[maybe_unused]] void gather_plain(const Bound* bounds, const std::uint32_t* tag, std::size_t count,
                                   float* const min[3], float* const max[3]) {
  for (std::size_t i = 0; i < count; ++i) {
    const Aabb32& box = bounds[tag[i] & tag_member].box;
    for (int axis = 0; axis < 3; ++axis) {
      min[axis][i] = box.min[axis];
      max[axis][i] = box.max[axis];
    }
  }
}

/// The set bits one by one, in order.
template <class Put>
[[gnu::always_inline]] inline std::size_t put_bits(std::uint32_t mask, const Put& put) {
  std::size_t count = 0;
  while (mask != 0) {
    put(count++, static_cast<std::uint32_t>(__builtin_ctz(mask)));
    mask &= mask - 1;
  }
  return count;
}

/// What is done with hits, which are few, where no instruction does it for all lanes at once.
struct BitByBit {
  static std::uint32_t firsts(std::uint32_t tag, const RowArrays& rows, std::uint32_t j,
                              std::uint32_t mask) {
    std::uint32_t out = 0;
    put_bits(mask, [&](std::size_t, std::uint32_t k) {
      if (((tag | rows.tag[j + k]) & tag_first_both) == tag_first_both) out |= 1u << k;
    });
    return out;
  }
  static std::size_t put_pairs(MemberPair* out, std::uint32_t own, const RowArrays& rows,
                               std::uint32_t j, std::uint32_t mask) {
    return put_bits(mask, [&](std::size_t at, std::uint32_t k) {
      out[at] = {own, rows.tag[j + k] & tag_member};
    });
  }
  static std::size_t put_members(std::uint32_t* out, const RowArrays& rows, std::uint32_t j,
                                 std::uint32_t mask) {
    return put_bits(
        mask, [&](std::size_t at, std::uint32_t k) { out[at] = rows.tag[j + k] & tag_member; });
  }
};

}  // namespace
}  // namespace vicinity
