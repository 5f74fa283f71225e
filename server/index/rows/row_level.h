// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The registrations of one level, sorted by cell: the arrays that the kernels read. Built from
// nothing in two parallel steps with one exchange between them; frozen afterwards.
//
//      step 1, per block of members:   member -> its rows -> (cell, tag), sorted by bucket
//
//          block 0  |bucket 0 |bucket 1|bucket 2 |        a bucket is a range of cells
//          block 1  |bucket 0|  bucket 1 |bucket 2|
//
//      step 2, per bucket: its pieces from all blocks -> counting sort by cell -> boxes gathered
//
//          level    |bucket 0         |bucket 1          |bucket 2         |
//
// Both sorts are stable, so the order of the registrations is (cell, member) whatever the blocks;
// in overfull cells it is (cell, begin along, tag).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_buffer.h"
#include "bounds/bounds.h"
#include "index/rows/row_grid.h"
#include "index/rows/row_kernels.h"

namespace vicinity {

/// What one block of members contributes to one level. Reused from tick to tick.
struct RowBlock {
  RawBuffer<std::uint32_t> members;       ///< ascending; filled by the caller
  RawBuffer<RowEntry> entries;            ///< sorted by bucket
  RawBuffer<std::uint32_t> bucket_begin;  ///< bucket_count + 1
  float along_extent_max = 0;             ///< rounded up
};

class RowLevel {
 public:
  /// Tick room. Empties the level and takes its grid.
  void reset(const RowGrid& grid);

  /// Step 1, any worker, each block once: makes the entries of block.members.
  /// `scratch` belongs to the worker.
  void register_block(const Bound* bounds, const RowKernels& kernels,
                      std::vector<RowEntry>& scratch, RowBlock& block) const;
  /// Between the steps, one thread. Adds up what the blocks hold. O(blocks * buckets).
  void plan_buckets(const RowBlock* const* blocks, std::size_t block_count);
  /// Step 2, any worker, each bucket once. `scratch` belongs to the worker.
  void fill_bucket(const Bound* bounds, const RowKernels& kernels, const RowBlock* const* blocks,
                   std::size_t block_count, std::uint32_t bucket, std::vector<RowEntry>& scratch);
  std::uint32_t bucket_count() const { return bucket_count_; }

  const RowGrid& grid() const { return grid_; }
  std::uint32_t registration_count() const { return count_; }
  RowArrays arrays() const;
  std::size_t size_bytes() const;

 private:
  void sort_by_bucket(std::span<const RowEntry> unsorted, RowBlock& block) const;
  void sort_cell(const Bound* bounds, std::uint32_t cell, std::uint32_t end,
                 std::vector<RowEntry>& scratch);

  RowGrid grid_;
  std::uint32_t bucket_shift_ = 0;  ///< cells per bucket, as a power of two
  std::uint32_t bucket_count_ = 1;
  std::uint32_t count_ = 0;
  float along_extent_max_ = 0;
  RawBuffer<std::uint32_t> bucket_start_;  ///< first registration of each bucket
  RawBuffer<std::uint32_t> start_;         ///< cell_count + 1
  RawBuffer<std::uint32_t> tag_;
  RawBuffer<float> min_[3];
  RawBuffer<float> max_[3];
};

}  // namespace vicinity
