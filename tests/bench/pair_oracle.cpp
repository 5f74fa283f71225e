// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/pair_oracle.h"

#include <algorithm>
#include <vector>

#include "base/prng.h"

namespace vicinity::bench {
namespace {

/// Entities per slab: sorting and copying cost about as much as sweeping so many.
constexpr std::uint32_t slab_entities = 4096;
constexpr std::uint32_t slabs_max = 512;

struct Item {
  Aabb32 box;
  std::uint32_t slot = 0;
};

/// Equal slices of the world along one axis. slab_of never decreases with its argument, so a box
/// reaches from slab_of(min) to slab_of(max), and a pair is counted once: in the slab of the larger
/// minimum, which both boxes reach.
struct Slabs {
  int axis = 0;
  float low_m = 0;
  float per_metre = 0;
  std::vector<std::vector<Item>> members;

  std::uint32_t slab_of(float position_m) const {
    const float slab = (position_m - low_m) * per_metre;
    return static_cast<std::uint32_t>(
        std::clamp(slab, 0.0f, static_cast<float>(members.size() - 1)));
  }
};

void sweep(const SceneState& state, const Slabs& slabs, std::uint32_t slab, int along,
           PairSum& sum) {
  const std::vector<Item>& items = slabs.members[slab];
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    for (std::size_t k = i + 1; k < items.size() && items[k].box.min[along] < item.box.max[along];
         ++k) {
      if (!overlaps(item.box, items[k].box)) continue;
      const float home = std::max(item.box.min[slabs.axis], items[k].box.min[slabs.axis]);
      if (slabs.slab_of(home) != slab) continue;
      const auto [a, b] = std::minmax(item.slot, items[k].slot);
      if (is_pair(state, {a, b})) sum.add({a, b});
    }
  }
}

}  // namespace

void PairSum::add(SlotPair pair) {
  ++count;
  hash += Prng((std::uint64_t{pair.a} << 32) | pair.b).next();
}

bool is_pair(const SceneState& state, SlotPair pair) {
  return pair.a < pair.b && pair.b < state.slot_count() && state.alive[pair.a] != 0 &&
         state.alive[pair.b] != 0 && overlaps(state.bounds[pair.a], state.bounds[pair.b]) &&
         accepts(state.filters[pair.a], state.filters[pair.b]);
}

PairSum sum_pairs(const SceneState& state) {
  // The sweep goes along the longest axis, the slabs lie along the next.
  int axes[] = {0, 1, 2};
  const auto length = [&](int axis) { return state.extent.max[axis] - state.extent.min[axis]; };
  std::ranges::sort(axes, [&](int a, int b) { return length(a) > length(b); });
  std::vector<std::uint32_t> order;
  for (std::uint32_t slot = 0; slot < state.slot_count(); ++slot)
    if (state.alive[slot] != 0) order.push_back(slot);
  const int along = axes[0];
  std::ranges::sort(order, {}, [&](std::uint32_t slot) { return state.bounds[slot].min[along]; });

  Slabs slabs;
  slabs.axis = axes[1];
  slabs.low_m = state.extent.min[slabs.axis];
  slabs.members.resize(std::clamp(state.alive_count / slab_entities, 1u, slabs_max));
  slabs.per_metre = static_cast<float>(slabs.members.size()) / length(slabs.axis);
  for (const std::uint32_t slot : order) {
    const Aabb32& box = state.bounds[slot];
    const std::uint32_t last = slabs.slab_of(box.max[slabs.axis]);
    for (std::uint32_t slab = slabs.slab_of(box.min[slabs.axis]); slab <= last; ++slab)
      slabs.members[slab].push_back({box, slot});
  }
  PairSum sum;
  for (std::uint32_t slab = 0; slab < slabs.members.size(); ++slab)
    sweep(state, slabs, slab, along, sum);
  return sum;
}

}  // namespace vicinity::bench
