// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether two shapes of bots overlap, for the check of the server's contacts: formulas of its own,
// slow and simple, and an honest "unsure" where two are within a millimetre or so of touching.
// Pure; any thread.

#include <vector>

#include "base/aabb.h"
#include "client/frame.h"
#include "geometry/shape.h"

namespace vicinity::sim {

/// All points within `radius_m` of the convex hull of `corners`; world, metres.
struct Solid {
  std::vector<Vec3> corners;
  double radius_m = 0;
  /// A ball of this radius around the mean of the corners lies inside of their hull, metres.
  double inner_radius_m = 0;
};

/// The solid of an entity. `shape` is what it was made with, one part and no mesh; null: a sphere,
/// capsule or box that its box tells.
Solid solid_of(const client::EntityView& entity, const Shape* shape);

/// All of the box.
Solid box_solid(const Aabb& box);
/// Box along the world's axes around the solid.
Aabb box_around(const Solid& solid);

enum class Meeting : std::uint8_t { Apart, Together, Unsure };
/// Apart and Together are proved: by a plane between the two, or by a point of both; also when the
/// two together are off by up to `tolerance_m`.
Meeting meeting_of(const Solid& a, const Solid& b, double tolerance_m = 0);

}  // namespace vicinity::sim
