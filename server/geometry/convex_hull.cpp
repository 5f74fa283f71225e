// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/convex_hull.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "geometry/hull_builder.h"

namespace vicinity {
namespace {

Error refuse(ErrorCode code, const char* field, const std::string& text) {
  return {code, std::string(field) + ": " + text};
}

/// Points closer than that many tolerances are one corner; find_hull_faces() leaves out triangles
/// of less than half that height.
constexpr double same_point = 8;

bool comes_before(Vec3 a, Vec3 b) {
  return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// Point with the largest value of `measure`, the first of equals.
template <class Measure>
Vec3 farthest(std::span<const Vec3> points, const Measure& measure) {
  return *std::ranges::max_element(points, {}, measure);
}

/// Whether the points span a solid: the longest line from the first one, then the farthest from
/// that line, then the farthest from that plane.
bool span_solid(std::span<const Vec3> points, double size_m) {
  const Vec3 first = points.front();
  const auto from_first = [first](Vec3 p) { return length(p - first); };
  const Vec3 line = unit_or(farthest(points, from_first) - first, {1, 0, 0});
  const auto from_line = [first, line](Vec3 p) { return length(cross(p - first, line)); };
  const Vec3 third = farthest(points, from_line);
  if (from_line(third) < ConvexHull::thickness_min * size_m) return false;
  const Vec3 normal = unit_or(cross(line, third - first), {1, 0, 0});
  const auto from_plane = [first, normal](Vec3 p) { return std::abs(dot(normal, p - first)); };
  return from_plane(farthest(points, from_plane)) >= ConvexHull::thickness_min * size_m;
}

Aabb box_of(std::span<const Vec3> points) {
  Aabb box{points.front(), points.front()};
  for (const Vec3 point : points) box = merge(box, {point, point});
  return box;
}

/// Finite, in range, sorted, each once, spanning a solid.
Result<std::vector<Vec3>, Error> usable_points(std::span<const Vec3> points, const char* field) {
  if (points.size() > ConvexHull::points_max)
    return refuse(ErrorCode::LimitExceeded, field, "at most 64 points are allowed");
  if (points.size() < 4)
    return refuse(ErrorCode::InvalidShape, field, "at least 4 points are needed");
  std::vector<Vec3> sorted;
  for (const Vec3 point : points) {
    if (!is_finite(point))
      return refuse(ErrorCode::InvalidNumber, field, "every coordinate must be finite");
    if (largest_component(point) > ConvexHull::coordinate_max_m)
      return refuse(ErrorCode::InvalidShape, field, "a coordinate is out of range");
    sorted.push_back(point + Vec3{});  // -0 becomes 0: one set, one hull
  }
  std::ranges::sort(sorted, comes_before);
  const auto doubles = std::ranges::unique(sorted);
  sorted.erase(doubles.begin(), doubles.end());
  const Aabb box = box_of(sorted);
  const double size_m = largest_component(box.max - box.min);
  if (sorted.size() < 4 || !(size_m > 0) || !span_solid(sorted, size_m))
    return refuse(ErrorCode::InvalidShape, field, "all points lie in a plane");
  return sorted;
}

/// Drops points that are as close as that to an earlier one: two corners in one place would be told
/// apart in one face and not in the next.
void keep_distinct(std::vector<Vec3>& points, double distance_m) {
  std::vector<Vec3> kept;
  for (const Vec3 point : points)
    if (std::ranges::none_of(
            kept, [point, distance_m](Vec3 other) { return length(point - other) <= distance_m; }))
      kept.push_back(point);
  points = std::move(kept);
}

/// Edges from the corners of the faces: a face on one side runs from -> to, that on the other side
/// to -> from.
std::vector<ConvexHull::Edge> edges_of(const std::vector<HullFace>& faces) {
  std::vector<ConvexHull::Edge> edges;
  const auto for_each_side = [&faces](const auto& visit) {
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const std::vector<std::uint8_t>& corners = faces[f].corners;
      for (std::size_t i = 0; i < corners.size(); ++i)
        visit(static_cast<std::uint8_t>(f), corners[i], corners[(i + 1) % corners.size()]);
    }
  };
  for_each_side([&edges](std::uint8_t face, std::uint8_t from, std::uint8_t to) {
    if (from < to) edges.push_back({from, to, {face, face}, {}});
  });
  std::ranges::sort(edges, {}, [](const ConvexHull::Edge& e) { return e.from * 256 + e.to; });
  for_each_side([&edges](std::uint8_t face, std::uint8_t from, std::uint8_t to) {
    for (ConvexHull::Edge& edge : edges)
      if (edge.from == to && edge.to == from) edge.faces[1] = face;
  });
  return edges;
}

}  // namespace

Result<ConvexHull, Error> ConvexHull::build(std::span<const Vec3> points, const char* field) {
  const Result<std::vector<Vec3>, Error> usable = usable_points(points, field);
  if (!usable) return usable.error();
  std::vector<Vec3> sorted = usable.value();
  const Aabb box = box_of(sorted);
  const double size_m = largest_component(box.max - box.min);
  std::optional<std::vector<HullFace>> faces;
  for (double part = flatness; !faces && part <= flatness_max * 1.5; part *= 10) {
    keep_distinct(sorted, same_point * part * size_m);
    if (sorted.size() >= 4) faces = find_hull_faces(sorted, part * size_m);
  }
  if (!faces)
    return refuse(ErrorCode::InvalidShape, field, "points lie too close to the same plane or line");

  ConvexHull hull;
  std::array<std::uint8_t, points_max> place{};
  std::uint64_t used = 0;
  for (const HullFace& face : *faces)
    for (const std::uint8_t corner : face.corners) used |= std::uint64_t{1} << corner;
  for (std::size_t p = 0; p < sorted.size(); ++p) {
    if ((used >> p & 1) == 0) continue;
    place[p] = static_cast<std::uint8_t>(hull.vertices_.size());
    hull.vertices_.push_back(sorted[p]);
  }
  for (HullFace& face : *faces) {
    for (std::uint8_t& corner : face.corners) corner = place[corner];
    hull.faces_.push_back({face.plane.normal, 0});
  }
  hull.edges_ = edges_of(*faces);
  hull.measure();
  return hull;
}

/// What follows from the vertices, the normals and the ends of the edges.
void ConvexHull::measure() {
  for (Plane& face : faces_) {
    face.offset_m = dot(face.normal, vertices_.front());
    for (const Vec3 vertex : vertices_)
      face.offset_m = std::max(face.offset_m, dot(face.normal, vertex));
  }
  for (Edge& edge : edges_)
    edge.direction = unit_or(vertices_[edge.to] - vertices_[edge.from], {1, 0, 0});
  Vec3 sum;
  for (const Vec3 vertex : vertices_) sum = sum + (vertex - vertices_.front());
  middle_ = vertices_.front() + sum * (1.0 / static_cast<double>(vertices_.size()));
  box_ = box_of(vertices_);
}

std::optional<ConvexHull> ConvexHull::restore(std::vector<Vec3> vertices,
                                              std::span<const Vec3> normals,
                                              std::vector<Edge> edges) {
  const std::size_t count = vertices.size();
  if (count < 4 || count > points_max || normals.size() < 4) return std::nullopt;
  if (normals.size() > 2 * points_max - 4 || count + normals.size() != edges.size() + 2)
    return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_finite(vertices[i]) || largest_component(vertices[i]) > coordinate_max_m ||
        (i > 0 && !comes_before(vertices[i - 1], vertices[i])))
      return std::nullopt;
  }
  for (const Vec3 normal : normals)
    if (!is_finite(normal) || std::abs(length(normal) - 1) > 1e-9) return std::nullopt;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const Edge& edge = edges[i];
    const bool is_next =
        i == 0 || std::pair(edges[i - 1].from, edges[i - 1].to) < std::pair(edge.from, edge.to);
    if (!is_next || edge.from >= edge.to || edge.to >= count || edge.faces[0] == edge.faces[1] ||
        std::max(edge.faces[0], edge.faces[1]) >= normals.size())
      return std::nullopt;
  }
  ConvexHull hull;
  hull.vertices_ = std::move(vertices);
  for (const Vec3 normal : normals) hull.faces_.push_back({normal, 0});
  hull.edges_ = std::move(edges);
  hull.measure();
  const Vec3 extent = hull.box_.max - hull.box_.min;
  if (!span_solid(hull.vertices_, largest_component(extent))) return std::nullopt;
  return hull;
}

}  // namespace vicinity
