// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/gjk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace vicinity::narrow {
namespace {

/// Far more than ever seen (hulls of 64 points take 12); ends cycles of rounding.
constexpr int steps_max = 96;

/// A point of the difference a - b, and where it comes from.
struct Difference {
  Vec3 at, on_a, on_b;
};

/// Some corners of a simplex, ascending, and the weights that give a point of it.
struct Part {
  std::uint8_t corners[3] = {0, 0, 0};
  std::uint8_t count = 0;
  double weights[3] = {0, 0, 0};
};

/// Up to four points of the difference and the weights that give its point closest to the origin.
class Simplex {
 public:
  bool contains(Vec3 at) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (points_[i].at == at) return true;
    return false;
  }
  /// Until keep() the weights are those of the points before.
  void add(const Difference& point) { points_[count_++] = point; }
  void drop_last() { --count_; }

  /// What the closest point needs. Nothing when the origin is inside of the tetrahedron: then
  /// `clearance_m` is its distance from the closest face.
  std::optional<Part> closest_part(Vec3& closest, double& clearance_m) const {
    switch (count_) {
      case 1: return on_point(0, closest);
      case 2: return on_segment(0, 1, closest);
      case 3: return on_triangle(0, 1, 2, closest);
      default: return on_tetrahedron(closest, clearance_m);
    }
  }
  /// Drops all others.
  void keep(const Part& part) {
    count_ = part.count;
    for (std::size_t i = 0; i < count_; ++i) {
      if (part.corners[i] != i) points_[i] = points_[part.corners[i]];  // never from before i
      weights_[i] = part.weights[i];
    }
  }

  Vec3 on_a() const { return weighted(&Difference::on_a); }
  Vec3 on_b() const { return weighted(&Difference::on_b); }

 private:
  Vec3 weighted(Vec3 Difference::*part) const {
    Vec3 sum = points_[0].*part;  // relative to one of them: exact when they are all the same
    for (std::size_t i = 1; i < count_; ++i)
      sum = sum + (points_[i].*part - points_[0].*part) * weights_[i];
    return sum;
  }
  const Vec3& at(std::uint8_t corner) const { return points_[corner].at; }

  Part on_point(std::uint8_t i, Vec3& closest) const {
    closest = at(i);
    return {{i, 0, 0}, 1, {1, 0, 0}};
  }

  Part on_segment(std::uint8_t i, std::uint8_t j, Vec3& closest) const {
    const Vec3 a = at(i), b = at(j);
    const Vec3 along = b - a;
    const double to_a = -dot(a, along);
    if (to_a <= 0) return on_point(i, closest);
    const double to_b = dot(b, along);
    if (to_b <= 0) return on_point(j, closest);
    const double t = to_a / (to_a + to_b);
    // From the nearer end, whose share of the rounding is smaller.
    closest = t < 0.5 ? a + along * t : b - along * (1 - t);
    return {{i, j, 0}, 2, {1 - t, t, 0}};
  }

  Part on_triangle(std::uint8_t i, std::uint8_t j, std::uint8_t k, Vec3& closest) const {
    const Vec3 a = at(i), b = at(j), c = at(k);
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const double a_ab = -dot(ab, a), a_ac = -dot(ac, a);
    if (a_ab <= 0 && a_ac <= 0) return on_point(i, closest);
    const double b_ab = -dot(ab, b), b_ac = -dot(ac, b);
    if (b_ab >= 0 && b_ac <= b_ab) return on_point(j, closest);
    const double c_ab = -dot(ab, c), c_ac = -dot(ac, c);
    if (c_ac >= 0 && c_ab <= c_ac) return on_point(k, closest);
    const Vec3 normal = cross(ab, ac);
    // Areas of the parts across from each corner, times the area of the whole.
    const double over_c = dot(normal, cross(a, b));
    if (over_c <= 0 && a_ab >= 0 && b_ab <= 0) return on_segment(i, j, closest);
    const double over_b = dot(normal, cross(c, a));
    if (over_b <= 0 && a_ac >= 0 && c_ac <= 0) return on_segment(i, k, closest);
    const double over_a = dot(normal, cross(b, c));
    if (over_a <= 0 && b_ac - b_ab >= 0 && c_ab - c_ac >= 0) return on_segment(j, k, closest);
    const double sum = over_a + over_b + over_c;
    const double normal_squared = length_squared(normal);
    if (!(over_a > 0 && over_b > 0 && over_c > 0 && normal_squared > 0))
      return on_longest_sides(i, j, k, closest);
    closest = normal * (dot(normal, a) / normal_squared);
    return {{i, j, k}, 3, {over_a / sum, over_b / sum, over_c / sum}};
  }

