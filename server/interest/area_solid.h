// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The solid of an interest area around its position, and what of the world reaches into it. All
// sizes are inclusive: the edge is inside. Tick room; values and pure functions.
//
//   sphere, box, cylinder   against plain boxes, spheres and upright capsules in closed form, exact
//                           up to the rounding of f64; so are spheres against everything
//   all others              distance of two convex solids by their support points (Gilbert, Johnson
//                           and Keerthi 1988): what is closer than 1e-9 of the sizes touches
//
// Leaving from the cylinder on: all surfaces moved outwards by the margin. Edges stay sharp, as if
// the planes were moved. A cone leaves by the cone that is moved back until its side is that far
// away, cut off by the larger ball around the old apex.

#include <vector>

#include "base/aabb.h"
#include "geometry/pose.h"
#include "narrow/placed_core.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity {

/// In the area's own frame; which sizes count depends on the kind, as in AreaSpec.
struct AreaSolid {
  struct Side {  ///< of a prism: points with x * normal_x + z * normal_z <= offset_m are inside
    double normal_x = 0;
    double normal_z = 0;
    double offset_m = 0;
  };
  AreaKind kind = AreaKind::Sphere;
  double radius_m = 0;
  double half_height_m = 0;
  Vec3 half_extent_m;  ///< box, oriented box
  double margin_m = 0;
  double near_m = 0;   ///< frustum; the margin is in it
  double range_m = 0;  ///< cone, frustum; the margin is in it
  double sine = 0;     ///< of the half angle to the sides
  double cosine = 1;
  double sine_up = 0;
  double cosine_up = 1;
  std::vector<Side> sides;    ///< prism
  std::vector<Vec3> corners;  ///< frustum, prism
};

AreaSolid enter_solid(const AreaSpec& spec);
AreaSolid leave_solid(const AreaSpec& spec);

/// Whether the solid, placed like this, contains the point.
bool contains(const AreaSolid& solid, const Pose& pose, Vec3 point);
/// Whether any point of the entity's shape is inside.
bool reaches(const AreaSolid& solid, const Pose& pose, const Snapshot& snapshot,
             std::uint32_t slot);
/// Around the placed solid; contains it, rounding included.
Aabb box_around(const AreaSolid& solid, const Pose& pose);

/// From a point to the entity's shape; 0 inside of it.
double distance_to_shape(const Snapshot& snapshot, std::uint32_t slot, Vec3 point);

}  // namespace vicinity
