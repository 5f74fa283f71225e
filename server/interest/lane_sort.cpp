// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The order of a new generation of lanes: slices of equal count along the axis of the greatest
// spread, each sorted along the next one (sort-tile-recursive: Leutenegger, Lopez and Edgington
// 1997), so that groups are about as wide as long wherever entities are dense. Large entities come
// after small ones. Rejected: a Z-order curve, whose runs of sixteen have far larger boxes.
#include <algorithm>
#include <array>
#include <cmath>

#include "interest/lane_order.h"

namespace vicinity {
namespace {

constexpr std::uint32_t place_bits = 22;
constexpr std::size_t samples_max = 1024;
constexpr std::size_t slots_per_block = 4096;
constexpr int size_classes = 16;

/// Where nearly all entities are; what lies beyond counts as at the edge.
struct Spread {
  Vec3 low;
  Vec3 range{1, 1, 1};
  int axis[2] = {0, 2};  ///< of the greatest spread, and the next
  double group_m = 1;    ///< about the side of a group

  std::uint64_t place(int which, const Aabb& box) const {
    constexpr double last = (1u << place_bits) - 1;
    const int along = axis[which];
    const double part = (centre(box)[along] - low[along]) / range[along];
    return static_cast<std::uint64_t>(std::clamp(part * last, 0.0, last));
  }
  std::uint64_t size_class(const Aabb& box) const {
    const Vec3 extent = box.max - box.min;
    double limit_m = group_m / 4;
    std::uint64_t out = 0;
    while (std::max({extent.x, extent.y, extent.z}) > limit_m && out < size_classes - 1) {
      limit_m *= 4;
      ++out;
    }
    return out;
  }
};

Spread find_spread(const Snapshot& snapshot) {
  std::array<std::vector<double>, 3> samples;
  const std::uint32_t step = static_cast<std::uint32_t>(snapshot.slot_count() / samples_max) + 1;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); slot += step) {
    if (!snapshot.is_alive(slot)) continue;
    const Vec3 at = centre(snapshot.tight_box[slot]);
    for (int axis = 0; axis < 3; ++axis)
      samples[static_cast<std::size_t>(axis)].push_back(at[axis]);
  }
  Spread out;
  for (int axis = 0; axis < 3; ++axis) {
    auto& sorted = samples[static_cast<std::size_t>(axis)];
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t cut = sorted.size() / 100;
    const double range_m = sorted[sorted.size() - 1 - cut] - sorted[cut];
    out.low[axis] = sorted[cut] - range_m * 0.05;
    out.range[axis] = range_m > 0 ? range_m * 1.1 : 1;
  }
  int axes[3] = {0, 2, 1};
  std::stable_sort(axes, axes + 3, [&out](int a, int b) { return out.range[a] > out.range[b]; });
  out.axis[0] = axes[0];
  out.axis[1] = axes[1];
  const double groups = static_cast<double>(snapshot.entity_count) / lane_count + 1;
  out.group_m = std::sqrt(out.range[axes[0]] * out.range[axes[1]] / groups);
  return out;
}

}  // namespace

void LaneOrder::make_keys(const Snapshot& snapshot, Workers& workers) {
  const Spread spread = find_spread(snapshot);
  keys_.clear();
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot)
    if (snapshot.is_alive(slot)) keys_.push_back({0, slot});
  const auto give_places = [&](const auto& place) {
    workers.parallel_blocks(keys_.size(), slots_per_block,
                            [&](std::size_t, std::size_t begin, std::size_t end) {
                              for (std::size_t i = begin; i < end; ++i)
                                keys_[i].place = place(i, snapshot.tight_box[keys_[i].slot]);
                            });
  };
  give_places([&](std::size_t, const Aabb& box) {
    return spread.size_class(box) << place_bits | spread.place(0, box);
  });
  sort_keys();
  const double slices = spread.range[spread.axis[0]] / spread.group_m;
  const double groups = static_cast<double>(keys_.size()) / lane_count;
  const auto slice_groups = static_cast<std::size_t>(std::max(1.0, std::round(groups / slices)));
  const std::size_t slice = slice_groups * lane_count;
  give_places([&](std::size_t i, const Aabb& box) {
    return static_cast<std::uint64_t>(i / slice) << place_bits | spread.place(1, box);
  });
  sort_keys();
}

/// By place, then by slot: stable passes over digits, least first; those that are all alike are
/// left out.
void LaneOrder::sort_keys() {
  constexpr std::uint32_t digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  constexpr std::uint32_t passes = 4;  // 44 bits
  std::vector<std::uint32_t> counts(passes * digits, 0);
  const auto digit = [](const Key& key, std::uint32_t pass) {
    return static_cast<std::size_t>(key.place >> (pass * digit_bits)) & (digits - 1);
  };
  for (const Key& key : keys_)
    for (std::uint32_t pass = 0; pass < passes; ++pass) ++counts[pass * digits + digit(key, pass)];
  keys_buffer_.resize(keys_.size());
  for (std::uint32_t pass = 0; pass < passes && !keys_.empty(); ++pass) {
    std::uint32_t* const of_pass = counts.data() + pass * digits;
    if (of_pass[digit(keys_.front(), pass)] == keys_.size()) continue;
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      const std::uint32_t count = of_pass[d];
      of_pass[d] = sum;
      sum += count;
    }
    for (const Key& key : keys_) keys_buffer_[of_pass[digit(key, pass)]++] = key;
    keys_.swap(keys_buffer_);
  }
}

}  // namespace vicinity