  /// A triangle without area, up to rounding: the best of its sides.
  Part on_longest_sides(std::uint8_t i, std::uint8_t j, std::uint8_t k, Vec3& closest) const {
    Part best = on_segment(i, j, closest);
    for (const auto& [from, to] : {std::pair{i, k}, std::pair{j, k}}) {
      Vec3 other;
      const Part side = on_segment(from, to, other);
      if (length_squared(other) < length_squared(closest)) {
        closest = other;
        best = side;
      }
    }
    return best;
  }

  std::optional<Part> on_tetrahedron(Vec3& closest, double& clearance_m) const {
    constexpr std::uint8_t faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    std::optional<Part> best;
    clearance_m = -1;
    for (const auto& [i, j, k, opposite] : faces) {
      const Vec3 a = at(i);
      const Vec3 normal = cross(at(j) - a, at(k) - a);
      const double origin_side = -dot(normal, a);
      const double other_side = dot(normal, at(opposite) - a);
      if (origin_side * other_side > 0) {
        const double room_m = std::abs(origin_side) / length(normal);
        clearance_m = clearance_m < 0 ? room_m : std::min(clearance_m, room_m);
        continue;
      }
      Vec3 here;
      const Part part = on_triangle(i, j, k, here);
      if (!best || length_squared(here) < length_squared(closest)) {
        closest = here;
        best = part;
      }
    }
    return best;
  }

  std::array<Difference, 4> points_;
  std::array<double, 4> weights_{};
  std::size_t count_ = 0;
};

}  // namespace

ClosestCores closest_by_gjk(const PlacedCore& a, const PlacedCore& b, double decide_at_m) {
  ClosestCores out;
  const double size_m = a.size_m + b.size_m;
  const auto difference_along = [&a, &b](Vec3 direction) {
    const Vec3 on_a = support(a, direction);
    const Vec3 on_b = support(b, negated(direction));
    return Difference{on_a - on_b, on_a, on_b};
  };
  Vec3 toward = middle(a) - middle(b);
  Simplex simplex;
  simplex.add(difference_along(unit_or(negated(toward), {1, 0, 0})));
  Vec3 closest;
  double clearance_m = 0;
  simplex.keep(*simplex.closest_part(closest, clearance_m));
  double distance_m = length(closest);
  double bound_m = -1;  // the largest distance that a separating plane has shown
  for (int step = 0; step < steps_max && distance_m > unsure_part * size_m; ++step) {
    if (decide_at_m >= 0 && distance_m < decide_at_m) break;
    const Vec3 unit = closest * (1 / distance_m);
    const Difference next = difference_along(negated(unit));
    bound_m = std::max(bound_m, dot(unit, next.at));
    if (decide_at_m >= 0 && bound_m > decide_at_m) break;
    if (distance_m - bound_m <= 1e-15 * (distance_m + size_m) || simplex.contains(next.at)) break;
    simplex.add(next);
    Vec3 closer;
    const std::optional<Part> part = simplex.closest_part(closer, clearance_m);
    if (!part) {
      simplex.drop_last();
      out.verdict = clearance_m > unsure_part * size_m ? Verdict::Inside : Verdict::Unsure;
      out.on_a = simplex.on_a();
      out.on_b = simplex.on_b();
      return out;
    }
    const double closer_m = length(closer);
    if (!(closer_m < distance_m)) {  // rounding: no progress any more
      simplex.drop_last();
      break;
    }
    simplex.keep(*part);
    closest = closer;
    distance_m = closer_m;
  }
  const bool apart = bound_m > unsure_part * size_m || (size_m == 0 && distance_m > 0);
  out.verdict = apart ? Verdict::Separated : Verdict::Unsure;
  out.distance_m = distance_m;
  out.on_a = simplex.on_a();
  out.on_b = simplex.on_b();
  out.normal = unit_or(negated(closest), {0, 1, 0});
  return out;
}

}  // namespace vicinity::narrow
