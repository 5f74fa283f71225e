// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/contacts.h"

#include <algorithm>
#include <array>

#include "narrow/entity_tests.h"
#include "narrow/exact_fraction.h"

namespace vicinity {
namespace {

constexpr std::size_t pairs_per_block = 4096;

/// Part of the tick, [0, 1], in which a set of linear gaps are all positive. A gap is positive on
/// one side of its root only, so the part is an interval: after all openings, before all closings.
class PositiveTime {
 public:
  /// False when the gap is never positive.
  bool require(const Gap& gap) {
    if (gap.start() <= 0 && gap.end() <= 0) return false;
    if (gap.start() <= 0)
      openings_[opening_count_++] = gap;
    else if (gap.end() <= 0)
      closings_[closing_count_++] = gap;
    return true;
  }
  /// Whether there is such a part is decided exactly; only the moment itself is rounded.
  std::optional<double> first() const {
    double from = 0;
    for (std::size_t i = 0; i < opening_count_; ++i) {
      for (std::size_t k = 0; k < closing_count_; ++k)
        if (!opens_before(openings_[i], closings_[k])) return std::nullopt;
      from = std::max(from, openings_[i].root());
    }
    return from;
  }

 private:
  std::array<Gap, 6> openings_{};
  std::array<Gap, 6> closings_{};
  std::size_t opening_count_ = 0;
  std::size_t closing_count_ = 0;
};

void find_in_block(const Snapshot& snapshot, std::span<const SlotPair> pairs,
                   std::vector<Contact>& out) {
  constexpr std::size_t prefetch_distance = 12;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i + prefetch_distance < pairs.size()) {
      prefetch_entity(snapshot, pairs[i + prefetch_distance].b);
    }
    const auto [a, b] = pairs[i];
    const bool touching = touch_at_end(snapshot, a, b);
    Impact impact;
    if (!touching) {
      const std::optional<Impact> passed = passing(snapshot, a, b);
      if (!passed) continue;
      impact = *passed;
    }
    const bool sensor = snapshot.filter[a].sensor || snapshot.filter[b].sensor;
    out.push_back({snapshot.id[a], snapshot.id[b], impact, sensor, touching});
  }
}

}  // namespace

std::optional<double> first_overlap(const Aabb& a0, const Aabb& a1, const Aabb& b0,
                                    const Aabb& b1) {
  PositiveTime time;
  for (int axis = 0; axis < 3; ++axis) {
    if (!time.require({b0.max[axis], a0.min[axis], b1.max[axis], a1.min[axis]}) ||
        !time.require({a0.max[axis], b0.min[axis], a1.max[axis], b1.min[axis]})) {
      return std::nullopt;
    }
  }
  return time.first();
}

ContactList ContactFinder::find(const Snapshot& snapshot, std::span<const SlotPair> pairs,
                                Workers& workers) {
  struct Task {
    const Snapshot& snapshot;
    std::span<const SlotPair> pairs;
  };
  const Task task{snapshot, pairs};
  blocks_.reset(block_count(pairs.size(), pairs_per_block));
  workers.parallel_blocks(pairs.size(), pairs_per_block,
                          [this, &task](std::size_t block, std::size_t begin, std::size_t end) {
                            find_in_block(task.snapshot, task.pairs.subspan(begin, end - begin),
                                          blocks_.at(block));
                          });
  places_.assign(blocks_.count(), 0);
  std::size_t count = 0;
  for (std::size_t block = 0; block < blocks_.count(); ++block) {
    places_[block] = count;
    count += blocks_.at(block).size();
  }
  contacts_.reset(count);
  workers.parallel_blocks(blocks_.count(), 1, [this](std::size_t block, std::size_t, std::size_t) {
    std::copy(blocks_.at(block).begin(), blocks_.at(block).end(),
              contacts_.data() + places_[block]);
  });
  return {contacts_.data(), contacts_.size()};
}

}  // namespace vicinity
