// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "pairs/pair_tracker.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "pairs/pair_sort.h"

namespace vicinity {
namespace {

/// Fewer changes than this are joined without tasks.
constexpr std::size_t few_changes = 8192;
constexpr std::size_t counted_per_block = 16'384;

/// How many pairs two sorted lists have alone.
struct Difference {
  std::size_t only_first = 0;
  std::size_t only_second = 0;
};
/// Compares without a branch that depends on the pairs: a merge of two lists that have little in
/// common would guess wrong at every second pair. `only_first` may be the memory of `first` itself,
/// and `only_second` that of `second`: nothing is written before it was read.
Difference compare(std::span<const SlotPair> first, std::span<const SlotPair> second,
                   SlotPair* only_first, SlotPair* only_second) {
  Difference out;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < first.size() && k < second.size()) {
    const SlotPair x = first[i];
    const SlotPair y = second[k];
    const std::uint64_t key_x = key_of(x);
    const std::uint64_t key_y = key_of(y);
    if (key_x == key_y) {  // long runs of these are the rule, or there are hardly any
      ++i;
      ++k;
      continue;
    }
    only_first[out.only_first] = x;
    only_second[out.only_second] = y;
    const bool x_is_less = key_x < key_y;
    out.only_first += x_is_less;
    i += x_is_less;
    out.only_second += !x_is_less;
    k += !x_is_less;
  }
  while (i < first.size()) only_first[out.only_first++] = first[i++];
  while (k < second.size()) only_second[out.only_second++] = second[k++];
  return out;
}

/// The part of a sorted list whose first slots are in [first, end).
std::span<const SlotPair> with_first_slot(std::span<const SlotPair> pairs, std::uint64_t first,
                                          std::uint64_t end) {
  const auto by_slot = [](SlotPair pair, std::uint64_t slot) { return pair.a < slot; };
  const auto from = std::lower_bound(pairs.begin(), pairs.end(), first, by_slot);
  return {from, std::lower_bound(from, pairs.end(), end, by_slot)};
}

}  // namespace

void PairTracker::update(const CandidatePairs& candidates, const Index& index, Workers& workers) {
  index_ = &index;
  std::swap(active_, last_);
  groups_.spread(candidates, {last_.data(), last_.size()}, workers);
  active_.reset(groups_.pairs().size());
  CHECK(resting_count_ >= index.woken_pairs().size());
  resting_count_ -= index.woken_pairs().size();
  find_parts();
  workers.parallel_blocks(groups_.count(), 1, [this](std::size_t group, std::size_t, std::size_t) {
    update_group(group);
  });
  join(workers);
  index_ = nullptr;
}

/// What came to rest is in the list of the last tick: whoever rests has not moved since.
std::uint64_t PairTracker::resting_count(const Index& index, Workers& workers) {
  CHECK(resting_count_ >= index.woken_pairs().size());
  const std::uint64_t kept = resting_count_ - index.woken_pairs().size();
  if (!index.has_settled()) return kept;
  const std::span<const SlotPair> pairs = active();
  block_counts_.assign(block_count(pairs.size(), counted_per_block), 0);
  workers.parallel_blocks(
      pairs.size(), counted_per_block, [&](std::size_t block, std::size_t begin, std::size_t end) {
        std::uint64_t count = 0;
        for (; begin < end; ++begin)
          count += index.at_rest(pairs[begin].a) && index.at_rest(pairs[begin].b);
        block_counts_[block] = count;
      });
  return std::accumulate(block_counts_.begin(), block_counts_.end(), kept);
}

/// The parts of the last list and of the woken pairs that belong to each group. Before the groups
/// are worked on, since they write over the last list.
void PairTracker::find_parts() {
  if (parts_.size() < groups_.count()) parts_.resize(groups_.count());
  std::span<const SlotPair> last{last_.data(), last_.size()};
  std::span<const SlotPair> woken = index_->woken_pairs();
  std::size_t last_begin = 0;
  for (std::size_t group = 0; group < groups_.count(); ++group) {
    Part& part = parts_[group];
    const auto [first, end] = groups_.first_slots(group);
    const auto mine = with_first_slot(last, first, end);
    CHECK(mine.data() == last.data());
    last = last.subspan(mine.size());
    part.last_begin = last_begin;
    last_begin += mine.size();
    part.last_count = mine.size();
    part.woken = with_first_slot(woken, first, end);
    woken = woken.subspan(part.woken.size());
  }
  CHECK(last.empty() && woken.empty());
}

void PairTracker::update_group(std::size_t group) {
  Part& part = parts_[group];
  const std::size_t begin = groups_.begin(group);
  const std::size_t count = groups_.begin(group + 1) - begin;
  const std::span<SlotPair> scattered = groups_.pairs().subspan(begin, count);
  const std::span<SlotPair> sorted{active_.data() + begin, count};
  sort_pairs(scattered, sorted, groups_.slots(group));
  // What began goes where the group lay unsorted, what ended over its part of the last list.
  SlotPair* const last = last_.data() + part.last_begin;
  const Difference difference = compare(sorted, {last, part.last_count}, scattered.data(), last);
  part.begin_count = difference.only_first;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < difference.only_second; ++i) {
    const bool rests = index_->at_rest(last[i].a) && index_->at_rest(last[i].b);
    if (!rests) last[ended++] = last[i];
  }
  part.end_count = ended;
  part.rested_count = difference.only_second - ended;
  recycle(part.woken_ends);
  if (!part.woken.empty()) wake(part, scattered.first(part.begin_count));
}

/// What woke and was reported did not begin; what woke and was not reported ends. Neither was in
/// the last list.
void PairTracker::wake(Part& part, std::span<SlotPair> begins) const {
  part.woken_ends.resize(part.woken.size());
  const Difference difference = compare(begins, part.woken, begins.data(), part.woken_ends.data());
  part.begin_count = difference.only_first;
  part.woken_ends.resize(difference.only_second);
}

void PairTracker::join(Workers& workers) {
  std::size_t begin_count = 0;
  std::size_t end_count = 0;
  for (std::size_t group = 0; group < groups_.count(); ++group) {
    Part& part = parts_[group];
    part.begins_place = begin_count;
    part.ends_place = end_count;
    begin_count += part.begin_count;
    end_count += part.end_count + part.woken_ends.size();
    resting_count_ += part.rested_count;
  }
  begins_.reset(begin_count);
  ends_.reset(end_count);
  const bool few = begin_count + end_count < few_changes;
  workers.parallel_blocks(groups_.count(), few ? groups_.count() : 1,
                          [this](std::size_t, std::size_t begin, std::size_t end) {
                            for (; begin < end; ++begin) join_group(begin);
                          });
}

void PairTracker::join_group(std::size_t group) {
  const Part& part = parts_[group];
  const auto began = groups_.pairs().subspan(groups_.begin(group), part.begin_count);
  std::copy(began.begin(), began.end(), begins_.begin() + part.begins_place);
  const SlotPair* const ended = last_.data() + part.last_begin;
  std::merge(ended, ended + part.end_count, part.woken_ends.begin(), part.woken_ends.end(),
             ends_.begin() + part.ends_place);
}

std::size_t PairTracker::size_bytes() const {
  return groups_.size_bytes() + active_.size_bytes() + last_.size_bytes() + begins_.size_bytes() +
         ends_.size_bytes();
}

}  // namespace vicinity
