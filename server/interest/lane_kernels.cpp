// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/lane_kernels.h"

#include "base/check.h"
#include "interest/lane_kernels_impl.h"

namespace vicinity {
namespace {

struct Scalar {
  static constexpr std::size_t width = 1;
  using Vector = float;
  static Vector load(const float* at) { return *at; }
  static Vector all(float value) { return value; }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector sub(Vector a, Vector b) { return a - b; }
  static Vector mul(Vector a, Vector b) { return a * b; }
  static Vector max(Vector a, Vector b) { return a > b ? a : b; }
  static std::uint32_t less(Vector a, Vector b) { return a < b ? 1 : 0; }
  static std::uint32_t less_equal(Vector a, Vector b) { return a <= b ? 1 : 0; }
};

}  // namespace

void judge_lanes_scalar(const LaneGroup* groups, const std::uint32_t* index,
                        const LaneSphere* spheres, std::size_t count, bool centres,
                        LaneAnswer* answers) {
  LaneJudge<Scalar>::run(groups, index, spheres, count, centres, answers);
}

JudgeLanes lane_kernel(IndexKernel kernel) {
  CHECK(is_supported(kernel));
#if defined(__x86_64__)
  if (kernel == IndexKernel::Auto) {
    if (is_supported(IndexKernel::Avx512)) return judge_lanes_avx512;
    if (is_supported(IndexKernel::Avx2)) return judge_lanes_avx2;
  }
  if (kernel == IndexKernel::Avx512) return judge_lanes_avx512;
  if (kernel == IndexKernel::Avx2) return judge_lanes_avx2;
#endif
  return judge_lanes_scalar;
}

}  // namespace vicinity
