// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Candidate pairs -> one sorted list. Tick room.

#include <vector>

#include "base/parallel.h"
#include "index/index.h"

namespace vicinity {

/// Sorted by (a, b), each pair once.
using PairList = std::vector<SlotPair>;

/// Joins the blocks in block order and sorts. O(n log n). CHECKs that no pair came twice: an index
/// that reports a pair twice is broken and must not be papered over here.
void unique_pairs(const CandidatePairs& candidates, Workers& workers, PairList& out);

}  // namespace vicinity
