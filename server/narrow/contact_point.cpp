// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/contact_point.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace vicinity::narrow {
namespace {

/// Corners within this part of the size of the farthest one belong to the same face.
constexpr double same_height_part = 1e-7;

struct Point2 {
  double x = 0;
  double y = 0;
};
Point2 operator-(Point2 a, Point2 b) { return {a.x - b.x, a.y - b.y}; }
double cross(Point2 a, Point2 b) { return a.x * b.y - a.y * b.x; }
Point2 between(Point2 a, Point2 b, double t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/// A convex polygon, counter-clockwise; also a segment or a point. Each of n sides that cuts it can
/// add one corner.
struct Polygon {
  std::array<Point2, 2 * ConvexHull::points_max> at;
  std::size_t count = 0;
  void add(Point2 point) {
    if (count < at.size()) at[count++] = point;
  }
};

/// Convex hull in the plane (Andrew 1979, monotone chain).
Polygon hull_of(Polygon points) {
  std::sort(points.at.begin(), points.at.begin() + points.count,
            [](Point2 a, Point2 b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  const auto same = [](Point2 a, Point2 b) { return a.x == b.x && a.y == b.y; };
  points.count = static_cast<std::size_t>(
      std::unique(points.at.begin(), points.at.begin() + points.count, same) - points.at.begin());
  Polygon out;
  const auto extend = [&out](Point2 point, std::size_t fixed) {
    while (out.count > fixed &&
           cross(out.at[out.count - 1] - out.at[out.count - 2], point - out.at[out.count - 1]) <= 0)
      --out.count;
    out.add(point);
  };
  for (std::size_t i = 0; i < points.count; ++i) extend(points.at[i], 1);
  if (points.count < 2) return out;
  const std::size_t lower = out.count;
  for (std::size_t i = points.count - 1; i-- > 0;) extend(points.at[i], lower);
  --out.count;  // the first point again
  return out;
}

/// What lies to the left of the line from -> to (Sutherland and Hodgman 1974). Where nothing does,
/// the line is moved to what is closest to it: faces that meet in a corner or an edge have only
/// that in common, up to rounding.
Polygon cut(const Polygon& polygon, Point2 from, Point2 to, double tolerance_m) {
  const Point2 along = to - from;
  double level = 0;
  const auto side = [from, along, &level](Point2 point) {
    return cross(along, point - from) - level;
  };
  double most = side(polygon.at[0]);
  for (std::size_t i = 1; i < polygon.count; ++i) most = std::max(most, side(polygon.at[i]));
  level = std::min(most, 0.0) - tolerance_m * std::sqrt(along.x * along.x + along.y * along.y);
  Polygon out;
  for (std::size_t i = 0; i < polygon.count; ++i) {
    const Point2 here = polygon.at[i];
    const Point2 next = polygon.at[(i + 1) % polygon.count];
    const double side_here = side(here);
    const double side_next = side(next);
    if (side_here >= 0) out.add(here);
    if ((side_here > 0 && side_next < 0) || (side_here < 0 && side_next > 0))
      out.add(between(here, next, side_here / (side_here - side_next)));
  }
  return out;
}

Point2 middle_of(const Polygon& polygon) {
  Point2 low = polygon.at[0];
  Point2 high = polygon.at[0];
  for (std::size_t i = 1; i < polygon.count; ++i) {
    low = {std::min(low.x, polygon.at[i].x), std::min(low.y, polygon.at[i].y)};
    high = {std::max(high.x, polygon.at[i].x), std::max(high.y, polygon.at[i].y)};
  }
  // Mean of the corners from the middle of their box, so that far away costs no precision.
  const Point2 origin = between(low, high, 0.5);
  Point2 sum;
  for (std::size_t i = 0; i < polygon.count; ++i)
    sum = {sum.x + (polygon.at[i].x - origin.x), sum.y + (polygon.at[i].y - origin.y)};
  const auto count = static_cast<double>(polygon.count);
  return {origin.x + sum.x / count, origin.y + sum.y / count};
}

/// Where two segments come closest to crossing.
Point2 middle_of_segments(const Polygon& a, const Polygon& b) {
  const Point2 along_a = a.at[1] - a.at[0];
  const Point2 along_b = b.at[1] - b.at[0];
  const double turn = cross(along_a, along_b);
  const Point2 offset = b.at[0] - a.at[0];
  const double size =
      (std::abs(along_a.x) + std::abs(along_a.y)) * (std::abs(along_b.x) + std::abs(along_b.y));
  if (std::abs(turn) > 1e-9 * size)
    return between(a.at[0], a.at[1], std::clamp(cross(offset, along_b) / turn, 0.0, 1.0));
  // Side by side: the middle of the common part.
  const double squared = along_a.x * along_a.x + along_a.y * along_a.y;
  if (squared == 0) return a.at[0];  // closer together than can be squared
  const auto place = [&](Point2 point) {
    const Point2 way = point - a.at[0];
    return std::clamp((way.x * along_a.x + way.y * along_a.y) / squared, 0.0, 1.0);
  };
  return between(a.at[0], a.at[1], (place(b.at[0]) + place(b.at[1])) / 2);
}

Point2 middle_of_common(const Polygon& a, const Polygon& b, double tolerance_m) {
  if (a.count == 1) return a.at[0];
  if (b.count == 1) return b.at[0];
  if (a.count == 2 && b.count == 2) return middle_of_segments(a, b);
  const Polygon& cutter = b.count > 2 ? b : a;
  Polygon common = b.count > 2 ? a : b;
  for (std::size_t i = 0; i < cutter.count; ++i)
    common = cut(common, cutter.at[i], cutter.at[(i + 1) % cutter.count], tolerance_m);
  return middle_of(common);
}

/// The corners farthest along `direction`, from `origin`, in the plane of `right` and `up`.
Polygon farthest_face(const Polytope& shape, Vec3 direction, double tolerance_m, Vec3 origin,
                      Vec3 right, Vec3 up) {
  const double least = shape.high(direction) - tolerance_m;
  Polygon points;
  for (const Vec3 vertex : shape.vertices())
    if (dot(vertex, direction) >= least)
      points.add({dot(vertex - origin, right), dot(vertex - origin, up)});
  return hull_of(points);
}

}  // namespace

Vec3 contact_point(const Polytope& a, const Polytope& b, Vec3 normal, double size_m) {
  const Vec3 right = any_perpendicular(normal);
  const Vec3 up = cross(normal, right);
  const Vec3 origin = b.vertices()[0];
  const double tolerance_m = same_height_part * size_m;
  const Polygon face_a = farthest_face(a, normal, tolerance_m, origin, right, up);
  const Polygon face_b = farthest_face(b, negated(normal), tolerance_m, origin, right, up);
  const Point2 flat = middle_of_common(face_a, face_b, 1e-12 * size_m);
  const double height_m = (a.high(normal) + b.low(normal)) / 2 - dot(origin, normal);
  return origin + right * flat.x + up * flat.y + normal * height_m;
}

}  // namespace vicinity::narrow
