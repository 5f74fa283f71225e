// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/primitive_bounds.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace vicinity {
namespace {

Vec3 any_vector(Prng& prng, double size) {
  return {prng.between(-size, size), prng.between(-size, size), prng.between(-size, size)};
}

std::shared_ptr<const ConvexHull> any_hull(Prng& prng, double size) {
  std::vector<Vec3> points(4 + prng.below(12));
  for (Vec3& point : points) point = any_vector(prng, size);
  return std::make_shared<const ConvexHull>(ConvexHull::build(points, "points").value());
}

std::shared_ptr<const TriangleMesh> any_mesh(Prng& prng, double size) {
  std::vector<Vec3> vertices(6);
  for (Vec3& vertex : vertices) vertex = any_vector(prng, size);
  return std::make_shared<const TriangleMesh>(
      TriangleMesh::build(vertices, {{0, 1, 2}, {3, 4, 5}}, false, "mesh").value());
}

Primitive any_primitive(Prng& prng) {
  const double size = std::ldexp(1.0, static_cast<int>(prng.below(24)) - 10);
  const Pose offset = {prng.chance(0.3) ? Vec3{} : any_vector(prng, 3 * size),
                       prng.chance(0.3) ? Quat{} : from_rotation_vector(any_vector(prng, 3))};
  switch (prng.below(5)) {
    case 0: return sphere_primitive(size * prng.unit(), offset.position);
    case 1: return capsule_primitive(size * prng.unit(), size * prng.unit(), offset);
    case 2:
      return box_primitive({size * prng.unit(), size * prng.unit(), size * prng.unit()}, offset);
    case 3: return hull_primitive(any_hull(prng, size), offset);
    default: return mesh_primitive(any_mesh(prng, size), offset);
  }
}

/// Largest dot(direction, point) over the shape, from its definition.
double support_value(const Primitive& p, const Pose& pose, Vec3 direction) {
  const Quat turn = pose.rotation * p.offset.rotation;
  const Vec3 middle = rotate(pose.rotation, p.offset.position);
  const Vec3 local = rotate(conjugate(turn), direction);
  double most = -1e300;
  switch (p.kind) {
    case PrimitiveKind::Sphere: most = p.radius_m; break;
    case PrimitiveKind::Capsule: most = p.radius_m + p.half_height_m * std::abs(local.y); break;
    case PrimitiveKind::Box: most = dot(absolute(local), p.half_extent_m); break;
    case PrimitiveKind::Hull:
      for (const Vec3 vertex : p.hull->vertices()) most = std::max(most, dot(local, vertex));
      break;
    case PrimitiveKind::Mesh:
      for (const Vec3 vertex : p.mesh->vertices()) most = std::max(most, dot(local, vertex));
      break;
  }
  return dot(direction, pose.position) + dot(direction, middle) + most;
}

double support_value(const Aabb& box, Vec3 direction) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis)
    sum += direction[axis] * (direction[axis] > 0 ? box.max[axis] : box.min[axis]);
  return sum;
}

template <class Visit>
void for_26_directions(const Visit& visit) {
  for (int i = 0; i < 27; ++i)
    if (i != 13) visit(unit_or({i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0}, {}));
}

TEST(BoxAround, WithoutRotationIsPositionPlusCorners) {
  EXPECT_EQ(box_around(sphere_primitive(0.5, {1, 0, 0}), {{10, 20, 30}, {}}),
            (Aabb{{10.5, 19.5, 29.5}, {11.5, 20.5, 30.5}}));
  EXPECT_EQ(box_around(capsule_primitive(0.5, 1), {{10, 20, 30}, {}}),
            (Aabb{{9.5, 18.5, 29.5}, {10.5, 21.5, 30.5}}));
  const Vec3 position = {0.1, 0.2, 0.3};
  const Vec3 half = {0.7, 0.8, 0.9};
  EXPECT_EQ(box_around(box_primitive(half), {position, {}}),
            (Aabb{position - half, position + half}));
  EXPECT_EQ(box_around(sphere_primitive(0), {{1e9, 1, 1}, {}}), (Aabb{{1e9, 1, 1}, {1e9, 1, 1}}));
}

TEST(BoxAround, SpheresAreRoundedOutward) {
  // 1e9 + 0.1 is no f64; the box reaches at least as far as the true sum on both sides.
  const Aabb box = box_around(sphere_primitive(0.1), {{1e9, 0, 0}, {}});
  EXPECT_GE(box.max.x - 1e9, 0.1);
  EXPECT_GE(1e9 - box.min.x, 0.1);
  EXPECT_LE(box.max.x - 1e9, 0.1 + 3e-7);
}

