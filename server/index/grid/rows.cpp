// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/grid/rows.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vicinity {

RowsIndex::RowsIndex(const IndexSettings& settings, IndexVersion version,
                     std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const Bounds> bounds,
                     Workers& workers)
    : settings_(settings),
      version_(version),
      snapshot_(std::move(snapshot)),
      bounds_(std::move(bounds)),
      grid_(choose_row_grid(settings_, *bounds_)),
      searched_(grid_, *snapshot_, *bounds_, Membership::InPairSearch, workers),
      query_only_(grid_, *snapshot_, *bounds_, Membership::QueryOnly, workers) {
  CHECK(snapshot_->row_count() == bounds_->row_count());
}

// Items of the search: all registrations, then, when anything is huge, all rows of the snapshot.
void RowsIndex::find_pairs(Workers& workers, CandidatePairs& out) const {
  const std::size_t registrations = searched_.registrations().size();
  const std::size_t rows = searched_.huge().empty() ? 0 : bounds_->row_count();
  auto search_block = [&](std::size_t begin, std::size_t end, PairSink& sink) {
    const std::size_t middle = std::clamp(registrations, begin, end);
    return search_registrations(begin, middle, sink) &&
           search_huge(static_cast<std::uint32_t>(middle - std::min(middle, registrations)),
                       static_cast<std::uint32_t>(end - std::min(end, registrations)), sink);
  };
  search_pairs(workers, registrations + rows, settings_, search_block, out);
}

bool RowsIndex::search_registrations(std::size_t begin, std::size_t end, PairSink& sink) const {
  if (begin == end) return true;
  const std::vector<RowSpan>& directory = searched_.directory();
  std::size_t at = searched_.row_of_registration(begin);
  for (std::size_t i = begin; i < end; ++i) {
    if (i == directory[at].end) ++at;
    DCHECK(directory[at].begin <= i && i < directory[at].end);
    if (!scan_forward(i, directory[at], sink)) return false;
  }
  return true;
}

bool RowsIndex::scan_forward(std::size_t index, const RowSpan& span, PairSink& sink) const {
  const std::vector<Registration>& entries = searched_.registrations();
  const std::uint32_t row = entries[index].row;
  const float end_along = entries[index].along_max;
  const Aabb32 box = bounds_->at(row);
  const Filter& filter = snapshot_->filter[row];
  for (std::size_t i = index + 1; i < span.end && entries[i].along_min < end_along; ++i) {
    const std::uint32_t other = entries[i].row;
    const Aabb32 other_box = bounds_->at(other);
    if (!overlaps(box, other_box) || !accepts(filter, snapshot_->filter[other])) continue;
    if (grid_.first_shared(box, other_box) != span.key) continue;
    if (!sink.add(row, other)) return false;
  }
  return true;
}

// Every row against the huge ones. Of two huge ones the smaller row reports the pair.
bool RowsIndex::search_huge(std::uint32_t begin, std::uint32_t end, PairSink& sink) const {
  const std::vector<std::uint32_t>& huge = searched_.huge();
  for (std::uint32_t row = begin; row < end; ++row) {
    const Filter& filter = snapshot_->filter[row];
    if (!in_pair_search(filter)) continue;
    const Aabb32 box = bounds_->at(row);
    const auto place = std::lower_bound(huge.begin(), huge.end(), row);
    const bool is_huge = place != huge.end() && *place == row;
    for (auto other = is_huge ? place + 1 : huge.begin(); other != huge.end(); ++other) {
      if (!overlaps(box, bounds_->at(*other))) continue;
      if (!accepts(filter, snapshot_->filter[*other])) continue;
      if (!sink.add(row, *other)) return false;
    }
  }
  return true;
}

void RowsIndex::find_in_box(const Aabb32& box, std::vector<std::uint32_t>& rows) const {
  const auto before = static_cast<std::ptrdiff_t>(rows.size());
  searched_.find_in_box(grid_, *bounds_, box, rows);
  query_only_.find_in_box(grid_, *bounds_, box, rows);
  std::sort(rows.begin() + before, rows.end());
}

IndexStats RowsIndex::stats() const {
  IndexStats stats;
  stats.registrations = searched_.registrations().size() + query_only_.registrations().size();
  stats.occupied_rows = searched_.directory().size() + query_only_.directory().size();
  stats.huge_entities = searched_.huge().size() + query_only_.huge().size();
  stats.row_size_m = grid_.row_size_m;
  stats.along_axis = grid_.along;
  return stats;
}

}  // namespace vicinity
