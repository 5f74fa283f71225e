// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One interest area and its exact membership tests, which nothing else shares: oracles have their
// own. Tick room; values and pure functions. Every size is inclusive.

#include "base/aabb.h"
#include "base/ids.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity {

struct InterestArea {
  AreaId id;
  AreaSpec spec;
  EntityId anchor;  ///< EntityId{} = fixed
  Vec3 position;    ///< centre in the world, metres
  /// False until the anchor was seen once: an area whose anchor ended before the first update has
  /// no place and sees nothing.
  bool placed = false;
  /// False when a command made it what it is after the last update: no view rests on it yet.
  bool in_effect = false;
};

/// Moves the area to where it is in this tick; it stays where it was when its anchor is gone.
void place(const Snapshot& snapshot, InterestArea& area);

/// Whether the area looks for this entity at all.
bool accepts(const InterestArea& area, EntityId id, const Filter& filter);

bool inside_enter(const InterestArea& area, const Aabb& tight_box);
bool inside_leave(const InterestArea& area, const Aabb& tight_box);

/// Box around the enter size.
Aabb enter_box(const InterestArea& area);

}  // namespace vicinity
