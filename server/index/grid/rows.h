// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A spatial hash across and a sweep along (row_grid.h): every entity is registered in each row that
// its bound touches, rows are sorted along, and every registration scans forward until the row's
// entries start behind its own end. Rebuilt from nothing every tick; one size of rows. Entities
// too large for it are tested against everything.

#include <cstdint>
#include <memory>

#include "index/grid/row_grid.h"
#include "index/grid/row_set.h"
#include "index/index.h"
#include "index/pair_search.h"

namespace vicinity {

class RowsIndex final : public Index {
 public:
  RowsIndex(const IndexSettings& settings, IndexVersion version,
            std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const Bounds> bounds,
            Workers& workers);

  IndexKind kind() const override { return IndexKind::Rows; }
  IndexVersion version() const override { return version_; }
  /// With the pair budget reached: the first pairs in the order of the registrations, pairs with a
  /// huge entity last.
  void find_pairs(Workers& workers, CandidatePairs& out) const override;
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& rows) const override;
  IndexStats stats() const override;

 private:
  bool search_registrations(std::size_t begin, std::size_t end, PairSink& sink) const;
  bool scan_forward(std::size_t index, const RowSpan& span, PairSink& sink) const;
  bool search_huge(std::uint32_t begin, std::uint32_t end, PairSink& sink) const;

  IndexSettings settings_;
  IndexVersion version_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const Bounds> bounds_;
  RowGrid grid_;
  RowSet searched_;
  RowSet query_only_;
};

}  // namespace vicinity
