// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_level.h"

#include <algorithm>
#include <bit>
#include <span>

#include "base/check.h"

namespace vicinity {
namespace {

/// More buckets balance better over workers, fewer cost less to add up.
constexpr std::uint32_t bucket_count_max = 128;
/// Cells of a bucket whose counters fit the first cache beside the entries.
constexpr std::uint32_t bucket_cells_min = 1024;

/// Ascends with the value; -0 is 0.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return (bits >> 31) != 0 ? ~bits : bits | 0x8000'0000u;
}

}  // namespace

void RowLevel::reset(const RowGrid& grid) {
  grid_ = grid;
  count_ = 0;
  along_extent_max_ = 0;
  const std::uint32_t cells = grid.cell_count();
  const std::uint32_t per_bucket = std::max(cells / bucket_count_max, bucket_cells_min - 1) + 1;
  bucket_shift_ = static_cast<std::uint32_t>(std::bit_width(per_bucket - 1));
  bucket_count_ = ((cells - 1) >> bucket_shift_) + 1;
}

void RowLevel::register_block(const Bound* bounds, const RowKernels& kernels,
                              std::vector<RowEntry>& scratch, RowBlock& block) const {
  const std::size_t members = block.members.size();
  const std::size_t usual = 2 * members + entries_per_member_max;
  if (scratch.size() < usual) scratch.resize(usual);
  Registering out{scratch.data(), scratch.size()};
  kernels.enroll(grid_, bounds, block.members.data(), members, out);
  while (out.member_count < members) {
    scratch.resize(2 * scratch.size());
    out.entries = scratch.data();
    out.capacity = scratch.size();
    kernels.enroll(grid_, bounds, block.members.data(), members, out);
  }
  // Rounded up, so that no registration is longer.
  block.along_extent_max = out.along_extent_max + out.along_extent_max * 0x1p-22f;
  sort_by_bucket({scratch.data(), out.entry_count}, block);
}

void RowLevel::sort_by_bucket(std::span<const RowEntry> unsorted, RowBlock& block) const {
  block.bucket_begin.reset(bucket_count_ + 1);
  block.entries.reset(unsorted.size());
  std::uint32_t next[bucket_count_max + 1] = {};
  for (const RowEntry& entry : unsorted) ++next[(entry.cell >> bucket_shift_) + 1];
  for (std::uint32_t i = 0; i < bucket_count_; ++i) {
    next[i + 1] += next[i];
    block.bucket_begin[i] = next[i];
  }
  block.bucket_begin[bucket_count_] = next[bucket_count_];
  for (const RowEntry& entry : unsorted) {
    block.entries[next[entry.cell >> bucket_shift_]++] = entry;
  }
}

void RowLevel::plan_buckets(const RowBlock* const* blocks, std::size_t block_count) {
  bucket_start_.reset(bucket_count_ + 1);
  std::uint64_t sum = 0;
  for (std::uint32_t bucket = 0; bucket < bucket_count_; ++bucket) {
    bucket_start_[bucket] = static_cast<std::uint32_t>(sum);
    for (std::size_t i = 0; i < block_count; ++i) {
      sum += blocks[i]->bucket_begin[bucket + 1] - blocks[i]->bucket_begin[bucket];
    }
  }
  CHECK(sum <= 0xFFFF'FFFFu);
  bucket_start_[bucket_count_] = static_cast<std::uint32_t>(sum);
  for (std::size_t i = 0; i < block_count; ++i) {
    along_extent_max_ = std::max(along_extent_max_, blocks[i]->along_extent_max);
  }
  count_ = static_cast<std::uint32_t>(sum);
  start_.reset(static_cast<std::size_t>(grid_.cell_count()) + 1);
  start_[grid_.cell_count()] = count_;
  tag_.reset(sum + kernel_overrun);
  for (int axis = 0; axis < 3; ++axis) {
    min_[axis].reset(sum + kernel_overrun);
    max_[axis].reset(sum + kernel_overrun);
  }
}

void RowLevel::fill_bucket(const Bound* bounds, const RowKernels& kernels,
                           const RowBlock* const* blocks, std::size_t block_count,
                           std::uint32_t bucket, std::vector<RowEntry>& scratch) {
  const std::uint32_t first_cell = bucket << bucket_shift_;
  const std::uint32_t last_cell =
      std::min(first_cell + (1u << bucket_shift_), grid_.cell_count());  // past the last
  std::fill(start_.begin() + first_cell, start_.begin() + last_cell, 0u);
  const auto for_each = [&](const auto& use) {
    for (std::size_t i = 0; i < block_count; ++i) {
      const RowBlock& block = *blocks[i];
      const std::uint32_t end = block.bucket_begin[bucket + 1];
      for (std::uint32_t k = block.bucket_begin[bucket]; k < end; ++k) use(block.entries[k]);
    }
  };
  for_each([&](const RowEntry& entry) { ++start_[entry.cell]; });
  const std::uint32_t begin = bucket_start_[bucket];
  std::uint32_t end = begin;
  for (std::uint32_t cell = first_cell; cell < last_cell; ++cell) {
    end += start_[cell];
    start_[cell] = end;  // filled from the back of the cell, so read the entries backwards
  }
  for (std::size_t i = block_count; i-- > 0;) {
    const RowBlock& block = *blocks[i];
    const std::uint32_t piece = block.bucket_begin[bucket];
    for (std::uint32_t k = block.bucket_begin[bucket + 1]; k-- > piece;) {
      tag_[--start_[block.entries[k].cell]] = block.entries[k].tag;
    }
  }
  for (std::uint32_t cell = first_cell; cell < last_cell; ++cell) {
    const std::uint32_t cell_end = cell + 1 < last_cell ? start_[cell + 1] : end;
    if (cell_end - start_[cell] >= overfull_cell) sort_cell(bounds, cell, cell_end, scratch);
  }
  float* min[3];
  float* max[3];
  for (int axis = 0; axis < 3; ++axis) {
    min[axis] = min_[axis].data() + begin;
    max[axis] = max_[axis].data() + begin;
  }
  kernels.gather(bounds, tag_.data() + begin, end - begin, min, max);
}

/// Sorts the tags of a cell, which ends before `end`, by where their members begin along.
void RowLevel::sort_cell(const Bound* bounds, std::uint32_t cell, std::uint32_t end,
                         std::vector<RowEntry>& scratch) {
  const std::uint32_t begin = start_[cell];
  if (scratch.size() < end - begin) scratch.resize(end - begin);
  RowEntry* const to = scratch.data();
  for (std::uint32_t i = begin; i < end; ++i) {
    to[i - begin] = {ordered_bits(bounds[tag_[i] & tag_member].box.min[grid_.along]), tag_[i]};
  }
  std::sort(to, to + (end - begin), [](const RowEntry& a, const RowEntry& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.tag < b.tag;
  });
  for (std::uint32_t i = begin; i < end; ++i) tag_[i] = to[i - begin].tag;
}

RowArrays RowLevel::arrays() const {
  RowArrays out{};
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = min_[axis].data();
    out.max[axis] = max_[axis].data();
  }
  out.tag = tag_.data();
  out.start = start_.data();
  out.count = count_;
  out.along_extent_max = along_extent_max_;
  return out;
}

std::size_t RowLevel::size_bytes() const {
  std::size_t sum = bucket_start_.size_bytes() + start_.size_bytes() + tag_.size_bytes();
  for (int axis = 0; axis < 3; ++axis) sum += min_[axis].size_bytes() + max_[axis].size_bytes();
  return sum;
}

}  // namespace vicinity
