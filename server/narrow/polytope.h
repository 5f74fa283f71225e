// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The corners, normals and edges of a core in the frame of its pair, all kinds alike. Pure.

#include <array>
#include <cstdint>
#include <span>

#include "narrow/placed_core.h"

namespace vicinity::narrow {

/// A flat core has volume zero but all its normals: a triangle is a prism of height zero, with two
/// faces and three sides. A point and a segment have none.
class Polytope {
 public:
  static constexpr std::size_t normals_max = 2 * ConvexHull::points_max - 4;
  static constexpr std::size_t edges_max = 3 * ConvexHull::points_max - 6;

  struct Edge {
    std::uint8_t vertex = 0;  ///< one of its ends
    /// normals()[faces[0]] x normals()[faces[1]] points along `direction`.
    std::uint8_t faces[2] = {0, 0};
    Vec3 direction;  ///< unit
  };

  explicit Polytope(const PlacedCore& placed);

  std::span<const Vec3> vertices() const { return {vertices_.data(), vertex_count_}; }
  std::span<const Vec3> normals() const { return {normals_.data(), normal_count_}; }
  std::span<const Edge> edges() const { return {edges_.data(), edge_count_}; }
  /// Smallest and largest dot(direction, vertex).
  double low(Vec3 direction) const;
  double high(Vec3 direction) const { return -low(negated(direction)); }

 private:
  void add_box(const PlacedCore& placed);
  void add_hull(const PlacedCore& placed);
  void add_triangle(const PlacedCore& placed);
  void add_vertex(Vec3 at) { vertices_[vertex_count_++] = at; }
  void add_edge(std::size_t vertex, Vec3 direction, std::size_t first, std::size_t second) {
    edges_[edge_count_++] = {static_cast<std::uint8_t>(vertex),
                             {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)},
                             direction};
  }

  std::array<Vec3, ConvexHull::points_max> vertices_;
  std::array<Vec3, normals_max> normals_;
  std::array<Edge, edges_max> edges_;
  std::size_t vertex_count_ = 0;
  std::size_t normal_count_ = 0;
  std::size_t edge_count_ = 0;
};

}  // namespace vicinity::narrow
