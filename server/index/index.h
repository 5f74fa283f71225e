// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The contract of a spatial index. The tick room owns one Index for the life of the world and
// brings it up to date once per tick; readers get an IndexView, which is frozen.
//
//      tick N:   update() ──► find_pairs() ──► view() ──► published with frame N
//                   │
//                   └ views of frames N-1, N-2, ... stay as they were, for as long as they are held
//
// Entities are named by slot. One slot holds one entity at a time, and a slot is not used again
// while a view that knows its last entity may be read by the tick room itself; readers of older
// views compare ids with the snapshot of the same frame.
//
// Partitions. An entity that changed lately is *moving*; one that has not changed for some ticks is
// *at rest*; one whose filter says so is *static*, and rests from its second tick on. Two entities
// at rest keep the pair they had when the later of them came to rest: find_pairs() does not report
// such pairs again. `brute_force` knows no rest and reports every pair in every tick.
//
// `brute_force` is the reference: together with what persists, every other index must give exactly
// the same pairs, and every view the same sets.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/aabb.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "index/index_place.h"
#include "world/filter.h"

namespace vicinity {

enum class IndexKind : std::uint8_t {
  BruteForce = 0,
  Rows = 1,   ///< hashed across, swept along
  Sweep = 2,  ///< one sorted list, swept along the axis of the greatest spread
  Auto = 3,   ///< rows or sweep, by what was measured and is expected; the default
};
std::string_view to_string(IndexKind kind);  ///< "brute_force", "rows", "sweep", "auto"

/// Instruction set of the box tests. All give the same results, bit for bit.
enum class IndexKernel : std::uint8_t {
  Auto = 0,  ///< the widest that this processor has
  Scalar = 1,
  Avx2 = 2,
  Avx512 = 3,
};
std::string_view to_string(IndexKernel kernel);  ///< "auto", "scalar", "avx2", "avx512"
/// Any thread. Whether this processor can run it.
bool is_supported(IndexKernel kernel);

/// Two slots, a < b: the canonical form of a pair.
struct SlotPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  friend constexpr auto operator<=>(const SlotPair&, const SlotPair&) = default;
};

/// How many boxes a search compared with another one. The same for every kernel and any number of
/// workers, unless the search was truncated.
struct BoxTests {
  std::uint64_t all = 0;
  std::uint64_t first_level = 0;  ///< of these, within the finest level of the moving
};

/// Candidate pairs as the blocks of the search found them: each pair once, in no useful order.
struct CandidatePairs {
  BlockBuffers<SlotPair> blocks;
  std::vector<BoxTests> block_tests;  ///< of each block
  /// There are more pairs than the budget, those at rest included: so says the world, whatever the
  /// index. A deterministic subset was kept, which may be another one with another kind of index.
  bool truncated = false;
  BoxTests tests;
};

struct IndexSettings {
  IndexKind kind = IndexKind::Auto;
  /// Side of a row across, metres; 0 = chosen from a sample of the bounds.
  double row_size_m = 0;
  /// Items per block of a parallel loop. Results do not depend on it; tests make it tiny.
  std::uint32_t block_size = 1024;
  /// All pairs that exist, those at rest included. At most half of it may be at rest.
  std::uint64_t candidate_pairs_max = limits::candidate_pairs_default;
  IndexKernel kernel = IndexKernel::Auto;
  /// An entity that has not changed for so many ticks may come to rest. 0 = never.
  std::uint32_t rest_after_ticks = 8;
  /// An entity that has been below 0.9 of the size of the next smaller level for so long goes
  /// there.
  std::uint32_t demote_after_ticks = 32;
  /// Tests only: entities come to rest whenever they may, whether that saves time or not.
  bool rest_eagerly = false;
  /// Tests only: called by the tick thread between any two steps of update(), for readers that want
  /// to look at the views of that moment.
  std::function<void(std::string_view step)> on_step = {};
};

/// Why `auto` sweeps or hashes.
enum class PlanReason : std::uint8_t {
  Forced = 0,     ///< by the settings
  Empty = 1,      ///< nothing to judge by
  FewEntities,    ///< too few to repay rows
  CheaperAsRows,  ///< less expected work
  CheaperAsSweep,
  Hysteresis,  ///< the other would be cheaper, but not by enough to change
};
std::string_view to_string(PlanReason reason);

/// Levels that an index has at most, its lists not counted.
inline constexpr std::size_t index_levels_max = 6;

