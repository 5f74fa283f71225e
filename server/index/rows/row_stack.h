// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// All levels of rows of one set of members, and the list (a single row) of those that fit no level.
// Every member is in exactly one of them. Frozen once built.
//
//      level 0   many narrow rows      members up to 15 rows wide
//      level 1   fewer, wider rows     those that were too large for level 0
//      list      one row               the huge and the long: swept

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/raw_buffer.h"
#include "bounds/bounds.h"
#include "index/rows/row_level.h"
#include "index/rows/row_plan.h"

namespace vicinity {

class RowStack {
 public:
  /// Levels and, last, the list.
  std::span<const RowLevel> levels() const { return {levels_.data(), level_count_}; }
  const RowLevel& list() const { return levels_[level_count_ - 1]; }
  std::uint64_t registration_count() const;
  std::size_t size_bytes() const;

  /// Any thread. Gives `take` every member whose box touches `box` (closed test), each once.
  void find(const RowKernels& kernels, const Aabb32& box, TakeMembers take, void* context) const;

 private:
  friend class RowStackBuilder;
  std::size_t level_count_ = 0;
  std::vector<RowLevel> levels_;  ///< level_count_ of them are in use
};

inline bool fits_level(const LevelPlan& level, const Aabb32& box) {
  return (box.max[0] - box.min[0] <= level.extent_max[0]) &
         (box.max[1] - box.min[1] <= level.extent_max[1]) &
         (box.max[2] - box.min[2] <= level.extent_max[2]);
}
/// The smallest level that may hold the box; the number of levels for the list.
std::uint32_t fitting_level(std::span<const LevelPlan> levels, const Aabb32& box);

/// Builds stacks; owns the scratch memory, which is used again. Tick room.
class RowStackBuilder {
 public:
  /// Sorts the members of one block of items into out[level], ascending. Runs on any worker.
  using Collect = std::function<void(std::size_t block, std::size_t begin, std::size_t end,
                                     std::span<RawBuffer<std::uint32_t>*> out)>;

  /// Calls `collect` for blocks of [0, item_count) and registers what it gives. `bounds` is indexed
  /// by member. O(items + registrations), parallel.
  void build(const RowPlan& plan, const Bound* bounds, const RowKernels& kernels,
             std::size_t item_count, std::size_t block_size, const Collect& collect,
             Workers& workers, RowStack& out);

 private:
  void collect_and_register(const Bound* bounds, const RowKernels& kernels, std::size_t item_count,
                            std::size_t block_size, const Collect& collect, Workers& workers,
                            RowStack& out);
  void plan_step_two(std::size_t blocks, RowStack& out);
  void fill(const Bound* bounds, const RowKernels& kernels, std::size_t blocks, Workers& workers,
            RowStack& out);

  std::vector<std::vector<RowEntry>> scratch_;          ///< [worker]
  std::vector<std::vector<RowBlock>> blocks_;           ///< [level][block]
  std::vector<std::vector<const RowBlock*>> pointers_;  ///< the same
  struct Task {
    std::uint32_t level;
    std::uint32_t bucket;
  };
  std::vector<Task> tasks_;
};

}  // namespace vicinity
