// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where an entity is, and how it moves during one tick. Pure values; any room.

#include "geometry/quat.h"

namespace vicinity {

struct Pose {
  Vec3 position;
  Quat rotation;
  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

/// Local point -> world.
constexpr Vec3 apply(const Pose& pose, Vec3 point) {
  return pose.position + rotate(pose.rotation, point);
}
/// World point -> local. Subtracts first, so that it is as exact far from the origin as near it.
constexpr Vec3 apply_inverse(const Pose& pose, Vec3 point) {
  return rotate(conjugate(pose.rotation), point - pose.position);
}
/// `inner` is given in the frame of `outer`.
constexpr Pose compose(const Pose& outer, const Pose& inner) {
  return {apply(outer, inner.position), outer.rotation * inner.rotation};
}
constexpr Pose inverse(const Pose& pose) {
  const Quat back = conjugate(pose.rotation);
  return {rotate(back, negated(pose.position)), back};
}

/// Motion during a tick: the origin goes straight, the rotation at the fraction t of the tick is
/// exp(t * rotation_vector) * start.rotation. Invariant: at 1 that is end.rotation, up to rounding
/// and sign. Build one with the functions below.
struct Path {
  Pose start;
  Pose end;
  Vec3 rotation_vector;  ///< radians, world axes
};

/// Exactly the start at t = 0 and the end at t = 1; t in [0, 1]. The position never leaves the box
/// of both ends, rounding included.
Pose pose_at(const Path& path, double t);

constexpr Path path_at_rest(const Pose& pose) { return {pose, pose, {}}; }
/// Straight line and shortest arc.
Path path_move_to(const Pose& start, const Pose& end);
/// Velocities (metres and radians per second, world axes) held for dt seconds; may turn more than
/// half a turn.
Path path_of_velocity(const Pose& start, Vec3 linear_m_per_s, Vec3 angular_rad_per_s, double dt_s);

}  // namespace vicinity
