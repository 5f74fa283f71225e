// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The reference index: every entity against every later one, every tick. Simple enough to be right
// by reading; every other index is tested against it. O(slots^2) per tick. Nothing ever rests.

#include <memory>
#include <span>
#include <vector>

#include "base/buffer_pool.h"
#include "index/index.h"

namespace vicinity {

class BruteForceView final : public IndexView {
 public:
  IndexVersion version() const override { return version_; }
  IndexKind kind() const override { return IndexKind::BruteForce; }
  const IndexStats& stats() const override { return stats_; }
  /// O(slots).
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const override;
  /// O(1). Everybody is in one cell.
  IndexPlaces places_of(std::uint32_t slot_a, std::uint32_t slot_b) const override;

 private:
  friend class BruteForceIndex;
  IndexVersion version_ = 0;
  Bounds bounds_;
  IndexStats stats_;
};

class BruteForceIndex final : public Index {
 public:
  explicit BruteForceIndex(const IndexSettings& settings);

  IndexKind kind() const override { return IndexKind::BruteForce; }
  void update(const IndexInput& input, Workers& workers) override;
  /// With the pair budget reached: the first pairs by (a, b).
  void find_pairs(const IndexInput& input, Workers& workers, CandidatePairs& out) override;
  std::span<const SlotPair> woken_pairs() const override { return {}; }
  bool at_rest(std::uint32_t) const override { return false; }
  bool has_settled() const override { return false; }
  std::shared_ptr<const IndexView> view() const override { return view_; }

 private:
  IndexSettings settings_;
  BufferPool<BruteForceView> pool_;
  std::shared_ptr<const BruteForceView> view_;
};

}  // namespace vicinity
