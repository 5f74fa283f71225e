// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/rows_index.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace vicinity {

namespace {

constexpr std::size_t changes_per_block = 1024;
constexpr std::size_t woken_per_block = 128;

/// Gives the members that a view of `version` sees to a list of slots.
struct VisibleSlots {
  std::vector<std::uint32_t>& slots;
  const RestingRun* run;  ///< null: members are slots
  IndexVersion version;

  static bool take(void* context, const std::uint32_t* members, std::size_t count) {
    auto& self = *static_cast<VisibleSlots*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      if (self.run == nullptr) {
        self.slots.push_back(members[i]);
      } else if (self.run->exists_in(members[i], self.version)) {
        self.slots.push_back(self.run->slot(members[i]));
      }
    }
    return true;
  }
};

}  // namespace

void RowsView::find_in_box(const Aabb32& box, std::vector<std::uint32_t>& slots) const {
  if (kernels_ == nullptr) return;
  const auto before = static_cast<std::ptrdiff_t>(slots.size());
  for (const auto& stack : moving_) {
    VisibleSlots visible{slots, nullptr, version_};
    stack->find(*kernels_, box, VisibleSlots::take, &visible);
  }
  for (const auto& run : runs_) {
    VisibleSlots visible{slots, run.get(), version_};
    run->stack().find(*kernels_, box, VisibleSlots::take, &visible);
  }
  std::sort(slots.begin() + before, slots.end());
  // One view sees an entity in one place only; were it two, it would still be reported once.
  DCHECK(std::adjacent_find(slots.begin() + before, slots.end()) == slots.end());
  slots.erase(std::unique(slots.begin() + before, slots.end()), slots.end());
}

RowsIndex::RowsIndex(const IndexSettings& settings)
    : settings_(settings), kernels_(row_kernels(settings.kernel)), view_(views_.take()) {
  for (std::size_t i = 0; i < family_count; ++i) families_.emplace_back(settings_, kernels_);
}

void RowsIndex::step(std::string_view name) const {
  if (settings_.on_step) settings_.on_step(name);
}

void RowsIndex::update(const IndexInput& input, Workers& workers) {
  CHECK(input.filters.size() >= input.bounds.size());
  // A view that nobody reads any more still holds its stacks: let go of them, to be filled anew.
  std::shared_ptr<RowsView> view = views_.take();
  view->moving_.clear();
  view->runs_.clear();
  grow(input.bounds.size());
  step("classify");
  classify(input, workers);
  step("wake");
  wake(input, workers);
  step("change states");
  change_states(input);
  step("settle");
  settle(input, workers);
  for (RowPartitions& partitions : families_) {
    step("build moving");
    partitions.build_moving(input.bounds, input.version, workers);
  }
  step("publish");
  publish(input, std::move(view));
}

void RowsIndex::grow(std::size_t slots) {
  if (state_.size() >= slots) return;
  state_.resize(slots, state_none);
  place_.resize(slots);
  filters_.resize(slots);
  for (RowPartitions& partitions : families_) partitions.resize(slots);
}

std::uint8_t RowsIndex::wanted_state(const Bound& bound) {
  if (!bound.is_alive()) return state_none;
  const std::uint8_t family =
      (bound.flags & bound_searched) != 0 ? state_searched : state_looked_for;
  return (bound.flags & bound_default_filter) != 0
             ? family
             : static_cast<std::uint8_t>(family | state_custom_filter);
}

// Most of what moved was moving before, with the same filter: one comparison each.
void RowsIndex::classify(const IndexInput& input, Workers& workers) {
  changed_blocks_.reset(block_count(input.moved.size(), changes_per_block));
  workers.parallel_blocks(input.moved.size(), changes_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                              const std::uint32_t slot = input.moved[i];
                              const std::uint8_t wanted = wanted_state(input.bounds[slot]);
                              if (state_[slot] != wanted) {
                                changed_blocks_.at(block).push_back(slot);
                              } else if ((wanted & state_custom_filter) != 0) {
                                filters_[slot] = input.filters[slot];
                              }
                            }
                          });
  recycle(changed_);
  changed_blocks_.join_into(changed_);
}

