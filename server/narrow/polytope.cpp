// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/polytope.h"

#include <algorithm>

namespace vicinity::narrow {

Polytope::Polytope(const PlacedCore& placed) {
  switch (placed.core) {
    case Core::Point: add_vertex(placed.centre); break;
    case Core::Segment:
      add_vertex(placed.centre - placed.axes.y * placed.half_extent_m.y);
      add_vertex(placed.centre + placed.axes.y * placed.half_extent_m.y);
      edges_[edge_count_++] = {0, {0, 0}, placed.axes.y};  // an edge without faces
      break;
    case Core::Box: add_box(placed); break;
    case Core::Hull: add_hull(placed); break;
    case Core::Triangle: add_triangle(placed); break;
  }
}

void Polytope::add_box(const PlacedCore& placed) {
  const Vec3 half = placed.half_extent_m;
  for (int i = 0; i < 8; ++i)
    add_vertex(placed.centre + placed.axes * Vec3{(i & 1) != 0 ? half.x : -half.x,
                                                  (i & 2) != 0 ? half.y : -half.y,
                                                  (i & 4) != 0 ? half.z : -half.z});
  // Normal 2 k points along axis k, normal 2 k + 1 against it.
  for (int axis = 0; axis < 3; ++axis) {
    normals_[normal_count_++] = placed.axes.axis(axis);
    normals_[normal_count_++] = negated(placed.axes.axis(axis));
  }
  for (int axis = 0; axis < 3; ++axis) {
    const int next = (axis + 1) % 3;
    const int last = (axis + 2) % 3;
    for (int sides = 0; sides < 4; ++sides) {
      const bool next_high = (sides & 1) != 0;
      const bool last_high = (sides & 2) != 0;
      const int vertex = (next_high ? 1 << next : 0) + (last_high ? 1 << last : 0);
      int first = 2 * next + (next_high ? 0 : 1);
      int second = 2 * last + (last_high ? 0 : 1);
      if (next_high != last_high) std::swap(first, second);
      add_edge(static_cast<std::size_t>(vertex), placed.axes.axis(axis),
               static_cast<std::size_t>(first), static_cast<std::size_t>(second));
    }
  }
}

void Polytope::add_hull(const PlacedCore& placed) {
  for (const Vec3 vertex : placed.hull->vertices())
    add_vertex(placed.centre + placed.axes * vertex);
  for (const Plane& face : placed.hull->faces())
    normals_[normal_count_++] = placed.axes * face.normal;
  for (const ConvexHull::Edge& edge : placed.hull->edges())
    add_edge(edge.from, placed.axes * edge.direction, edge.faces[0], edge.faces[1]);
}

void Polytope::add_triangle(const PlacedCore& placed) {
  const std::array<Vec3, 3>& corners = placed.corners;
  const Vec3 normal = unit_or(cross(corners[1], corners[2]), {0, 1, 0});
  normals_[normal_count_++] = normal;
  normals_[normal_count_++] = negated(normal);
  for (std::size_t i = 0; i < 3; ++i) {
    add_vertex(placed.centre + corners[i]);
    const Vec3 direction = unit_or(corners[(i + 1) % 3] - corners[i], {1, 0, 0});
    const std::size_t side = normal_count_;
    normals_[normal_count_++] = unit_or(cross(direction, normal), {0, 1, 0});
    add_edge(i, direction, 0, side);
    add_edge(i, direction, side, 1);
  }
}

double Polytope::low(Vec3 direction) const {
  double least = dot(vertices_[0], direction);
  for (std::size_t i = 1; i < vertex_count_; ++i)
    least = std::min(least, dot(vertices_[i], direction));
  return least;
}

}  // namespace vicinity::narrow
