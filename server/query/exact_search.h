// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Exact questions about one entity of a snapshot: all its parts, at the end of the tick. Pure; any
// room. Filters are not looked at. Nothing is allocated, and a part is looked at only after its box
// was.
//
//      boxes that are not turned     their corners are compared, exactly, wherever that decides:
//                                    with a box, a ray, a box cast, a point, a sphere
//      all others                    the tests of server/narrow, with their precision
//
// Of several parts the one with the smallest value counts, the first of those with equal values.

#include <optional>

#include "query/surface.h"
#include "world/snapshot.h"

namespace vicinity {

bool overlaps_box(const Snapshot& snapshot, std::uint32_t slot, const Aabb& box);
/// Whether any part is strictly closer than radius_m.
bool overlaps_sphere(const Snapshot& snapshot, std::uint32_t slot, Vec3 centre, double radius_m);
bool overlaps_shape(const Snapshot& snapshot, std::uint32_t slot, const Primitive& shape,
                    const Pose& pose);

/// Values are never below touch_window() of the tight box, so that it may be used to stop early.
std::optional<Surface> cast_ray_at(const Snapshot& snapshot, std::uint32_t slot, Vec3 origin,
                                   Vec3 delta, double max_t);
/// `shape` does not turn. A sphere without a radius is a ray. The moment is that of
/// narrow/time_of_impact.h with a tolerance of 1e-6 of the smaller of the two (1e-4 m at most,
/// 1e-12 of the larger one at least), which does not get worse with the length or place of the
/// path.
std::optional<Surface> cast_shape_at(const Snapshot& snapshot, std::uint32_t slot,
                                     const Primitive& shape, const Pose& start, Vec3 delta,
                                     double max_t);
std::optional<Surface> cast_box_at(const Snapshot& snapshot, std::uint32_t slot, const Aabb& box,
                                   Vec3 delta, double max_t);

/// Closest point, with the normal towards the point asked about. Inside of a solid, and on any
/// surface: value 0, the very point, no normal. The value is never below the distance to the tight
/// box.
Surface closest_to(const Snapshot& snapshot, std::uint32_t slot, Vec3 point);

}  // namespace vicinity
