// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Swept bounds: one conservative f32 box per slot that contains everything the entity occupies
// during the tick: start box, end box, the straight path between, and the arcs on which whatever is
// away from the origin swings. Kept from tick to tick and
// brought up to date for what changed. Tick room only; readers of frames never see it.

#include <cstdint>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/parallel.h"
#include "world/filter.h"
#include "world/snapshot.h"

namespace vicinity {

/// Half a cache line per slot, so that one look at an entity costs one line.
struct alignas(32) Bound {
  Aabb32 box;
  std::uint32_t stamp = 0;  ///< stamp_of(tick of the last change of anything here or of the filter)
  std::uint32_t flags = 0;  ///< BoundFlag bits; 0 = no entity in this slot

  bool is_alive() const { return flags != 0; }
};
static_assert(sizeof(Bound) == 32);

/// Low 32 bits of a tick. Stamps are only compared with the present one, so that wrapping after
/// 2^32 ticks costs at most a late rest.
constexpr std::uint32_t stamp_of(Tick tick) { return static_cast<std::uint32_t>(tick); }

enum BoundFlag : std::uint32_t {
  bound_alive = 1,
  bound_searched = 2,        ///< takes part in pairs (in_pair_search)
  bound_static = 4,          ///< Filter::is_static
  bound_default_filter = 8,  ///< the filter equals Filter{}
};
std::uint32_t bound_flags(const Filter& filter);

/// Contains everything that the entity in this slot occupies during the tick of the snapshot.
Aabb swept_box(const Snapshot& snapshot, std::uint32_t slot);

/// Indexed by slot. A slot without an entity has flags 0 and an empty box.
using Bounds = std::vector<Bound>;

/// Tick room. Brings the bounds of the `changed` slots (ascending) of a snapshot up to date and
/// gives back, in `moved`, those whose box, filter or life differs from before, or that moved by
/// less than the box resolves: ascending, each once, stamped with the snapshot's tick. Invariant: a
/// box contains swept_box() of its slot. O(changed), parallel; grows `bounds` to the
/// snapshot's slots. `blocks` is a buffer that is kept for the next call.
void compute_bounds(const Snapshot& snapshot, std::span<const std::uint32_t> changed,
                    Workers& workers, Bounds& bounds, BlockBuffers<std::uint32_t>& blocks,
                    std::vector<std::uint32_t>& moved);

}  // namespace vicinity
