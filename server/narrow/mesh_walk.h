// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Two ways down the tree of a mesh. Pure, nothing allocated; the order is that of the tree, which
// depends on the mesh alone.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "base/aabb.h"
#include "base/check.h"
#include "geometry/triangle_mesh.h"

namespace vicinity::narrow {

/// Halving 65 536 triangles takes 15 levels, and each leaves one node waiting.
inline constexpr std::size_t mesh_depth_max = 32;

/// Triangles of all leaves that walks of this thread have come to. Only what it grows by says
/// anything: what a question about a mesh cost. No result of a walk depends on it, and no stage of
/// a tick reads it.
inline constinit thread_local std::uint64_t triangles_walked = 0;

/// Calls visit(triangle) for the triangles of all leaves that `enter(node box)` lets through, until
/// one returns true; whether one did.
template <class Enter, class Visit>
bool any_triangle(const TriangleMesh& mesh, const Enter& enter, const Visit& visit) {
  const std::span<const TriangleMesh::Node> nodes = mesh.nodes();
  std::array<std::uint32_t, mesh_depth_max> waiting;
  std::size_t count = 0;
  waiting[count++] = 0;
  while (count > 0) {
    std::uint32_t at = waiting[--count];
    while (enter(nodes[at].box)) {
      const TriangleMesh::Node& node = nodes[at];
      if (node.count > 0) {
        triangles_walked += node.count;
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
          if (visit(mesh.order()[i])) return true;
        break;
      }
      CHECK(count < waiting.size());
      waiting[count++] = node.first;
      ++at;
    }
  }
  return false;
}

inline double distance_squared(const Aabb& a, const Aabb& b) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double gap = std::max({0.0, a.min[axis] - b.max[axis], b.min[axis] - a.max[axis]});
    sum += gap * gap;
  }
  return sum;
}

/// Calls visit(triangle), the nearer child first, for the triangles of all leaves that are not
/// farther from `box` than the square root of what the last visit returned.
template <class Visit>
void nearest_triangles(const TriangleMesh& mesh, const Aabb& box, const Visit& visit) {
  struct Waiting {
    std::uint32_t node;
    double distance_squared;
  };
  const std::span<const TriangleMesh::Node> nodes = mesh.nodes();
  std::array<Waiting, 2 * mesh_depth_max> waiting;
  std::size_t count = 0;
  const auto push = [&](std::uint32_t node) {
    CHECK(count < waiting.size());
    waiting[count++] = {node, distance_squared(nodes[node].box, box)};
  };
  double best = std::numeric_limits<double>::infinity();
  push(0);
  while (count > 0) {
    const auto [at, bound] = waiting[--count];
    if (bound > best) continue;
    const TriangleMesh::Node& node = nodes[at];
    triangles_walked += node.count;
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i)
      best = visit(mesh.order()[i]);
    if (node.count > 0) continue;
    push(at + 1);
    push(node.first);
    if (waiting[count - 1].distance_squared > waiting[count - 2].distance_squared)
      std::swap(waiting[count - 1], waiting[count - 2]);
  }
}

}  // namespace vicinity::narrow
