// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/pose.h"

#include <algorithm>

namespace vicinity {
namespace {

double between(double start, double end, double t) {
  return std::clamp(start + (end - start) * t, std::min(start, end), std::max(start, end));
}

Quat turned(const Quat& start, Vec3 rotation_vector) {
  if (rotation_vector == Vec3{}) return start;
  return normalized(from_rotation_vector(rotation_vector) * start);
}

}  // namespace

Pose pose_at(const Path& path, double t) {
  if (t <= 0) return path.start;
  if (t >= 1) return path.end;
  const Vec3 from = path.start.position;
  const Vec3 to = path.end.position;
  return {{between(from.x, to.x, t), between(from.y, to.y, t), between(from.z, to.z, t)},
          turned(path.start.rotation, path.rotation_vector * t)};
}

Path path_move_to(const Pose& start, const Pose& end) {
  if (start.rotation == end.rotation) return {start, end, {}};
  return {start, end, to_rotation_vector(end.rotation * conjugate(start.rotation))};
}

Path path_of_velocity(const Pose& start, Vec3 linear_m_per_s, Vec3 angular_rad_per_s, double dt_s) {
  const Vec3 rotation_vector = angular_rad_per_s * dt_s;
  return {start,
          {start.position + linear_m_per_s * dt_s, turned(start.rotation, rotation_vector)},
          rotation_vector};
}

}  // namespace vicinity
