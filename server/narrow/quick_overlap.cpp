// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/quick_overlap.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vicinity::narrow {
namespace {

/// Rounding makes errors of 1e-14 at the most; edges of boxes count as parallel up to 3.2e-8.
constexpr double uncertain_part = 1e-6;
/// Corners of boxes without rotation are rounded where they stand.
constexpr double position_error = 0x1p-50;

double sum_of_sizes(Vec3 v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

/// Without the branches that std::clamp and std::max(x, 0.0) become, which would be guessed wrong
/// every other time.
double within(double value, double half) { return std::max(-half, std::min(value, half)); }
double positive_part(double value) { return 0.5 * (value + std::abs(value)); }

/// Two shapes, and where the second is from the first.
struct Pair {
  const Primitive& a;
  const Primitive& b;
  const Quat& rotation_a;
  const Quat& rotation_b;
  Vec3 between;            ///< from the centre of a to that of b, world axes
  double uncertain_m = 0;  ///< closer to touching than this nothing is said
};

/// `sizes_m`: of both, at least.
inline Pair make_pair(const Primitive& a, const Pose& pose_a, const Primitive& b,
                      const Pose& pose_b, double sizes_m) {
  const Vec3 way = pose_b.position - pose_a.position;
  double scale_m = sum_of_sizes(way) + sizes_m;
  Vec3 between = way;
  if (!(a.offset.position == Vec3{} && b.offset.position == Vec3{})) {
    between = way + (rotate(pose_b.rotation, b.offset.position) -
                     rotate(pose_a.rotation, a.offset.position));
    scale_m += sum_of_sizes(a.offset.position) + sum_of_sizes(b.offset.position);
  }
  return {a,
          b,
          pose_a.rotation,
          pose_b.rotation,
          between,
          uncertain_part * scale_m + position_error * sum_of_sizes(pose_a.position)};
}
double size_m(const Primitive& capsule) { return capsule.radius_m + capsule.half_height_m; }

inline Quat core_rotation(const Primitive& primitive, const Quat& rotation) {
  const Quat& own = primitive.offset.rotation;
  return is_identity(own) ? rotation : rotation * own;
}
inline Vec3 direction_of(const Primitive& capsule, const Quat& rotation) {
  return matrix_of(core_rotation(capsule, rotation)).y;
}

/// Yes and no are as likely as each other, so that a branch on them would be guessed wrong half of
/// the time: it costs more than the arithmetic. Only the third case, which is rare, is a branch.
std::optional<bool> one_of(bool surely_yes, bool surely_no) {
  if (surely_yes == surely_no) [[unlikely]]
    return std::nullopt;
  return surely_yes;
}

/// Of cores at that distance, with that radius around both together.
std::optional<bool> decide(double distance_squared, double radius_m, double uncertain_m) {
  const double surely_in = std::max(0.0, radius_m - uncertain_m);
  const double surely_out = radius_m + uncertain_m;
  return one_of(distance_squared<surely_in * surely_in, distance_squared> surely_out * surely_out);
}

std::optional<bool> sphere_sphere(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                  const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b, a.radius_m + b.radius_m);
  return decide(length_squared(pair.between), a.radius_m + b.radius_m, pair.uncertain_m);
}

std::optional<bool> sphere_capsule(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                   const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b, a.radius_m + size_m(b));
  const Vec3 along = direction_of(b, pair.rotation_b);
  const double half_m = b.half_height_m;
  const double place = within(-dot(pair.between, along), half_m);
  return decide(length_squared(pair.between + along * place), a.radius_m + b.radius_m,
                pair.uncertain_m);
}

std::optional<bool> sphere_box(const Primitive& a, const Pose& pose_a, const Primitive& b,
                               const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b, a.radius_m + sum_of_sizes(b.half_extent_m));
  const Quat back = conjugate(core_rotation(b, pair.rotation_b));
  const Vec3 centre = rotate(back, pair.between);  // mirrored, which the box does not mind
  const Vec3 beyond = absolute(centre) - b.half_extent_m;
  const Vec3 gap = {positive_part(beyond.x), positive_part(beyond.y), positive_part(beyond.z)};
  return decide(length_squared(gap), a.radius_m, pair.uncertain_m);
}