void RowsIndex::wake(const IndexInput& input, Workers& workers) {
  recycle(woken_);
  for (const std::uint32_t slot : changed_) {
    if ((state_[slot] & state_resting) != 0) woken_.push_back(slot);
  }
  dissolved_ = false;
  for (const RowPartitions& partitions : families_) {
    if (!partitions.should_dissolve()) continue;
    dissolve(partitions);
    dissolved_ = true;
  }
  for (const std::uint32_t slot : woken_) {
    partitions_of(state_[slot]).end_rest(place_[slot], input.version);
  }
  recycle(woken_pairs_);
  if (!woken_.empty()) find_woken_pairs(workers, input.version);
}

/// Adds all that rest in these partitions to the woken.
void RowsIndex::dissolve(const RowPartitions& partitions) {
  for (const auto& run : partitions.runs()) {
    for (std::uint32_t member = 0; member < run->member_count(); ++member) {
      if (!run->has_ended(member)) woken_.push_back(run->slot(member));
    }
  }
  std::sort(woken_.begin(), woken_.end());
  woken_.erase(std::unique(woken_.begin(), woken_.end()), woken_.end());
}

// The pairs among the resting are stored nowhere: they are what overlaps among them, and the boxes
// and filters of the last version are still here.
void RowsIndex::find_woken_pairs(Workers& workers, IndexVersion version) {
  woken_blocks_.reset(block_count(woken_.size(), woken_per_block));
  workers.parallel_blocks(woken_.size(), woken_per_block,
                          [&](std::size_t block, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i) {
                              if ((state_[woken_[i]] & state_searched) == 0) continue;
                              pairs_of_woken(woken_[i], version, woken_blocks_.at(block));
                            }
                          });
  woken_blocks_.join_into(woken_pairs_);
  parallel_sort(workers, woken_pairs_, std::less<SlotPair>());
}

void RowsIndex::pairs_of_woken(std::uint32_t slot, IndexVersion version,
                               std::vector<SlotPair>& out) const {
  struct Context {
    const RowsIndex& index;
    const RestingRun& run;
    std::uint32_t slot;
    IndexVersion version;
    std::vector<SlotPair>& out;
  };
  const RowPartitions& partitions = families_[searched];
  const Aabb32& box = partitions.run(place_[slot].run).box(place_[slot].member);
  const TakeMembers take = [](void* context, const std::uint32_t* members, std::size_t count) {
    auto& self = *static_cast<Context*>(context);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t other = self.run.slot(members[i]);
      const bool rested = self.run.exists_in(members[i], self.version - 1);
      if (!rested || other == self.slot) continue;
      const bool both_woken = self.run.has_ended(members[i]);
      if (both_woken && other < self.slot) continue;  // the other one reports it
      const Filter& filter = self.index.filters_[self.slot];
      if (!accepts(filter, self.index.filters_[other])) continue;
      self.out.push_back({std::min(self.slot, other), std::max(self.slot, other)});
    }
    return true;
  };
  for (const auto& run : partitions.runs()) {
    Context context{*this, *run, slot, version, out};
    for (const RowLevel& level : run->stack().levels()) {
      kernels_.probe_open(level.grid(), level.arrays(), box, take, &context);
    }
  }
}

void RowsIndex::change_states(const IndexInput& input) {
  for (const std::uint32_t slot : woken_) {  // they go on as moving ones
    place_[slot] = {};
    state_[slot] = static_cast<std::uint8_t>(state_[slot] & ~state_resting);
    partitions_of(state_[slot]).add_moving(slot);
  }
  for (const std::uint32_t slot : changed_) {
    const std::uint8_t old = state_[slot];
    const std::uint8_t now = wanted_state(input.bounds[slot]);
    const auto family = static_cast<std::uint8_t>(state_searched | state_looked_for);
    if ((old & family) != (now & family)) {
      if (old != state_none) partitions_of(old).remove_moving(slot);
      if (now != state_none) partitions_of(now).add_moving(slot);
    }
    if ((old & state_custom_filter) != 0) --custom_filter_count_;
    if ((now & state_custom_filter) != 0) ++custom_filter_count_;
    filters_[slot] = (now & state_custom_filter) != 0 ? input.filters[slot] : Filter{};
    state_[slot] = now;
  }
}

