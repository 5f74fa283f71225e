// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the kernels for AVX2 and for AVX-512 share: both handle a Bound as one register of eight
// floats, of which the last two, stamp and flags, are ignored. Internal linkage.

#include <immintrin.h>

#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

/// All six numbers of a box at once; the same operations in the same order as row_number().
struct WideNumbering {
  explicit WideNumbering(const RowGrid& g) : grid(g) {
    alignas(32) float origins[8] = {};
    alignas(32) float inverses[8] = {};
    alignas(32) float lows[8] = {};
    alignas(32) float highs[8] = {};
    const auto set = [&](int axis, float start, float per_metre, float least, float most) {
      for (const int lane : {axis, axis + 3}) {
        origins[lane] = start;
        inverses[lane] = per_metre;
        lows[lane] = least;
        highs[lane] = most;
      }
    };
    set(grid.along, grid.along_origin, grid.along_inverse_size, 0,
        static_cast<float>(grid.along_cells - 1));
    for (const RowAxis& axis : grid.across) {
      set(axis.axis, axis.origin, axis.inverse_size, axis.low, axis.high);
    }
    origin = _mm256_load_ps(origins);
    inverse_size = _mm256_load_ps(inverses);
    low = _mm256_load_ps(lows);
    high = _mm256_load_ps(highs);
  }

  [[gnu::always_inline]] RowNumbers numbers(const Aabb32& box) const {
    const __m256 corners = _mm256_load_ps(box.min);
    __m256 number = _mm256_mul_ps(_mm256_sub_ps(corners, origin), inverse_size);
    number = _mm256_min_ps(_mm256_max_ps(number, low), high);
    alignas(32) std::int32_t floors[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(floors),
                       _mm256_cvttps_epi32(_mm256_floor_ps(number)));
    const int axis0 = grid.across[0].axis;
    const int axis1 = grid.across[1].axis;
    return {{floors[axis0], floors[axis1]},
            {floors[axis0 + 3], floors[axis1 + 3]},
            static_cast<std::uint32_t>(floors[grid.along])};
  }

  const RowGrid& grid;
  __m256 origin;
  __m256 inverse_size;
  __m256 low;
  __m256 high;
};

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
