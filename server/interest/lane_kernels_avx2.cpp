// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <immintrin.h>

#include "interest/lane_kernels_impl.h"

namespace vicinity {
namespace {

struct Avx2 {
  static constexpr std::size_t width = 8;
  using Vector = __m256;
  static Vector load(const float* at) { return _mm256_load_ps(at); }
  static Vector all(float value) { return _mm256_set1_ps(value); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector sub(Vector a, Vector b) { return _mm256_sub_ps(a, b); }
  static Vector mul(Vector a, Vector b) { return _mm256_mul_ps(a, b); }
  static Vector max(Vector a, Vector b) { return _mm256_max_ps(a, b); }
  static std::uint32_t less(Vector a, Vector b) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)));
  }
  static std::uint32_t less_equal(Vector a, Vector b) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)));
  }
};

}  // namespace

void judge_lanes_avx2(const LaneGroup* groups, const std::uint32_t* index,
                      const LaneSphere* spheres, std::size_t count, bool centres,
                      LaneAnswer* answers) {
  LaneJudge<Avx2>::run(groups, index, spheres, count, centres, answers);
}

}  // namespace vicinity