void RowsIndex::settle(const IndexInput& input, Workers& workers) {
  // Those that were just woken without having moved would be taken straight back, and the pairs
  // that woken_pairs() names would be lost: whoever is woken is moving for a tick.
  // The rest of the budget is for pairs of which one moves: they are not to be lost because
  // others, which cost nothing, fill it.
  const bool may_rest = !dissolved_ && !last_search_truncated_ &&
                        input.pair_count <= settings_.candidate_pairs_max / 2;
  has_settled_ = false;
  for (RowPartitions& partitions : families_) {
    partitions.settle(input.bounds, stamp_of(input.version), may_rest, workers, placed_);
    for (const RowPartitions::Placed& placed : placed_) {
      place_[placed.slot] = placed.place;
      has_settled_ = has_settled_ || (state_[placed.slot] & state_resting) == 0;
      state_[placed.slot] = static_cast<std::uint8_t>(state_[placed.slot] | state_resting);
    }
  }
}

void RowsIndex::publish(const IndexInput& input, std::shared_ptr<RowsView> view) {
  for (const SlotPair& pair : woken_pairs_) CHECK(!at_rest(pair.a) || !at_rest(pair.b));
  view->version_ = input.version;
  view->kernels_ = &kernels_;
  for (const RowPartitions& partitions : families_) {
    view->moving_.push_back(partitions.moving());
    for (const auto& run : partitions.runs()) view->runs_.push_back(run);
    if (view->moving_.size() == 1) view->searched_run_count_ = view->runs_.size();
  }
  view->stats_ = make_stats();
  view->kind_ = view->stats_.chosen;
  view_ = std::move(view);
  views_.shrink(1);
}

namespace {

void count_levels(const RowStack& stack, IndexStats& stats) {
  const auto levels = stack.levels();  // the last one is the list
  for (std::size_t level = 0; level + 1 < levels.size(); ++level)
    stats.level_registrations[level] += levels[level].registration_count();
}

}  // namespace

IndexStats RowsIndex::make_stats() const {
  IndexStats stats;
  for (const RowPartitions& partitions : families_) {
    stats.moving += partitions.moving_count();
    stats.statics += partitions.static_count();
    stats.resting += partitions.resting_count() - partitions.static_count();
    stats.registrations += partitions.moving()->registration_count();
    stats.sweep_listed += partitions.moving()->list().registration_count();
    stats.size_bytes += partitions.moving()->size_bytes();
    count_levels(*partitions.moving(), stats);
    for (const auto& run : partitions.runs()) {
      stats.registrations += run->stack().registration_count();
      stats.in_transition += run->member_count() - run->alive_count();
      stats.sweep_listed += run->stack().list().registration_count();
      stats.size_bytes += run->size_bytes();
      count_levels(run->stack(), stats);
    }
  }
  stats.size_bytes += state_.capacity() + place_.capacity() * sizeof(RestingPlace) +
                      filters_.capacity() * sizeof(Filter);
  const RowPlan& plan = families_[searched].plan();
  stats.levels = plan.levels.size();
  stats.plan_version = families_[searched].plan_version();
  stats.chosen = plan.chosen;
  stats.reason = plan.reason;
  stats.expected_rows_ns = std::isinf(plan.rows_cost_ns) ? 0 : plan.rows_cost_ns;
  stats.expected_sweep_ns = plan.sweep_cost_ns;
  stats.clumping = plan.levels.empty() ? plan.clumping.sweep : plan.clumping.rows;
  const RowGrid& grid = plan.levels.empty() ? plan.list : plan.levels[0].grid;
  stats.along_axis = grid.along;
  const float inverse = grid.across[0].inverse_size;
  stats.row_size_m = inverse > 0 ? 1.0 / static_cast<double>(inverse) : 0;
  return stats;
}

}  // namespace vicinity
