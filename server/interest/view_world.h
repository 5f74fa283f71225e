// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What all observers of one update share about the world, beside snapshot and index. Tick room;
// brought up to date by the tick thread, then read by all workers.

#include <cstdint>
#include <span>
#include <vector>

#include "world/snapshot.h"

namespace vicinity {

/// A bit per slot, or per group of lanes.
class SlotBits {
 public:
  void resize(std::size_t slots) {
    if (words_.size() * 64 < slots) words_.resize(slots / 64 + 1);
  }
  void fill(std::size_t slots, bool value) {
    words_.assign(slots / 64 + 1, value ? ~std::uint64_t{0} : 0);
  }
  bool test(std::uint32_t slot) const {
    return slot / 64 < words_.size() && (words_[slot / 64] >> (slot % 64) & 1) != 0;
  }
  void set(std::uint32_t slot, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    words_[slot / 64] = value ? words_[slot / 64] | bit : words_[slot / 64] & ~bit;
  }

 private:
  std::vector<std::uint64_t> words_;
};

class ViewWorld {
 public:
  /// `changed`: all slots whose entity is another one, or in another state, than in the snapshot of
  /// the last call. O(changed + followers).
  void update(const Snapshot& snapshot, std::span<const std::uint32_t> changed);

  /// Entities that may be inside of areas whose solid they do not reach, ascending.
  std::span<const std::uint32_t> seen_from_afar() const { return afar_; }
  bool has_followers() const { return !by_parent_.empty(); }
  bool is_follower(std::uint32_t slot) const { return has_followers() && follows_.test(slot); }
  /// All, ascending by (parent, slot).
  std::span<const Follower> followers() const { return by_parent_; }
  /// Those that follow this one directly, ascending.
  std::span<const Follower> followers_of(std::uint32_t slot) const;

 private:
  void note_relevance(const Snapshot& snapshot, std::uint32_t slot);
  void replace_followers(const Snapshot& snapshot);

  SlotBits is_afar_;
  std::vector<std::uint32_t> afar_;
  SlotBits follows_;
  SlotBits is_followed_;
  std::vector<Follower> by_parent_;  ///< ascending by (parent, slot)
};

}  // namespace vicinity
