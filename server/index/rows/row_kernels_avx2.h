// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the kernels for AVX2 and for AVX-512 share: both handle a Bound as one register of eight
// floats, of which the last two, stamp and flags, are ignored. Internal linkage.

#include <immintrin.h>

#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

/// A grid as lanes. Lanes 0 to 3 are the lower ends on across[0], across[1], along and nothing,
/// lanes 4 to 7 the upper ends.
struct WideGrid {
  explicit WideGrid(const RowGrid& grid) {
    alignas(32) std::int32_t orders[8];
    alignas(32) float origins[8] = {};
    alignas(32) float inverses[8] = {};
    alignas(32) float lows[8] = {};
    alignas(32) float highs[8] = {};
    alignas(32) std::uint32_t masks[8] = {};
    alignas(32) std::uint32_t strides[8] = {};
    for (int end = 0; end < 2; ++end) {
      for (int i = 0; i < 2; ++i) {
        const RowAxis& axis = grid.across[i];
        const int lane = 4 * end + i;
        orders[lane] = axis.axis + 3 * end;
        origins[lane] = axis.origin;
        inverses[lane] = axis.inverse_size;
        lows[lane] = axis.low;
        highs[lane] = axis.high;
        masks[lane] = axis.mask;
        strides[lane] = i == 0 ? grid.along_cells : grid.along_cells * grid.across[0].count;
      }
      const int lane = 4 * end + 2;
      orders[lane] = grid.along + 3 * end;
      origins[lane] = grid.along_origin;
      inverses[lane] = grid.along_inverse_size;
      highs[lane] = static_cast<float>(grid.along_cells - 1);
      masks[lane] = ~0u;
      strides[lane] = 1;
      orders[lane + 1] = 0;
    }
    order = _mm256_load_si256(reinterpret_cast<const __m256i*>(orders));
    origin = _mm256_load_ps(origins);
    inverse_size = _mm256_load_ps(inverses);
    low = _mm256_load_ps(lows);
    high = _mm256_load_ps(highs);
    mask = _mm256_load_si256(reinterpret_cast<const __m256i*>(masks));
    stride = _mm256_load_si256(reinterpret_cast<const __m256i*>(strides));
  }
  __m256i order;
  __m256 origin;
  __m256 inverse_size;
  __m256 low;
  __m256 high;
  __m256i mask;
  __m256i stride;
};

/// Which of the four entries (rows low-low, high-low, low-high, high-high) a member has, by whether
/// it touches a second row on either axis: moved to the front in pairs of lanes.
alignas(32) constexpr std::int32_t entry_order[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                                        {0, 1, 2, 3, 4, 5, 6, 7},
                                                        {0, 1, 4, 5, 2, 3, 6, 7},
                                                        {0, 1, 2, 3, 4, 5, 6, 7}};
constexpr std::size_t entry_count[4] = {1, 2, 2, 4};

