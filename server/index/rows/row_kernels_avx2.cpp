// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_kernels_avx2.h"

#include <immintrin.h>

#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

struct Avx2 : BitByBit {
  static constexpr std::uint32_t width = 8;

  struct Query {
    explicit Query(const Aabb32& box) {
      for (int axis = 0; axis < 3; ++axis) {
        min[axis] = _mm256_set1_ps(box.min[axis]);
        max[axis] = _mm256_set1_ps(box.max[axis]);
      }
    }
    __m256 min[3];
    __m256 max[3];
  };

  template <int comparison>
  [[gnu::always_inline]] static std::uint32_t test(const Query& query, const RowArrays& rows,
                                                   std::uint32_t j) {
    __m256 hit = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    for (int axis = 0; axis < 3; ++axis) {
      const __m256 low = _mm256_loadu_ps(rows.min[axis] + j);
      const __m256 high = _mm256_loadu_ps(rows.max[axis] + j);
      hit = _mm256_and_ps(hit, _mm256_cmp_ps(low, query.max[axis], comparison));
      hit = _mm256_and_ps(hit, _mm256_cmp_ps(query.min[axis], high, comparison));
    }
    return static_cast<std::uint32_t>(_mm256_movemask_ps(hit));
  }
  static std::uint32_t open(const Query& query, const RowArrays& rows, std::uint32_t j) {
    return test<_CMP_LT_OQ>(query, rows, j);
  }
  static std::uint32_t closed(const Query& query, const RowArrays& rows, std::uint32_t j) {
    return test<_CMP_LE_OQ>(query, rows, j);
  }
};

}  // namespace

const RowKernels avx2_row_kernels = {enroll_wide,        join<Avx2>,        probe_all<Avx2>,
                                     probe<Avx2, false>, probe<Avx2, true>, gather_transposed};

}  // namespace vicinity
