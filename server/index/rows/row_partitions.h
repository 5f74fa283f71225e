// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The partitions of one family of entities (those that take part in pairs, or those that are only
// looked for): who is moving, who rests, and the structures that hold them. Tick thread.
//
//      moving    a bit per slot; rows built anew every tick
//      resting   runs (resting_run.h), few and of very different sizes; static ones apart
//
// When to let entities rest. One that could rest but stays among the moving costs a little in every
// tick; to move it costs a rebuild, and from then on every moving entity looks into one more run.
// So the waste is added up, and when it reaches the price of the rebuild, the rebuild is made: at
// most twice the cost of knowing the future. It needs at least twice as many at rest as moving;
// when there are fewer than half as many, all are taken back.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer_pool.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "index/index.h"
#include "index/rows/resting_run.h"
#include "index/rows/row_plan.h"
#include "index/rows/row_stack.h"

namespace vicinity {

/// Where a resting entity is registered.
struct RestingPlace {
  std::uint32_t run = 0;  ///< RestingRun::id, 0 = not at rest
  std::uint32_t member = 0;
};

class RowPartitions {
 public:
  RowPartitions(const IndexSettings& settings, const RowKernels& kernels);

  void resize(std::size_t slots);
  void add_moving(std::uint32_t slot);
  void remove_moving(std::uint32_t slot);
  bool is_moving(std::uint32_t slot) const {
    return (moving_bits_[slot / 64] >> (slot % 64) & 1) != 0;
  }
  std::uint64_t moving_count() const { return moving_count_; }
  std::uint64_t resting_count() const;  ///< static ones included
  std::uint64_t static_count() const;

  /// Ends the registration of a resting entity with `version`.
  void end_rest(RestingPlace place, IndexVersion version);
  /// All that rest, when so few are left that they are better off among the moving; else empty. The
  /// caller wakes them.
  bool should_dissolve() const;

  /// Lets entities come to rest, rebuilds runs and gives the new places of those they hold in
  /// `placed` (slot, place). `stamp` is that of the present version.
  struct Placed {
    std::uint32_t slot;
    RestingPlace place;
  };
  void settle(const Bounds& bounds, std::uint32_t stamp, bool may_rest, Workers& workers,
              std::vector<Placed>& placed);

  /// Builds the rows of the moving into a fresh stack; plans anew when it is time.
  void build_moving(const Bounds& bounds, IndexVersion version, Workers& workers);

  /// How many boxes the search within the first level compared; 0 = not known. Tick thread.
  void note_tests(std::uint64_t tests) { first_level_tests_ = tests; }

  const RowPlan& plan() const { return plan_; }
  std::uint64_t plan_version() const { return plan_version_; }
  const std::shared_ptr<const RowStack>& moving() const { return moving_; }
  std::span<const std::shared_ptr<RestingRun>> runs() const { return runs_; }
  const RestingRun& run(std::uint32_t id) const;

 private:
  /// What one block of slots counted while the rows were built.
  struct BlockCount {
    std::uint64_t may_rest = 0;
    std::uint64_t may_rest_static = 0;
  };

  bool is_due(const Bound& bound, std::uint32_t stamp) const;
  void collect_moving(const Bounds& bounds, std::uint32_t stamp, std::size_t block,
                      std::size_t begin, std::size_t end, std::span<RawBuffer<std::uint32_t>*> out);
  std::uint32_t choose_level(std::uint32_t slot, const Aabb32& box, std::uint32_t stamp);
  void plan_again(const Bounds& bounds, IndexVersion version);
  void take_sample(const Bounds& bounds);
  bool is_rest_due(bool may_rest);
  void collect_due(const Bounds& bounds, std::uint32_t stamp);
  void build_run(std::vector<std::uint32_t>& slots, bool is_static, const Bounds& bounds,
                 Workers& workers, std::vector<Placed>& placed);
  void drop_empty_runs();

  IndexSettings settings_;
  const RowKernels& kernels_;
  std::vector<std::uint64_t> moving_bits_;
  std::uint64_t moving_count_ = 0;
  std::vector<std::uint8_t> level_;         ///< by slot: level among the moving
  std::vector<std::uint32_t> level_since_;  ///< by slot: stamp since when a finer one would do
  std::vector<std::shared_ptr<RestingRun>> runs_;
  std::uint32_t last_run_id_ = 0;
  RowPlan plan_;
  std::uint64_t plan_version_ = 0;
  IndexVersion planned_at_ = 0;
  bool confirmed_ = false;  ///< the plan was looked at again since it was made
  PlanSample sample_;
  std::uint64_t first_level_tests_ = 0;
  RowStackBuilder builder_;
  BufferPool<RowStack> pool_;
  std::shared_ptr<const RowStack> moving_;
  std::vector<BlockCount> block_counts_;
  BlockCount due_;  ///< in the last build
  double waste_ns_ = 0;
  std::vector<std::uint32_t> due_slots_[2];  ///< scratch: resting, static
};

}  // namespace vicinity