struct IndexStats {
  std::uint64_t moving = 0;  ///< entities, by partition
  std::uint64_t resting = 0;
  std::uint64_t statics = 0;
  std::uint64_t registrations = 0;  ///< records in all rows and lists
  std::uint64_t in_transition = 0;  ///< ended registrations that still lie in runs
  std::uint64_t sweep_listed = 0;   ///< registrations in lists; under a sweep, all
  std::uint64_t levels = 0;
  std::array<std::uint64_t, index_levels_max> level_registrations{};  ///< finest level first
  std::uint64_t plan_version = 0;  ///< grows when axes, sizes or kind are chosen anew
  std::uint64_t size_bytes = 0;    ///< memory of the newest view, shared parts included
  double row_size_m = 0;           ///< of the first level, first axis across; 0 = one row
  int along_axis = 0;              ///< 0 = x, 1 = y, 2 = z: the axis that is swept
  IndexKind chosen = IndexKind::BruteForce;
  PlanReason reason = PlanReason::Forced;
  double expected_rows_ns = 0;   ///< what the planner expects per moving entity and tick; it
  double expected_sweep_ns = 0;  ///< compares these two. 0 = not considered
  /// By what factor more boxes are compared within the finest level than if its entities were
  /// spread evenly: measured when the plan was last looked at. Expectations above include it.
  double clumping = 1;
};

/// The frozen index of one frame.
class IndexView {
 public:
  virtual ~IndexView() = default;

  virtual IndexVersion version() const = 0;
  virtual IndexKind kind() const = 0;
  virtual const IndexStats& stats() const = 0;

  /// Any thread, also while the index is being updated. Appends the slot of every entity whose
  /// bound touches `box` (closed test: a shared face counts), each exactly once, ascending. Callers
  /// do the exact test. Filters are not looked at.
  virtual void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const = 0;

  /// Any thread. Where the entities in two slots are registered. Found by name, not by place: what
  /// a search misses is found here. O(registrations of the moving), without allocation.
  virtual IndexPlaces places_of(std::uint32_t slot_a, std::uint32_t slot_b) const = 0;
};

/// What an index is told about one tick. Everything outlives update() and find_pairs().
struct IndexInput {
  IndexVersion version = 0;         ///< one more than the last
  const Bounds& bounds;             ///< of this tick, by slot
  std::span<const Filter> filters;  ///< of this tick, by slot
  /// Slots whose bound or filter changed, that moved or appeared or went, since the last update;
  /// ascending, each once. Bound::stamp of these, and of no others, is stamp_of(version).
  std::span<const std::uint32_t> moved;
  /// Pairs that exist after the last tick. While they are more than half of the pair budget nothing
  /// comes to rest, so that what moves always finds room for its pairs.
  std::uint64_t pair_count = 0;
  /// For find_pairs() alone: the pairs that persist, update() considered. They count against the
  /// budget, so that it is reached or not whatever happens to be at rest.
  std::uint64_t resting_pair_count = 0;
};

class Index {
 public:
  virtual ~Index() = default;

  virtual IndexKind kind() const = 0;

  /// Tick thread. O(moving + moved) plus, now and then, a rebuild of a part of what rests.
  virtual void update(const IndexInput& input, Workers& workers) = 0;

  /// Tick thread, after update() with the same input. Every pair of which at least one is moving,
  /// whose bounds overlap (strictly) and whose filters accept each other, each exactly once;
  /// nothing else. The set does not depend on workers, blocks or kernel, unless `truncated`.
  virtual void find_pairs(const IndexInput& input, Workers& workers, CandidatePairs& out) = 0;

  /// Tick thread. Pairs that persisted until the last tick and whose entities are no longer both at
  /// rest (or no longer there), sorted, each once. They go on only if find_pairs() reports them.
  virtual std::span<const SlotPair> woken_pairs() const = 0;

  /// Tick room, any worker, between two updates. Whether the entity in this slot is at rest (or
  /// static and settled).
  virtual bool at_rest(std::uint32_t slot) const = 0;

  /// Tick thread. Whether anything may have come to rest in the last update().
  virtual bool has_settled() const { return true; }

  /// Tick thread. The frozen index of the last update.
  virtual std::shared_ptr<const IndexView> view() const = 0;
};

/// Tick thread. An empty index.
std::unique_ptr<Index> make_index(const IndexSettings& settings);

}  // namespace vicinity
