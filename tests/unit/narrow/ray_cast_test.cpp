// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/ray_cast.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "unit/narrow/shapes.h"

namespace vicinity {
namespace {

using test::at;
using test::cube_hull;
using test::floor_mesh;

const std::vector<Primitive> unit_solids = {sphere_primitive(1), capsule_primitive(1, 1),
                                            box_primitive({1, 2, 1}), cube_hull(1)};

TEST(RayCast, HitsTheFaceThatItComesTo) {
  for (const Primitive& solid : unit_solids) {
    const auto hit = ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {8, 0, 0});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->fraction, 0.5);
    EXPECT_EQ(hit->point, Vec3({9, 0, 0}));
    EXPECT_EQ(hit->normal, Vec3({-1, 0, 0}));
    EXPECT_FALSE(ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {-8, 0, 0}).has_value());
  }
}

TEST(RayCast, EndsBeforeTheFractionIsReached) {
  for (const Primitive& solid : unit_solids) {
    EXPECT_FALSE(ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {4, 0, 0}).has_value());  // touches
    EXPECT_TRUE(ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {4.001, 0, 0}).has_value());
    EXPECT_FALSE(ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {1, 0, 0}, 4).has_value());
    EXPECT_EQ(ray_cast(solid, at(10, 0, 0), {5, 0, 0}, {1, 0, 0}, 4.001)->fraction, 4.0);
  }
}

TEST(RayCast, FromInsideIsAtZeroAgainstTheRay) {
  for (const Primitive& solid : unit_solids) {
    const auto hit = ray_cast(solid, at(10, 0, 0), {10.5, 0, 0}, {0, 0, 3});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->fraction, 0.0);
    EXPECT_EQ(hit->normal, Vec3({0, 0, -1}));
    EXPECT_TRUE(ray_cast(solid, at(10, 0, 0), {10.5, 0, 0}, {}).has_value());
    EXPECT_FALSE(ray_cast(solid, at(10, 0, 0), {12, 0, 0}, {}).has_value());
  }
}

TEST(RayCast, OnTheSurfaceCountsOnlyInward) {
  for (const Primitive& solid : unit_solids) {
    EXPECT_EQ(ray_cast(solid, at(0, 0, 0), {-1, 0, 0}, {1, 0, 0})->fraction, 0.0);
    EXPECT_FALSE(ray_cast(solid, at(0, 0, 0), {-1, 0, 0}, {-1, 0, 0}).has_value());
    EXPECT_FALSE(ray_cast(solid, at(0, 0, 0), {-1, 0, 0}, {0, 0, 1}).has_value());
  }
}

TEST(RayCast, GrazingIsNoHit) {
  for (const Primitive& solid : unit_solids) {
    EXPECT_FALSE(ray_cast(solid, at(0, 0, 0), {-5, 0, 1}, {10, 0, 0}).has_value());
    EXPECT_TRUE(ray_cast(solid, at(0, 0, 0), {-5, 0, 0.999}, {10, 0, 0}).has_value());
  }
  // Through the corner of a box.
  EXPECT_FALSE(ray_cast(box_primitive({1, 1, 1}), at(0, 0, 0), {-2, 0, 0}, {4, 4, 0}).has_value());
}

TEST(RayCast, WhatHasNoInsideIsNeverHit) {
  for (const Primitive& flat :
       {sphere_primitive(0), capsule_primitive(0, 1), box_primitive({}), box_primitive({1, 0, 1})})
    EXPECT_FALSE(ray_cast(flat, at(0, 0, 0), {0, 5, 0}, {0, -10, 0}).has_value());
}

TEST(RayCast, ReachesTheCapsOfACapsule) {
  const Primitive pill = capsule_primitive(1, 2);
  const auto top = ray_cast(pill, at(0, 0, 0), {0, 10, 0}, {0, -10, 0});
  ASSERT_TRUE(top.has_value());
  EXPECT_EQ(top->fraction, 0.7);
  EXPECT_EQ(top->normal, Vec3({0, 1, 0}));
  // Lying along x: the cap is at the side.
  const auto side =
      ray_cast(pill, at(0, 0, 0, from_rotation_vector({0, 0, pi / 2})), {10, 0, 0}, {-10, 0, 0});
  ASSERT_TRUE(side.has_value());
  EXPECT_NEAR(side->fraction, 0.7, 1e-15);
  // Into the side, slanted: at x = -1 after half of it, y = 0.5.
  const auto slanted = ray_cast(pill, at(0, 0, 0), {-2, 0, 0}, {2, 1, 0});
  ASSERT_TRUE(slanted.has_value());
  EXPECT_NEAR(slanted->fraction, 0.5, 1e-15);
  EXPECT_NEAR(slanted->normal.x, -1, 1e-15);
}

