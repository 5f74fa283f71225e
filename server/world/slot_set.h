// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A set of slots that is filled in any order and emptied in ascending order. Tick room.
//
//      groups   0100 ...           a bit per word of `bits` that is not 0
//      bits     0000 0110 0000 ... a bit per slot
//
// Emptying looks at one group word per 4096 slots, and then only at words that hold something.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace vicinity {

class SlotSet {
 public:
  /// Slots below `slot_count` may be added from now on. Never shrinks.
  void grow(std::size_t slot_count) {
    const std::size_t words = slot_count / word_bits + 1;
    if (words > bits_.size()) bits_.resize(words);
    const std::size_t groups = words / word_bits + 1;
    if (groups > groups_.size()) groups_.resize(groups);
  }
  /// Adding a slot again changes nothing.
  void add(std::uint32_t slot) {
    const std::size_t word = slot / word_bits;
    bits_[word] |= std::uint64_t{1} << (slot % word_bits);
    groups_[word / word_bits] |= std::uint64_t{1} << (word % word_bits);
  }
  /// Appends all slots to `out`, ascending, and removes them.
  void drain_into(std::vector<std::uint32_t>& out) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      for (; groups_[group] != 0; groups_[group] &= groups_[group] - 1) {
        const std::size_t word = group * word_bits + first_bit(groups_[group]);
        for (; bits_[word] != 0; bits_[word] &= bits_[word] - 1)
          out.push_back(static_cast<std::uint32_t>(word * word_bits + first_bit(bits_[word])));
      }
    }
  }

 private:
  static constexpr std::size_t word_bits = 64;
  static std::size_t first_bit(std::uint64_t word) {
    return static_cast<std::size_t>(std::countr_zero(word));
  }

  std::vector<std::uint64_t> bits_;
  std::vector<std::uint64_t> groups_;
};

}  // namespace vicinity
