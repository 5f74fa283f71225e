// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Rotations as unit quaternions, right-handed. Pure values; any room. The same bits on every
// machine (see geometry/angle.h). Functions that rotate expect length 1 up to rounding; what comes
// from outside goes through normalized() once.

#include <algorithm>
#include <cmath>

#include "geometry/angle.h"
#include "geometry/vec_math.h"

namespace vicinity {

struct Quat {
  double x = 0;
  double y = 0;
  double z = 0;
  double w = 1;

  constexpr Vec3 vector() const { return {x, y, z}; }
  friend constexpr bool operator==(const Quat&, const Quat&) = default;
};

/// No rotation at all, exactly. Both signs of w.
constexpr bool is_identity(const Quat& q) { return q.x == 0 && q.y == 0 && q.z == 0; }
inline bool is_finite(const Quat& q) { return is_finite(q.vector()) && std::isfinite(q.w); }

/// Length 1; the identity when all four are zero. Sizes from 1e-300 to 1e300 do no harm.
inline Quat normalized(const Quat& q) {
  const double largest = std::max(largest_component(q.vector()), std::abs(q.w));
  if (largest == 0) return {};
  const Quat near_one = {q.x / largest, q.y / largest, q.z / largest, q.w / largest};
  const double size = std::sqrt(length_squared(near_one.vector()) + near_one.w * near_one.w);
  return {near_one.x / size, near_one.y / size, near_one.z / size, near_one.w / size};
}

/// First b, then a.
constexpr Quat operator*(const Quat& a, const Quat& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}
/// The inverse of a unit quaternion.
constexpr Quat conjugate(const Quat& q) { return {-q.x, -q.y, -q.z, q.w}; }

/// Exactly v for the identity.
constexpr Vec3 rotate(const Quat& q, Vec3 v) {
  const Vec3 twice = cross(q.vector(), v) * 2;
  return v + twice * q.w + cross(q.vector(), twice);
}

/// Rotation as a matrix; exactly the unit matrix for the identity.
constexpr Mat3 matrix_of(const Quat& q) {
  const double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
  const double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
  const double xw = 2 * q.x * q.w, yw = 2 * q.y * q.w, zw = 2 * q.z * q.w;
  return {{1 - yy - zz, xy + zw, xz - yw},
          {xy - zw, 1 - xx - zz, yz + xw},
          {xz + yw, yz - xw, 1 - xx - yy}};
}

/// Rotation by |v| radians about v. Any finite v, many turns too.
inline Quat from_rotation_vector(Vec3 v) {
  const double angle_rad = length(v);
  if (angle_rad == 0) return {};
  const SineCosine half = sine_cosine(0.5 * angle_rad);
  const double factor = half.sine / angle_rad;
  return {v.x * factor, v.y * factor, v.z * factor, half.cosine};
}

/// Rotation vector of the shortest arc: its length is at most pi. At exactly half a turn one of the
/// two ways is taken.
inline Vec3 to_rotation_vector(const Quat& q) {
  const double sine = length(q.vector());
  if (sine == 0) return {};
  const double angle_rad = 2 * arc_tangent(sine, std::abs(q.w));
  return q.vector() * ((q.w < 0 ? -angle_rad : angle_rad) / sine);
}

}  // namespace vicinity