TEST(RayCast, IsExactFarAway) {
  const Vec3 far = {1e9, 1e9, -1e9};
  const auto hit = ray_cast(sphere_primitive(1), {far, {}}, far - Vec3{4, 0, 0}, {4, 0, 0});
  ASSERT_TRUE(hit.has_value());
  EXPECT_EQ(hit->fraction, 0.75);
}

TEST(RayCast, HitsTheFrontOfAMesh) {
  const Primitive one_sided = floor_mesh(1, false);
  const Primitive two_sided = floor_mesh(1, true);
  for (const Primitive& floor : {one_sided, two_sided}) {
    const auto hit = ray_cast(floor, at(0, 1, 0), {0.3, 5, 0.2}, {0, -8, 0});
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->fraction, 0.5);
    EXPECT_EQ(hit->normal, Vec3({0, 1, 0}));
    EXPECT_FALSE(ray_cast(floor, at(0, 1, 0), {0.3, 5, 0.2}, {0, -4, 0}).has_value());
    EXPECT_FALSE(ray_cast(floor, at(0, 1, 0), {1.3, 5, 0.2}, {0, -8, 0}).has_value());
    EXPECT_FALSE(ray_cast(floor, at(0, 1, 0), {-5, 1, 0}, {10, 0, 0}).has_value());  // along it
    EXPECT_FALSE(ray_cast(floor, at(0, 1, 0), {0, 5, 0}, {}).has_value());
  }
  EXPECT_FALSE(ray_cast(one_sided, at(0, 0, 0), {0.3, -4, 0.2}, {0, 8, 0}).has_value());
  const auto below = ray_cast(two_sided, at(0, 0, 0), {0.3, -4, 0.2}, {0, 8, 0});
  ASSERT_TRUE(below.has_value());
  EXPECT_EQ(below->normal, Vec3({0, -1, 0}));
  // Starting on it.
  EXPECT_EQ(ray_cast(one_sided, at(0, 0, 0), {0.3, 0, 0.2}, {0, -1, 0})->fraction, 0.0);
  EXPECT_FALSE(ray_cast(one_sided, at(0, 0, 0), {0.3, 0, 0.2}, {0, 1, 0}).has_value());
  EXPECT_FALSE(ray_cast(two_sided, at(0, 0, 0), {0.3, 0, 0.2}, {0, -1, 0}).has_value());
}

/// A closed surface lets no ray in unseen: from outside to the middle, through edges and corners
/// and whatever lies between, in a frame that makes every number round.
TEST(RayCast, NoRaySlipsThroughBetweenTriangles) {
  std::vector<Vec3> vertices = {{0, 1, 0}, {0, -1, 0}};
  std::vector<TriangleMesh::Indices> triangles;
  const std::uint32_t sides = 24;
  for (std::uint32_t i = 0; i < sides; ++i) {
    const SineCosine turn = sine_cosine(2 * pi * i / sides);
    vertices.push_back({turn.cosine, 0, turn.sine});
    const std::uint32_t here = 2 + i;
    const std::uint32_t next = 2 + (i + 1) % sides;
    triangles.push_back({0, next, here});
    triangles.push_back({1, here, next});
  }
  const Primitive mesh =
      mesh_primitive(std::make_shared<const TriangleMesh>(
                         TriangleMesh::build(vertices, triangles, false, "mesh").value()),
                     {{0.1, 0.2, 0.3}, normalized({0.1, 0.2, 0.3, 0.4})});
  const Pose pose = {{7.7, -3.3, 1.1}, normalized({0.4, -0.2, 0.3, 0.1})};
  Prng prng(31);
  for (int i = 0; i < 20'000; ++i) {
    // A point of an edge: of the belt, or from a pole to the belt.
    const std::uint64_t at_belt = prng.below(sides);
    const Vec3 from = vertices[prng.chance(0.5) ? prng.below(2) : 2 + (at_belt + 1) % sides];
    const Vec3 to = vertices[2 + at_belt];
    const double part = prng.chance(0.3) ? 0.5 : prng.unit();
    const Vec3 on_edge = from * (1 - part) + to * part;
    const Vec3 inside = {prng.between(-0.05, 0.05), prng.between(-0.05, 0.05), 0};
    const Vec3 start = compose(pose, mesh.offset).position +
                       rotate(pose.rotation * mesh.offset.rotation, on_edge * 9 - inside * 8);
    const Vec3 end = apply(compose(pose, mesh.offset), inside);
    ASSERT_TRUE(ray_cast(mesh, pose, start, end - start).has_value()) << i;
  }
}

}  // namespace
}  // namespace vicinity
