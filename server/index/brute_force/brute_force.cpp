// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/brute_force/brute_force.h"

#include "index/pair_search.h"

namespace vicinity {

void BruteForceView::find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const {
  for (std::uint32_t slot = 0; slot < bounds_.size(); ++slot) {
    if (bounds_[slot].is_alive() && touches(bounds_[slot].box, box)) slots.push_back(slot);
  }
}

IndexPlaces BruteForceView::places_of(std::uint32_t slot_a, std::uint32_t slot_b) const {
  const auto place_of = [this](std::uint32_t slot) {
    IndexPlace place;
    if (slot >= bounds_.size() || !bounds_[slot].is_alive()) return place;
    place.partition = IndexPartition::Moving;
    place.box = bounds_[slot].box;
    return place;
  };
  IndexPlaces out;
  out.a = place_of(slot_a);
  out.b = place_of(slot_b);
  out.share_cell = out.a.is_registered() && out.b.is_registered();
  return out;
}

BruteForceIndex::BruteForceIndex(const IndexSettings& settings)
    : settings_(settings), view_(pool_.take()) {}

void BruteForceIndex::update(const IndexInput& input, Workers&) {
  const std::shared_ptr<BruteForceView> next = pool_.take();
  next->version_ = input.version;
  next->bounds_ = input.bounds;
  next->stats_ = {};
  for (const Bound& bound : input.bounds) {
    if (bound.is_alive()) ++next->stats_.moving;
  }
  next->stats_.registrations = next->stats_.moving;
  next->stats_.size_bytes = next->bounds_.size() * sizeof(Bound);
  view_ = next;
  pool_.shrink(2);
}

void BruteForceIndex::find_pairs(const IndexInput& input, Workers& workers, CandidatePairs& out) {
  const Bounds& bounds = input.bounds;
  const auto search_block = [&](std::size_t begin, std::size_t end, PairSink& sink) {
    for (auto a = static_cast<std::uint32_t>(begin); a < end; ++a) {
      if ((bounds[a].flags & bound_searched) == 0) continue;
      sink.count_tests(bounds.size() - a - 1, true);
      for (std::uint32_t b = a + 1; b < bounds.size(); ++b) {
        if (!bounds[b].is_alive() || !overlaps(bounds[a].box, bounds[b].box)) continue;
        if (accepts(input.filters[a], input.filters[b]) && !sink.add(a, b)) return false;
      }
    }
    return true;
  };
  search_pairs(workers, bounds.size(), settings_, settings_.candidate_pairs_max, search_block, out);
}

}  // namespace vicinity
