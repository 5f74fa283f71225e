// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Decides in few operations, for spheres, capsules and boxes, what is not all but touching: nearly
// every pair that a tick asks about. Pure; tick room and queries.

#include <optional>

#include "geometry/primitive.h"

namespace vicinity::narrow {

/// Whether the two overlap; nothing when they are closer to touching than a millionth of sizes and
/// distance, or than the positions are precise, or when one of them is a hull or a mesh. So far
/// from touching, rounding cannot matter: the answer is that of the exact tests and of the boxes
/// around both, in either order.
///
/// Spheres and capsules: closest points of points and segments. Capsule and box: Newton's method on
/// the distance from the box along the segment, until a point is close enough or the plane behind
/// the closest one separates. Boxes: the fifteen axes (Gottschalk, Lin and Manocha, "OBBTree",
/// SIGGRAPH 1996).
std::optional<bool> quick_overlap(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                  const Pose& pose_b);

}  // namespace vicinity::narrow