/// Closest points of two segments (Ericson, "Real-Time Collision Detection", 2005, 5.1.9). Where
/// they are nearly parallel rounding spoils the places, not what is concluded: two points that
/// close show that they overlap, the plane between the two points that they do not.
std::optional<bool> capsule_capsule(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                    const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b, size_m(a) + size_m(b));
  const double half_a = a.half_height_m, half_b = b.half_height_m;
  const Vec3 along_a = direction_of(a, pair.rotation_a);
  const Vec3 along_b = direction_of(b, pair.rotation_b);
  const double cosine = dot(along_a, along_b);
  const double way_a = dot(pair.between, along_a), way_b = dot(pair.between, along_b);
  const double sine_squared = std::max(1 - cosine * cosine, 1e-12);
  const double first = within((way_a - cosine * way_b) / sine_squared, half_a);
  const double on_b = within(cosine * first - way_b, half_b);
  const double on_a = within(cosine * on_b + way_a, half_a);
  const Vec3 gap = pair.between + along_b * on_b - along_a * on_a;
  const double square = length_squared(gap);
  // Length of `gap` times the room between the segments along it.
  const double room = positive_part(dot(gap, pair.between) - std::abs(dot(gap, along_a)) * half_a -
                                    std::abs(dot(gap, along_b)) * half_b);
  const double radius_m = a.radius_m + b.radius_m;
  const double surely_in = std::max(0.0, radius_m - pair.uncertain_m);
  const double surely_out = radius_m + pair.uncertain_m;
  const bool yes = square < surely_in * surely_in;
  const bool no = room * room > surely_out * surely_out * square;
  return one_of(yes, no);
}

/// A place along a segment, and what is left from the box to there.
struct PlaceByBox {
  double place = 0;
  Vec3 out;
  double slope = 0;  ///< how fast half the squared distance grows
};

/// The squared distance from the box along the segment is convex and piecewise quadratic, so that
/// Newton's method ends within few steps, mostly one. A point of the segment shows that they
/// overlap; the plane at a right angle to its way out of the box shows that they do not.
std::optional<bool> capsule_box(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b, size_m(a) + sum_of_sizes(b.half_extent_m));
  constexpr int steps_max = 8;
  const Quat back = conjugate(core_rotation(b, pair.rotation_b));
  const Vec3 centre = rotate(back, negated(pair.between));
  const Vec3 along = rotate(back, direction_of(a, pair.rotation_a));
  const double half_m = a.half_height_m;
  const Vec3 box = b.half_extent_m;
  const auto look_at = [&](double place) {
    const Vec3 at = centre + along * place;
    PlaceByBox found;
    found.place = place;
    found.out = {at.x - within(at.x, box.x), at.y - within(at.y, box.y),
                 at.z - within(at.z, box.z)};
    found.slope = dot(found.out, along);
    return found;
  };
  const double surely_in = std::max(0.0, a.radius_m - pair.uncertain_m);
  const double surely_out = a.radius_m + pair.uncertain_m;
  PlaceByBox now = look_at(within(-dot(centre, along), half_m));
  for (int step = 0; step < steps_max; ++step) {
    const double curve = (now.out.x != 0 ? along.x * along.x : 0) +
                         (now.out.y != 0 ? along.y * along.y : 0) +
                         (now.out.z != 0 ? along.z * along.z : 0);
    now = look_at(within(now.place - now.slope / std::max(curve, 1e-300), half_m));
    const double square = length_squared(now.out);
    // Length of `out` times the room between box and segment along it.
    const double room =
        positive_part(square - now.place * now.slope - std::abs(now.slope) * half_m);
    const bool yes = square < surely_in * surely_in;
    const bool no = room * room > surely_out * surely_out * square;
    if (yes != no) return yes;
  }
  return std::nullopt;
}

