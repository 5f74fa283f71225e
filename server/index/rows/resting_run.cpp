// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/resting_run.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

PlanSample take_sample(const Bounds& bounds) {
  PlanSample sample;
  sample.entity_count = bounds.size();
  const std::size_t size = std::min(bounds.size(), plan_sample_max);
  for (std::size_t i = 0; i < size; ++i) {
    sample.boxes.push_back(bounds[sample_rank(i, size, bounds.size())].box);
  }
  return sample;
}

}  // namespace

RestingRun::RestingRun(std::uint32_t id, bool is_static, std::vector<std::uint32_t> slots,
                       const Bounds& bounds)
    : id_(id),
      is_static_(is_static),
      alive_count_(static_cast<std::uint32_t>(slots.size())),
      slots_(std::move(slots)),
      ends_(slots_.size()) {
  bounds_.reserve(slots_.size());
  for (const std::uint32_t slot : slots_) bounds_.push_back(bounds[slot]);
}

void RestingRun::build(const IndexSettings& settings, const RowKernels& kernels,
                       RowStackBuilder& builder, Workers& workers) {
  const RowPlan plan = make_row_plan(settings, take_sample(bounds_));
  builder.build(
      plan, bounds_.data(), kernels, slots_.size(), settings.block_size,
      [&](std::size_t, std::size_t begin, std::size_t end,
          std::span<RawBuffer<std::uint32_t>*> out) {
        std::size_t count[row_levels_max + 1] = {};
        for (auto* members : out) members->reset(end - begin);
        for (auto member = static_cast<std::uint32_t>(begin); member < end; ++member) {
          const std::uint32_t level = fitting_level(plan.levels, bounds_[member].box);
          (*out[level])[count[level]++] = member;
        }
        for (std::size_t level = 0; level < out.size(); ++level) out[level]->truncate(count[level]);
      },
      workers, stack_);
}

std::size_t RestingRun::size_bytes() const {
  return stack_.size_bytes() + slots_.size() * sizeof(slots_[0]) + bounds_.size() * sizeof(Bound) +
         slots_.size() * sizeof(IndexVersion);
}

std::uint32_t RestingRun::member_of(std::uint32_t slot) const {
  const auto found = std::lower_bound(slots_.begin(), slots_.end(), slot);
  if (found == slots_.end() || *found != slot) return member_count();
  return static_cast<std::uint32_t>(found - slots_.begin());
}

void RestingRun::end(std::uint32_t member, IndexVersion version) {
  DCHECK(!has_ended(member));
#ifdef VICINITY_SINGLE_REGISTRATION
  version = 1;  // tests only: what happens when a registration ends before its readers do
#endif
  ends_.end(member, version);
  CHECK(alive_count_ > 0);
  --alive_count_;
}

}  // namespace vicinity
