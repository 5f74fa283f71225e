// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_partitions.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

// Measured on a 2-core AVX-512 machine (tests/bench), nanoseconds per entity. Only ratios matter.
constexpr double moving_tick_ns = 25;
constexpr double rest_build_ns = 60;
constexpr double rest_fixed_ns = 5000;
/// Ticks between two looks at whether the plan is still good, and if it is new or obviously bad.
constexpr IndexVersion plan_interval_ticks = 128;
constexpr IndexVersion plan_retry_ticks = 8;
LevelPlan level_of_everything() {
  LevelPlan level;
  for (float& extent_max : level.extent_max) extent_max = std::numeric_limits<float>::infinity();
  return level;
}

/// Part of the limit of the finer level that an entity must stay below to go there.
constexpr float demote_below = 0.9f;
bool fits_well(const LevelPlan& level, const Aabb32& box) {
  bool fits = true;
  for (int axis = 0; axis < 3; ++axis) {
    fits &= box.max[axis] - box.min[axis] <= demote_below * level.extent_max[axis];
  }
  return fits;
}

}  // namespace

RowPartitions::RowPartitions(const IndexSettings& settings, const RowKernels& kernels)
    : settings_(settings), kernels_(kernels), moving_(pool_.take()) {}

void RowPartitions::resize(std::size_t slots) {
  if (level_.size() >= slots) return;
  moving_bits_.resize((slots + 63) / 64, 0);
  level_.resize(slots, 0);
  level_since_.resize(slots, 0);
}

void RowPartitions::add_moving(std::uint32_t slot) {
  DCHECK(!is_moving(slot));
  moving_bits_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  level_[slot] = 0;
  ++moving_count_;
}

void RowPartitions::remove_moving(std::uint32_t slot) {
  DCHECK(is_moving(slot));
  moving_bits_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  --moving_count_;
}

std::uint64_t RowPartitions::resting_count() const {
  std::uint64_t sum = 0;
  for (const auto& run : runs_) sum += run->alive_count();
  return sum;
}

std::uint64_t RowPartitions::static_count() const {
  std::uint64_t sum = 0;
  for (const auto& run : runs_) sum += run->is_static() ? run->alive_count() : 0;
  return sum;
}

const RestingRun& RowPartitions::run(std::uint32_t id) const {
  const auto found = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const auto& candidate) { return candidate->id() == id; });
  CHECK(found != runs_.end());
  return **found;
}

void RowPartitions::end_rest(RestingPlace place, IndexVersion version) {
  const_cast<RestingRun&>(run(place.run)).end(place.member, version);
}

bool RowPartitions::should_dissolve() const {
  const std::uint64_t resting = resting_count();
  return resting > 0 && !settings_.rest_eagerly && 2 * resting < moving_count_;
}

bool RowPartitions::is_due(const Bound& bound, std::uint32_t stamp) const {
  const std::uint32_t needed = (bound.flags & bound_static) != 0 ? 1 : settings_.rest_after_ticks;
  return stamp - bound.stamp >= needed;
}

// --- The moving ----------------------------------------------------------------------------------

std::uint32_t RowPartitions::choose_level(std::uint32_t slot, const Aabb32& box,
                                          std::uint32_t stamp) {
  const std::span<const LevelPlan> levels = plan_.levels;
  const std::uint32_t needed = fitting_level(levels, box);
  std::uint8_t& level = level_[slot];
  // Levels run along different axes, so that a coarser one may be too short for the box.
  const bool fits_here = level == levels.size() || fits_level(levels[level], box);
  if (needed >= level || !fits_here) {
    level = static_cast<std::uint8_t>(needed);
    level_since_[slot] = stamp;
    return needed;
  }
  std::uint32_t finer = level - 1u;
  while (finer > needed && !fits_well(levels[finer], box)) --finer;
  if (!fits_well(levels[finer], box)) {
    level_since_[slot] = stamp;
  } else if (stamp - level_since_[slot] >= settings_.demote_after_ticks) {
    level = static_cast<std::uint8_t>(finer);
    level_since_[slot] = stamp;
  }
  return level;
}

