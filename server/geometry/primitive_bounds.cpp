// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/primitive_bounds.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace vicinity {
namespace {

/// More than the relative error of everything below that rotates a point: a few dozen roundings and
/// the errors of sine and cosine.
constexpr double rotation_error = 0x1p-46;

/// Sums whose error is known (Knuth's two-sum) and moved to the safe side when there is one.
double sum_error(double a, double b, double sum) {
  const double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}
double ulp_or_two(double value) { return std::max(std::abs(value) * 0x1p-52, 0x1p-1074); }
double sum_up(double a, double b) {
  const double sum = a + b;
  return sum_error(a, b, sum) > 0 ? sum + ulp_or_two(sum) : sum;
}
double sum_down(double a, double b) {
  const double sum = a + b;
  return sum_error(a, b, sum) < 0 ? sum - ulp_or_two(sum) : sum;
}
Aabb sum_outward(const Aabb& a, const Aabb& b) {
  Aabb out;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = sum_down(a.min[axis], b.min[axis]);
    out.max[axis] = sum_up(a.max[axis], b.max[axis]);
  }
  return out;
}
Aabb at(Vec3 point) { return {point, point}; }
Aabb around(Vec3 half) { return {negated(half), half}; }
Aabb grown(const Aabb& box, double by_m) { return sum_outward(box, around({by_m, by_m, by_m})); }

bool is_turned(const Primitive& primitive, const Quat& rotation) {
  if (!is_identity(rotation)) return true;
  return primitive.kind != PrimitiveKind::Sphere && !is_identity(primitive.offset.rotation);
}

/// Box in the shape's own frame, without its offset.
Aabb own_box(const Primitive& primitive) {
  const double r = primitive.radius_m;
  switch (primitive.kind) {
    case PrimitiveKind::Sphere: return around({r, r, r});
    case PrimitiveKind::Capsule: return around({r, sum_up(r, primitive.half_height_m), r});
    case PrimitiveKind::Box: return around(primitive.half_extent_m);
    case PrimitiveKind::Hull: return primitive.hull->box();
    case PrimitiveKind::Mesh: return primitive.mesh->box();
  }
  CHECK(false);
}

Aabb box_unturned(const Primitive& primitive, Vec3 position) {
  const Aabb own = own_box(primitive);
  const Vec3 offset = primitive.offset.position;
  if (primitive.kind == PrimitiveKind::Box)
    return {position + (offset + own.min), position + (offset + own.max)};
  return sum_outward(at(position), sum_outward(at(offset), own));
}

/// The points whose convex hull, grown by radius_m, is the shape (a mesh: its box), relative to the
/// entity's origin.
struct KeyPoints {
  std::array<Vec3, ConvexHull::points_max> at;
  std::size_t count = 0;
  double radius_m = 0;
  void add(Vec3 point) { at[count++] = point; }
};

KeyPoints key_points(const Primitive& primitive) {
  KeyPoints points;
  const Pose& offset = primitive.offset;
  const auto add_corners = [&points, &offset](const Aabb& box) {
    for (int i = 0; i < 8; ++i)
      points.add(
          apply(offset, {(i & 1) != 0 ? box.max.x : box.min.x, (i & 2) != 0 ? box.max.y : box.min.y,
                         (i & 4) != 0 ? box.max.z : box.min.z}));
  };
  switch (primitive.kind) {
    case PrimitiveKind::Sphere:
      points.radius_m = primitive.radius_m;
      points.add(offset.position);
      break;
    case PrimitiveKind::Capsule:
      points.radius_m = primitive.radius_m;
      points.add(apply(offset, {0, primitive.half_height_m, 0}));
      points.add(apply(offset, {0, -primitive.half_height_m, 0}));
      break;
    case PrimitiveKind::Box:
    case PrimitiveKind::Mesh: add_corners(own_box(primitive)); break;
    case PrimitiveKind::Hull:
      for (const Vec3 vertex : primitive.hull->vertices()) points.add(apply(offset, vertex));
      break;
  }
  return points;
}

double reach_of(const KeyPoints& points) {
  double squared = 0;
  for (std::size_t i = 0; i < points.count; ++i)
    squared = std::max(squared, length_squared(points.at[i]));
  return (std::sqrt(squared) + points.radius_m) * (1 + rotation_error);
}

