// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest_area.h"

namespace vicinity {
namespace {

Aabb cube(Vec3 centre, Vec3 half_extent) { return {centre - half_extent, centre + half_extent}; }

bool inside(const InterestArea& area, double radius_m, Vec3 half_extent_m, const Aabb& tight_box) {
  const Vec3 middle = centre(tight_box);
  const Aabb reached = area.spec.reach == Reach::Centre ? Aabb{middle, middle} : tight_box;
  if (area.spec.kind == AreaKind::Box) return touches(cube(area.position, half_extent_m), reached);
  return distance_squared(area.position, reached) <= radius_m * radius_m;
}

}  // namespace

void place(const Snapshot& snapshot, InterestArea& area) {
  if (!area.anchor) {
    area.position = area.spec.centre;
    area.placed = true;
  } else if (snapshot.contains(area.anchor)) {
    area.position = centre(snapshot.tight_box[area.anchor.index()]) + area.spec.centre;
    area.placed = true;
  }
}

bool accepts(const InterestArea& area, EntityId id, const Filter& filter) {
  if (!area.placed || !finds(area.spec.filter, filter)) return false;
  return area.spec.include_anchor || !area.anchor || area.anchor != id;
}

bool inside_enter(const InterestArea& area, const Aabb& tight_box) {
  return inside(area, area.spec.enter_radius_m, area.spec.enter_half_extent_m, tight_box);
}

bool inside_leave(const InterestArea& area, const Aabb& tight_box) {
  return inside(area, area.spec.leave_radius_m, area.spec.leave_half_extent_m, tight_box);
}

Aabb enter_box(const InterestArea& area) {
  const double r = area.spec.enter_radius_m;
  return cube(area.position,
              area.spec.kind == AreaKind::Box ? area.spec.enter_half_extent_m : Vec3{r, r, r});
}

}  // namespace vicinity
