// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_stack.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace vicinity {

std::uint64_t RowStack::registration_count() const {
  std::uint64_t sum = 0;
  for (const RowLevel& level : levels()) sum += level.registration_count();
  return sum;
}

std::size_t RowStack::size_bytes() const {
  std::size_t sum = 0;
  for (const RowLevel& level : levels_) sum += level.size_bytes();
  return sum;
}

void RowStack::find(const RowKernels& kernels, const Aabb32& box, TakeMembers take,
                    void* context) const {
  for (const RowLevel& level : levels()) {
    kernels.probe_closed(level.grid(), level.arrays(), box, take, context);
  }
}

std::uint32_t fitting_level(std::span<const LevelPlan> levels, const Aabb32& box) {
  for (std::uint32_t level = 0; level < levels.size(); ++level) {
    if (fits_level(levels[level], box)) return level;
  }
  return static_cast<std::uint32_t>(levels.size());
}

void RowStackBuilder::build(const RowPlan& plan, const Bound* bounds, const RowKernels& kernels,
                            std::size_t item_count, std::size_t block_size, const Collect& collect,
                            Workers& workers, RowStack& out) {
  out.level_count_ = plan.levels.size() + 1;
  if (out.levels_.size() != out.level_count_) out.levels_.resize(out.level_count_);
  for (std::size_t level = 0; level < plan.levels.size(); ++level) {
    out.levels_[level].reset(plan.levels[level].grid);
  }
  out.levels_[plan.levels.size()].reset(plan.list);
  const std::size_t blocks = block_count(item_count, block_size);
  collect_and_register(bounds, kernels, item_count, block_size, collect, workers, out);
  plan_step_two(blocks, out);
  fill(bounds, kernels, blocks, workers, out);
}

void RowStackBuilder::collect_and_register(const Bound* bounds, const RowKernels& kernels,
                                           std::size_t item_count, std::size_t block_size,
                                           const Collect& collect, Workers& workers,
                                           RowStack& out) {
  const std::size_t blocks = block_count(item_count, block_size);
  scratch_.resize(static_cast<std::size_t>(workers.worker_count()));
  if (blocks_.size() < out.level_count_) blocks_.resize(out.level_count_);
  for (std::size_t level = 0; level < out.level_count_; ++level) {
    if (blocks_[level].size() < blocks || blocks_[level].size() > 4 * blocks + 16) {
      blocks_[level].resize(blocks);
    }
  }
  const auto collect_block = [&](std::size_t block, std::size_t begin, std::size_t end) {
    RawBuffer<std::uint32_t>* members[row_levels_max + 1];
    for (std::size_t level = 0; level < out.level_count_; ++level) {
      members[level] = &blocks_[level][block].members;
    }
    collect(block, begin, end, {members, out.level_count_});
    for (std::size_t level = 0; level < out.level_count_; ++level) {
      out.levels_[level].register_block(bounds, kernels, scratch_[Workers::current_worker()],
                                        blocks_[level][block]);
    }
  };
  workers.parallel_blocks(item_count, block_size, std::ref(collect_block));
}

void RowStackBuilder::plan_step_two(std::size_t blocks, RowStack& out) {
  if (pointers_.size() < out.level_count_) pointers_.resize(out.level_count_);
  tasks_.clear();
  for (std::uint32_t level = 0; level < out.level_count_; ++level) {
    pointers_[level].clear();
    for (std::size_t block = 0; block < blocks; ++block) {
      pointers_[level].push_back(&blocks_[level][block]);
    }
    out.levels_[level].plan_buckets(pointers_[level].data(), blocks);
    for (std::uint32_t bucket = 0; bucket < out.levels_[level].bucket_count(); ++bucket) {
      tasks_.push_back({level, bucket});
    }
  }
}

void RowStackBuilder::fill(const Bound* bounds, const RowKernels& kernels, std::size_t blocks,
                           Workers& workers, RowStack& out) {
  // Little work is done in one go, without tasks.
  constexpr std::uint64_t registrations_per_task = 2048;
  const std::size_t per_task = out.registration_count() <= registrations_per_task
                                   ? std::max<std::size_t>(tasks_.size(), 1)
                                   : 1;
  const auto fill_buckets = [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Task task = tasks_[i];
      out.levels_[task.level].fill_bucket(bounds, kernels, pointers_[task.level].data(), blocks,
                                          task.bucket, scratch_[Workers::current_worker()]);
    }
  };
  workers.parallel_blocks(tasks_.size(), per_task, std::ref(fill_buckets));
}

}  // namespace vicinity