void RowPartitions::collect_moving(const Bounds& bounds, std::uint32_t stamp, std::size_t block,
                                   std::size_t begin, std::size_t end,
                                   std::span<RawBuffer<std::uint32_t>*> out) {
  // A single block holds all, and does not have to count a million bits that are not set.
  std::size_t here = end - begin == moving_bits_.size() ? moving_count_ : 0;
  for (std::size_t word = begin; end - begin < moving_bits_.size() && word < end; ++word) {
    here += static_cast<std::size_t>(std::popcount(moving_bits_[word]));
  }
  for (auto* members : out) members->reset(here + 1);  // one more may be written
  std::size_t count[row_levels_max + 1] = {};
  std::uint64_t due[2] = {};
  // Nearly all are in the finest level and fit there; without levels all are in the list.
  const LevelPlan finest = out.size() > 1 ? plan_.levels[0] : level_of_everything();
  std::uint32_t* const in_finest = out[0]->data();
  std::size_t finest_count = 0;
  for (std::size_t word = begin; word < end; ++word) {
    for (std::uint64_t bits = moving_bits_[word]; bits != 0; bits &= bits - 1) {
      const auto slot =
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      const Bound& bound = bounds[slot];
      due[(bound.flags & bound_static) / bound_static] += is_due(bound, stamp) ? 1 : 0;
      const bool fits = fits_level(finest, bound.box);  // both are looked at, without a branch
      const bool is_finest = fits & (level_[slot] == 0);
      in_finest[finest_count] = slot;  // counts only if it belongs there
      finest_count += is_finest ? 1 : 0;
      if (!is_finest) [[unlikely]] {
        const std::uint32_t level = choose_level(slot, bound.box, stamp);
        if (level == 0) {
          ++finest_count;
        } else {
          (*out[level])[count[level]++] = slot;
        }
      }
    }
  }
  count[0] = finest_count;
  for (std::size_t level = 0; level < out.size(); ++level) out[level]->truncate(count[level]);
  block_counts_[block] = {due[0], due[1]};
}

void RowPartitions::build_moving(const Bounds& bounds, IndexVersion version, Workers& workers) {
  plan_again(bounds, version);
  const std::uint32_t stamp = stamp_of(version);
  const std::size_t words = moving_bits_.size();
  // Blocks of words with about block_size moving entities each, wherever they are.
  const std::uint64_t blocks = moving_count_ / settings_.block_size + 1;
  const std::size_t words_per_block =
      moving_count_ <= settings_.block_size ? std::max<std::size_t>(words, 1) : words / blocks + 1;
  block_counts_.assign(block_count(words, words_per_block), {});
  const std::shared_ptr<RowStack> stack = pool_.take();
  const auto collect = [&](std::size_t block, std::size_t begin, std::size_t end,
                           std::span<RawBuffer<std::uint32_t>*> out) {
    collect_moving(bounds, stamp, block, begin, end, out);
  };
  builder_.build(plan_, bounds.data(), kernels_, words, words_per_block, std::ref(collect), workers,
                 *stack);
  moving_ = stack;
  pool_.shrink(2);
  due_ = {};
  for (const BlockCount& count : block_counts_) {
    due_.may_rest += count.may_rest;
    due_.may_rest_static += count.may_rest_static;
  }
}

void RowPartitions::take_sample(const Bounds& bounds) {
  sample_.boxes.clear();
  sample_.entity_count = moving_count_;
  sample_.tests = first_level_tests_;
  sample_.registrations = moving_->levels().empty() ? 0 : moving_->levels()[0].registration_count();
  const std::uint64_t size = std::min<std::uint64_t>(moving_count_, plan_sample_max);
  std::uint64_t seen = 0;
  std::uint64_t next = size > 0 ? sample_rank(0, size, moving_count_) : 0;  // to be taken
  for (std::size_t word = 0; word < moving_bits_.size() && sample_.boxes.size() < size; ++word) {
    std::uint64_t bits = moving_bits_[word];
    const auto here = static_cast<std::uint64_t>(std::popcount(bits));
    for (std::uint64_t rank = seen; next < seen + here && bits != 0; ++rank, bits &= bits - 1) {
      if (rank != next) continue;
      sample_.boxes.push_back(
          bounds[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))].box);
      next = sample_rank(sample_.boxes.size(), size, moving_count_);
    }
    seen += here;
  }
}

