// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One index through the life of a box world: what it says after each tick, and what each of its
// views says for as long as it is held, against plain loops.

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/parallel.h"
#include "index/index.h"
#include "oracle/box_world.h"

namespace vicinity::oracle {

/// Any kind, kernel (that this processor has), block and row size, and any patience.
IndexSettings random_index_settings(Prng& prng);
/// All that matters of them, for messages.
std::string to_string(const IndexSettings& settings);

/// A held view and the world of its version.
struct HeldView {
  std::shared_ptr<const IndexView> view;
  std::shared_ptr<const Bounds> bounds;
};
/// Slots that the view does not find, finds twice, finds out of order or without reason. 0 = right.
std::size_t count_wrong(const HeldView& held, const Aabb32& box);

class IndexChecker {
 public:
  static constexpr std::size_t views_held = 4;

  explicit IndexChecker(const IndexSettings& settings);

  /// Updates the index to the world's tick and compares. `expected` are all pairs of the world.
  /// Adds test failures.
  void check(const BoxWorld& world, const PairList& expected, Workers& workers);
  /// Boxes in the newest view and in those held.
  void check_views(BoxWorld& world, std::size_t boxes);

  /// Reported pairs in the order of the blocks, of the last tick.
  const PairList& reported() const { return reported_; }
  bool is_truncated() const { return is_truncated_; }
  /// What a reader of pairs knows: reported, or persisting.
  const PairList& known() const { return known_; }
  /// Pairs that were not reported because both rest, entities that rested, all ticks.
  std::uint64_t persisted() const { return persisted_; }
  std::uint64_t woken() const { return woken_; }
  std::uint64_t plan_version() const { return index_->view()->stats().plan_version; }
  const Index& index() const { return *index_; }

 private:
  bool both_rest(SlotPair pair) const { return index_->at_rest(pair.a) && index_->at_rest(pair.b); }
  void check_pairs(const PairList& expected);
  void check_rest(const BoxWorld& world) const;
  void check_stats(const BoxWorld& world) const;

  IndexSettings settings_;
  std::unique_ptr<Index> index_;
  CandidatePairs candidates_;
  PairList reported_;
  PairList known_;
  PairList resting_;  ///< those of known_ of which both entities rest
  bool is_truncated_ = false;
  std::deque<HeldView> views_;
  std::uint64_t persisted_ = 0;
  std::uint64_t woken_ = 0;
};

}  // namespace vicinity::oracle
