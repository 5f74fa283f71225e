// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A surface of triangles with a tree of boxes over them. Immutable, so it may be shared by any
// number of entities and threads; any room. A mesh is a surface: what lies wholly inside of a
// closed one does not touch it.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/error.h"
#include "base/result.h"
#include "geometry/vec_math.h"

namespace vicinity {

class TriangleMesh {
 public:
  static constexpr std::size_t vertices_max = 65'536;
  static constexpr std::size_t triangles_max = 65'536;
  /// Largest |coordinate|, metres; a mesh may be as large as a world.
  static constexpr double coordinate_max_m = 8796093022208.0;
  /// Smallest height of a triangle relative to its longest side. Flatter ones are refused, with
  /// their number: their normals would be noise, and with them the side that is hit.
  static constexpr double height_min = 1e-7;

  using Corners = std::array<Vec3, 3>;
  using Indices = std::array<std::uint32_t, 3>;

  /// Flat tree, parents before children, the first child right after its parent.
  struct Node {
    Aabb box;
    std::uint32_t first = 0;  ///< leaf: first place in order(); inner: node of the second child
    std::uint32_t count = 0;  ///< leaf: triangles; inner: 0
  };

  /// Counter-clockwise triangles as seen from their front. One-sided: rays and moving shapes hit
  /// the front only. `field` names the mesh in errors. O(n log n).
  static Result<TriangleMesh, Error> build(std::vector<Vec3> vertices,
                                           std::vector<Indices> triangles, bool two_sided,
                                           const char* field);

  bool two_sided() const { return two_sided_; }
  std::size_t triangle_count() const { return triangles_.size(); }
  Corners corners(std::uint32_t triangle) const {
    const Indices& at = triangles_[triangle];
    return {vertices_[at[0]], vertices_[at[1]], vertices_[at[2]]};
  }
  std::span<const Vec3> vertices() const { return vertices_; }
  std::span<const Indices> triangles() const { return triangles_; }
  const Aabb& box() const { return nodes_.front().box; }
  std::span<const Node> nodes() const { return nodes_; }
  /// Triangles as the leaves name them.
  std::span<const std::uint32_t> order() const { return order_; }

 private:
  TriangleMesh() = default;
  void build_tree();

  std::vector<Vec3> vertices_;
  std::vector<Indices> triangles_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  bool two_sided_ = false;
};

}  // namespace vicinity
