// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The registrations of a level made the plain way, one row of one box after the other, and what
// lies beyond their end poisoned: a kernel that uses it finds a box that overlaps everything.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bounds/bounds.h"
#include "index/rows/row_kernels.h"

namespace vicinity::test {

class PlainRows {
 public:
  PlainRows(const RowGrid& grid, const Bounds& bounds, const std::vector<std::uint32_t>& members) {
    for (const std::uint32_t member : members) add(grid, bounds[member].box, member);
    std::ranges::stable_sort(entries_, {}, &RowEntry::cell);
    start_.assign(grid.cell_count() + 1, 0);
    for (const RowEntry& entry : entries_) ++start_[entry.cell + 1];
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    std::vector<RowEntry> sorted = entries_;
    sort_overfull_cells(grid, bounds, sorted);
    for (const RowEntry& entry : sorted) push(bounds[entry.tag & tag_member].box, entry.tag);
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const Aabb32 poison{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
    for (std::size_t i = 0; i < kernel_overrun; ++i) push(poison, tag_first_both | 12345);
  }

  RowArrays arrays() const {
    RowArrays out{};
    for (int axis = 0; axis < 3; ++axis) {
      out.min[axis] = min_[axis].data();
      out.max[axis] = max_[axis].data();
    }
    out.tag = tag_.data();
    out.start = start_.data();
    out.count = static_cast<std::uint32_t>(entries_.size());
    out.along_extent_max = extent_max_ * 1.0001f;
    return out;
  }
  /// In the order of cell and member, overfull cells too.
  const std::vector<RowEntry>& entries() const { return entries_; }
  float along_extent_max() const { return extent_max_; }

 private:
  void add(const RowGrid& grid, const Aabb32& box, std::uint32_t member) {
    const RowAxis& axis0 = grid.across[0];
    const RowAxis& axis1 = grid.across[1];
    const std::int32_t first0 = axis0.number(box.min[axis0.axis]);
    const std::int32_t first1 = axis1.number(box.min[axis1.axis]);
    for (std::int32_t n1 = first1; n1 <= axis1.number(box.max[axis1.axis]); ++n1) {
      for (std::int32_t n0 = first0; n0 <= axis0.number(box.max[axis0.axis]); ++n0) {
        std::uint32_t tag = member;
        if (n0 == first0) tag |= tag_first[0];
        if (n1 == first1) tag |= tag_first[1];
        const std::uint32_t row = grid.row_begin(axis0.position(n0), axis1.position(n1));
        entries_.push_back({row + static_cast<std::uint32_t>(grid.cell(box.min[grid.along])), tag});
      }
    }
    extent_max_ = std::max(extent_max_, box.max[grid.along] - box.min[grid.along]);
  }
  void sort_overfull_cells(const RowGrid& grid, const Bounds& bounds,
                           std::vector<RowEntry>& entries) const {
    const auto begin_along = [&](const RowEntry& entry) {
      return bounds[entry.tag & tag_member].box.min[grid.along] + 0.0f;  // -0 counts as 0
    };
    for (std::size_t cell = 0; cell + 1 < start_.size(); ++cell) {
      if (start_[cell + 1] - start_[cell] < overfull_cell) continue;
      std::sort(entries.begin() + start_[cell], entries.begin() + start_[cell + 1],
                [&](const RowEntry& a, const RowEntry& b) {
                  return std::pair(begin_along(a), a.tag) < std::pair(begin_along(b), b.tag);
                });
    }
  }
  void push(const Aabb32& box, std::uint32_t tag) {
    for (int axis = 0; axis < 3; ++axis) {
      min_[axis].push_back(box.min[axis]);
      max_[axis].push_back(box.max[axis]);
    }
    tag_.push_back(tag);
  }

  std::vector<RowEntry> entries_;
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> tag_;
  std::vector<float> min_[3];
  std::vector<float> max_[3];
  float extent_max_ = 0;
};

}  // namespace vicinity::test
