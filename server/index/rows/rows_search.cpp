// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The pair search of RowsIndex: which level asks which, and the loop over all of it.

#include <algorithm>

#include "base/check.h"
#include "index/rows/rows_index.h"

namespace vicinity {
namespace {

/// A member that asks costs about so many times what a registration of a join costs.
constexpr std::size_t probe_items = 4;
/// One that is large for the level it asks, a multiple of that.
constexpr std::size_t look_down_items = 64;
/// The coarser level asks the finer one when it has fewer members than this part of it.
constexpr std::size_t look_down_ratio = 256;

/// Where the kernels put pairs: filtered, in canonical form.
struct PairContext {
  PairSink& sink;
  const Filter* filters;  ///< by slot; null when all are the same
  const RestingRun* run = nullptr;
  std::uint32_t asking = 0;

  bool put(std::uint32_t a, std::uint32_t b) {
    if (filters != nullptr && !accepts(filters[a], filters[b])) return true;
    return sink.add(a, b);
  }
  static bool take_pairs(void* context, const MemberPair* pairs, std::size_t count) {
    auto& self = *static_cast<PairContext*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      if (!self.put(pairs[i].a, pairs[i].b)) return false;
    }
    return true;
  }
  static bool take_members(void* context, const std::uint32_t* members, std::size_t count) {
    auto& self = *static_cast<PairContext*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      if (self.run == nullptr) {
        if (!self.put(self.asking, members[i])) return false;
      } else if (self.run->until(members[i]) == RestingRun::never) {
        if (!self.put(self.asking, self.run->slot(members[i]))) return false;
      }
    }
    return true;
  }
};

}  // namespace

void RowsIndex::add_join(const RowLevel& level) {
  const std::size_t begin = segments_.empty() ? 0 : segments_.back().end;
  segments_.push_back({begin, begin + level.registration_count(), 1, {}, &level, nullptr});
}

void RowsIndex::add_probe(std::span<const std::uint32_t> members, const RowLevel& level,
                          const RestingRun* run, std::size_t items_per_member) {
  if (members.empty() || level.registration_count() == 0) return;
  const std::size_t begin = segments_.empty() ? 0 : segments_.back().end;
  segments_.push_back(
      {begin, begin + members.size() * items_per_member, items_per_member, members, &level, run});
}

void RowsIndex::plan_search() {
  segments_.clear();
  const RowPartitions& partitions = families_[searched];
  const RowStack& moving = *partitions.moving();
  const std::span<const RowLevel> levels = moving.levels();
  for (const RowLevel& level : levels) add_join(level);
  for (std::size_t coarse = 1; coarse < levels.size(); ++coarse) {
    const bool is_list = coarse + 1 == levels.size();
    for (std::size_t fine = 0; fine < coarse; ++fine) {
      const std::size_t fine_count = moving.members(fine).size();
      const std::size_t coarse_count = moving.members(coarse).size();
      if (is_list || coarse_count * look_down_ratio < fine_count) {
        add_probe(moving.members(coarse), levels[fine], nullptr, look_down_items);
      } else {
        add_probe(moving.members(fine), levels[coarse], nullptr, probe_items);
      }
    }
  }
  for (const auto& run : partitions.runs()) {
    for (const RowLevel& asked : run->stack().levels()) {
      for (std::size_t asking = 0; asking < levels.size(); ++asking) {
        add_probe(moving.members(asking), asked, run.get(), probe_items);
      }
    }
  }
}

void RowsIndex::find_pairs(const IndexInput& input, Workers& workers, CandidatePairs& out) {
  plan_search();
  const auto search_block = [&](std::size_t begin, std::size_t end, PairSink& sink) {
    auto segment =
        std::upper_bound(segments_.begin(), segments_.end(), begin,
                         [](std::size_t item, const Segment& s) { return item < s.end; });
    for (; segment != segments_.end() && segment->begin < end; ++segment) {
      if (!search_segment(*segment, input, std::max(begin, segment->begin) - segment->begin,
                          std::min(end, segment->end) - segment->begin, sink)) {
        return false;
      }
    }
    return true;
  };
  const std::size_t items = segments_.empty() ? 0 : segments_.back().end;
  search_pairs(workers, items, settings_, search_block, out);
  last_search_truncated_ = out.truncated;
}

/// Items [begin, end) of a segment. A member is looked at in the block that holds its first item.
bool RowsIndex::search_segment(const Segment& segment, const IndexInput& input, std::size_t begin,
                               std::size_t end, PairSink& sink) const {
  PairContext context{sink, custom_filter_count_ > 0 ? filters_.data() : nullptr, segment.run};
  const RowLevel& level = *segment.level;
  if (segment.members.empty()) {
    return kernels_.join(level.grid(), level.arrays(), static_cast<std::uint32_t>(begin),
                         static_cast<std::uint32_t>(end), PairContext::take_pairs, &context);
  }
  const RowArrays rows = level.arrays();
  const std::size_t per_member = segment.items_per_member;
  for (std::size_t i = (begin + per_member - 1) / per_member; i * per_member < end; ++i) {
    context.asking = segment.members[i];
    if (!kernels_.probe_open(level.grid(), rows, input.bounds[context.asking].box,
                             PairContext::take_members, &context)) {
      return false;
    }
  }
  return true;
}

}  // namespace vicinity
