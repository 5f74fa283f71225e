// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// From sixteen records, one per entity, to a LaneGroup, one array per coordinate. Tick room; free
// functions over plain memory.

#include <algorithm>
#include <cmath>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "interest/lane_kernels.h"

namespace vicinity {

/// An entity as its lane will have it. Written by whoever comes to its slot, in any order.
struct alignas(32) LaneRecord {
  float low[3] = {0, 0, 0};
  float radius = 0;
  float high[3] = {0, 0, 0};
  std::uint32_t flags = 0;

  static constexpr std::uint32_t is_alive = 1u << 31;  ///< and enabled
  static constexpr std::uint32_t is_loose = 1u << 30;
  static constexpr std::uint32_t differs = 1u << 29;  ///< from the first of the group
};
static_assert(sizeof(LaneRecord) == 32);

/// What sixteen records have in common. Bits by lane.
struct LaneSum {
  std::uint16_t alive = 0;
  std::uint16_t loose = 0;
  std::uint16_t differs = 0;
  float low[3] = {0, 0, 0};  ///< of all shapes
  float high[3] = {0, 0, 0};
  float radius = 0;  ///< at most
};

/// Fills all lanes. About 20 ns.
inline LaneSum turn_lanes(const LaneRecord* records, LaneGroup& group) {
  LaneSum out;
#if defined(__SSE2__)
  const auto low_of = [records](std::size_t k) { return _mm_load_ps(records[k].low); };
  const auto high_of = [records](std::size_t k) { return _mm_load_ps(records[k].high); };
  __m128 low = low_of(0), high = high_of(0), radius = _mm_setzero_ps();
  for (std::size_t k = 0; k < lane_count; k += 4) {
    __m128 a[4], b[4];
    for (std::size_t i = 0; i < 4; ++i) {
      a[i] = low_of(k + i);
      b[i] = high_of(k + i);
      const __m128 r = _mm_shuffle_ps(a[i], a[i], _MM_SHUFFLE(3, 3, 3, 3));
      low = _mm_min_ps(low, _mm_sub_ps(a[i], r));
      high = _mm_max_ps(high, _mm_add_ps(b[i], r));
    }
    _MM_TRANSPOSE4_PS(a[0], a[1], a[2], a[3]);
    _MM_TRANSPOSE4_PS(b[0], b[1], b[2], b[3]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      _mm_store_ps(group.low[axis] + k, a[axis]);
      _mm_store_ps(group.high[axis] + k, b[axis]);
    }
    _mm_store_ps(group.radius + k, a[3]);
    radius = _mm_max_ps(radius, a[3]);
    const auto bits = [&b, k](int shift) {
      const __m128i flags = _mm_slli_epi32(_mm_castps_si128(b[3]), shift);
      return static_cast<std::uint16_t>(_mm_movemask_ps(_mm_castsi128_ps(flags)) << k);
    };
    out.alive |= bits(0);
    out.loose |= bits(1);
    out.differs |= bits(2);
  }
  alignas(16) float lows[4], highs[4], radii[4];
  _mm_store_ps(lows, low);
  _mm_store_ps(highs, high);
  _mm_store_ps(radii, radius);
  std::copy_n(lows, 3, out.low);
  std::copy_n(highs, 3, out.high);
  out.radius = *std::max_element(radii, radii + 4);
#else
  std::copy_n(records->low, 3, out.low);
  std::copy_n(records->high, 3, out.high);
  for (std::size_t k = 0; k < lane_count; ++k) {
    const LaneRecord& record = records[k];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      group.low[axis][k] = record.low[axis];
      group.high[axis][k] = record.high[axis];
      out.low[axis] = std::min(out.low[axis], record.low[axis] - record.radius);
      out.high[axis] = std::max(out.high[axis], record.high[axis] + record.radius);
    }
    group.radius[k] = record.radius;
    out.radius = std::max(out.radius, record.radius);
    const auto bit = static_cast<std::uint16_t>(1u << k);
    if ((record.flags & LaneRecord::is_alive) != 0) out.alive |= bit;
    if ((record.flags & LaneRecord::is_loose) != 0) out.loose |= bit;
    if ((record.flags & LaneRecord::differs) != 0) out.differs |= bit;
  }
#endif
  return out;
}

}  // namespace vicinity
