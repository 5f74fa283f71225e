// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/brute_force/brute_force.h"

#include <utility>

#include "base/check.h"
#include "index/pair_search.h"

namespace vicinity {

BruteForceIndex::BruteForceIndex(const IndexSettings& settings, IndexVersion version,
                                 std::shared_ptr<const Snapshot> snapshot,
                                 std::shared_ptr<const Bounds> bounds)
    : settings_(settings),
      version_(version),
      snapshot_(std::move(snapshot)),
      bounds_(std::move(bounds)) {
  CHECK(snapshot_->row_count() == bounds_->row_count());
}

void BruteForceIndex::find_pairs(Workers& workers, CandidatePairs& out) const {
  const std::vector<Filter>& filter = snapshot_->filter;
  const std::uint32_t rows = bounds_->row_count();
  auto search_block = [&](std::size_t begin, std::size_t end, PairSink& sink) {
    for (auto a = static_cast<std::uint32_t>(begin); a < end; ++a) {
      if (!in_pair_search(filter[a])) continue;
      const Aabb32 box = bounds_->at(a);
      for (std::uint32_t b = a + 1; b < rows; ++b) {
        if (!overlaps(box, bounds_->at(b)) || !accepts(filter[a], filter[b])) continue;
        if (!sink.add(a, b)) return false;
      }
    }
    return true;
  };
  search_pairs(workers, rows, settings_, search_block, out);
}

void BruteForceIndex::find_in_box(const Aabb32& box, std::vector<std::uint32_t>& rows) const {
  for (std::uint32_t row = 0; row < bounds_->row_count(); ++row) {
    if (touches(box, bounds_->at(row))) rows.push_back(row);
  }
}

IndexStats BruteForceIndex::stats() const {
  IndexStats stats;
  stats.registrations = bounds_->row_count();
  return stats;
}

}  // namespace vicinity
