// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The pairs that any index must report, found without one: sort by the x minimum, look forward
// until the run ends. Fast enough to check every tick of a benchmark.

#include "bounds/bounds.h"
#include "pairs/pairs.h"
#include "world/snapshot.h"

namespace vicinity::bench {

/// Sorted, each pair once. O(n log n + pairs that overlap along x).
PairList expected_pairs(const Snapshot& snapshot, const Bounds& bounds);

}  // namespace vicinity::bench
