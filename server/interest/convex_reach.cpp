// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/convex_reach.h"

#include "base/check.h"

namespace vicinity {

ReachSimplex::Candidate ReachSimplex::on_segment(std::size_t i, std::size_t j) const {
  const Vec3 a = points_[i];
  const Vec3 b = points_[j];
  const Vec3 along = b - a;
  const double from_a = -dot(a, along);
  if (!(from_a > 0)) return {a, {i}, 1};
  const double from_b = dot(b, along);
  if (!(from_b > 0)) return {b, {j}, 1};
  return {a + along * (from_a / (from_a + from_b)), {i, j}, 2};
}

ReachSimplex::Candidate ReachSimplex::on_triangle(std::size_t i, std::size_t j,
                                                  std::size_t k) const {
  const Vec3 a = points_[i];
  const Vec3 b = points_[j];
  const Vec3 c = points_[k];
  const Vec3 normal = cross(b - a, c - a);
  const double size = length_squared(normal);
  const bool faces = size > 0 && dot(normal, cross(a, b)) > 0 && dot(normal, cross(b, c)) > 0 &&
                     dot(normal, cross(c, a)) > 0;
  if (faces) return {normal * (dot(normal, a) / size), {i, j, k}, 3};
  Candidate best = on_segment(i, j);
  for (const Candidate& side : {on_segment(j, k), on_segment(i, k)})
    if (length_squared(side.closest) < length_squared(best.closest)) best = side;
  return best;
}

bool ReachSimplex::encloses_origin() const {
  constexpr std::size_t faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
  for (const auto& face : faces) {
    const Vec3 a = points_[face[0]];
    const Vec3 normal = cross(points_[face[1]] - a, points_[face[2]] - a);
    const double origin_side = -dot(normal, a);
    const double inner_side = dot(normal, points_[face[3]] - a);
    if (!(origin_side * inner_side > 0)) return false;
  }
  return true;
}

Vec3 ReachSimplex::keep(const Candidate& candidate) {
  std::array<Vec3, 3> kept;
  for (std::size_t n = 0; n < candidate.count; ++n) kept[n] = points_[candidate.corners[n]];
  for (std::size_t n = 0; n < candidate.count; ++n) points_[n] = kept[n];
  count_ = candidate.count;
  return candidate.closest;
}

Vec3 ReachSimplex::reduce() {
  CHECK(count_ >= 1 && count_ <= 4);
  if (count_ == 1) return points_[0];
  if (count_ == 2) return keep(on_segment(0, 1));
  if (count_ == 3) return keep(on_triangle(0, 1, 2));
  if (encloses_origin()) return {};
  Candidate best = on_triangle(0, 1, 2);
  for (const Candidate& face : {on_triangle(0, 1, 3), on_triangle(0, 2, 3), on_triangle(1, 2, 3)})
    if (length_squared(face.closest) < length_squared(best.closest)) best = face;
  return keep(best);
}

}  // namespace vicinity
