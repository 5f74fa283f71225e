// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_groups.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace vicinity {
namespace {

/// Fewer pairs than this, present and last together, are not worth a task: one group of 5 000 takes
/// 42 us, 16 groups on two workers 55 (2-core cloud machine, 2026-11-30).
constexpr std::size_t few_pairs = 16384;
/// A group and its part of the last list stay within the first cache.
constexpr std::size_t pairs_per_group = 512;
constexpr std::size_t sample_count = 1024;
constexpr std::size_t chunk_size_min = 8192;
constexpr std::size_t chunk_count_max = 64;

std::size_t chunk_size(std::size_t pair_count) {
  return std::max(chunk_size_min, (pair_count + chunk_count_max - 1) / chunk_count_max);
}

}  // namespace

void PairGroups::spread(const CandidatePairs& candidates, std::span<const SlotPair> last,
                        Workers& workers) {
  candidates_ = &candidates;
  block_begins_.resize(candidates.blocks.count() + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < candidates.blocks.count(); ++i) {
    block_begins_[i] = count;
    count += candidates.blocks.at(i).size();
  }
  block_begins_.back() = count;
  CHECK(count <= 0xFFFF'FFFFu);
  pairs_.reset(count);
  choose(last);
  const std::size_t size = chunk_size(count);
  const std::size_t chunks = block_count(count, size);
  places_.reset(chunks * group_count_);
  chunk_slot_max_.assign(chunks, 0);
  workers.parallel_blocks(count, size,
                          [this](std::size_t chunk, std::size_t begin, std::size_t end) {
                            count_block(chunk, begin, end);
                          });
  place_groups(chunks);
  workers.parallel_blocks(count, size,
                          [this](std::size_t chunk, std::size_t begin, std::size_t end) {
                            scatter_block(chunk, begin, end);
                          });
  candidates_ = nullptr;
}

/// Decides which first slots make a group.
void PairGroups::choose(std::span<const SlotPair> last) {
  const std::size_t count = pairs_.size();
  const std::size_t more = std::max(count, last.size());
  first_slots_[0] = 0;
  group_of_bucket_.fill(0);
  group_count_ = 1;
  bucket_shift_ = 31;
  first_slots_[1] = std::uint64_t{1} << 32;
  if (count + last.size() < few_pairs) return;

  std::array<std::uint32_t, sample_count> slots;
  std::uint32_t slot_max = 0;
  for (std::size_t i = 0; i < sample_count; ++i) {
    const std::size_t place = i * more / sample_count;
    slots[i] = count >= last.size() ? candidate(place).a : last[place].a;
    slot_max = std::max(slot_max, slots[i]);
  }
  bucket_shift_ = 0;
  while ((slot_max >> bucket_shift_) >= bucket_count) ++bucket_shift_;
  std::array<std::uint16_t, bucket_count> samples{};
  for (const std::uint32_t slot : slots) ++samples[bucket_of(slot)];
  group_count_ = std::clamp<std::size_t>(std::bit_ceil(more / pairs_per_group), 1, group_count_max);
  std::size_t before = 0;
  std::size_t group = 0;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    const std::size_t next = std::min(before * group_count_ / sample_count, group_count_ - 1);
    while (group < next) first_slots_[++group] = std::uint64_t{bucket} << bucket_shift_;
    group_of_bucket_[bucket] = static_cast<std::uint8_t>(group);
    before += samples[bucket];
  }
  while (group < group_count_) first_slots_[++group] = std::uint64_t{1} << 32;
}

SlotPair PairGroups::candidate(std::size_t index) const {
  const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), index);
  const auto block = static_cast<std::size_t>(after - block_begins_.begin()) - 1;
  return candidates_->blocks.at(block)[index - block_begins_[block]];
}

/// Gives the candidates [begin, end), counted through all blocks, block by block.
template <class Each>
void PairGroups::for_each_span(std::size_t begin, std::size_t end, Each&& each) const {
  const auto after = std::upper_bound(block_begins_.begin(), block_begins_.end(), begin);
  auto block = static_cast<std::size_t>(after - block_begins_.begin()) - 1;
  for (; begin < end; ++block) {
    const std::size_t block_end = std::min(end, block_begins_[block + 1]);
    const std::span<const SlotPair> pairs = candidates_->blocks.at(block);
    each(pairs.subspan(begin - block_begins_[block], block_end - begin));
    begin = block_end;
  }
}

void PairGroups::count_block(std::size_t chunk, std::size_t begin, std::size_t end) {
  std::array<std::uint32_t, group_count_max> counts{};
  for_each_span(begin, end, [&](std::span<const SlotPair> pairs) {
    std::uint32_t slot_max = chunk_slot_max_[chunk];
    bool canonical = true;
    for (const SlotPair pair : pairs) {
      ++counts[group_of_bucket_[bucket_of(pair.a)]];
      slot_max = std::max(slot_max, pair.b);
      canonical &= pair.a < pair.b;
    }
    chunk_slot_max_[chunk] = slot_max;
    CHECK(canonical);
  });
  std::copy_n(counts.begin(), group_count_, &places_[chunk * group_count_]);
}

void PairGroups::place_groups(std::size_t chunk_count) {
  std::uint32_t place = 0;
  for (std::size_t group = 0; group < group_count_; ++group) {
    begins_[group] = place;
    for (std::size_t chunk = 0; chunk < chunk_count; ++chunk) {
      const std::uint32_t count = places_[chunk * group_count_ + group];
      places_[chunk * group_count_ + group] = place;
      place += count;
    }
  }
  begins_[group_count_] = place;
  CHECK(place == pairs_.size());
  slot_max_ = 0;
  for (const std::uint32_t slot_max : chunk_slot_max_) slot_max_ = std::max(slot_max_, slot_max);
  slot_bits_ = 32 - std::countl_zero(slot_max_);
}

void PairGroups::scatter_block(std::size_t chunk, std::size_t begin, std::size_t end) {
  std::array<std::uint32_t, group_count_max> places;
  std::copy_n(&places_[chunk * group_count_], group_count_, places.begin());
  SlotPair* pairs = pairs_.data();
  for_each_span(begin, end, [&](std::span<const SlotPair> candidates) {
    for (const SlotPair pair : candidates)
      pairs[places[group_of_bucket_[bucket_of(pair.a)]]++] = pair;
  });
}

}  // namespace vicinity
