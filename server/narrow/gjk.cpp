// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/gjk.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vicinity::narrow {
namespace {

/// Far more than ever seen (hulls of 64 points take 12); ends cycles of rounding.
constexpr int steps_max = 96;

/// A point of the difference a - b, and where it comes from.
struct Difference {
  Vec3 at, on_a, on_b;
};

/// Up to four points of the difference and the weights that give its point closest to the origin.
class Simplex {
 public:
  bool contains(Vec3 at) const {
    for (std::size_t i = 0; i < count_; ++i)
      if (points_[i].at == at) return true;
    return false;
  }
  void add(const Difference& point) { points_[count_++] = point; }

  /// Drops what the closest point does not need. False when the origin is inside of the
  /// tetrahedron: then `clearance_m` is its distance from the closest face.
  bool reduce(Vec3& closest, double& clearance_m) {
    if (count_ == 1) {
      weights_[0] = 1;
      closest = points_[0].at;
    } else if (count_ == 2) {
      *this = on_segment(points_[0], points_[1], closest);
    } else if (count_ == 3) {
      *this = on_triangle(points_[0], points_[1], points_[2], closest);
    } else {
      return on_tetrahedron(closest, clearance_m);
    }
    return true;
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

  static Simplex on_point(const Difference& a, Vec3& closest) {
    Simplex out;
    out.points_[0] = a;
    out.weights_[0] = 1;
    out.count_ = 1;
    closest = a.at;
    return out;
  }

  static Simplex on_segment(const Difference& a, const Difference& b, Vec3& closest) {
    const Vec3 along = b.at - a.at;
    const double to_a = -dot(a.at, along);
    if (to_a <= 0) return on_point(a, closest);
    const double to_b = dot(b.at, along);
    if (to_b <= 0) return on_point(b, closest);
    Simplex out;
    const double t = to_a / (to_a + to_b);
    out.points_ = {a, b};
    out.weights_ = {1 - t, t};
    out.count_ = 2;
    // From the nearer end, whose share of the rounding is smaller.
    closest = t < 0.5 ? a.at + along * t : b.at - along * (1 - t);
    return out;
  }

  static Simplex on_triangle(const Difference& a, const Difference& b, const Difference& c,
                             Vec3& closest) {
    const Vec3 ab = b.at - a.at;
    const Vec3 ac = c.at - a.at;
    const double a_ab = -dot(ab, a.at), a_ac = -dot(ac, a.at);
    if (a_ab <= 0 && a_ac <= 0) return on_point(a, closest);
    const double b_ab = -dot(ab, b.at), b_ac = -dot(ac, b.at);
    if (b_ab >= 0 && b_ac <= b_ab) return on_point(b, closest);
    const double c_ab = -dot(ab, c.at), c_ac = -dot(ac, c.at);
    if (c_ac >= 0 && c_ab <= c_ac) return on_point(c, closest);
    const Vec3 normal = cross(ab, ac);
    // Areas of the parts across from each corner, times the area of the whole.
    const double over_c = dot(normal, cross(a.at, b.at));
    if (over_c <= 0 && a_ab >= 0 && b_ab <= 0) return on_segment(a, b, closest);
    const double over_b = dot(normal, cross(c.at, a.at));
    if (over_b <= 0 && a_ac >= 0 && c_ac <= 0) return on_segment(a, c, closest);
    const double over_a = dot(normal, cross(b.at, c.at));
    if (over_a <= 0 && b_ac - b_ab >= 0 && c_ab - c_ac >= 0) return on_segment(b, c, closest);
    const double sum = over_a + over_b + over_c;
    const double normal_squared = length_squared(normal);
    if (!(over_a > 0 && over_b > 0 && over_c > 0 && normal_squared > 0))
      return on_longest_sides(a, b, c, closest);
    Simplex out;
    out.points_ = {a, b, c};
    out.weights_ = {over_a / sum, over_b / sum, over_c / sum};
    out.count_ = 3;
    closest = normal * (dot(normal, a.at) / normal_squared);
    return out;
  }

  /// A triangle without area, up to rounding: the best of its sides.
  static Simplex on_longest_sides(const Difference& a, const Difference& b, const Difference& c,
                                  Vec3& closest) {
    Simplex best = on_segment(a, b, closest);
    for (const auto& [from, to] : {std::pair{&a, &c}, std::pair{&b, &c}}) {
      Vec3 other;
      const Simplex side = on_segment(*from, *to, other);
      if (length_squared(other) < length_squared(closest)) {
        closest = other;
        best = side;
      }
    }
    return best;
  }

  bool on_tetrahedron(Vec3& closest, double& clearance_m) {
    constexpr std::size_t face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    const Simplex all = *this;
    bool outside = false;
    clearance_m = -1;
    for (const auto& [i, j, k, opposite] : face) {
      const Difference& a = all.points_[i];
      const Vec3 normal = cross(all.points_[j].at - a.at, all.points_[k].at - a.at);
      const double size = length(normal);
      const double origin_side = -dot(normal, a.at);
      const double other_side = dot(normal, all.points_[opposite].at - a.at);
      if (origin_side * other_side > 0) {
        const double room_m = std::abs(origin_side) / size;
        clearance_m = clearance_m < 0 ? room_m : std::min(clearance_m, room_m);
        continue;
      }
      Vec3 here;
      const Simplex part = on_triangle(a, all.points_[j], all.points_[k], here);
      if (!outside || length_squared(here) < length_squared(closest)) {
        closest = here;
        *this = part;
      }
      outside = true;
    }
    return outside;
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
  simplex.reduce(closest, clearance_m);
  double distance_m = length(closest);
  double bound_m = -1;  // the largest distance that a separating plane has shown
  for (int step = 0; step < steps_max && distance_m > unsure_part * size_m; ++step) {
    if (decide_at_m >= 0 && distance_m < decide_at_m) break;
    const Vec3 unit = closest * (1 / distance_m);
    const Difference next = difference_along(negated(unit));
    bound_m = std::max(bound_m, dot(unit, next.at));
    if (decide_at_m >= 0 && bound_m > decide_at_m) break;
    if (distance_m - bound_m <= 1e-15 * (distance_m + size_m) || simplex.contains(next.at)) break;
    Simplex larger = simplex;
    larger.add(next);
    Vec3 closer;
    if (!larger.reduce(closer, clearance_m)) {
      out.verdict = clearance_m > unsure_part * size_m ? Verdict::Inside : Verdict::Unsure;
      out.on_a = simplex.on_a();
      out.on_b = simplex.on_b();
      return out;
    }
    const double closer_m = length(closer);
    if (!(closer_m < distance_m)) break;  // rounding: no progress any more
    simplex = larger;
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
