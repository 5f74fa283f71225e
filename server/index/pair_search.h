// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The parallel loop that every index uses to find its pairs, and the pair budget. Tick room.
//
// The items of a search (slots, registrations) have a fixed order; a search that hits the budget
// keeps the first `pairs_max` pairs in that order. Which pairs those are depends on the kind of
// index, but neither on the number of workers nor on the block size.
//
// Memory stays bounded while the blocks run in parallel: they run in waves of a fixed number, each
// block may hold only some shares of what is left, and one that finds more is searched again on its
// own once it is known how much is left for it:
//
//      wave 0:  [block 0][block 1] ... [block 255]   each up to 4 times its share of what is left
//      in block order: count, search the full ones again up to what is left, stop at the budget
//      wave 1:  ...

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/parallel.h"
#include "index/index.h"

namespace vicinity {

/// Where a block of a search puts its pairs. Takes at most `pairs_max`.
class PairSink {
 public:
  PairSink(std::vector<SlotPair>& out, std::uint64_t pairs_max)
      : out_(out), pairs_max_(pairs_max) {}

  /// False when the pair does not fit any more: the block then stops at once.
  [[nodiscard]] bool add(std::uint32_t slot, std::uint32_t other) {
    if (out_.size() >= pairs_max_) return false;
    out_.push_back(slot < other ? SlotPair{slot, other} : SlotPair{other, slot});
    return true;
  }

  /// The same for `count` pairs of two different slots each, Pair{a, b} in either order.
  template <class Pair>
  [[nodiscard]] bool add_all(const Pair* pairs, std::size_t count) {
    const std::size_t before = out_.size();
    const std::size_t fitting = std::min<std::uint64_t>(count, pairs_max_ - before);
    out_.resize(before + fitting);
    SlotPair* to = out_.data() + before;
    for (std::size_t i = 0; i < fitting; ++i) {
      to[i] = {std::min(pairs[i].a, pairs[i].b), std::max(pairs[i].a, pairs[i].b)};
    }
    return fitting == count;
  }

  /// Counts boxes that were compared.
  void count_tests(std::uint64_t boxes, bool is_first_level) {
    tests_.all += boxes;
    if (is_first_level) tests_.first_level += boxes;
  }
  const BoxTests& tests() const { return tests_; }

 private:
  std::vector<SlotPair>& out_;
  std::uint64_t pairs_max_;
  BoxTests tests_;
};

/// Searches the items [begin, end) in order. Returns false as soon as the sink has refused a pair.
using BlockSearch = std::function<bool(std::size_t begin, std::size_t end, PairSink& sink)>;

/// `pairs_max`: what is left of the budget.
void search_pairs(Workers& workers, std::size_t item_count, const IndexSettings& settings,
                  std::uint64_t pairs_max, const BlockSearch& search, CandidatePairs& out);

}  // namespace vicinity
