// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// An index that lets entities come to rest in the plainest way: everything against everything, and
// whoever did not change in this tick rests.

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "index/index.h"

namespace vicinity::test {

class RestingIndex final : public Index {
 public:
  IndexKind kind() const override { return IndexKind::BruteForce; }

  void update(const IndexInput& input, Workers&) override {
    const Bounds& bounds = input.bounds;
    at_rest_.assign(bounds.size(), false);
    for (std::uint32_t slot = 0; slot < bounds.size(); ++slot)
      at_rest_[slot] = bounds[slot].is_alive() && bounds[slot].stamp != stamp_of(input.version);
    woken_.clear();
    for (const SlotPair pair : resting_)
      if (!both_rest(pair)) woken_.push_back(pair);
    resting_.clear();
    reported_.clear();
    for (std::uint32_t a = 0; a < bounds.size(); ++a) {
      for (std::uint32_t b = a + 1; b < bounds.size(); ++b) {
        if (!bounds[a].is_alive() || !bounds[b].is_alive()) continue;
        if (!overlaps(bounds[a].box, bounds[b].box)) continue;
        if (!accepts(input.filters[a], input.filters[b])) continue;
        if (both_rest({a, b}))
          resting_.insert({a, b});
        else
          reported_.push_back({a, b});
      }
    }
  }
  void find_pairs(const IndexInput&, Workers&, CandidatePairs& out) override {
    out.blocks.reset(1);
    out.blocks.at(0) = reported_;
    out.truncated = false;
  }
  std::span<const SlotPair> woken_pairs() const override { return woken_; }
  bool at_rest(std::uint32_t slot) const override { return at_rest_[slot]; }
  std::shared_ptr<const IndexView> view() const override { return nullptr; }

 private:
  bool both_rest(SlotPair pair) const { return at_rest_[pair.a] && at_rest_[pair.b]; }

  std::vector<bool> at_rest_;
  std::set<SlotPair> resting_;
  std::vector<SlotPair> reported_;
  std::vector<SlotPair> woken_;
};

}  // namespace vicinity::test
