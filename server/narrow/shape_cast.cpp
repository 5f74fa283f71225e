// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/shape_cast.h"

#include "narrow/shape_tests.h"

namespace vicinity {

std::optional<RayHit> shape_cast(const Primitive& moving, const Pose& start, Vec3 delta,
                                 const Primitive& target, const Pose& pose, double fraction_max,
                                 const ImpactPrecision& precision) {
  const Pose end = {start.position + delta * fraction_max, start.rotation};
  const TimeOfImpact impact =
      time_of_impact(moving, {start, end, {}}, target, path_at_rest(pose), precision);
  if (!impact.hit) return std::nullopt;
  const ShapeDistance touch = distance(moving, impact.pose_a, target, pose);
  return RayHit{impact.toi * fraction_max, touch.on_b, negated(touch.normal)};
}

}  // namespace vicinity
