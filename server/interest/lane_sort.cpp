// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The order of a new generation of lanes: along a Z-order curve (Morton 1966) over cubes, large
// entities after small ones.
#include <algorithm>
#include <array>
#include <cmath>

#include "interest/lane_order.h"

namespace vicinity {
namespace {

constexpr std::uint32_t bits_per_axis = 16;
constexpr std::size_t samples_max = 1024;
constexpr std::size_t slots_per_block = 4096;
constexpr int size_classes = 16;

/// Bits 0, 3, 6, ...
std::uint64_t spread(std::uint32_t value) {
  std::uint64_t v = value & 0xFFFFu;
  v = (v | v << 32) & 0x001F00000000FFFFull;
  v = (v | v << 16) & 0x001F0000FF0000FFull;
  v = (v | v << 8) & 0x100F00F00F00F00Full;
  v = (v | v << 4) & 0x10C30C30C30C30C3ull;
  v = (v | v << 2) & 0x1249249249249249ull;
  return v;
}

/// Cubes over where nearly all entities are; what lies beyond counts as at the edge.
struct Cubes {
  Vec3 low;
  double size_m = 1;
  double group_m = 1;  ///< about the side of a group

  std::uint32_t along(int axis, double at) const {
    constexpr double last = (1u << bits_per_axis) - 1;
    return static_cast<std::uint32_t>(std::clamp((at - low[axis]) / size_m, 0.0, last));
  }
  std::uint64_t place(const Aabb& box) const {
    const Vec3 at = centre(box);
    const std::uint64_t curve =
        spread(along(0, at.x)) | spread(along(1, at.y)) << 1 | spread(along(2, at.z)) << 2;
    const Vec3 extent = box.max - box.min;
    double limit_m = group_m / 4;
    std::uint64_t size_class = 0;
    while (std::max({extent.x, extent.y, extent.z}) > limit_m && size_class < size_classes - 1) {
      limit_m *= 4;
      ++size_class;
    }
    return size_class << (3 * bits_per_axis) | curve;
  }
};

Cubes choose_cubes(const Snapshot& snapshot) {
  std::array<std::vector<double>, 3> samples;
  const std::uint32_t step = static_cast<std::uint32_t>(snapshot.slot_count() / samples_max) + 1;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); slot += step) {
    if (!snapshot.is_alive(slot)) continue;
    const Vec3 at = centre(snapshot.tight_box[slot]);
    for (int axis = 0; axis < 3; ++axis)
      samples[static_cast<std::size_t>(axis)].push_back(at[axis]);
  }
  Cubes out;
  double range_m = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto& sorted = samples[static_cast<std::size_t>(axis)];
    if (sorted.empty()) continue;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t cut = sorted.size() / 100;
    const double low = sorted[cut];
    const double high = sorted[sorted.size() - 1 - cut];
    const double room_m = (high - low) * 0.05;
    out.low[axis] = low - room_m;
    range_m = std::max(range_m, high - low + 2 * room_m);
  }
  if (!(range_m > 0)) range_m = 1;
  out.size_m = range_m / (1u << bits_per_axis);
  const double groups = static_cast<double>(snapshot.entity_count) / lane_count + 1;
  out.group_m = range_m / std::sqrt(groups);
  return out;
}

}  // namespace

void LaneOrder::make_keys(const Snapshot& snapshot, Workers& workers) {
  const Cubes cubes = choose_cubes(snapshot);
  keys_.clear();
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot)
    if (snapshot.is_alive(slot)) keys_.push_back({0, slot});
  workers.parallel_blocks(keys_.size(), slots_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            for (std::size_t i = begin; i < end; ++i)
                              keys_[i].place = cubes.place(snapshot.tight_box[keys_[i].slot]);
                          });
}

/// By place, then by slot: stable passes over digits, least first; those that are all alike are
/// left out.
void LaneOrder::sort_keys() {
  constexpr std::uint32_t digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  constexpr std::uint32_t passes = (3 * bits_per_axis + 4 + digit_bits - 1) / digit_bits;
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
