// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <immintrin.h>

#include "index/rows/row_kernels_avx2.h"
#include "index/rows/row_kernels_impl.h"

namespace vicinity {
namespace {

struct Avx512 {
  static constexpr std::uint32_t width = 16;

  struct Query {
    explicit Query(const Aabb32& box) {
      for (int axis = 0; axis < 3; ++axis) {
        min[axis] = _mm512_set1_ps(box.min[axis]);
        max[axis] = _mm512_set1_ps(box.max[axis]);
      }
    }
    __m512 min[3];
    __m512 max[3];
  };

  template <int comparison>
  [[gnu::always_inline]] static std::uint32_t test(const Query& query, const RowArrays& rows,
                                                   std::uint32_t j) {
    __mmask16 hit = 0xFFFF;
    for (int axis = 0; axis < 3; ++axis) {
      const __m512 low = _mm512_loadu_ps(rows.min[axis] + j);
      const __m512 high = _mm512_loadu_ps(rows.max[axis] + j);
      hit = _mm512_mask_cmp_ps_mask(hit, low, query.max[axis], comparison);
      hit = _mm512_mask_cmp_ps_mask(hit, query.min[axis], high, comparison);
    }
    return hit;
  }
  [[gnu::always_inline]] static std::uint32_t open(const Query& query, const RowArrays& rows,
                                                   std::uint32_t j) {
    return test<_CMP_LT_OQ>(query, rows, j);
  }
  [[gnu::always_inline]] static std::uint32_t closed(const Query& query, const RowArrays& rows,
                                                     std::uint32_t j) {
    return test<_CMP_LE_OQ>(query, rows, j);
  }
  [[gnu::always_inline]] static std::uint32_t firsts(std::uint32_t tag, const RowArrays& rows,
                                                     std::uint32_t j, std::uint32_t mask) {
    const __m512i tags =
        _mm512_or_si512(_mm512_loadu_si512(rows.tag + j), _mm512_set1_epi32(static_cast<int>(tag)));
    return _mm512_mask_cmpge_epu32_mask(static_cast<__mmask16>(mask), tags,
                                        _mm512_set1_epi32(static_cast<int>(tag_first_both)));
  }
  /// The members of the set bits, moved together in a register: to compress straight into memory
  /// is slow on some processors.
  [[gnu::always_inline]] static __m512i members(const RowArrays& rows, std::uint32_t j,
                                                std::uint32_t mask) {
    const __m512i tags =
        _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), _mm512_loadu_si512(rows.tag + j));
    return _mm512_and_si512(tags, _mm512_set1_epi32(static_cast<int>(tag_member)));
  }
  [[gnu::always_inline]] static std::size_t put_pairs(MemberPair* out, std::uint32_t own,
                                                      const RowArrays& rows, std::uint32_t j,
                                                      std::uint32_t mask) {
    const __m512i found = members(rows, j, mask);
    const __m512i self = _mm512_set1_epi64(own);
    const auto count = static_cast<std::size_t>(__builtin_popcount(mask));
    const auto put = [&](MemberPair* to, __m256i half) {
      const __m512i other = _mm512_slli_epi64(_mm512_cvtepu32_epi64(half), 32);
      _mm512_storeu_si512(to, _mm512_or_si512(self, other));
    };
    put(out, _mm512_castsi512_si256(found));
    if (count > 8) put(out + 8, _mm512_extracti64x4_epi64(found, 1));
    return count;
  }
  [[gnu::always_inline]] static std::size_t put_members(std::uint32_t* out, const RowArrays& rows,
                                                        std::uint32_t j, std::uint32_t mask) {
    _mm512_storeu_si512(out, members(rows, j, mask));
    return static_cast<std::size_t>(__builtin_popcount(mask));
  }
};

}  // namespace

const RowKernels avx512_row_kernels = {enroll_wide,         join<Avx512>,
                                       probe_all<Avx512>,   probe<Avx512, false>,
                                       probe<Avx512, true>, gather_transposed};

}  // namespace vicinity