/// Gaps between two boxes along the axes that may separate them, in the frame of a.
struct BoxAxes {
  double half_a[3], half_b[3];
  double way[3];
  double turn[3][3];  ///< cosines of the angles between axes of a (first) and b
  double size[3][3];  ///< the same without sign

  double largest_face_gap() const {
    double most = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      const double reach_a =
          half_b[0] * size[i][0] + half_b[1] * size[i][1] + half_b[2] * size[i][2];
      most = std::max(most, std::abs(way[i]) - half_a[i] - reach_a);
      const double along_b = way[0] * turn[0][i] + way[1] * turn[1][i] + way[2] * turn[2][i];
      const double reach_b =
          half_a[0] * size[0][i] + half_a[1] * size[1][i] + half_a[2] * size[2][i];
      most = std::max(most, std::abs(along_b) - half_b[i] - reach_b);
    }
    return most;
  }

  /// Times the sine of the angle between the edges, which makes less of it. Without those of edges
  /// that are parallel up to 3.2e-8: they add less than that part of the sizes to what faces say.
  double largest_edge_gap() const {
    double most = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < 3; ++i) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      for (int k = 0; k < 3; ++k) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        const double along = std::abs(way[i2] * turn[i1][k] - way[i1] * turn[i2][k]);
        const double reach = half_a[i1] * size[i2][k] + half_a[i2] * size[i1][k] +
                             half_b[k1] * size[i][k2] + half_b[k2] * size[i][k1];
        const bool parallel = 1 - turn[i][k] * turn[i][k] < 1e-15;
        most = std::max(most, parallel ? most : along - reach);
      }
    }
    return most;
  }
};

std::optional<bool> box_box(const Primitive& a, const Pose& pose_a, const Primitive& b,
                            const Pose& pose_b) {
  const Pair pair = make_pair(a, pose_a, b, pose_b,
                              sum_of_sizes(a.half_extent_m) + sum_of_sizes(b.half_extent_m));
  const Quat back = conjugate(core_rotation(a, pair.rotation_a));
  const Mat3 b_in_a = matrix_of(back * core_rotation(b, pair.rotation_b));
  const Vec3 way = rotate(back, pair.between);
  const Vec3 half_a = a.half_extent_m, half_b = b.half_extent_m;
  const auto [x, y, z] = b_in_a;
  const Vec3 sx = absolute(x), sy = absolute(y), sz = absolute(z);
  const BoxAxes axes = {{half_a.x, half_a.y, half_a.z},
                        {half_b.x, half_b.y, half_b.z},
                        {way.x, way.y, way.z},
                        {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}},
                        {{sx.x, sy.x, sz.x}, {sx.y, sy.y, sz.y}, {sx.z, sy.z, sz.z}}};
  const double gap = std::max(axes.largest_face_gap(), axes.largest_edge_gap());
  return one_of(gap<-pair.uncertain_m, gap> pair.uncertain_m);
}

using Test = std::optional<bool> (*)(const Primitive&, const Pose&, const Primitive&, const Pose&);
constexpr std::size_t quick_kinds = 3;
/// By the kinds of a and b, a not after b.
constexpr Test tests[quick_kinds][quick_kinds] = {{sphere_sphere, sphere_capsule, sphere_box},
                                                  {nullptr, capsule_capsule, capsule_box},
                                                  {nullptr, nullptr, box_box}};

}  // namespace

std::optional<bool> quick_overlap(const Primitive& a, const Pose& pose_a, const Primitive& b,
                                  const Pose& pose_b) {
  const auto kind_a = static_cast<std::size_t>(a.kind);
  const auto kind_b = static_cast<std::size_t>(b.kind);
  if (std::max(kind_a, kind_b) >= quick_kinds) return std::nullopt;
  if (kind_a > kind_b) return tests[kind_b][kind_a](b, pose_b, a, pose_a);
  return tests[kind_a][kind_b](a, pose_a, b, pose_b);
}

}  // namespace vicinity::narrow
