// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Spreads candidate pairs over groups of neighbouring first slots, of about equal size, so that
// each group can be worked on alone. Tick room.
//
//      slots     0 ........................................ 2^32
//      buckets   | | | | | | | | | | | | ...    |   all beyond |    equal ranges of slots
//      groups    |   0   | 1 |     2     | ...  |              |    equal numbers of pairs, by a
//                                                                   sample of them
//
// Groups depend on the pairs only, never on workers; what comes of them depends on neither.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "base/raw_buffer.h"
#include "index/index.h"

namespace vicinity {

class PairGroups {
 public:
  static constexpr std::size_t group_count_max = 256;

  /// Groups for `candidates` and for `last`, a sorted list. With few of both there is one group.
  void spread(const CandidatePairs& candidates, std::span<const SlotPair> last, Workers& workers);

  std::size_t count() const { return group_count_; }
  /// Where group `group` begins in pairs(); group == count() is the end of the last.
  std::uint32_t begin(std::size_t group) const { return begins_[group]; }
  /// The smallest first slot that belongs to a group. Slots of later groups are not smaller.
  std::uint64_t first_slot(std::size_t group) const { return first_slots_[group]; }
  /// The candidates, group by group, each group in no useful order. Free to be written over.
  std::span<SlotPair> pairs() { return {pairs_.data(), pairs_.size()}; }

  std::size_t size_bytes() const { return places_.size_bytes() + pairs_.size_bytes(); }

 private:
  static constexpr std::size_t bucket_count = 4096;

  void choose(std::span<const SlotPair> last);
  void count_block(std::size_t chunk, std::size_t begin, std::size_t end);
  void scatter_block(std::size_t chunk, std::size_t begin, std::size_t end);
  void place_groups(std::size_t chunk_count);
  SlotPair candidate(std::size_t index) const;
  template <class Each>
  void for_each_candidate(std::size_t begin, std::size_t end, Each&& each) const;
  std::size_t bucket_of(std::uint32_t slot) const {
    const std::size_t bucket = slot >> bucket_shift_;
    return bucket < bucket_count ? bucket : bucket_count - 1;
  }

  const CandidatePairs* candidates_ = nullptr;  ///< while spread() runs
  std::vector<std::size_t> block_begins_;       ///< where each block begins, and the end
  int bucket_shift_ = 0;
  std::size_t group_count_ = 1;
  std::array<std::uint8_t, bucket_count> group_of_bucket_{};
  std::array<std::uint64_t, group_count_max + 1> first_slots_{};
  std::array<std::uint32_t, group_count_max + 1> begins_{};
  RawBuffer<std::uint32_t> places_;  ///< [chunk][group]: number, then where the next one goes
  RawBuffer<SlotPair> pairs_;
};

}  // namespace vicinity
