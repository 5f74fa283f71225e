// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Some of the entities of a snapshot, registered in rows. Built once, then read-only.
//
//      registrations, sorted by (row key, start along, snapshot row):
//
//        | row (-1,3)    | row (0,0)                 | row (0,7) |      only occupied rows exist
//        | 0.5 2.0 2.0 9 | -4 -3.5 0 0 1.25 8 11 ... | 7.75      |
//          ^begin         ^begin                      ^begin            directory, sorted by key

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "bounds/bounds.h"
#include "index/grid/row_grid.h"
#include "world/snapshot.h"

namespace vicinity {

/// One entity in one row. 24 bytes.
struct Registration {
  RowKey key = 0;
  float along_min = 0;
  float along_max = 0;
  std::uint32_t row = 0;  ///< of the snapshot
};

/// One occupied row: registrations [begin, end).
struct RowSpan {
  RowKey key = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  double extent_max = 0;  ///< longest extent along of any registration in it, metres
};

/// Which entities a set holds.
enum class Membership : std::uint8_t {
  InPairSearch,  ///< those that can take part in pairs
  QueryOnly,     ///< the rest: found by boxes, never looked at by the pair search
};

class RowSet {
 public:
  /// O(n log n), parallel.
  RowSet(const RowGrid& grid, const Snapshot& snapshot, const Bounds& bounds, Membership membership,
         Workers& workers);

  const std::vector<Registration>& registrations() const { return registrations_; }
  const std::vector<RowSpan>& directory() const { return directory_; }
  /// Entities that would touch too many rows, ascending; they are in no row.
  const std::vector<std::uint32_t>& huge() const { return huge_; }

  /// Position in directory() of the row that holds registrations()[index].
  std::size_t row_of_registration(std::size_t index) const;

  /// Appends the members that touch `box` (closed), each once, in no useful order. The cost is
  /// bounded by the occupied rows and their contents, however large the box is.
  void find_in_box(const RowGrid& grid, const Bounds& bounds, const Aabb32& box,
                   std::vector<std::uint32_t>& rows) const;

 private:
  void build_directory();
  /// First position at or after `from` in the directory whose key is not below `key`.
  std::size_t seek(std::size_t from, RowKey key) const;
  void find_in_row(const RowSpan& span, const RowGrid& grid, const Bounds& bounds,
                   const Aabb32& box, std::vector<std::uint32_t>& rows) const;

  std::vector<Registration> registrations_;
  std::vector<RowSpan> directory_;
  std::vector<std::uint32_t> huge_;
};

}  // namespace vicinity
