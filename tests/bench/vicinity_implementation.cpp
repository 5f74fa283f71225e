// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Vicinity as the tick of the server runs it: moved boxes into bounds, index, pairs, begins and
// ends; the view of the last tick is held until the next one is there, as the published frame does.

#include <algorithm>
#include <iterator>
#include <string>

#include "base/limits.h"
#include "base/parallel.h"
#include "bench/implementation.h"
#include "bounds/bounds.h"
#include "pairs/pair_tracker.h"

namespace vicinity::bench {
namespace {

constexpr std::size_t slots_per_block = 1024;

class Vicinity : public Implementation {
 public:
  Vicinity(const IndexSettings& settings, int threads)
      : workers_(threads), index_(make_index(settings)) {}

  void tick(const SceneState& state, StageClock& clock) override {
    ++version_;
    apply(state);
    clock.end_stage("apply");
    const IndexInput input{version_, bounds_, state.filters, moved_, tracker_.pair_count()};
    index_->update(input, workers_);
    view_ = index_->view();
    clock.end_stage("update");
    index_->find_pairs(input, workers_, candidates_);
    clock.end_stage("find");
    tracker_.update(candidates_, *index_, workers_);
    clock.end_stage("events");
  }

  /// The whole set is what the begins and ends made of the last one. Each of its pairs must have
  /// been reported or be at rest.
  std::string collect(const SceneState&, std::vector<SlotPair>& pairs) override {
    const std::span<const SlotPair> begins = tracker_.begins();
    const std::span<const SlotPair> ends = tracker_.ends();
    if (candidates_.truncated) return "the pair budget was reached";
    std::vector<SlotPair> kept, now, unreported, unknown;
    std::ranges::set_difference(all_, ends, std::back_inserter(kept));
    if (kept.size() + ends.size() != all_.size()) return "the end of a pair that was not there";
    std::ranges::set_union(kept, begins, std::back_inserter(now));
    if (now.size() != kept.size() + begins.size()) return "the begin of a pair that was there";
    std::ranges::set_difference(now, tracker_.active(), std::back_inserter(unreported));
    std::ranges::set_difference(tracker_.active(), now, std::back_inserter(unknown));
    if (!unknown.empty()) return "an active pair without a begin";
    const bool rest = std::ranges::all_of(unreported, [&](SlotPair pair) {
      return index_->at_rest(pair.a) && index_->at_rest(pair.b);
    });
    if (!rest) return "a pair that persists although an entity of it moves";
    if (tracker_.pair_count() != now.size()) return "a wrong number of pairs";
    all_ = std::move(now);
    pairs.insert(pairs.end(), all_.begin(), all_.end());
    return "";
  }

  TickCounts counts() const override {
    return {candidates_.blocks.item_count(), tracker_.begins().size(), tracker_.ends().size()};
  }
  std::size_t harness_bytes() const override { return all_.capacity() * sizeof(SlotPair); }

 private:
  void apply(const SceneState& state) {
    bounds_.resize(state.slot_count());
    moved_.assign(state.moved.begin(), state.moved.end());
    const auto write = [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint32_t slot = moved_[i];
        Bound& bound = bounds_[slot];
        bound.stamp = stamp_of(version_);
        if (state.alive[slot] == 0) {
          bound.box = {};
          bound.flags = 0;
          continue;
        }
        bound.box = round_outward(state.boxes[slot]);
        bound.flags = bound_flags(state.filters[slot]);
      }
    };
    workers_.parallel_blocks(moved_.size(), slots_per_block, std::ref(write));
  }

  Workers workers_;
  std::unique_ptr<Index> index_;
  IndexVersion version_ = 0;
  Bounds bounds_;
  std::vector<std::uint32_t> moved_;
  CandidatePairs candidates_;
  PairTracker tracker_;
  std::shared_ptr<const IndexView> view_;
  std::vector<SlotPair> all_;  ///< for verification only
};

}  // namespace

ImplementationInfo make_vicinity(const IndexSettings& settings) {
  ImplementationInfo info;
  info.name = "vicinity";
  if (settings.kind != IndexKind::Auto) info.name += "/" + std::string(to_string(settings.kind));
  if (settings.kernel != IndexKernel::Auto)
    info.name += "/" + std::string(to_string(settings.kernel));
  info.is_peer = false;
  info.gives_events = true;
  if (settings.kind == IndexKind::BruteForce) {
    info.entities_max = 20'000;
    info.entities_max_reason = "compares all with all";
  }
  // All pairs of one_point, so that they can be verified.
  IndexSettings full = settings;
  full.candidate_pairs_max = limits::candidate_pairs_max;
  info.make = [full](const SceneState&, int threads) {
    return std::make_unique<Vicinity>(full, threads);
  };
  return info;
}

}  // namespace vicinity::bench
