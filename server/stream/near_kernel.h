// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The common case of telling: a position nearby is all that is new. A free function over spans, for
// view_stream alone. No allocation, no branch but the one that ends it.

#include <emmintrin.h>

#include <bit>
#include <cstdint>
#include <span>

#include "stream/frame_selection.h"
#include "stream/motion_table.h"
#include "stream/stream_record.h"

namespace vicinity {

/// Whether put_near_moves() may be used. Differences from such an origin are right in 32 bits:
/// none of them, taken modulo 2^32, looks like a near one without being one.
inline bool allows_near_kernel(const QuantisedPosition& origin) {
  constexpr std::int64_t max = std::int64_t{1} << 30;
  const auto within = [](std::int64_t value) { return value >= -max && value <= max; };
  return within(origin.x) && within(origin.y) && within(origin.z);
}

/// Writes the moves of the records from `first` on behind `next`, and notes them as told in `tick`,
/// until a record needs more than that, has an alias of another page, or is the last. Returns the
/// place of that record; `next` is then behind the last move. There must be room for one move more
/// than there are records.
inline std::size_t put_near_moves(std::span<StreamRecord> records, std::size_t first,
                                  const MotionHead* heads, const QuantisedPosition& origin,
                                  std::uint32_t page, Tick tick, NearMove*& next) {
  // Heads lie anywhere. Those of the first records of a view were fetched before, or cost a wait.
  constexpr std::size_t ahead = 64;
  const __m128i zero = _mm_set_epi32(0, static_cast<int>(origin.z), static_cast<int>(origin.y),
                                     static_cast<int>(origin.x));
  const __m128i below = _mm_set1_epi32(-32'768);
  const __m128i above = _mm_set1_epi32(32'768);
  NearMove* out = next;
  std::size_t i = first;
  for (; i < records.size(); ++i) {
    if (i + ahead < records.size()) __builtin_prefetch(heads + records[i + ahead].slot);
    StreamRecord& record = records[i];
    const MotionHead& head = heads[record.slot];
    const __m128i place = _mm_load_si128(reinterpret_cast<const __m128i*>(head.position));
    const __m128i offset = _mm_sub_epi32(place, zero);
    const __m128i is_near =
        _mm_and_si128(_mm_cmpgt_epi32(offset, below), _mm_cmplt_epi32(offset, above));
    const bool is_plain = (record.standing == Standing::Told) & (head.other_tick <= record.told) &
                          (record.alias >> 16 == page) &
                          (_mm_movemask_ps(_mm_castsi128_ps(is_near)) == 0xF);
    if (!is_plain) break;
    // x, y, z and the zero behind them in 16 bits each; the alias takes the place before x.
    const auto bits = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packs_epi32(offset, offset)))
                          << 16 |
                      (record.alias & 0xFFFF);
    *out = std::bit_cast<NearMove>(bits);  // kept if the entity moved
    const bool moved = head.moved_tick > record.told;
    out += moved;
    record.told = moved ? tick : record.told;
    record.priority = moved ? 0 : record.priority;
  }
  next = out;
  return i;
}

}  // namespace vicinity
