// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Finds what is inside areas. Tick room; one object per block of a parallel loop, for its buffers.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "index/index.h"
#include "interest/interest_area.h"
#include "world/snapshot.h"

namespace vicinity {

/// Candidates that may be looked at. An area is searched whole or not at all, so that the last one
/// may go beyond the limit by at most the number of entities.
struct CandidateBudget {
  std::uint64_t limit = 0;
  std::uint64_t spent = 0;
  bool used_up() const { return spent >= limit; }
};

class AreaSearch {
 public:
  /// Both must outlive the object.
  AreaSearch(const Snapshot& snapshot, const Index& index) : snapshot_(snapshot), index_(index) {}

  /// Adds the rows inside the enter size of any of `areas` to `rows`, which stays ascending with
  /// each row once. Area by area until the budget is used up; returns how many were searched.
  /// Memory O(rows), however often areas overlap. O(candidates + rows * log(rows)).
  std::size_t run(std::span<const InterestArea> areas, CandidateBudget& budget,
                  std::vector<std::uint32_t>& rows);

 private:
  void add_area(const InterestArea& area, std::vector<std::uint32_t>& rows);
  bool is_marked(std::uint32_t row) const { return (marks_[row / 64] >> (row % 64) & 1) != 0; }
  void flip_mark(std::uint32_t row) { marks_[row / 64] ^= std::uint64_t{1} << (row % 64); }

  void flip_marks(const std::vector<std::uint32_t>& rows);

  const Snapshot& snapshot_;
  const Index& index_;
  std::vector<std::uint32_t> candidates_;  ///< of one area
  std::vector<std::uint64_t> marks_;       ///< a bit per row, all 0 between two runs
  bool marking_ = false;                   ///< in this run
};

}  // namespace vicinity
