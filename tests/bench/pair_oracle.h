// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The pairs of a tick that every implementation must have, found without any index of the project:
// a sweep within slabs. A set of pairs is compared by its size and a hash that does not depend on
// the order in which the pairs come.

#include <cstdint>

#include "bench/scene.h"
#include "index/index.h"

namespace vicinity::bench {

struct PairSum {
  std::uint64_t count = 0;
  std::uint64_t hash = 0;

  void add(SlotPair pair);
  friend bool operator==(const PairSum&, const PairSum&) = default;
};

/// Whether the two are alive, overlap strictly (rounded bounds) and accept each other: the pair
/// rule of the server.
bool is_pair(const SceneState& state, SlotPair pair);

/// Of all pairs of the tick.
PairSum sum_pairs(const SceneState& state);

}  // namespace vicinity::bench
