// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <immintrin.h>

#include "interest/lane_kernels_impl.h"

namespace vicinity {
namespace {

struct Avx512 {
  static constexpr std::size_t width = 16;
  using Vector = __m512;
  static Vector load(const float* at) { return _mm512_load_ps(at); }
  static Vector all(float value) { return _mm512_set1_ps(value); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector sub(Vector a, Vector b) { return _mm512_sub_ps(a, b); }
  static Vector mul(Vector a, Vector b) { return _mm512_mul_ps(a, b); }
  static Vector max(Vector a, Vector b) { return _mm512_max_ps(a, b); }
  static std::uint32_t less(Vector a, Vector b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
  static std::uint32_t less_equal(Vector a, Vector b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
  }
};

}  // namespace

void judge_lanes_avx512(const LaneGroup* groups, const std::uint32_t* index,
                        const LaneSphere* spheres, std::size_t count, bool centres,
                        LaneAnswer* answers) {
  LaneJudge<Avx512>::run(groups, index, spheres, count, centres, answers);
}

}  // namespace vicinity
