// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pairs.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace vicinity {

void unique_pairs(const CandidatePairs& candidates, Workers& workers, PairList& out) {
  recycle(out);
  candidates.blocks.join_into(out);
  parallel_sort(workers, out, std::less<SlotPair>());
  CHECK(std::adjacent_find(out.begin(), out.end()) == out.end());
}

}  // namespace vicinity
