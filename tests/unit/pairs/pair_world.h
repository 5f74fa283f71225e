// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A world of nothing but pairs, kept as a plain set, and the index that would report them: which
// slots rest is for the test to say, what follows from it is done here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "index/index.h"
#include "pairs/pair_tracker.h"

namespace vicinity::test {

using PairSet = std::set<SlotPair>;

inline CandidatePairs in_blocks(const std::vector<std::vector<SlotPair>>& blocks) {
  CandidatePairs out;
  out.blocks.reset(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) out.blocks.at(i) = blocks[i];
  return out;
}

/// The pairs in random order, in a random number of blocks, some of them empty.
inline CandidatePairs shuffled(const PairSet& pairs, Prng& prng) {
  std::vector<SlotPair> order(pairs.begin(), pairs.end());
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[prng.below(i)]);
  std::vector<std::vector<SlotPair>> blocks(1 + prng.below(40));
  std::size_t block = 0;
  for (const SlotPair pair : order) {
    if (prng.chance(0.01)) block = prng.below(blocks.size());
    blocks[block].push_back(pair);
  }
  return in_blocks(blocks);
}

class FakeIndex final : public Index {
 public:
  explicit FakeIndex(std::uint32_t slot_count) : at_rest_(slot_count) {}

  void set_at_rest(std::uint32_t slot, bool rests) { at_rest_[slot] = rests; }
  void set_woken(std::vector<SlotPair> pairs) { woken_ = std::move(pairs); }
  bool both_rest(SlotPair pair) const { return at_rest_[pair.a] && at_rest_[pair.b]; }

  IndexKind kind() const override { return IndexKind::BruteForce; }
  void update(const IndexInput&, Workers&) override {}
  void find_pairs(const IndexInput&, Workers&, CandidatePairs&) override {}
  std::span<const SlotPair> woken_pairs() const override { return woken_; }
  bool at_rest(std::uint32_t slot) const override { return at_rest_[slot]; }
  std::shared_ptr<const IndexView> view() const override { return nullptr; }

 private:
  std::vector<bool> at_rest_;
  std::vector<SlotPair> woken_;
};

/// One tick of it: `pairs` are all that exist.
class PairWorld {
 public:
  explicit PairWorld(std::uint32_t slot_count) : index_(slot_count) {}

  FakeIndex& index() { return index_; }
  const PairSet& pairs() const { return pairs_; }
  const PairSet& active() const { return active_; }
  const PairSet& begins() const { return begins_; }
  const PairSet& ends() const { return ends_; }

  /// After the changes of who rests. Pairs of which both rest stay as they were in the last tick.
  void set_pairs(const PairSet& wanted) {
    PairSet next;
    for (const SlotPair pair : wanted)
      if (!index_.both_rest(pair)) next.insert(pair);
    active_ = next;
    for (const SlotPair pair : pairs_)
      if (index_.both_rest(pair)) next.insert(pair);
    std::vector<SlotPair> woken;
    for (const SlotPair pair : resting_)
      if (!index_.both_rest(pair)) woken.push_back(pair);
    index_.set_woken(woken);
    resting_.clear();
    std::set_difference(next.begin(), next.end(), active_.begin(), active_.end(),
                        std::inserter(resting_, resting_.end()));
    begins_.clear();
    ends_.clear();
    std::set_difference(next.begin(), next.end(), pairs_.begin(), pairs_.end(),
                        std::inserter(begins_, begins_.end()));
    std::set_difference(pairs_.begin(), pairs_.end(), next.begin(), next.end(),
                        std::inserter(ends_, ends_.end()));
    pairs_ = std::move(next);
  }

 private:
  FakeIndex index_;
  PairSet pairs_;
  PairSet resting_;  ///< those that the index does not report
  PairSet active_;
  PairSet begins_;
  PairSet ends_;
};

}  // namespace vicinity::test
