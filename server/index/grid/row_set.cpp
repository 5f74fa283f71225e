// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/grid/row_set.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t rows_per_block = 4096;

bool sorts_before(const Registration& a, const Registration& b) {
  if (a.key != b.key) return a.key < b.key;
  if (a.along_min != b.along_min) return a.along_min < b.along_min;
  return a.row < b.row;
}

void register_box(const RowGrid& grid, const RowRange& range, const Aabb32& box, std::uint32_t row,
                  std::vector<Registration>& out) {
  for (std::int32_t first = range.low[0]; first <= range.high[0]; ++first) {
    for (std::int32_t second = range.low[1]; second <= range.high[1]; ++second) {
      out.push_back({row_key(first, second), box.min[grid.along], box.max[grid.along], row});
    }
  }
}

double extent_along(const Registration& registration) {
  return static_cast<double>(registration.along_max) - registration.along_min;
}

}  // namespace

RowSet::RowSet(const RowGrid& grid, const Snapshot& snapshot, const Bounds& bounds,
               Membership membership, Workers& workers) {
  const std::size_t rows = bounds.row_count();
  BlockBuffers<Registration> registrations;
  BlockBuffers<std::uint32_t> huge;
  registrations.reset(block_count(rows, rows_per_block));
  huge.reset(block_count(rows, rows_per_block));
  workers.parallel_blocks(
      rows, rows_per_block, [&](std::size_t block, std::size_t begin, std::size_t end) {
        for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
          const bool searched = in_pair_search(snapshot.filter[row]);
          if (searched != (membership == Membership::InPairSearch)) continue;
          const Aabb32 box = bounds.at(row);
          const RowRange range = grid.range(box);
          if (range.count(0) > rows_touched_max || range.count(1) > rows_touched_max) {
            huge.at(block).push_back(row);
          } else {
            register_box(grid, range, box, row, registrations.at(block));
          }
        }
      });
  registrations.join_into(registrations_);
  huge.join_into(huge_);
  parallel_sort(workers, registrations_, sorts_before);
  build_directory();
}

void RowSet::build_directory() {
  for (std::size_t i = 0; i < registrations_.size(); ++i) {
    const Registration& registration = registrations_[i];
    if (directory_.empty() || directory_.back().key != registration.key) {
      directory_.push_back({registration.key, i, i, 0});
    }
    RowSpan& span = directory_.back();
    span.end = i + 1;
    span.extent_max = std::max(span.extent_max, extent_along(registration));
  }
}

std::size_t RowSet::row_of_registration(std::size_t index) const {
  DCHECK(index < registrations_.size());
  const auto after =
      std::upper_bound(directory_.begin(), directory_.end(), index,
                       [](std::size_t value, const RowSpan& span) { return value < span.begin; });
  return static_cast<std::size_t>(after - directory_.begin()) - 1;
}

std::size_t RowSet::seek(std::size_t from, RowKey key) const {
  const auto found =
      std::lower_bound(directory_.begin() + static_cast<std::ptrdiff_t>(from), directory_.end(),
                       key, [](const RowSpan& span, RowKey value) { return span.key < value; });
  return static_cast<std::size_t>(found - directory_.begin());
}

void RowSet::find_in_row(const RowSpan& span, const RowGrid& grid, const Bounds& bounds,
                         const Aabb32& box, std::vector<std::uint32_t>& rows) const {
  const double low = box.min[grid.along];
  const float high = box.max[grid.along];
  // Whatever starts before this ends before the box; the last bits make up for the rounding here.
  const double start = low - span.extent_max - (std::abs(low) + span.extent_max) * 0x1p-50;
  const auto end = registrations_.begin() + static_cast<std::ptrdiff_t>(span.end);
  auto it = std::lower_bound(
      registrations_.begin() + static_cast<std::ptrdiff_t>(span.begin), end, start,
      [](const Registration& entry, double value) { return entry.along_min < value; });
  for (; it != end && it->along_min <= high; ++it) {
    const Aabb32 other = bounds.at(it->row);
    if (touches(other, box) && grid.first_shared(other, box) == span.key) rows.push_back(it->row);
  }
}

// Walks the occupied rows whose key is in the rectangle of the box. Keys sort by (first, second),
// so every stretch outside the rectangle is jumped over with one search in the directory.
void RowSet::find_in_box(const RowGrid& grid, const Bounds& bounds, const Aabb32& box,
                         std::vector<std::uint32_t>& rows) const {
  for (const std::uint32_t row : huge_) {
    if (touches(bounds.at(row), box)) rows.push_back(row);
  }
  const RowRange range = grid.range(box);
  const RowKey last = row_key(range.high[0], range.high[1]);
  std::size_t at = seek(0, row_key(range.low[0], range.low[1]));
  while (at < directory_.size() && directory_[at].key <= last) {
    const RowKey key = directory_[at].key;
    const RowKey first = key & ~RowKey{0xFFFF'FFFFu};
    const RowKey line_begin = first | static_cast<std::uint32_t>(row_key(0, range.low[1]));
    const RowKey line_end = first | static_cast<std::uint32_t>(row_key(0, range.high[1]));
    if (key < line_begin) {
      at = seek(at, line_begin);
    } else if (key > line_end) {
      at = seek(at, line_begin + (RowKey{1} << 32));
    } else {
      find_in_row(directory_[at], grid, bounds, box, rows);
      ++at;
    }
  }
}

}  // namespace vicinity
