// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_sort.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t buckets_max = 1u << 14;  // 64 KiB of counters, for the longest lists
/// A bucket that the insertion sort at the end may be left with.
constexpr std::uint32_t short_bucket = 16;
/// Of a wider range of slots than this, the part that is used is worth a look.
constexpr std::uint64_t slots_per_pair_max = 4;

/// Splits a range of pairs into equal buckets, about one for each pair. Pairs count as one number
/// whose lower bits are the second slot, as few as there are, so that no bucket is empty by design.
class Buckets {
 public:
  Buckets(std::uint64_t min, std::uint64_t max, int slot_bits, std::size_t pair_count)
      : min_(min), slot_bits_(slot_bits) {
    const std::size_t wanted = std::min(std::bit_ceil(pair_count), buckets_max);
    const int excess = std::countr_zero(wanted) + std::countl_zero(max - min);
    shift_ = std::max(0, 64 - excess);
    DCHECK(shift_ < 64);
    count_ = ((max - min) >> shift_) + 1;
  }
  static Buckets of_slots(const SlotRange& slots, std::size_t pair_count) {
    return {slots.first_begin << slots.bits, (slots.first_end << slots.bits) - 1, slots.bits,
            pair_count};
  }
  /// Of the range that the pairs use.
  static Buckets of_pairs(std::span<const SlotPair> pairs, int slot_bits) {
    std::uint64_t min = number_of(pairs[0], slot_bits);
    std::uint64_t max = min;
    for (const SlotPair pair : pairs) {
      min = std::min(min, number_of(pair, slot_bits));
      max = std::max(max, number_of(pair, slot_bits));
    }
    CHECK(min < max || pairs.size() == 1);  // else a pair came more than once
    return {min, max, slot_bits, pairs.size()};
  }

  std::size_t of(SlotPair pair) const { return (number_of(pair, slot_bits_) - min_) >> shift_; }
  std::size_t count() const { return count_; }
  int slot_bits() const { return slot_bits_; }

 private:
  static std::uint64_t number_of(SlotPair pair, int slot_bits) {
    return std::uint64_t{pair.a} << slot_bits | pair.b;
  }

  std::uint64_t min_;
  int slot_bits_;
  int shift_ = 0;
  std::size_t count_ = 0;
};

/// Moves the pairs into `to`, bucket by bucket; long buckets are split further in the same way, so
/// that none stays long. Each level cuts the range of keys by a factor of 16 at the least.
void spread(std::span<SlotPair> from, std::span<SlotPair> to, const Buckets& buckets) {
  std::array<std::uint32_t, buckets_max> places;  // of the next pair of each bucket
  std::fill_n(places.begin(), buckets.count(), 0u);
  for (const SlotPair pair : from) ++places[buckets.of(pair)];
  std::uint32_t place = 0;
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < buckets.count(); ++i) {
    const std::uint32_t count = places[i];
    longest = std::max(longest, count);
    places[i] = place;
    place += count;
  }
  for (const SlotPair pair : from) to[places[buckets.of(pair)]++] = pair;
  if (longest <= short_bucket) return;
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < buckets.count(); begin = places[i++]) {
    const std::uint32_t count = places[i] - begin;  // places[i] is now where the bucket ends
    if (count <= short_bucket) continue;
    const auto bucket = to.subspan(begin, count);
    const auto scratch = from.subspan(begin, count);
    spread(bucket, scratch, Buckets::of_pairs(bucket, buckets.slot_bits()));
    std::copy(scratch.begin(), scratch.end(), bucket.begin());
  }
}

/// Inserts a pair into pairs[0, count), which are sorted. False when it is there already.
bool insert(SlotPair* pairs, std::size_t count, std::uint64_t key) {
  for (; count > 0 && key_of(pairs[count - 1]) > key; --count) pairs[count] = pairs[count - 1];
  pairs[count] = pair_of(key);
  return count == 0 || key_of(pairs[count - 1]) != key;
}

/// Insertion sort, cheap for what is nearly sorted. Of each two neighbours the greater goes on to
/// be compared with the next, without a branch, so that a swap of two costs no wrong guess.
void sort_nearly_sorted(std::span<SlotPair> pairs) {
  bool unique = true;
  std::uint64_t greatest = key_of(pairs[0]);
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const std::uint64_t key = key_of(pairs[i]);
    unique &= insert(pairs.data(), i - 1, std::min(key, greatest));
    greatest = std::max(key, greatest);
  }
  unique &= insert(pairs.data(), pairs.size() - 1, greatest);
  CHECK(unique);
}

}  // namespace

void sort_pairs(std::span<SlotPair> from, std::span<SlotPair> to, const SlotRange& slots) {
  CHECK(from.size() == to.size());
  CHECK(slots.bits <= 32);
  if (from.empty()) return;
  const bool sparse = slots.first_end - slots.first_begin > from.size() * slots_per_pair_max;
  spread(from, to,
         sparse ? Buckets::of_pairs(from, slots.bits) : Buckets::of_slots(slots, from.size()));
  sort_nearly_sorted(to);
}

}  // namespace vicinity
