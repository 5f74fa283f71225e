// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/shape_pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/prng.h"
#include "narrow/shape_tests.h"

namespace vicinity::bench {
namespace {

constexpr double length_min_m = 0.2;
constexpr double length_max_m = 2;
/// Different hulls and meshes among all pairs of a combination.
constexpr std::uint32_t hull_count = 256;
constexpr std::uint32_t mesh_count = 64;

Vec3 any_direction(Prng& prng) {
  while (true) {
    const Vec3 way = {prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)};
    const double square = length_squared(way);
    if (square > 0.01 && square <= 1) return way * (1 / std::sqrt(square));
  }
}

/// Half of the longest extent.
double any_half_m(Prng& prng) { return prng.between(length_min_m, length_max_m) / 2; }

/// Half axes of an ellipsoid or a box, the longest one first.
Vec3 any_half_axes(Prng& prng) {
  const double half_m = any_half_m(prng);
  return Vec3{1, prng.between(0.3, 1), prng.between(0.3, 1)} * half_m;
}

std::shared_ptr<const ConvexHull> any_hull(Prng& prng) {
  const Vec3 half_m = any_half_axes(prng);
  std::vector<Vec3> points(8 + prng.below(25));
  for (Vec3& point : points) point = scaled(any_direction(prng), half_m);
  const auto hull = ConvexHull::build(points, "hull");
  CHECK(hull.ok());
  return std::make_shared<const ConvexHull>(hull.value());
}

/// An octahedron, each side cut into four twice over, on an ellipsoid with bumps.
class BumpyMesh {
 public:
  explicit BumpyMesh(Prng& prng) : prng_(prng), half_m_(any_half_axes(prng)) {
    constexpr Vec3 corners[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    for (const Vec3 corner : corners) add(corner);
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t x = i & 1, y = 2 + (i >> 1 & 1), z = 4 + (i >> 2 & 1);
      // An odd number of negative axes turns the corners around.
      const bool mirrored = ((i ^ (i >> 1) ^ (i >> 2)) & 1) != 0;
      split(mirrored ? TriangleMesh::Indices{x, z, y} : TriangleMesh::Indices{x, y, z}, 2);
    }
  }
  std::shared_ptr<const TriangleMesh> build() {
    for (Vec3& vertex : vertices_) vertex = scaled(vertex, half_m_) * prng_.between(0.85, 1);
    const auto mesh = TriangleMesh::build(vertices_, triangles_, /*two_sided=*/true, "mesh");
    CHECK(mesh.ok());
    return std::make_shared<const TriangleMesh>(mesh.value());
  }

 private:
  std::uint32_t add(Vec3 vertex) {
    vertices_.push_back(vertex);
    return static_cast<std::uint32_t>(vertices_.size() - 1);
  }
  std::uint32_t between(std::uint32_t a, std::uint32_t b) {
    const auto [place, is_new] = middles_.try_emplace(std::minmax(a, b), 0);
    if (is_new) place->second = add(unit_or(vertices_[a] + vertices_[b], {1, 0, 0}));
    return place->second;
  }
  void split(const TriangleMesh::Indices& corners, int times) {
    if (times == 0) {
      triangles_.push_back(corners);
      return;
    }
    const auto [a, b, c] = corners;
    const std::uint32_t ab = between(a, b), bc = between(b, c), ca = between(c, a);
    split({a, ab, ca}, times - 1);
    split({ab, b, bc}, times - 1);
    split({ca, bc, c}, times - 1);
    split({ab, bc, ca}, times - 1);
  }

  Prng& prng_;
  Vec3 half_m_;
  std::vector<Vec3> vertices_;
  std::vector<TriangleMesh::Indices> triangles_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles_;
};

class PairMaker {
 public:
  PairMaker(PairKinds kinds, std::uint64_t seed) : kinds_(kinds), prng_(seed) {
    const auto is_wanted = [kinds](PrimitiveKind kind) {
      return kinds.a == kind || kinds.b == kind;
    };
    while (is_wanted(PrimitiveKind::Hull) && hulls_.size() < hull_count)
      hulls_.push_back(any_hull(prng_));
    while (is_wanted(PrimitiveKind::Mesh) && meshes_.size() < mesh_count)
      meshes_.push_back(BumpyMesh(prng_).build());
  }