void RowPartitions::plan_again(const Bounds& bounds, IndexVersion version) {
  // Rows that have become far too narrow for what is in them are not left for long.
  const bool crowded = moving_->registration_count() > 4 * moving_count_ + 1024;
  const bool is_due_now = planned_at_ == 0 || version - planned_at_ >= plan_interval_ticks ||
                          ((crowded || !confirmed_) && version - planned_at_ >= plan_retry_ticks) ||
                          moving_count_ > 2 * plan_.entity_count ||
                          2 * moving_count_ + 64 < plan_.entity_count;
  if (!is_due_now) return;
  take_sample(bounds);
  planned_at_ = version;
  // A new plan is looked at again as soon as it has been measured.
  confirmed_ = !settle_row_plan(settings_, sample_, plan_);
  if (confirmed_) return;
  ++plan_version_;
  std::fill(level_.begin(), level_.end(), std::uint8_t{0});
}

// --- The resting ---------------------------------------------------------------------------------

bool RowPartitions::is_rest_due(bool may_rest) {
  const std::uint64_t due = due_.may_rest + due_.may_rest_static;
  if (!may_rest || due == 0 || settings_.rest_after_ticks == 0) {
    waste_ns_ = 0;
    return false;
  }
  if (settings_.rest_eagerly) return true;
  const std::uint64_t resting = resting_count();
  if (due > moving_count_ || resting + due < 2 * (moving_count_ - due)) {
    waste_ns_ = 0;
    return false;
  }
  waste_ns_ += static_cast<double>(due) * moving_tick_ns;
  std::uint64_t rebuilt = due;
  for (const auto& run : runs_) {
    if (run->alive_count() < 2 * due) rebuilt += run->alive_count();
  }
  return waste_ns_ >= rest_fixed_ns + static_cast<double>(rebuilt) * rest_build_ns;
}

void RowPartitions::collect_due(const Bounds& bounds, std::uint32_t stamp) {
  for (auto& slots : due_slots_) slots.clear();
  for (std::size_t word = 0; word < moving_bits_.size(); ++word) {
    for (std::uint64_t bits = moving_bits_[word]; bits != 0; bits &= bits - 1) {
      const auto slot =
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      if (!is_due(bounds[slot], stamp)) continue;
      due_slots_[(bounds[slot].flags & bound_static) != 0 ? 1 : 0].push_back(slot);
    }
  }
  for (const auto& slots : due_slots_) {
    for (const std::uint32_t slot : slots) remove_moving(slot);
  }
}

void RowPartitions::settle(const Bounds& bounds, std::uint32_t stamp, bool may_rest,
                           Workers& workers, std::vector<Placed>& placed) {
  recycle(placed);
  drop_empty_runs();
  for (auto& slots : due_slots_) slots.clear();
  if (is_rest_due(may_rest)) {
    collect_due(bounds, stamp);
    waste_ns_ = 0;
  }
  for (const bool is_static : {false, true}) {
    build_run(due_slots_[is_static ? 1 : 0], is_static, bounds, workers, placed);
  }
}

// Small runs go into the new one, so that their sizes stay far apart and there are few of them; so
// do runs of which less than half is left.
void RowPartitions::build_run(std::vector<std::uint32_t>& slots, bool is_static,
                              const Bounds& bounds, Workers& workers, std::vector<Placed>& placed) {
  const bool has_new = !slots.empty();
  std::sort(runs_.begin(), runs_.end(), [](const auto& a, const auto& b) {
    return std::pair(a->alive_count(), a->id()) < std::pair(b->alive_count(), b->id());
  });
  std::erase_if(runs_, [&](const std::shared_ptr<RestingRun>& run) {
    constexpr std::uint32_t worth_compacting = 256;
    const bool is_worn =
        run->member_count() >= worth_compacting && 2 * run->alive_count() < run->member_count();
    const bool is_small = has_new && run->alive_count() < 2 * slots.size();
    if (run->is_static() != is_static || (!is_worn && !is_small)) return false;
    for (std::uint32_t member = 0; member < run->member_count(); ++member) {
      if (!run->has_ended(member)) slots.push_back(run->slot(member));
    }
    return true;
  });
  if (slots.empty()) return;
  std::sort(slots.begin(), slots.end());
  auto run = std::make_shared<RestingRun>(++last_run_id_, is_static, slots, bounds);
  run->build(settings_, kernels_, builder_, workers);
  for (std::uint32_t member = 0; member < run->member_count(); ++member) {
    placed.push_back({run->slot(member), {run->id(), member}});
  }
  runs_.push_back(std::move(run));
}

void RowPartitions::drop_empty_runs() {
  std::erase_if(runs_, [](const auto& run) { return run->alive_count() == 0; });
}

}  // namespace vicinity
