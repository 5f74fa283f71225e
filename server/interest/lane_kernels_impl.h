// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The one text of the lane kernels; each instruction set brings a `Simd` with its vectors. Every
// operation is a single IEEE f32 one in the written order, so that all give the same bits.

#include "interest/lane_kernels.h"

namespace vicinity {
namespace {

template <class Simd>
struct LaneJudge {
  using Vector = typename Simd::Vector;

  /// Distance along one axis from the point to the box of each lane; 0 beside it.
  [[gnu::always_inline]] static Vector gap(Vector low, Vector high, float point) {
    const Vector at = Simd::all(point);
    return Simd::max(Simd::max(Simd::sub(low, at), Simd::sub(at, high)), Simd::all(0));
  }

  /// Squared distances at which a lane is surely in, and not surely out.
  struct Thresholds {
    Vector in;
    Vector out;
  };
  [[gnu::always_inline]] static Thresholds thresholds(float reach_m, float error_m, Vector radius) {
    const Vector reach = Simd::add(radius, Simd::all(reach_m));
    const Vector error = Simd::all(error_m);
    const Vector low = Simd::max(Simd::sub(reach, error), Simd::all(0));
    const Vector high = Simd::add(reach, error);
    return {Simd::mul(Simd::mul(low, low), Simd::all(1 - 0x1p-20f)),
            Simd::mul(Simd::mul(high, high), Simd::all(1 + 0x1p-20f))};
  }

  template <bool centres>
  [[gnu::always_inline]] static LaneAnswer judge(const LaneGroup& group, const LaneSphere& sphere) {
    std::uint32_t enter_in = 0, enter_maybe = 0, leave_in = 0, leave_maybe = 0;
    for (std::size_t k = 0; k < lane_count; k += Simd::width) {
      Vector sum = Simd::all(0);
      for (int axis = 0; axis < 3; ++axis) {
        Vector low = Simd::load(group.low[axis] + k);
        Vector high = Simd::load(group.high[axis] + k);
        if (centres) low = high = Simd::mul(Simd::add(low, high), Simd::all(0.5f));
        const Vector distance = gap(low, high, sphere.point[axis]);
        sum = Simd::add(sum, Simd::mul(distance, distance));
      }
      const Vector radius = centres ? Simd::all(0) : Simd::load(group.radius + k);
      const Thresholds enter = thresholds(sphere.enter_m, sphere.error_m, radius);
      const Thresholds leave = thresholds(sphere.leave_m, sphere.error_m, radius);
      enter_in |= Simd::less(sum, enter.in) << k;
      enter_maybe |= Simd::less_equal(sum, enter.out) << k;
      leave_in |= Simd::less(sum, leave.in) << k;
      leave_maybe |= Simd::less_equal(sum, leave.out) << k;
    }
    return {
        static_cast<std::uint16_t>(enter_in), static_cast<std::uint16_t>(enter_maybe & ~enter_in),
        static_cast<std::uint16_t>(leave_in), static_cast<std::uint16_t>(leave_maybe & ~leave_in)};
  }

  template <bool centres>
  static void judge_all(const LaneGroup* groups, const std::uint32_t* index,
                        const LaneSphere* spheres, std::size_t count, LaneAnswer* answers) {
    for (std::size_t i = 0; i < count; ++i)
      answers[i] = judge<centres>(groups[index[i]], spheres[i]);
  }

  static void run(const LaneGroup* groups, const std::uint32_t* index, const LaneSphere* spheres,
                  std::size_t count, bool centres, LaneAnswer* answers) {
    if (centres) {
      judge_all<true>(groups, index, spheres, count, answers);
    } else {
      judge_all<false>(groups, index, spheres, count, answers);
    }
  }
};

}  // namespace
}  // namespace vicinity
