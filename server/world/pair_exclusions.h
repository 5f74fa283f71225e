// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Pairs of entities that ignore one another. Named by slot: a pair ends with either of its
// entities.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"

namespace vicinity {

/// The pairs of one tick, frozen. Any thread.
class ExcludedPairs {
 public:
  /// In either order. O(1) for entities without any such pair, else O(log pairs).
  bool contains(std::uint32_t a, std::uint32_t b) const;
  std::size_t size() const { return pairs_.size(); }

  using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< first < second
  /// All of them, sorted.
  std::span<const Pair> pairs() const { return pairs_; }

 private:
  friend class PairExclusions;

  bool has_any(std::uint32_t slot) const {
    return slot / 64 < marked_.size() && ((marked_[slot / 64] >> (slot % 64)) & 1) != 0;
  }

  std::vector<Pair> pairs_;            ///< sorted
  std::vector<std::uint64_t> marked_;  ///< a bit for every slot that is in one
};

/// Tick thread only.
class PairExclusions {
 public:
  bool contains(std::uint32_t a, std::uint32_t b) const;
  /// LimitExceeded: limits::exclusions_per_entity_max or exclusions_max. The slots must differ.
  ErrorCode add(std::uint32_t a, std::uint32_t b);
  void remove(std::uint32_t a, std::uint32_t b);
  /// Removes all pairs of this slot.
  void remove_all(std::uint32_t slot);
  /// Null when there are none. The same object until something changes, then O(pairs).
  std::shared_ptr<const ExcludedPairs> freeze();

 private:
  void unlink(std::uint32_t from, std::uint32_t to);

  std::map<std::uint32_t, std::vector<std::uint32_t>> partners_;  ///< both ways, sorted
  std::size_t pair_count_ = 0;
  bool is_changed_ = false;
  std::shared_ptr<const ExcludedPairs> frozen_;
};

}  // namespace vicinity