  ShapePair make() {
    while (true) {
      ShapePair pair;
      pair.a = any_shape(kinds_.a);
      pair.b = any_shape(kinds_.b);
      pair.pose_a.rotation = from_rotation_vector(any_direction(prng_) * prng_.between(0, 3));
      pair.pose_b.rotation = from_rotation_vector(any_direction(prng_) * prng_.between(0, 3));
      constexpr double half_world_m = 50;
      for (int axis = 0; axis < 3; ++axis)
        pair.pose_a.position[axis] = prng_.between(-half_world_m, half_world_m);
      const Vec3 way = any_direction(prng_);
      const std::optional<double> touch_m = find_touch(pair, way);
      if (!touch_m) continue;
      put(pair, way, *touch_m + any_gap_m());
      return pair;
    }
  }

 private:
  Primitive any_shape(PrimitiveKind kind) {
    switch (kind) {
      case PrimitiveKind::Sphere: return sphere_primitive(any_half_m(prng_));
      case PrimitiveKind::Capsule: {
        const double half_m = any_half_m(prng_);
        const double radius_m = half_m * prng_.between(0.2, 0.7);
        return capsule_primitive(radius_m, half_m - radius_m);
      }
      case PrimitiveKind::Box: return box_primitive(any_half_axes(prng_));
      case PrimitiveKind::Hull: return hull_primitive(hulls_[prng_.below(hulls_.size())]);
      case PrimitiveKind::Mesh: return mesh_primitive(meshes_[prng_.below(meshes_.size())]);
    }
    CHECK(false);
  }

  /// Three quarters within 10 cm of touching, the others within half a metre.
  double any_gap_m() {
    const double gap_m = prng_.chance(0.75) ? prng_.between(0, 0.1) : prng_.between(0, 0.5);
    return prng_.chance(0.5) ? gap_m : -gap_m;
  }

  static void put(ShapePair& pair, Vec3 way, double distance_m) {
    pair.pose_b.position = pair.pose_a.position + way * distance_m;
  }

  /// How far along the way b just touches a, coming from outside; nothing when it goes by.
  static std::optional<double> find_touch(ShapePair& pair, Vec3 way) {
    const auto overlaps_at = [&pair, way](double distance_m) {
      put(pair, way, distance_m);
      return overlaps(pair.a, pair.pose_a, pair.b, pair.pose_b);
    };
    constexpr double step_m = 0.05;
    double apart_m = 2 * length_max_m;
    while (apart_m > 0 && !overlaps_at(apart_m - step_m)) apart_m -= step_m;
    if (apart_m <= 0) return std::nullopt;
    double inside_m = apart_m - step_m;
    for (int i = 0; i < 24; ++i) {
      const double middle_m = (apart_m + inside_m) / 2;
      (overlaps_at(middle_m) ? inside_m : apart_m) = middle_m;
    }
    return apart_m;
  }

  PairKinds kinds_;
  Prng prng_;
  std::vector<std::shared_ptr<const ConvexHull>> hulls_;
  std::vector<std::shared_ptr<const TriangleMesh>> meshes_;
};

}  // namespace

std::vector<PairKinds> all_pair_kinds() {
  std::vector<PairKinds> out;
  for (std::size_t a = 0; a < primitive_kind_count; ++a)
    for (std::size_t b = a; b < primitive_kind_count; ++b)
      out.push_back({static_cast<PrimitiveKind>(a), static_cast<PrimitiveKind>(b)});
  return out;
}

std::string name_of(PairKinds kinds) {
  constexpr std::array<const char*, primitive_kind_count> names = {"sphere", "capsule", "box",
                                                                   "hull", "mesh"};
  return std::string(names[static_cast<std::size_t>(kinds.a)]) + "-" +
         names[static_cast<std::size_t>(kinds.b)];
}

std::vector<ShapePair> make_shape_pairs(PairKinds kinds, std::uint32_t count, std::uint64_t seed) {
  CHECK(kinds.a <= kinds.b);
  PairMaker maker(kinds, seed);
  std::vector<ShapePair> pairs;
  pairs.reserve(count);
  while (pairs.size() < count) pairs.push_back(maker.make());
  return pairs;
}

double clearance_m(const ShapePair& pair) {
  const auto deep = contact(pair.a, pair.pose_a, pair.b, pair.pose_b);
  if (deep) return -deep->penetration_m;
  return distance(pair.a, pair.pose_a, pair.b, pair.pose_b).distance_m;
}

}  // namespace vicinity::bench
