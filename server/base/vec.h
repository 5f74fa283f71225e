// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Three-component f64 vector in metres (or metres per second). Right-handed, y up. Pure value; any
// room. All arithmetic is plain IEEE f64 in the written order: results must not depend on flags.

#include <cmath>

namespace vicinity {

struct Vec3 {
  double x = 0;
  double y = 0;
  double z = 0;

  constexpr double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  constexpr double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }

  friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vec3 operator*(Vec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
  /// Numeric equality: -0 equals +0.
  friend constexpr bool operator==(Vec3, Vec3) = default;
};

constexpr double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr double length_squared(Vec3 v) { return dot(v, v); }
inline double length(Vec3 v) { return std::sqrt(length_squared(v)); }
inline bool is_finite(Vec3 v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

}  // namespace vicinity