// One member is one register from its box to its entries: six numbers at once, by the same
// operations in the same order as row_number(), then the cells of four rows, of which as many are
// stored as it touches. No branch that could be guessed wrong, but for members of more rows.
[[maybe_unused]] void enroll_wide(const RowGrid& grid, const Bound* bounds,
                                  const std::uint32_t* members, std::size_t count,
                                  Registering& out) {
  constexpr int none = 7;  // a lane that is 0
  const WideGrid wide(grid);
  const __m256i row0 = _mm256_setr_epi32(0, none, 4, none, 0, none, 4, none);
  const __m256i row1 = _mm256_setr_epi32(1, none, 1, none, 5, none, 5, none);
  const __m256i cell = _mm256_setr_epi32(2, none, 2, none, 2, none, 2, none);
  const __m256i is_tag = _mm256_setr_epi32(0, -1, 0, -1, 0, -1, 0, -1);
  const auto first0 = static_cast<std::int32_t>(tag_first[0]);
  const auto first1 = static_cast<std::int32_t>(tag_first[1]);
  const __m256i firsts = _mm256_setr_epi32(0, first0 | first1, 0, first1, 0, first0, 0, 0);
  __m128 extent_max = _mm_set1_ps(out.along_extent_max);
  std::size_t at = out.entry_count;
  std::size_t i = out.member_count;
  for (; i < count && at + entries_per_member_max <= out.capacity; ++i) {
    const std::uint32_t member = members[i];
    const __m256 corners =
        _mm256_permutevar8x32_ps(_mm256_load_ps(bounds[member].box.min), wide.order);
    extent_max = _mm_max_ps(
        _mm_sub_ps(_mm256_extractf128_ps(corners, 1), _mm256_castps256_ps128(corners)), extent_max);
    __m256 number = _mm256_mul_ps(_mm256_sub_ps(corners, wide.origin), wide.inverse_size);
    number = _mm256_min_ps(_mm256_max_ps(number, wide.low), wide.high);
    const __m256i floors = _mm256_cvttps_epi32(_mm256_floor_ps(number));
    const __m128i more =
        _mm_sub_epi32(_mm256_extracti128_si256(floors, 1), _mm256_castsi256_si128(floors));
    const auto rows_above = [&](int rows) {
      const __m128i above = _mm_cmpgt_epi32(more, _mm_set1_epi32(rows));
      return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(above))) & 3u;
    };
    if (rows_above(1) != 0) [[unlikely]] {
      at += put_rows(grid, bounds[member].box, member, out.entries + at);
      continue;
    }
    const __m256i cells = _mm256_mullo_epi32(_mm256_and_si256(floors, wide.mask), wide.stride);
    const __m256i places =
        _mm256_add_epi32(_mm256_add_epi32(_mm256_permutevar8x32_epi32(cells, row0),
                                          _mm256_permutevar8x32_epi32(cells, row1)),
                         _mm256_permutevar8x32_epi32(cells, cell));
    const __m256i tags = _mm256_or_si256(
        _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(member)), is_tag), firsts);
    const unsigned which = rows_above(0);
    const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(entry_order[which]));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out.entries + at),
                        _mm256_permutevar8x32_epi32(_mm256_or_si256(places, tags), order));
    at += entry_count[which];
  }
  alignas(16) float extents[4];
  _mm_store_ps(extents, extent_max);
  out.along_extent_max = extents[2];
  out.entry_count = at;
  out.member_count = i;
}

constexpr std::size_t gather_ahead = 16;  // registrations whose record is fetched in advance

[[gnu::always_inline]] inline void transpose_boxes(const Bound* bounds, const std::uint32_t* tag,
                                                   std::size_t i, float* const min[3],
                                                   float* const max[3]) {
  __m256 record[8];
  for (std::size_t k = 0; k < 8; ++k) {
    record[k] = _mm256_load_ps(bounds[tag[i + k] & tag_member].box.min);
  }
  __m256 pair[8];
  for (int k = 0; k < 4; ++k) {
    pair[2 * k] = _mm256_unpacklo_ps(record[2 * k], record[2 * k + 1]);
    pair[2 * k + 1] = _mm256_unpackhi_ps(record[2 * k], record[2 * k + 1]);
  }
  __m256 quad[8];
  for (int half = 0; half < 2; ++half) {
    const __m256* from = pair + 4 * half;
    quad[4 * half] = _mm256_shuffle_ps(from[0], from[2], 0x44);
    quad[4 * half + 1] = _mm256_shuffle_ps(from[0], from[2], 0xEE);
    quad[4 * half + 2] = _mm256_shuffle_ps(from[1], from[3], 0x44);
    quad[4 * half + 3] = _mm256_shuffle_ps(from[1], from[3], 0xEE);
  }
  for (int axis = 0; axis < 3; ++axis) {
    _mm256_storeu_ps(min[axis] + i, _mm256_permute2f128_ps(quad[axis], quad[axis + 4], 0x20));
  }
  _mm256_storeu_ps(max[0] + i, _mm256_permute2f128_ps(quad[3], quad[7], 0x20));
  _mm256_storeu_ps(max[1] + i, _mm256_permute2f128_ps(quad[0], quad[4], 0x31));
  _mm256_storeu_ps(max[2] + i, _mm256_permute2f128_ps(quad[1], quad[5], 0x31));
}

[[maybe_unused]] void gather_transposed(const Bound* bounds, const std::uint32_t* tag,
                                        std::size_t count, float* const min[3],
                                        float* const max[3]) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const std::size_t ahead = i + gather_ahead;
    for (std::size_t k = ahead; k < ahead + 8 && k < count; ++k) {
      _mm_prefetch(reinterpret_cast<const char*>(bounds + (tag[k] & tag_member)), _MM_HINT_T0);
    }
    transpose_boxes(bounds, tag, i, min, max);
  }
  float* const rest_min[3] = {min[0] + i, min[1] + i, min[2] + i};
  float* const rest_max[3] = {max[0] + i, max[1] + i, max[2] + i};
  gather_plain(bounds, tag + i, count - i, rest_min, rest_max);
}

}  // namespace
}  // namespace vicinity
