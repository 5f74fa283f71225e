// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/pair_oracle.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vicinity::bench {

PairList expected_pairs(const Snapshot& snapshot, const Bounds& bounds) {
  const std::vector<float>& min_x = bounds.min[0];
  std::vector<std::uint32_t> order(bounds.row_count());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t row) { return std::pair(min_x[row], row); });
  PairList pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Aabb32 box = bounds.at(order[i]);
    for (std::size_t k = i + 1; k < order.size() && min_x[order[k]] < box.max[0]; ++k) {
      if (!overlaps(box, bounds.at(order[k]))) continue;
      const auto [a, b] = std::minmax(order[i], order[k]);
      if (accepts(snapshot.filter[a], snapshot.filter[b])) pairs.push_back({a, b});
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace vicinity::bench
