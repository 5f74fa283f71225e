// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bounds/bounds.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace vicinity {
namespace {

/// Slots per block: some tens of microseconds of work, far above what starting a task costs.
constexpr std::size_t slots_per_block = 1024;

/// True when the bound, or what it stands for, differs from before.
bool bring_up_to_date(const Snapshot& snapshot, std::uint32_t slot, Bound& bound) {
  const std::uint32_t stamp = stamp_of(snapshot.tick);
  if (!snapshot.is_alive(slot)) {
    if (!bound.is_alive()) return false;
    bound = {{}, stamp, 0};
    return true;
  }
  const Aabb32 box = round_outward(swept_box(snapshot, slot));
  const EntityVersions& versions = snapshot.changed[slot];
  // What moves by less than an f32 resolves keeps its bound, and may touch something new all the
  // same.
  const bool same_place = bound.box == box && versions.pose != snapshot.tick &&
                          versions.shape != snapshot.tick &&
                          snapshot.start_box[slot] == snapshot.tight_box[slot];
  const bool same_rules = bound.is_alive() && versions.spawned != snapshot.tick &&
                          versions.filter != snapshot.tick && versions.enabled != snapshot.tick;
  if (same_rules && same_place) return false;
  bound = {box, stamp, same_rules ? bound.flags : bound_flags(snapshot.filter[slot])};
  DCHECK(bound.flags == bound_flags(snapshot.filter[slot]));
  return true;
}

}  // namespace

Aabb swept_box(const Snapshot& snapshot, std::uint32_t slot) {
  // Whatever does not turn moves on straight lines: the box around both ends holds all between.
  const Aabb starts = merge(snapshot.start_box[slot], snapshot.begin_box(slot));
  const Aabb ends = merge(starts, snapshot.tight_box[slot]);
  if (snapshot.turn.empty() || snapshot.turn[slot].rotation_vector == Vec3{}) return ends;
  const Shape& shape = snapshot.shape[slot];
  if (const Swing* swing = snapshot.swing(slot)) {
    return merge(ends, swept_box(shape, swing->root, swing->in_root));
  }
  return merge(ends, swept_box(shape, snapshot.path(slot)));
}

std::uint32_t bound_flags(const Filter& filter) {
  std::uint32_t flags = bound_alive;
  if (in_pair_search(filter)) flags |= bound_searched;
  if (filter.is_static) flags |= bound_static;
  if (filter == Filter{}) flags |= bound_default_filter;
  return flags;
}

void compute_bounds(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                    Workers& workers, Bounds& bounds, BlockBuffers<std::uint32_t>& blocks,
                    std::vector<std::uint32_t>& moved) {
  CHECK(bounds.size() <= snapshot.slot_count());
  CHECK(changed.empty() || changed.back() < snapshot.slot_count());
  bounds.resize(snapshot.slot_count());
  blocks.reset(block_count(changed.size(), slots_per_block));
  const auto update_block = [&](std::size_t block, std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t>& out = blocks.at(block);
    for (const std::uint32_t slot : changed.subspan(begin, end - begin))
      if (bring_up_to_date(snapshot, slot, bounds[slot])) out.push_back(slot);
  };
  workers.parallel_blocks(changed.size(), slots_per_block, std::ref(update_block));
  recycle(moved);
  blocks.join_into(moved);
  DCHECK(std::is_sorted(moved.begin(), moved.end()));
}

}  // namespace vicinity
