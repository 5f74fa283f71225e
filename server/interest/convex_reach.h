// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether two convex solids touch, from their support points: the algorithm of Gilbert, Johnson and
// Keerthi (1988). Closed: what is closer than `touch_part` of the sizes touches. Pure, nothing is
// allocated, never fails.

#include <array>
#include <cstddef>

#include "geometry/vec_math.h"

namespace vicinity {

/// Up to four points, and the point of what they span that is closest to the origin.
class ReachSimplex {
 public:
  void add(Vec3 point) { points_[count_++] = point; }
  /// Keeps the points that the closest one needs, and gives it; zero when the origin is inside.
  Vec3 reduce();

 private:
  struct Candidate {
    Vec3 closest;
    std::array<std::size_t, 3> corners{};
    std::size_t count = 0;
  };
  Candidate on_segment(std::size_t i, std::size_t j) const;
  Candidate on_triangle(std::size_t i, std::size_t j, std::size_t k) const;
  bool encloses_origin() const;
  Vec3 keep(const Candidate& candidate);

  std::array<Vec3, 4> points_;
  std::size_t count_ = 0;
};

/// `difference(direction)`: the point of a - b that is farthest along the direction. `size_m`: of
/// both together. `gap_m`: they touch when they are no farther apart than this.
template <class Difference>
bool convex_touch(const Difference& difference, double size_m, double gap_m) {
  constexpr double touch_part = 1e-9;
  constexpr int steps_max = 64;  // far more than ever needed; rounding may go round in circles
  const double near_m = gap_m + touch_part * size_m;
  ReachSimplex simplex;
  simplex.add(difference({1, 0, 0}));
  Vec3 closest = simplex.reduce();
  for (int step = 0; step < steps_max; ++step) {
    const double distance_m = length(closest);
    if (!(distance_m > near_m)) return true;
    const Vec3 away = closest * (1 / distance_m);
    const Vec3 next = difference(negated(away));
    const double bound_m = dot(away, next);  // a plane at this distance separates the two
    if (bound_m > near_m) return false;
    simplex.add(next);
    closest = simplex.reduce();
    // No progress: the distance is known as well as it can be.
    if (!(length(closest) < distance_m)) return !(distance_m > 2 * near_m);
  }
  return true;
}

}  // namespace vicinity