/// Size of the numbers that the key points came from: an offset far away and a rotation that turns
/// it back leave errors of its size.
double magnitude_of(const Primitive& primitive) {
  const Aabb own = own_box(primitive);
  return 2 * (largest_component(primitive.offset.position) + largest_component(own.min) +
              largest_component(own.max));
}

/// Where a point goes in the first half turn at most of a rotation: middle + a cos + b sin.
struct Arc {
  Vec3 middle, a, b;
};

/// Box of the arc from angle 0 to `end`, at most pi. On each axis a sinusoid has no more than one
/// extreme in there: a largest value if it starts rising and ends falling, a smallest if it starts
/// falling and ends rising. Whether it does is asked with closed signs, so that rounding can only
/// make the box larger.
Aabb box_of_arc(const Arc& arc, const SineCosine& end) {
  Aabb box;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = arc.a[axis];
    const double b = arc.b[axis];
    const double at_start = arc.middle[axis] + a;
    const double at_end = arc.middle[axis] + a * end.cosine + b * end.sine;
    const double rise_end = b * end.cosine - a * end.sine;
    const double amplitude = std::sqrt(a * a + b * b);
    const double uncertain = amplitude * 0x1p-48;
    const bool peak = b >= -uncertain && rise_end <= uncertain;
    const bool dip = b <= uncertain && rise_end >= -uncertain;
    box.min[axis] = dip ? arc.middle[axis] - amplitude : std::min(at_start, at_end);
    box.max[axis] = peak ? arc.middle[axis] + amplitude : std::max(at_start, at_end);
  }
  return box;
}

/// Box of everywhere that the points come to, relative to the entity's origin.
Aabb box_of_arcs(const KeyPoints& points, const Quat& start, Vec3 rotation_vector) {
  const double angle_rad = length(rotation_vector);
  const Vec3 axis = unit_or(rotation_vector, {0, 1, 0});
  const Mat3 turned = matrix_of(start);
  const SineCosine half_turn{0, -1};
  const SineCosine end = sine_cosine(angle_rad);
  Aabb box;
  for (std::size_t i = 0; i < points.count; ++i) {
    const Vec3 point = turned * points.at[i];
    const Vec3 middle = axis * dot(axis, point);
    const Vec3 a = point - middle;
    const Vec3 b = cross(axis, point);
    Aabb swept;
    if (angle_rad < pi) {
      swept = box_of_arc({middle, a, b}, end);
    } else {
      // The second half turn starts on the other side; a whole turn or more is all of both.
      const SineCosine rest = angle_rad < 2 * pi ? SineCosine{-end.sine, -end.cosine} : half_turn;
      swept = merge(box_of_arc({middle, a, b}, half_turn),
                    box_of_arc({middle, negated(a), negated(b)}, rest));
    }
    box = i == 0 ? swept : merge(box, swept);
  }
  return box;
}

}  // namespace

Aabb box_around(const Primitive& primitive, const Pose& pose) {
  if (!is_turned(primitive, pose.rotation)) return box_unturned(primitive, pose.position);
  const KeyPoints points = key_points(primitive);
  const Mat3 turned = matrix_of(pose.rotation);
  Aabb box = at(turned * points.at[0]);
  for (std::size_t i = 1; i < points.count; ++i) box = merge(box, at(turned * points.at[i]));
  const double error_m = magnitude_of(primitive) * rotation_error;
  return sum_outward(at(pose.position), grown(box, points.radius_m + error_m));
}

Aabb box_around_path(const Primitive& primitive, const Path& path) {
  if (path.rotation_vector == Vec3{})
    return merge(box_around(primitive, path.start), box_around(primitive, path.end));
  const KeyPoints points = key_points(primitive);
  const Aabb arcs = box_of_arcs(points, path.start.rotation, path.rotation_vector);
  const double error_m =
      magnitude_of(primitive) * (rotation_error + length(path.rotation_vector) * 0x1p-52);
  const Aabb line = merge(at(path.start.position), at(path.end.position));
  return sum_outward(line, grown(arcs, points.radius_m + error_m));
}

double reach_m(const Primitive& primitive) { return reach_of(key_points(primitive)); }

}  // namespace vicinity
