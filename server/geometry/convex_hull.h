// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A convex polytope, kept as corners, faces and edges. Immutable, so it may be shared by any number
// of entities and threads; any room. Built where foreign values arrive: what is wrong with the
// points comes back as an Error, and nothing later has to ask again.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/error.h"
#include "base/result.h"
#include "geometry/vec_math.h"

namespace vicinity {

/// Half space: dot(normal, point) <= offset_m is inside. `normal` has length 1 and points outward.
struct Plane {
  Vec3 normal;
  double offset_m = 0;
};

class ConvexHull {
 public:
  static constexpr std::size_t points_max = 64;
  /// Largest |coordinate|, metres; a hull may be as large as a world.
  static constexpr double coordinate_max_m = 8796093022208.0;
  /// Smallest thickness relative to the largest extent. Thinner ones are refused as flat: their
  /// normals would be noise.
  static constexpr double thickness_min = 1e-6;
  /// Corners of one face lie in its plane up to this part of the largest extent. Points no further
  /// outside than this, or than 8 times this from another corner, are dropped like those inside.
  /// Where the roundings of the points fall just between, up to flatness_max.
  static constexpr double flatness = 1e-11;
  static constexpr double flatness_max = 1e-7;

  struct Edge {
    std::uint8_t from = 0;  ///< vertices
    std::uint8_t to = 0;
    std::uint8_t faces[2] = {0, 0};
    Vec3 direction;  ///< unit, from -> to
  };

  /// At most points_max points, in any order: the same set gives the same hull, bit for bit.
  /// `field` names the points in errors. Some milliseconds at worst.
  static Result<ConvexHull, Error> build(std::span<const Vec3> points, const char* field);

  /// The hull of which these were the vertices, the normals of the faces and the edges, bit for
  /// bit: its points need not give it again, some were dropped. (Directions of edges are not looked
  /// at.) Nothing when they are none: foreign values do no harm, but only a hull that was built is
  /// right.
  static std::optional<ConvexHull> restore(std::vector<Vec3> vertices,
                                           std::span<const Vec3> normals, std::vector<Edge> edges);

  /// Corners only, sorted by x, y, z.
  std::span<const Vec3> vertices() const { return vertices_; }
  /// One per flat side, however many corners it has. No vertex is outside of any.
  std::span<const Plane> faces() const { return faces_; }
  /// Each once, sorted by (from, to), from < to.
  std::span<const Edge> edges() const { return edges_; }
  const Aabb& box() const { return box_; }
  /// Mean of the vertices: inside.
  Vec3 middle() const { return middle_; }

 private:
  ConvexHull() = default;
  void measure();

  std::vector<Vec3> vertices_;
  std::vector<Plane> faces_;
  std::vector<Edge> edges_;
  Aabb box_;
  Vec3 middle_;
};

/// The solid that lies inside all planes (a camera's frustum); normals need not have length 1.
/// InvalidShape when they leave it unbounded or without volume.
Result<ConvexHull, Error> hull_of_frustum(std::span<const Plane, 6> planes, const char* field);

}  // namespace vicinity
