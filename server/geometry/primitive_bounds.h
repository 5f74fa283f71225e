// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Boxes around shapes: at one pose, and during a whole tick. They decide what is looked at, so they
// must contain; the exact tests ask them first, so that nothing touches outside of them. Pure; any
// room.

#include "base/aabb.h"
#include "geometry/primitive.h"

namespace vicinity {

/// Box around the shape of an entity at `pose`. Contains it, tight for sphere, capsule, box and
/// hull; a turned mesh gets the box around its turned local box.
/// Without rotation (of entity and offset): position + local corners. For a box that is rounded to
/// the nearest, and those rounded corners are what the box is from then on, so that boxes set side
/// by side touch; for all others the sum is rounded outward, which is the same where it is exact.
/// With rotation: outward by a few units in the last place.
Aabb box_around(const Primitive& primitive, const Pose& pose);

/// Contains the shape at every instant of the path, any number of turns. Without rotation exactly
/// the box around both ends. Otherwise the sum of the box of the origin's straight path and the box
/// of the arcs on which the corners of the shape swing: for small rotations hardly more than both
/// ends, for a full turn the box of the whole circles.
Aabb box_around_path(const Primitive& primitive, const Path& path);

/// Largest distance of any point of the shape from the entity's origin, rounded up.
double reach_m(const Primitive& primitive);

}  // namespace vicinity
