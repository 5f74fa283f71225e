// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_sort.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t buckets_max = 2048;  // 8 KiB of counters
/// A bucket that the insertion sort at the end may be left with.
constexpr std::uint32_t short_bucket = 16;

/// Splits [key_min, key_max] into equal buckets, about one for each pair.
class Buckets {
 public:
  Buckets(std::uint64_t key_min, std::uint64_t key_max, std::size_t count) : key_min_(key_min) {
    const std::size_t wanted = std::min(std::bit_ceil(count), buckets_max);
    while (((key_max - key_min) >> shift_) >= wanted) ++shift_;
    count_ = ((key_max - key_min) >> shift_) + 1;
  }
  std::size_t of(SlotPair pair) const { return (key_of(pair) - key_min_) >> shift_; }
  std::size_t count() const { return count_; }

 private:
  std::uint64_t key_min_;
  int shift_ = 0;
  std::size_t count_ = 0;
};

/// Moves the pairs into `to`, bucket by bucket; long buckets are split further in the same way, so
/// that none stays long. Each level cuts the range of keys by a factor of 16 at the least.
void spread(std::span<SlotPair> from, std::span<SlotPair> to) {
  std::uint64_t key_min = key_of(from[0]);
  std::uint64_t key_max = key_min;
  for (const SlotPair pair : from) {
    key_min = std::min(key_min, key_of(pair));
    key_max = std::max(key_max, key_of(pair));
  }
  CHECK(key_min < key_max || from.size() == 1);  // else a pair came more than once
  const Buckets buckets(key_min, key_max, from.size());
  std::array<std::uint32_t, buckets_max + 1> ends;  // ends[i]: where bucket i - 1 ends, i begins
  std::fill_n(ends.begin(), buckets.count() + 1, 0u);
  for (const SlotPair pair : from) ++ends[buckets.of(pair)];
  std::uint32_t place = 0;
  std::uint32_t longest = 0;
  for (std::size_t i = 0; i < buckets.count(); ++i) {
    const std::uint32_t count = ends[i];
    longest = std::max(longest, count);
    ends[i] = place;
    place += count;
  }
  for (const SlotPair pair : from) to[ends[buckets.of(pair)]++] = pair;
  if (longest <= short_bucket) return;
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < buckets.count(); begin = ends[i++]) {
    const std::uint32_t count = ends[i] - begin;
    if (count <= short_bucket) continue;
    const auto bucket = to.subspan(begin, count);
    const auto scratch = from.subspan(begin, count);
    spread(bucket, scratch);
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
  bool canonical = pairs[0].a < pairs[0].b;
  bool unique = true;
  std::uint64_t greatest = key_of(pairs[0]);
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    const SlotPair pair = pairs[i];
    canonical &= pair.a < pair.b;
    const std::uint64_t key = key_of(pair);
    unique &= insert(pairs.data(), i - 1, std::min(key, greatest));
    greatest = std::max(key, greatest);
  }
  unique &= insert(pairs.data(), pairs.size() - 1, greatest);
  CHECK(canonical);
  CHECK(unique);
}

}  // namespace

void sort_pairs(std::span<SlotPair> from, std::span<SlotPair> to) {
  CHECK(from.size() == to.size());
  if (from.empty()) return;
  spread(from, to);
  sort_nearly_sorted(to);
}

}  // namespace vicinity
