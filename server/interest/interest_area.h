// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One interest area and its exact membership tests, which nothing else shares: oracles have their
// own. Tick room; values and pure functions. Every size is inclusive.
//
// An entity is inside an area when its shape reaches into the solid of the area, or the centre of
// its tight box is in it (Reach); or when its relevance says that it is seen from everywhere, or
// from as far as it is from the area's position. Distances are to the shape, or to that centre.

#include "base/aabb.h"
#include "base/ids.h"
#include "interest/area_solid.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity {

struct InterestArea {
  AreaId id;
  AreaSpec spec;
  EntityId anchor;  ///< EntityId{} = fixed
  AreaSolid enter;  ///< of the spec
  AreaSolid leave;
  Vec3 position;  ///< centre in the world, metres
  Quat rotation;  ///< of its solids in the world
  /// False until the anchor was seen once: an area whose anchor ended before the first update has
  /// no place and sees nothing.
  bool placed = false;
  /// False when a command made it what it is after the last update: no view rests on it yet.
  bool in_effect = false;
};

/// Not placed yet.
InterestArea make_area(AreaId id, const AreaSpec& spec, EntityId anchor);

/// Moves the area to where it is in this tick; it stays where it was when its anchor is gone.
/// What it takes of the turning of its anchor: everything, but upright kinds the heading only, and
/// boxes along the axes and spheres nothing; the offset always turns along.
void place(const Snapshot& snapshot, InterestArea& area);

/// Whether the area looks for this entity at all.
bool accepts(const InterestArea& area, EntityId id, const Filter& filter);

/// The entity must live. Nothing is accepted or refused here.
bool inside_enter(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot);
bool inside_leave(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot);
/// By what the area counts: from its position to the shape, or to the centre of the tight box.
double distance_m(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot);

/// Box around the enter solid.
Aabb enter_box(const InterestArea& area);

/// Relevance of an entity; the array of the snapshot may be empty.
inline Relevance relevance_of(const Snapshot& snapshot, std::uint32_t slot) {
  return snapshot.relevance.empty() ? Relevance{} : snapshot.relevance[slot];
}
/// Whether it may be inside of areas whose solid it does not reach.
inline bool is_seen_from_afar(const Relevance& relevance) {
  return relevance.always || relevance.seen_from_enter_m > 0 || relevance.seen_from_leave_m > 0;
}

}  // namespace vicinity
