// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest_area.h"

#include <cmath>

namespace vicinity {
namespace {

Vec3 tight_centre(const Snapshot& snapshot, std::uint32_t slot) {
  return centre(snapshot.tight_box[slot]);
}

/// The part of a rotation that is about the upright axis.
Quat heading_of(const Quat& rotation) {
  if (rotation.y == 0 && rotation.w == 0) return {};
  return normalized({0, rotation.y, 0, rotation.w});
}

Quat turned_by(const Quat& anchor, const AreaSpec& spec) {
  switch (spec.kind) {
    case AreaKind::Sphere:
    case AreaKind::Box:
    case AreaKind::Cylinder: return {};
    case AreaKind::Prism: return normalized(heading_of(anchor) * heading_of(spec.rotation));
    default: return is_identity(anchor) ? spec.rotation : normalized(anchor * spec.rotation);
  }
}

bool inside(const InterestArea& area, const AreaSolid& solid, double seen_from_m,
            const Snapshot& snapshot, std::uint32_t slot) {
  const Pose pose{area.position, area.rotation};
  const bool is_in = area.spec.reach == Reach::Centre
                         ? contains(solid, pose, tight_centre(snapshot, slot))
                         : reaches(solid, pose, snapshot, slot);
  return is_in || (seen_from_m > 0 && distance_m(area, snapshot, slot) <= seen_from_m);
}

}  // namespace

InterestArea make_area(AreaId id, const AreaSpec& spec, EntityId anchor) {
  InterestArea area;
  area.id = id;
  area.spec = spec;
  area.anchor = anchor;
  area.enter = enter_solid(spec);
  area.leave = leave_solid(spec);
  return area;
}

void place(const Snapshot& snapshot, InterestArea& area) {
  if (!area.anchor) {
    area.position = area.spec.centre;
    area.rotation = turned_by({}, area.spec);
    area.placed = true;
  } else if (snapshot.contains(area.anchor)) {
    const std::uint32_t slot = area.anchor.index();
    const bool turns = area.spec.follow == AreaFollow::PositionAndHeading && !snapshot.turn.empty();
    const Quat anchor = turns ? snapshot.turn[slot].rotation : Quat{};
    area.position = tight_centre(snapshot, slot) + rotate(anchor, area.spec.centre);
    area.rotation = turned_by(anchor, area.spec);
    area.placed = true;
  }
}

bool accepts(const InterestArea& area, EntityId id, const Filter& filter) {
  if (!area.placed || !finds(area.spec.filter, filter)) return false;
  return area.spec.include_anchor || !area.anchor || area.anchor != id;
}

bool inside_enter(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot) {
  const Relevance relevance = relevance_of(snapshot, slot);
  return relevance.always || inside(area, area.enter, relevance.seen_from_enter_m, snapshot, slot);
}

bool inside_leave(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot) {
  const Relevance relevance = relevance_of(snapshot, slot);
  return relevance.always || inside(area, area.leave, relevance.seen_from_leave_m, snapshot, slot);
}

double distance_m(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot) {
  if (area.spec.reach == Reach::Centre) return length(tight_centre(snapshot, slot) - area.position);
  return distance_to_shape(snapshot, slot, area.position);
}

Aabb enter_box(const InterestArea& area) {
  return box_around(area.enter, {area.position, area.rotation});
}

}  // namespace vicinity
