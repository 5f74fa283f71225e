// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The index of `rows`, `sweep` and `auto`: a spatial hash across and a sweep along. A sweep is the
// same with a single row, and `auto` lets the plan decide (row_plan.h).
//
// Two families that never meet in a pair search: entities that take part in pairs, and those that
// are only looked for (mask 0, disabled). Each has its partitions (row_partitions.h). Pairs:
//
//                 moving                    resting
//               level 0  level 1  list      runs (each with its own levels and list)
//      level 0   join      ┐        ┐         ┐
//      level 1            join      ├ probe   ├ probe, from every moving entity
//      list      probe ◄──────────  join      ┘
//
// "join" looks at a level's own registrations, "probe" asks a level for the boxes of another one;
// of two levels the finer asks, unless the coarser has very few members. The list always asks.

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/buffer_pool.h"
#include "index/index.h"
#include "index/pair_search.h"
#include "index/rows/row_partitions.h"

namespace vicinity {

class RowsView final : public IndexView {
 public:
  IndexVersion version() const override { return version_; }
  IndexKind kind() const override { return kind_; }
  const IndexStats& stats() const override { return stats_; }
  /// O(rows that the box touches + hits * log).
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const override;
  IndexPlaces places_of(std::uint32_t slot_a, std::uint32_t slot_b) const override;

 private:
  friend class RowsIndex;
  /// An entity where it is registered: in a level of the moving or of a run.
  struct Found {
    IndexPlace place;
    const RowLevel* level = nullptr;  ///< null: nowhere
    bool is_searched = false;         ///< of the family that takes part in pairs
  };
  Found find_slot(std::uint32_t slot) const;
  const RowLevel& asked_level(const Found& a, const Found& b) const;

  IndexVersion version_ = 0;
  IndexKind kind_ = IndexKind::Rows;
  IndexStats stats_;
  const RowKernels* kernels_ = nullptr;
  std::vector<std::shared_ptr<const RowStack>> moving_;  ///< by family
  std::vector<std::shared_ptr<const RestingRun>> runs_;  ///< by family
  std::size_t searched_run_count_ = 0;                   ///< of the first family
};

/// Of two levels of the moving, whether the coarser one looks into the finer one; the list always
/// does, others when they have very few members.
bool coarser_asks(std::span<const RowLevel> levels, std::size_t fine, std::size_t coarse);

class RowsIndex final : public Index {
 public:
  explicit RowsIndex(const IndexSettings& settings);

  IndexKind kind() const override { return settings_.kind; }
  void update(const IndexInput& input, Workers& workers) override;
  /// With the pair budget reached: the first pairs in the order of the search.
  void find_pairs(const IndexInput& input, Workers& workers, CandidatePairs& out) override;
  std::span<const SlotPair> woken_pairs() const override { return woken_pairs_; }
  bool at_rest(std::uint32_t slot) const override {
    return slot < place_.size() && place_[slot].run != 0;
  }
  bool has_settled() const override { return has_settled_; }
  std::shared_ptr<const IndexView> view() const override { return view_; }

 private:
  enum Family : std::size_t { searched = 0, looked_for = 1, family_count = 2 };

  /// What the index knows of a slot, so that an unchanged state costs one comparison.
  enum State : std::uint8_t {
    state_none = 0,
    state_searched = 1,
    state_looked_for = 2,
    state_custom_filter = 4,  ///< a bit: other than Filter{}
    state_resting = 8,        ///< a bit
  };

  /// One stretch of the items of the pair search.
  struct Segment {
    std::size_t begin = 0;  ///< first item
    std::size_t end = 0;
    std::size_t items_each = 1;        ///< how much more a registration costs here than in a join
    const RowLevel* asking = nullptr;  ///< null: `asked` with itself
    const RowLevel* asked = nullptr;
    const RestingRun* run = nullptr;  ///< whose level is asked; null = of the moving
  };

  static std::uint8_t wanted_state(const Bound& bound);
  RowPartitions& partitions_of(std::uint8_t state) {
    return families_[(state & state_looked_for) != 0 ? looked_for : searched];
  }
  void step(std::string_view name) const;
  void grow(std::size_t slots);
  void classify(const IndexInput& input, Workers& workers);
  void wake(const IndexInput& input, Workers& workers);
  void find_woken_pairs(Workers& workers, IndexVersion version);
  void pairs_of_woken(std::uint32_t slot, IndexVersion version, std::vector<SlotPair>& out) const;
  void dissolve(const RowPartitions& partitions);
  void change_states(const IndexInput& input);
  void settle(const IndexInput& input, Workers& workers);
  void publish(const IndexInput& input, std::shared_ptr<RowsView> view);
  IndexStats make_stats() const;

  void plan_search();
  void add_search(const RowLevel* asking, const RowLevel& asked, const RestingRun* run,
                  std::size_t items_each);
  bool search_segment(const Segment& segment, std::size_t begin, std::size_t end,
                      PairSink& sink) const;

  IndexSettings settings_;
  const RowKernels& kernels_;
  std::vector<RowPartitions> families_;  ///< by Family
  std::vector<std::uint8_t> state_;      ///< by slot
  std::vector<RestingPlace> place_;      ///< by slot
  std::vector<Filter> filters_;          ///< by slot, of the last update; only custom ones are kept
  std::uint64_t custom_filter_count_ = 0;
  bool last_search_truncated_ = false;
  bool dissolved_ = false;    ///< in this update, all that rested was woken
  bool has_settled_ = false;  ///< in this update, something came to rest

  BlockBuffers<std::uint32_t> changed_blocks_;
  std::vector<std::uint32_t> changed_;  ///< slots whose state changes in this update
  std::vector<std::uint32_t> woken_;    ///< those that rested
  BlockBuffers<SlotPair> woken_blocks_;
  std::vector<SlotPair> woken_pairs_;
  std::vector<RowPartitions::Placed> placed_;
  std::vector<Segment> segments_;
  BufferPool<RowsView> views_;
  std::shared_ptr<const RowsView> view_;
};

}  // namespace vicinity
