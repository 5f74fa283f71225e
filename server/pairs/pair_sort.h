// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Sorts some hundred pairs at a time, as many as the first cache holds together with their
// counters; more only work more slowly. Tick room; pure.

#include <cstdint>
#include <span>

#include "index/index.h"

namespace vicinity {

/// Pairs compare as their keys do.
constexpr std::uint64_t key_of(SlotPair pair) { return std::uint64_t{pair.a} << 32 | pair.b; }
constexpr SlotPair pair_of(std::uint64_t key) {
  return {static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)};
}

/// Where the slots of some canonical pairs lie.
struct SlotRange {
  std::uint64_t first_begin = 0;  ///< first slots: from here on
  std::uint64_t first_end = 0;    ///< and before this one
  int bits = 32;                  ///< that any slot needs at the most
};

/// Puts the pairs of `from` into `to` (of the same size), sorted; `from` is scratch memory after
/// that. CHECKs that every pair is there only once. O(size), whatever the pairs are: one slot with
/// a hundred thousand partners costs about the same as as many slots with one each.
void sort_pairs(std::span<SlotPair> from, std::span<SlotPair> to, const SlotRange& slots);

}  // namespace vicinity
