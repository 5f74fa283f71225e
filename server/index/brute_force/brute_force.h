// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The reference index: every row against every later row. Simple enough to be right by reading;
// every other index is tested against it. O(rows^2) per tick.

#include <memory>

#include "index/index.h"

namespace vicinity {

class BruteForceIndex final : public Index {
 public:
  BruteForceIndex(const IndexSettings& settings, IndexVersion version,
                  std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<const Bounds> bounds);

  IndexKind kind() const override { return IndexKind::BruteForce; }
  IndexVersion version() const override { return version_; }
  /// With the pair budget reached: the first pairs by (a, b).
  void find_pairs(Workers& workers, CandidatePairs& out) const override;
  /// O(rows).
  void find_in_box(const Aabb32& box, std::vector<std::uint32_t>& rows) const override;
  IndexStats stats() const override;

 private:
  IndexSettings settings_;
  IndexVersion version_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const Bounds> bounds_;
};

}  // namespace vicinity
