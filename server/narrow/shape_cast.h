// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A shape moved along a straight line, without turning, against another one at rest. Pure; tick
// room and queries.

#include <optional>

#include "narrow/ray_cast.h"
#include "narrow/time_of_impact.h"

namespace vicinity {

/// First place at which the moving shape, start.position + t delta, 0 <= t <= fraction_max,
/// overlaps the target, with the tolerance of time_of_impact(). It overlaps at the start: fraction
/// 0. `point` is on the target, `normal` that of the touch, from the target to the moving shape.
/// Where the steps were used up (capped), a hit is given: rather one too many than one too few.
std::optional<RayHit> shape_cast(const Primitive& moving, const Pose& start, Vec3 delta,
                                 const Primitive& target, const Pose& pose, double fraction_max = 1,
                                 const ImpactPrecision& precision = {});

}  // namespace vicinity
