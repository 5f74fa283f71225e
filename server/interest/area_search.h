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
#include "interest/view_world.h"
#include "world/snapshot.h"

namespace vicinity {

/// Candidates that may be looked at. An area is searched whole or not at all, so that the last one
/// may go beyond the limit by at most the number of entities.
struct CandidateBudget {
  std::uint64_t limit = 0;
  std::uint64_t spent = 0;
  /// Only what is in the box of the area at the end of the tick counts, which takes a look at each.
  /// Otherwise all that the index finds, which is never less: also what was there on its way.
  bool is_exact = false;
  std::uint64_t looks = 0;  ///< then: at all that the index found
  std::uint64_t looks_max() const { return 8 * limit; }
  bool used_up() const { return spent >= limit || looks >= looks_max(); }
};

class AreaSearch {
 public:
  /// All must outlive the object.
  AreaSearch(const Snapshot& snapshot, const ViewWorld& world, const IndexView& index)
      : snapshot_(snapshot), world_(world), index_(index) {}

  /// Adds the slots inside the enter solid of any of `areas` to `slots`, which stays ascending with
  /// each slot once. Area by area until the budget is used up; returns how many were searched.
  /// Memory O(slots), however often areas overlap. O(candidates + slots * log(slots)).
  std::size_t run(std::span<const InterestArea> areas, CandidateBudget& budget,
                  std::vector<std::uint32_t>& slots);

 private:
  std::uint64_t count_candidates(const Aabb32& box) const;
  void add_area(const InterestArea& area, std::vector<std::uint32_t>& slots);
  bool is_marked(std::uint32_t slot) const { return (marks_[slot / 64] >> (slot % 64) & 1) != 0; }
  void flip_mark(std::uint32_t slot) { marks_[slot / 64] ^= std::uint64_t{1} << (slot % 64); }

  void flip_marks(const std::vector<std::uint32_t>& slots);

  const Snapshot& snapshot_;
  const ViewWorld& world_;
  const IndexView& index_;
  std::vector<std::uint32_t> candidates_;  ///< of one area
  std::vector<std::uint64_t> marks_;       ///< a bit per slot, all 0 between two runs
  bool marking_ = false;                   ///< in this run
};

}  // namespace vicinity
