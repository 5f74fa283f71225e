// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Random pairs of convex shapes, most of them close to touching, and what can be said about them
// without the code under test: support points from the definition of each shape, whether a point
// lies in a shape, and for polytopes the separating axis test over all planes that any corners
// span.

#include <algorithm>
#include <vector>

#include "base/prng.h"
#include "geometry/primitive.h"

namespace vicinity::oracle {

struct ShapePair {
  Primitive a, b;
  Pose pose_a, pose_b;
  /// Gap between the two support planes along `axis`; negative: they reach past one another. When
  /// positive, the support points face each other, so that it is the distance as well.
  double gap_m = 0;
  Vec3 axis;          ///< unit, from a to b
  double size_m = 0;  ///< sum of the extents of both
};

inline Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

/// Corners of the core from the definition, in world axes, relative to the entity's origin.
inline std::vector<Vec3> core_corners(const Primitive& p, const Quat& rotation) {
  std::vector<Vec3> local;
  switch (p.kind) {
    case PrimitiveKind::Sphere: local = {{}}; break;
    case PrimitiveKind::Capsule: local = {{0, p.half_height_m, 0}, {0, -p.half_height_m, 0}}; break;
    case PrimitiveKind::Box:
      for (int i = 0; i < 8; ++i)
        local.push_back(scaled(
            p.half_extent_m,
            {(i & 1) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0, (i & 4) != 0 ? 1.0 : -1.0}));
      break;
    case PrimitiveKind::Hull:
      local.assign(p.hull->vertices().begin(), p.hull->vertices().end());
      break;
    case PrimitiveKind::Mesh:
      local.assign(p.mesh->vertices().begin(), p.mesh->vertices().end());
      break;
  }
  for (Vec3& point : local) point = rotate(rotation, apply(p.offset, point));
  return local;
}

/// Farthest point of shape and radius along a unit direction, relative to the entity's origin.
inline Vec3 support_point(const Primitive& p, const Quat& rotation, Vec3 direction) {
  const std::vector<Vec3> corners = core_corners(p, rotation);
  const auto along = [direction](Vec3 point) { return dot(point, direction); };
  return *std::ranges::max_element(corners, {}, along) + direction * p.radius_m;
}

/// How far a point (relative to the entity's origin) is outside of a convex shape, at most: 0 or
/// less inside. A mesh has one triangle.
inline double outside_m(const Primitive& p, const Quat& rotation, Vec3 point) {
  const Vec3 local = apply_inverse(p.offset, rotate(conjugate(rotation), point));
  double most = -1e300;
  switch (p.kind) {
    case PrimitiveKind::Sphere: return length(local) - p.radius_m;
    case PrimitiveKind::Capsule:
      return length(local - Vec3{0, std::clamp(local.y, -p.half_height_m, p.half_height_m), 0}) -
             p.radius_m;
    case PrimitiveKind::Box:
      for (int axis = 0; axis < 3; ++axis)
        most = std::max(most, std::abs(local[axis]) - p.half_extent_m[axis]);
      return most;
    case PrimitiveKind::Hull:
      for (const Plane& face : p.hull->faces())
        most = std::max(most, dot(face.normal, local) - face.offset_m);
      return most;
    case PrimitiveKind::Mesh: {
      const TriangleMesh::Corners c = p.mesh->corners(0);
      const Vec3 normal = unit_or(cross(c[1] - c[0], c[2] - c[0]), {});
      most = std::abs(dot(normal, local - c[0]));
      for (std::size_t i = 0; i < 3; ++i)
        most = std::max(most, dot(unit_or(cross(c[(i + 1) % 3] - c[i], normal), {}), local - c[i]));
      break;
    }
  }
  return most;
}

/// Whether some shapes are needles and plates, down to 1e-5 of their length and to nothing at all.
enum class Extremes { None, Some };

/// A solid, or a mesh of one triangle, which is convex as well.
inline Primitive any_convex(Prng& prng, PrimitiveKind kind, double size_m, Extremes extremes) {
  const Pose offset = {prng.chance(0.5) ? Vec3{} : any_vector(prng, 2 * size_m),
                       prng.chance(0.5) ? Quat{} : from_rotation_vector(any_vector(prng, 3))};
  const bool slender = extremes == Extremes::Some && prng.chance(0.15);
  const auto size = [&prng, size_m, slender] {
    if (!slender || prng.chance(0.4)) return size_m * prng.between(0.05, 1);
    return prng.chance(0.3) ? 0 : size_m * std::pow(10.0, prng.between(-5, -1));
  };
  // Braces draw from left to right with every compiler, arguments of a call do not.
  const Vec3 sizes = {size(), size(), size()};
  switch (kind) {
    case PrimitiveKind::Sphere: return sphere_primitive(sizes.x, offset.position);
    case PrimitiveKind::Capsule: return capsule_primitive(sizes.x, sizes.y, offset);
    case PrimitiveKind::Box: return box_primitive(sizes, offset);
    default: break;
  }
  while (kind == PrimitiveKind::Mesh) {
    std::vector<Vec3> corners(3);
    for (Vec3& corner : corners) corner = any_vector(prng, size_m);
    const auto mesh = TriangleMesh::build(corners, {{0, 1, 2}}, prng.chance(0.5), "mesh");
    if (mesh.ok())
      return mesh_primitive(std::make_shared<const TriangleMesh>(mesh.value()), offset);
  }
  while (true) {
    const bool many = prng.chance(0.003);
    std::vector<Vec3> points(many ? 9 + prng.below(56) : 4 + prng.below(5));
    const double flat = slender ? std::pow(10.0, prng.between(-6, 0)) : 1;
    for (Vec3& point : points) {
      point = any_vector(prng, size_m);
      if (many) point = unit_or(point, {1, 0, 0}) * size_m;
      point.y *= flat;
    }
    const auto hull = ConvexHull::build(points, "points");
    if (hull.ok()) return hull_primitive(std::make_shared<const ConvexHull>(hull.value()), offset);
  }
}

inline double extent_m(const Primitive& p) {
  double most = 0;
  for (const Vec3 corner : core_corners(p, {})) most = std::max(most, length(corner));
  return most + p.radius_m;
}

/// Sizes of 1 mm to 1 km, both alike or not, near the world's origin: what far away costs is the
/// precision of positions, which is not what is tested here.
inline ShapePair any_pair(Prng& prng, PrimitiveKind kind_a, PrimitiveKind kind_b,
                          Extremes extremes = Extremes::Some) {
  ShapePair pair;
  const double size_m = std::pow(10.0, prng.between(-3, 3));
  pair.a = any_convex(prng, kind_a, size_m, extremes);
  const double size_b_m = prng.chance(0.7) ? size_m : std::pow(10.0, prng.between(-3, 3));
  pair.b = any_convex(prng, kind_b, size_b_m, extremes);
  pair.pose_a.rotation = prng.chance(0.2) ? Quat{} : from_rotation_vector(any_vector(prng, 3));
  pair.pose_b.rotation = prng.chance(0.2) ? pair.pose_a.rotation
                         : prng.chance(0.1)
                             ? from_rotation_vector(any_vector(prng, 1e-9)) * pair.pose_a.rotation
                             : from_rotation_vector(any_vector(prng, 3));
  pair.axis = unit_or(any_vector(prng, 1), {1, 0, 0});
  pair.size_m = extent_m(pair.a) + extent_m(pair.b);
  const double part = prng.chance(0.2) ? prng.unit() : std::pow(10.0, prng.between(-14, -1));
  pair.gap_m = pair.size_m * part * (prng.chance(0.5) ? 1 : -1);
  const Vec3 from = support_point(pair.a, pair.pose_a.rotation, pair.axis);
  const Vec3 to = support_point(pair.b, pair.pose_b.rotation, negated(pair.axis));
  pair.pose_b.position = from - to + pair.axis * pair.gap_m;
  return pair;
}

/// The largest gap along any axis that the theorem could name, and many that it could not: normals
/// of all planes through three corners of one, and at right angles to any two lines through corners
/// of both. For boxes and hulls of few corners.
inline double brute_force_gap(const ShapePair& pair) {
  const std::vector<Vec3> a = core_corners(pair.a, pair.pose_a.rotation);
  std::vector<Vec3> b = core_corners(pair.b, pair.pose_b.rotation);
  for (Vec3& corner : b) corner = corner + (pair.pose_b.position - pair.pose_a.position);
  double most = -1e300;
  const auto consider = [&](Vec3 one, Vec3 other) {
    // Whatever comes out of nearly parallel lines is an axis as good as any: a gap is a gap.
    const Vec3 axis = cross_of_units(unit_or(one, {}), unit_or(other, {}));
    if (axis == Vec3{}) return;
    const Vec3 unit = unit_or(axis, {});
    double low_a = 1e300, high_a = -1e300, low_b = 1e300, high_b = -1e300;
    for (const Vec3 corner : a) {
      low_a = std::min(low_a, dot(corner, unit));
      high_a = std::max(high_a, dot(corner, unit));
    }
    for (const Vec3 corner : b) {
      low_b = std::min(low_b, dot(corner, unit));
      high_b = std::max(high_b, dot(corner, unit));
    }
    most = std::max({most, low_b - high_a, low_a - high_b});
  };
  const auto lines = [](const std::vector<Vec3>& corners) {
    std::vector<Vec3> out;
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t k = i + 1; k < corners.size(); ++k) out.push_back(corners[k] - corners[i]);
    return out;
  };
  const auto faces = [&consider](const std::vector<Vec3>& corners) {
    for (std::size_t i = 0; i < corners.size(); ++i)
      for (std::size_t j = i + 1; j < corners.size(); ++j)
        for (std::size_t k = j + 1; k < corners.size(); ++k)
          consider(corners[j] - corners[i], corners[k] - corners[i]);
  };
  faces(a);
  faces(b);
  for (const Vec3 one : lines(a))
    for (const Vec3 other : lines(b)) consider(one, other);
  return most;
}

}  // namespace vicinity::oracle