TEST(BoxAround, OfATurnedBoxIsTight) {
  const Pose pose = {{5, 0, 0}, from_rotation_vector({0, 0, pi / 4})};
  const Aabb box = box_around(box_primitive({1, 1, 2}), pose);
  EXPECT_NEAR(box.max.x, 5 + std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(box.min.y, -std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(box.max.z, 2, 1e-12);
}

TEST(BoxAround, ContainsAndIsTight) {
  Prng prng(9);
  for (int round = 0; round < 5000; ++round) {
    const Primitive p = any_primitive(prng);
    const Pose pose = {any_vector(prng, 1e4), from_rotation_vector(any_vector(prng, 3))};
    const Aabb box = box_around(p, pose);
    const double error = 1e-12 * (1e4 + reach_m(p));
    for_26_directions([&](Vec3 direction) {
      const double most = support_value(p, pose, direction);
      ASSERT_GE(support_value(box, direction), most - 1e-15 * (1e4 + reach_m(p)));
      if (largest_component(direction) == 1 && p.kind != PrimitiveKind::Mesh) {
        ASSERT_NEAR(support_value(box, direction), most, error);
      }
    });
  }
}

TEST(BoxAroundPath, WithoutRotationIsTheBoxOfBothEnds) {
  const Primitive box = box_primitive({0.1, 0.2, 0.3});
  const Path path = path_of_velocity({{0.7, 0, 0}, {}}, {1, -1, 0}, {}, 0.1);
  EXPECT_EQ(box_around_path(box, path),
            merge(box_around(box, path.start), box_around(box, path.end)));
}

TEST(BoxAroundPath, ReachesTheTopOfAnArcBetweenTheEnds) {
  // A point 2 m to the right turns by a quarter about z from -45 degrees to 45: the arc's rightmost
  // point is at half time.
  const Pose start = {{}, from_rotation_vector({0, 0, -pi / 4})};
  const Path path = path_of_velocity(start, {}, {0, 0, pi / 2}, 1);
  const Aabb box = box_around_path(sphere_primitive(0, {2, 0, 0}), path);
  EXPECT_NEAR(box.max.x, 2, 1e-12);
  EXPECT_NEAR(box.min.x, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(box.max.y, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(box.min.y, -std::sqrt(2.0), 1e-12);
}

TEST(BoxAroundPath, OfAWholeTurnIsTheCircle) {
  for (const double turns : {1.0, 1.3, -7.0}) {
    const Path path = path_of_velocity({}, {}, {0, 2 * pi * turns, 0}, 1);
    const Aabb box = box_around_path(sphere_primitive(0.5, {2, 1, 0}), path);
    EXPECT_NEAR(box.min.x, -2.5, 1e-12);
    EXPECT_NEAR(box.max.x, 2.5, 1e-12);
    EXPECT_NEAR(box.max.z, 2.5, 1e-12);
    EXPECT_NEAR(box.min.y, 0.5, 1e-12);
    EXPECT_NEAR(box.max.y, 1.5, 1e-12);
  }
}

TEST(BoxAroundPath, ContainsTheShapeAtSixtyFourInstants) {
  Prng prng(10);
  for (int round = 0; round < 3000; ++round) {
    const Primitive p = any_primitive(prng);
    const Pose start = {any_vector(prng, 100),
                        prng.chance(0.3) ? Quat{} : from_rotation_vector(any_vector(prng, 3))};
    const double turns = prng.chance(0.3) ? 1e-3 : prng.chance(0.5) ? 1 : 15;
    const Vec3 angular = prng.chance(0.2) ? Vec3{0, turns, 0} : any_vector(prng, turns);
    const Path path = prng.chance(0.5)
                          ? path_of_velocity(start, any_vector(prng, 10), angular, 1)
                          : path_move_to(start, {any_vector(prng, 100),
                                                 from_rotation_vector(any_vector(prng, 3))});
    const Aabb box = box_around_path(p, path);
    // The checker's own roundings.
    const double error = 1e-15 * (200 + reach_m(p));
    for (int i = 0; i < 64; ++i) {
      const Pose pose = pose_at(path, i / 63.0);
      for_26_directions([&](Vec3 direction) {
        ASSERT_GE(support_value(box, direction), support_value(p, pose, direction) - error)
            << "round " << round << " instant " << i;
      });
    }
  }
}

TEST(BoxAroundPath, OfASmallRotationIsHardlyMoreThanBothEnds) {
  Prng prng(11);
  for (int round = 0; round < 1000; ++round) {
    const Primitive p = box_primitive({1, 2, 3}, {{5, 0, 0}, {}});
    const Pose start = {{}, from_rotation_vector(any_vector(prng, 3))};
    const Path path = path_of_velocity(start, {}, any_vector(prng, 0.01), 1);
    const Aabb ends = merge(box_around(p, path.start), box_around(p, path.end));
    const Aabb box = box_around_path(p, path);
    // An arc of angle 0.01 sqrt(3) and radius below 9 bulges by less than 9 * 0.0174^2 / 8.
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_LE(box.max[axis], ends.max[axis] + 4e-4);
      EXPECT_GE(box.min[axis], ends.min[axis] - 4e-4);
    }
  }
}

TEST(Reach, IsTheFarthestPoint) {
  EXPECT_NEAR(reach_m(sphere_primitive(1, {3, 4, 0})), 6, 1e-12);
  EXPECT_NEAR(reach_m(capsule_primitive(1, 2, {{0, 3, 0}, {}})), 6, 1e-12);
  EXPECT_NEAR(reach_m(box_primitive({2, 3, 6})), 7, 1e-12);
}

}  // namespace
}  // namespace vicinity
