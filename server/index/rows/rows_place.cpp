// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Where a view of rows has its entities registered. Every registration is looked at, so that
// nothing here rests on the arithmetic that put it there.

#include <algorithm>
#include <limits>
#include <span>

#include "base/check.h"
#include "index/rows/rows_index.h"

namespace vicinity {
namespace {

/// A registration of the member, or the end.
std::uint32_t registration_of(const RowLevel& level, std::uint32_t member) {
  const RowArrays arrays = level.arrays();
  const std::uint32_t* const end = arrays.tag + arrays.count;
  const auto* found = std::find_if(
      arrays.tag, end, [member](std::uint32_t tag) { return (tag & tag_member) == member; });
  return static_cast<std::uint32_t>(found - arrays.tag);
}

Aabb32 box_of(const RowLevel& level, std::uint32_t registration) {
  const RowArrays arrays = level.arrays();
  Aabb32 box;
  for (int axis = 0; axis < 3; ++axis) {
    box.min[axis] = arrays.min[axis][registration];
    box.max[axis] = arrays.max[axis][registration];
  }
  return box;
}

/// Looks for the member in all levels. False when it is in none.
bool find_member(const RowStack& stack, std::uint32_t member, IndexPlace& place,
                 const RowLevel*& level) {
  const std::span<const RowLevel> levels = stack.levels();
  for (std::uint32_t i = 0; i < levels.size(); ++i) {
    const std::uint32_t registration = registration_of(levels[i], member);
    if (registration == levels[i].registration_count()) continue;
    place.level = i;
    place.level_count = static_cast<std::uint32_t>(levels.size() - 1);
    place.box = box_of(levels[i], registration);
    level = &levels[i];
    return true;
  }
  return false;
}

IndexGrid describe(const RowGrid& grid) {
  IndexGrid out;
  out.along_axis = grid.along;
  out.origin_m[0] = static_cast<double>(grid.along_origin);
  out.per_m[0] = static_cast<double>(grid.along_inverse_size);
  for (int i = 0; i < 2; ++i) {
    const RowAxis& across = grid.across[i];
    out.across_axis[i] = across.axis;
    out.origin_m[1 + i] = static_cast<double>(across.origin);
    out.per_m[1 + i] = static_cast<double>(across.inverse_size);
    out.wrap[i] = across.wraps() ? across.count : 0;
  }
  return out;
}

IndexSpan span_of(const RowGrid& grid, const Aabb32& box) {
  IndexSpan out;
  out.cell_first = grid.cell(box.min[grid.along]);
  out.cell_last = grid.cell(box.max[grid.along]);
  for (int i = 0; i < 2; ++i) {
    const RowAxis& across = grid.across[i];
    out.row_first[i] = across.number(box.min[across.axis]);
    out.row_last[i] = across.number(box.max[across.axis]);
  }
  return out;
}

/// Whether a number of the first stretch differs from one of the second by a multiple of `wrap`; 0:
/// whether the stretches meet.
bool meet(std::int64_t first_a, std::int64_t last_a, std::int64_t first_b, std::int64_t last_b,
          std::int64_t wrap) {
  const std::int64_t low = first_b - last_a;
  const std::int64_t high = last_b - first_a;
  if (low <= 0 && high >= 0) return true;
  if (wrap == 0) return false;
  // The smallest multiple that is not below `low`.
  const std::int64_t above = low > 0 ? (low + wrap - 1) / wrap : low / wrap;
  return above * wrap <= high;
}

bool share_cell(const IndexGrid& grid, const IndexSpan& a, const IndexSpan& b) {
  bool shared = meet(a.cell_first, a.cell_last, b.cell_first, b.cell_last, 0);
  for (int i = 0; i < 2; ++i) {
    shared =
        shared && meet(a.row_first[i], a.row_last[i], b.row_first[i], b.row_last[i], grid.wrap[i]);
  }
  return shared;
}

}  // namespace

RowsView::Found RowsView::find_slot(std::uint32_t slot) const {
  Found found;
  for (std::size_t family = 0; family < moving_.size(); ++family) {
    if (!find_member(*moving_[family], slot, found.place, found.level)) continue;
    found.place.partition = IndexPartition::Moving;
    found.is_searched = family == 0;
    break;
  }
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const RestingRun& run = *runs_[i];
    const std::uint32_t member = run.member_of(slot);
    if (member == run.member_count()) continue;
    const IndexVersion until = run.end_of(member);
    if (found.level == nullptr && run.exists_in(member, version_)) {
      if (!find_member(run.stack(), member, found.place, found.level)) continue;
      found.place.partition = run.is_static() ? IndexPartition::Static : IndexPartition::Resting;
      found.place.run = run.id();
      if (until != 0) {
        found.place.until = until;
        found.place.other_run = 0;
      }
      found.is_searched = i < searched_run_count_;
    } else if (until > found.place.until && !run.exists_in(member, version_)) {
      // The last run that it left. Ones that it left long ago say nothing any more once it rests.
      found.place.until = until;
      found.place.other_run = run.id();
    }
  }
  return found;
}

/// The level in which the search for pairs compares the two, or would.
const RowLevel& RowsView::asked_level(const Found& a, const Found& b) const {
  if (a.is_searched != b.is_searched) return *a.level;  // never compared
  if (a.place.run != 0 && b.place.run != 0) return a.place.run < b.place.run ? *a.level : *b.level;
  if (a.place.run != 0 || b.place.run != 0) return a.place.run != 0 ? *a.level : *b.level;
  if (a.place.level == b.place.level) return *a.level;
  const Found& fine = a.place.level < b.place.level ? a : b;
  const Found& coarse = a.place.level < b.place.level ? b : a;
  const std::span<const RowLevel> levels = moving_[a.is_searched ? 0 : 1]->levels();
  return coarser_asks(levels, fine.place.level, coarse.place.level) ? *fine.level : *coarse.level;
}

IndexPlaces RowsView::places_of(std::uint32_t slot_a, std::uint32_t slot_b) const {
  const Found a = find_slot(slot_a);
  const Found b = find_slot(slot_b);
  IndexPlaces out;
  out.a = a.place;
  out.b = b.place;
  if (a.level == nullptr || b.level == nullptr) return out;
  const RowGrid& grid = asked_level(a, b).grid();
  out.grid = describe(grid);
  out.span_a = span_of(grid, a.place.box);
  out.span_b = span_of(grid, b.place.box);
  out.share_cell = share_cell(out.grid, out.span_a, out.span_b);
  return out;
}

}  // namespace vicinity
