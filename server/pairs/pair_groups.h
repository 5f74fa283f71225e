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

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/raw_buffer.h"
#include "index/index.h"
#include "pairs/pair_sort.h"

namespace vicinity {

class PairGroups {
 public:
  static constexpr std::size_t group_count_max = 256;

  /// Groups for `candidates` and for `last`, a sorted list. With few of both there is one group.
  /// CHECKs that every candidate is canonical.
  void spread(const CandidatePairs& candidates, std::span<const SlotPair> last, Workers& workers);

  std::size_t count() const { return group_count_; }
  /// Where group `group` begins in pairs(); group == count() is the end of the last.
  std::uint32_t begin(std::size_t group) const { return begins_[group]; }
  /// Pairs whose first slot lies in [first, second) belong to a group.
  std::pair<std::uint64_t, std::uint64_t> first_slots(std::size_t group) const {
    return {first_slots_[group], first_slots_[group + 1]};
  }
  /// Where the slots of a group of candidates lie.
  SlotRange slots(std::size_t group) const {
    return {first_slots_[group], std::min(first_slots_[group + 1], std::uint64_t{slot_max_} + 1),
            slot_bits_};
  }
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
  void for_each_span(std::size_t begin, std::size_t end, Each&& each) const;
  std::size_t bucket_of(std::uint32_t slot) const {
    const std::size_t bucket = slot >> bucket_shift_;
    return bucket < bucket_count ? bucket : bucket_count - 1;
  }

  const CandidatePairs* candidates_ = nullptr;  ///< while spread() runs
  std::vector<std::size_t> block_begins_;       ///< where each block begins, and the end
  std::vector<std::uint32_t> chunk_slot_max_;
  std::uint32_t slot_max_ = 0;  ///< of all candidates
  int slot_bits_ = 0;
  int bucket_shift_ = 0;
  std::size_t group_count_ = 1;
  std::array<std::uint8_t, bucket_count> group_of_bucket_{};
  std::array<std::uint64_t, group_count_max + 1> first_slots_{};
  std::array<std::uint32_t, group_count_max + 1> begins_{};
  RawBuffer<std::uint32_t> places_;  ///< [chunk][group]: number, then where the next one goes
  RawBuffer<SlotPair> pairs_;
};

}  // namespace vicinity
