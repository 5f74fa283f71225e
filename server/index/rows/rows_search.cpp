// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The pair search of RowsIndex: which level asks which, and the loop over all of it.

#include <algorithm>

#include "base/check.h"
#include "index/rows/rows_index.h"

namespace vicinity {
namespace {

/// A registration that asks costs about so many times what one of a join costs.
constexpr std::size_t probe_items = 2;
/// One that is large for the level it asks, a multiple of that.
constexpr std::size_t look_down_items = 64;
/// The coarser level asks the finer one when it has fewer members than this part of it.
constexpr std::size_t look_down_ratio = 256;

/// Where the kernels put pairs: filtered, in canonical form.
struct PairContext {
  PairSink& sink;
  const Filter* filters;  ///< by slot; null when all are the same

  bool put(std::uint32_t a, std::uint32_t b) {
    if (filters != nullptr && !accepts(filters[a], filters[b])) return true;
    return sink.add(a, b);
  }
  static bool take(void* context, const MemberPair* pairs, std::size_t count) {
    auto& self = *static_cast<PairContext*>(context);
    if (self.filters == nullptr) return self.sink.add_all(pairs, count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!self.put(pairs[i].a, pairs[i].b)) return false;
    }
    return true;
  }
};

/// The same where the second is a member of a run, and may have left it.
struct RunPairContext {
  PairContext& pairs;
  const RestingRun& run;

  static bool take(void* context, const MemberPair* pairs, std::size_t count) {
    auto& self = *static_cast<RunPairContext*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      if (self.run.has_ended(pairs[i].b)) continue;
      if (!self.pairs.put(pairs[i].a, self.run.slot(pairs[i].b))) return false;
    }
    return true;
  }
};

}  // namespace

void RowsIndex::add_search(const RowLevel* asking, const RowLevel& asked, const RestingRun* run,
                           std::size_t items_each) {
  const RowLevel& source = asking == nullptr ? asked : *asking;
  if (source.registration_count() == 0 || asked.registration_count() == 0) return;
  const std::size_t begin = segments_.empty() ? 0 : segments_.back().end;
  segments_.push_back(
      {begin, begin + source.registration_count() * items_each, items_each, asking, &asked, run});
}

bool coarser_asks(std::span<const RowLevel> levels, std::size_t fine, std::size_t coarse) {
  const std::size_t fine_count = levels[fine].registration_count();
  const std::size_t coarse_count = levels[coarse].registration_count();
  return coarse + 1 == levels.size() || coarse_count * look_down_ratio < fine_count;
}

void RowsIndex::plan_search() {
  segments_.clear();
  const RowPartitions& partitions = families_[searched];
  const std::span<const RowLevel> levels = partitions.moving()->levels();
  for (const RowLevel& level : levels) add_search(nullptr, level, nullptr, 1);
  for (std::size_t coarse = 1; coarse < levels.size(); ++coarse) {
    for (std::size_t fine = 0; fine < coarse; ++fine) {
      if (coarser_asks(levels, fine, coarse)) {
        add_search(&levels[coarse], levels[fine], nullptr, look_down_items);
      } else {
        add_search(&levels[fine], levels[coarse], nullptr, probe_items);
      }
    }
  }
  for (const auto& run : partitions.runs()) {
    for (const RowLevel& asked : run->stack().levels()) {
      for (const RowLevel& asking : levels) {
        const bool is_list = &asking == &levels.back();
        add_search(&asking, asked, run.get(), is_list ? look_down_items : probe_items);
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
      if (!search_segment(*segment, std::max(begin, segment->begin) - segment->begin,
                          std::min(end, segment->end) - segment->begin, sink)) {
        return false;
      }
    }
    return true;
  };
  const std::size_t items = segments_.empty() ? 0 : segments_.back().end;
  CHECK(input.resting_pair_count <= settings_.candidate_pairs_max);
  search_pairs(workers, items, settings_, settings_.candidate_pairs_max - input.resting_pair_count,
               search_block, out);
  last_search_truncated_ = out.truncated;
  // A search that was cut short counts what depends on where its parts happened to stop.
  families_[searched].note_tests(out.truncated ? 0 : out.tests.first_level);
}

/// Items [begin, end) of a segment. A registration is looked at with the first of its items.
bool RowsIndex::search_segment(const Segment& segment, std::size_t begin, std::size_t end,
                               PairSink& sink) const {
  PairContext context{sink, custom_filter_count_ > 0 ? filters_.data() : nullptr};
  const RowLevel& asked = *segment.asked;
  const std::size_t each = segment.items_each;
  const auto first = static_cast<std::uint32_t>((begin + each - 1) / each);
  const auto last = static_cast<std::uint32_t>((end + each - 1) / each);
  std::uint64_t tested = 0;
  bool is_complete = true;
  if (segment.asking == nullptr) {
    is_complete = kernels_.join(asked.grid(), asked.arrays(), first, last, PairContext::take,
                                &context, tested);
  } else if (segment.run == nullptr) {
    is_complete = kernels_.probe_all(asked.grid(), asked.arrays(), segment.asking->arrays(), first,
                                     last, PairContext::take, &context, tested);
  } else {
    RunPairContext run_context{context, *segment.run};
    is_complete = kernels_.probe_all(asked.grid(), asked.arrays(), segment.asking->arrays(), first,
                                     last, RunPairContext::take, &run_context, tested);
  }
  sink.count_tests(tested, &segment == &segments_.front() && segment.asking == nullptr);
  return is_complete;
}

}  // namespace vicinity
