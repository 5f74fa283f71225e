// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What geometry needs beyond base/vec.h: cross products, unit vectors, 3x3 rotation matrices. Pure
// values; any room. Plain IEEE f64 in the written order, so that results are the same everywhere.

#include <algorithm>
#include <cmath>

#include "base/vec.h"

namespace vicinity {

constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr Vec3 negated(Vec3 v) { return {-v.x, -v.y, -v.z}; }
constexpr Vec3 scaled(Vec3 v, Vec3 by) { return {v.x * by.x, v.y * by.y, v.z * by.z}; }
inline Vec3 absolute(Vec3 v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }
inline double largest_component(Vec3 v) {
  return std::max(std::max(std::abs(v.x), std::abs(v.y)), std::abs(v.z));
}

/// `v` with length 1, or `otherwise` when v is zero. No underflow or overflow on the way: v is
/// scaled by its largest component first.
inline Vec3 unit_or(Vec3 v, Vec3 otherwise) {
  const double largest = largest_component(v);
  if (largest == 0) return otherwise;
  const Vec3 near_one = {v.x / largest, v.y / largest, v.z / largest};
  const double size = length(near_one);
  return {near_one.x / size, near_one.y / size, near_one.z / size};
}

/// Cross product of two unit vectors whose direction stays good when they are nearly parallel:
/// their difference is exact then (Sterbenz), and what is left to cancel is small.
inline Vec3 cross_of_units(Vec3 a, Vec3 b) {
  const double along = dot(a, b);
  if (along > 0.5) return cross(a, b - a);
  if (along < -0.5) return cross(a, b + a);
  return cross(a, b);
}

/// Some unit vector at a right angle to the unit vector `v`.
inline Vec3 any_perpendicular(Vec3 v) {
  const Vec3 size = absolute(v);
  const Vec3 other = size.x <= size.y && size.x <= size.z ? Vec3{1, 0, 0}
                     : size.y <= size.z                   ? Vec3{0, 1, 0}
                                                          : Vec3{0, 0, 1};
  return unit_or(cross(v, other), {1, 0, 0});
}

/// Rotation matrix by its columns: where the three axes go.
struct Mat3 {
  Vec3 x = {1, 0, 0};
  Vec3 y = {0, 1, 0};
  Vec3 z = {0, 0, 1};
  constexpr const Vec3& axis(int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
constexpr Vec3 operator*(const Mat3& m, Vec3 v) { return m.x * v.x + m.y * v.y + m.z * v.z; }
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) { return {a * b.x, a * b.y, a * b.z}; }
/// Multiplies with the transposed matrix: the inverse of a rotation.
constexpr Vec3 transposed_times(const Mat3& m, Vec3 v) {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
constexpr Mat3 transposed_times(const Mat3& a, const Mat3& b) {
  return {transposed_times(a, b.x), transposed_times(a, b.y), transposed_times(a, b.z)};
}

}  // namespace vicinity
