// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/hull_builder.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.h"

namespace vicinity {
namespace {

/// Whether points lie clearly on both sides of a plane, given by a point and by a vector across it
/// of any length. Most triples are split, and this costs less than to make a face of each. `tries`:
/// points that lay on both sides of the last plane, which are likely to do so again.
bool is_split(std::span<const Vec3> points, const Vec3& origin, const Vec3& across,
              double tolerance_m, std::array<std::size_t, 2>& tries) {
  const double clear = 1.01 * tolerance_m * length(across);
  const auto side_of = [&](std::size_t p) {
    const double height = dot(across, points[p] - origin);
    return height > clear ? 1 : height < -clear ? -1 : 0;
  };
  if (side_of(tries[0]) * side_of(tries[1]) < 0) return true;
  std::optional<std::size_t> above, below;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const int side = side_of(p);
    if (side > 0) above = p;
    if (side < 0) below = p;
    if (!above || !below) continue;
    tries = {*above, *below};
    return true;
  }
  return false;
}

/// Plane through three points and the points in it, if all others are on one side.
std::optional<HullFace> face_through(std::span<const Vec3> points, std::size_t i, std::size_t j,
                                     std::size_t k, double tolerance_m,
                                     std::array<std::size_t, 2>& tries) {
  const Vec3 along = points[j] - points[i];
  const Vec3 across = points[k] - points[i];
  const Vec3 area = cross(along, across);
  if (is_split(points, points[i], area, tolerance_m, tries)) return std::nullopt;
  // A sliver's normal may be off by tolerance / height at far points: no face is seen through one
  // when better triples span it.
  const double longest = std::max({length(along), length(across), length(across - along)});
  if (length(area) <= longest * tolerance_m * 4) return std::nullopt;
  const Vec3 normal = unit_or(area, {});
  HullFace face;
  bool above = false;
  bool below = false;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const double height = dot(normal, points[p] - points[i]);
    if (p == i || p == j || p == k || std::abs(height) <= tolerance_m) {
      face.points |= std::uint64_t{1} << p;
    } else {
      (height > 0 ? above : below) = true;
      if (above && below) return std::nullopt;
    }
  }
  face.plane.normal = above ? negated(normal) : normal;
  face.plane.offset_m = length(area);  // the best triple so far; replaced by the offset at the end
  return face;
}

/// Faces by their points; a face is spanned by its largest triple. A face whose points all belong
/// to another one as well is that other one, seen through a triple that is not as good.
std::vector<HullFace> distinct_faces(std::span<const Vec3> points, double tolerance_m) {
  std::vector<HullFace> faces;
  std::array<std::size_t, 2> tries{0, 1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      for (std::size_t k = j + 1; k < points.size(); ++k) {
        std::optional<HullFace> face = face_through(points, i, j, k, tolerance_m, tries);
        if (!face) continue;
        const auto same = std::ranges::find(faces, face->points, &HullFace::points);
        if (same == faces.end()) {
          faces.push_back(std::move(*face));
        } else if (face->plane.offset_m > same->plane.offset_m) {
          same->plane = face->plane;
        }
      }
    }
  }
  std::vector<HullFace> kept;
  for (const HullFace& face : faces) {
    const bool part_of_other = std::ranges::any_of(faces, [&face](const HullFace& other) {
      return face.points != other.points && (face.points & other.points) == face.points;
    });
    if (!part_of_other) kept.push_back(face);
  }
  return kept;
}

/// Corners of a face around its normal: the convex hull in the plane (Andrew 1979, monotone chain).
std::vector<std::uint8_t> corners_of(std::span<const Vec3> points, const HullFace& face,
                                     double tolerance_m) {
  const Vec3 right = any_perpendicular(face.plane.normal);
  const Vec3 up = cross(face.plane.normal, right);
  struct Corner {
    double x, y;
    std::uint8_t point;
  };
  std::vector<Corner> flat;
  for (std::size_t p = 0; p < points.size(); ++p)
    if ((face.points >> p & 1) != 0)
      flat.push_back({dot(right, points[p]), dot(up, points[p]), static_cast<std::uint8_t>(p)});
  std::ranges::sort(flat, [](const Corner& a, const Corner& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.point < b.point;
  });
  /// Whether b lies to the right of the line a -> c or at most the tolerance to its left.
  const auto flat_or_right = [tolerance_m](const Corner& a, const Corner& b, const Corner& c) {
    const double turn = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    return turn <= tolerance_m * length(Vec3{c.x - a.x, c.y - a.y, 0});
  };
  std::vector<Corner> chain;
  const auto extend = [&chain, &flat_or_right](const Corner& corner, std::size_t fixed) {
    while (chain.size() > fixed && flat_or_right(chain[chain.size() - 2], chain.back(), corner))
      chain.pop_back();
    chain.push_back(corner);
  };
  for (const Corner& corner : flat) extend(corner, 1);
  const std::size_t lower = chain.size();
  for (std::size_t i = flat.size() - 1; i-- > 0;) extend(flat[i], lower);
  chain.pop_back();
  std::vector<std::uint8_t> corners;
  for (const Corner& corner : chain) corners.push_back(corner.point);
  return corners;
}

/// A closed polytope: each directed edge once, with its twin, and Euler's count.
bool closes(const std::vector<HullFace>& faces) {
  std::map<std::pair<int, int>, int> directed;
  std::uint64_t used = 0;
  for (const HullFace& face : faces) {
    if (face.corners.size() < 3) return false;
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const int from = face.corners[i];
      const int to = face.corners[(i + 1) % face.corners.size()];
      used |= std::uint64_t{1} << from;
      if (++directed[{from, to}] > 1) return false;
    }
  }
  for (const auto& [edge, count] : directed)
    if (!directed.contains({edge.second, edge.first})) return false;
  const std::size_t vertices = static_cast<std::size_t>(__builtin_popcountll(used));
  return vertices + faces.size() == directed.size() / 2 + 2;
}

}  // namespace

std::optional<std::vector<HullFace>> find_hull_faces(std::span<const Vec3> points,
                                                     double tolerance_m) {
  CHECK(points.size() >= 4 && points.size() <= ConvexHull::points_max);
  std::vector<HullFace> faces = distinct_faces(points, tolerance_m);
  if (faces.size() < 4 || faces.size() > 2 * ConvexHull::points_max - 4) return std::nullopt;
  for (HullFace& face : faces) face.corners = corners_of(points, face, tolerance_m);
  if (!closes(faces)) return std::nullopt;
  return faces;
}

}  // namespace vicinity
