// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Areas of every kind, one after the other: what is inside, for entering and for leaving.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "interest/interest_area.h"
#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

constexpr double pi = std::numbers::pi;

AreaSpec spec_of(AreaKind kind, Vec3 centre = {}) {
  AreaSpec spec;
  spec.kind = kind;
  spec.centre = centre;
  spec.leave_margin_m = 1;
  spec.radius_m = 10;
  spec.half_height_m = 2;
  spec.half_extent_m = {10, 2, 1};
  spec.near_m = 1;
  spec.range_m = 20;
  spec.half_angle_rad = pi / 4;
  spec.half_angle_up_rad = pi / 8;
  spec.outline = {{-10, 5}, {10, 5}, {0, -10}};  // counter-clockwise as seen from above
  return spec;
}

Quat about(Vec3 axis, double angle_rad) { return from_rotation_vector(axis * angle_rad); }

class AreaKinds : public testing::Test {
 protected:
  /// Placed at `far`, and everything else as well.
  InterestArea area(AreaSpec spec, Vec3 far = {}) {
    spec.centre = spec.centre + far;
    InterestArea out = make_area(AreaId{1}, spec, {});
    place(builder_.snapshot(), out);
    return out;
  }
  bool enters(const AreaSpec& spec, const Shape& shape, const Pose& pose, Vec3 far = {}) {
    const std::uint32_t slot = builder_.add(shape, {pose.position + far, pose.rotation});
    return inside_enter(area(spec, far), builder_.snapshot(), slot);
  }
  bool enters(const AreaSpec& spec, Vec3 point) {
    return enters(spec, Shape::sphere(0), {point, {}});
  }
  bool leaves(const AreaSpec& spec, Vec3 point) {
    const std::uint32_t slot = builder_.add(Shape::sphere(0), {point, {}});
    return !inside_leave(area(spec), builder_.snapshot(), slot);
  }
  test::SnapshotBuilder builder_;
};

TEST_F(AreaKinds, CylinderStandsUprightWithItsEdgeInside) {
  const AreaSpec spec = spec_of(AreaKind::Cylinder);
  const auto box = [&](const Aabb& at) {
    return inside_enter(area(spec), builder_.snapshot(), builder_.add(at));
  };
  EXPECT_TRUE(box({{6, 2, 8}, {7, 3, 9}}));
  EXPECT_FALSE(box({{6.0000001, 2, 8}, {7, 3, 9}}));
  EXPECT_FALSE(box({{6, 2.0000001, 8}, {7, 3, 9}}));
  EXPECT_TRUE(box({{-100, -100, -100}, {100, 100, 100}}));
  EXPECT_FALSE(leaves(spec, {11, 3, 0}));
  EXPECT_TRUE(leaves(spec, {11.01, 0, 0}));
  EXPECT_TRUE(leaves(spec, {0, 3.01, 0}));
}

TEST_F(AreaKinds, RoundShapesReachIntoSpheresBoxesAndCylindersExactly) {
  AreaSpec sphere;
  sphere.enter_radius_m = 10;
  const auto enters_at = [&](const AreaSpec& spec, const Shape& shape, Vec3 at) {
    const std::uint32_t slot = builder_.add(shape, {at, {}});
    builder_.snapshot().form[slot] = Form::Round;
    return inside_enter(area(spec), builder_.snapshot(), slot);
  };
  // The tight box of a ball at (9, 12) reaches into the sphere, the ball just does not.
  EXPECT_TRUE(enters_at(sphere, Shape::sphere(5), {9, 12, 0}));
  EXPECT_FALSE(enters_at(sphere, Shape::sphere(4.999999), {9, 12, 0}));
  EXPECT_TRUE(enters_at(sphere, Shape::capsule(5, 3), {9, 15, 0}));
  EXPECT_FALSE(enters_at(sphere, Shape::capsule(5, 2.999999), {9, 15, 0}));
  AreaSpec box;
  box.kind = AreaKind::Box;
  box.enter_half_extent_m = {1, 1, 1};
  EXPECT_TRUE(enters_at(box, Shape::sphere(5), {4, 5, 0}));
  EXPECT_FALSE(enters_at(box, Shape::sphere(4.999999), {4, 5, 0}));
  const AreaSpec cylinder = spec_of(AreaKind::Cylinder);
  EXPECT_TRUE(enters_at(cylinder, Shape::sphere(5.0000001), {13, 6, 0}));
  EXPECT_FALSE(enters_at(cylinder, Shape::sphere(4.999999), {13, 6, 0}));
}

TEST_F(AreaKinds, OrientedBoxTurns) {
  AreaSpec spec = spec_of(AreaKind::OrientedBox);
  spec.rotation = about({0, 1, 0}, pi / 2);  // its long side is along z
  EXPECT_TRUE(enters(spec, {0, 0, 9.99}));
  EXPECT_TRUE(enters(spec, {0.99, 1.99, -9.99}));
  EXPECT_FALSE(enters(spec, {1.01, 0, 0}));
  EXPECT_FALSE(leaves(spec, {1.99, 2.99, 10.99}));
  EXPECT_TRUE(leaves(spec, {2.01, 0, 0}));
  // A box whose corner points at the long side; its tight box would reach in from farther away.
  const Shape box = Shape::box({1, 1, 1});
  const Quat turned = about({0, 1, 0}, pi / 4);
  EXPECT_TRUE(enters(spec, box, {{1 + std::numbers::sqrt2 - 0.001, 0, 0}, turned}));
  EXPECT_FALSE(enters(spec, box, {{1 + std::numbers::sqrt2 + 0.001, 0, 0}, turned}));
}

TEST_F(AreaKinds, ConeOpensAlongItsOwnMinusZAndEndsInABall) {
  AreaSpec spec = spec_of(AreaKind::Cone);
  EXPECT_TRUE(enters(spec, {0, 0, -20}));
  EXPECT_FALSE(enters(spec, {0, 0, -20.01}));
  EXPECT_FALSE(enters(spec, {0, 0, 0.01}));
  EXPECT_TRUE(enters(spec, {5, 0, -5.001}));
  EXPECT_FALSE(enters(spec, {5, 0, -4.999}));
  EXPECT_FALSE(enters(spec, {10, 10, -14.1}));  // beyond the side, within the range
  const double out = 1 / std::numbers::sqrt2;   // the side one metre farther out
  EXPECT_FALSE(leaves(spec, {5 + out - 0.001, 0, -5 + out}));
  EXPECT_TRUE(leaves(spec, {5 + out + 0.001, 0, -5 + out}));
  EXPECT_FALSE(leaves(spec, {0, 0, -20.99}));
  EXPECT_TRUE(leaves(spec, {0, 0, -21.01}));
  // A ball beside the cone, as far from its side as its radius.
  EXPECT_TRUE(enters(spec, Shape::sphere(1.001), {{5 + out, 0, -5 + out}, {}}));
  EXPECT_FALSE(enters(spec, Shape::sphere(0.999), {{5 + out, 0, -5 + out}, {}}));
  spec.rotation = about({0, 1, 0}, -pi / 2);  // looks along +x
  EXPECT_TRUE(enters(spec, {19, 0, 0}));
  EXPECT_FALSE(enters(spec, {0, 0, -19}));
}

TEST_F(AreaKinds, FrustumSeesBetweenItsSixPlanes) {
  const AreaSpec spec = spec_of(AreaKind::Frustum);
  const double up = std::tan(pi / 8);
  EXPECT_TRUE(enters(spec, {9.99, 10 * up - 0.01, -10}));
  EXPECT_FALSE(enters(spec, {10.01, 0, -10}));
  EXPECT_FALSE(enters(spec, {0, 10 * up + 0.01, -10}));
  EXPECT_TRUE(enters(spec, {0, 0, -1.001}));
  EXPECT_FALSE(enters(spec, {0, 0, -0.999}));
  EXPECT_TRUE(enters(spec, {19.9, 0, -19.99}));
  EXPECT_FALSE(enters(spec, {0, 0, -20.01}));
  const double out = std::numbers::sqrt2;  // one metre at right angles to a side of 45 degrees
  EXPECT_FALSE(leaves(spec, {10 + out - 0.001, 0, -10}));
  EXPECT_TRUE(leaves(spec, {10 + out + 0.001, 0, -10}));
  EXPECT_FALSE(leaves(spec, {0, 0, -0.001}));
  EXPECT_TRUE(leaves(spec, {0, 0, 0.001}));
  const double gap = 1 / std::numbers::sqrt2;
  EXPECT_TRUE(enters(spec, Shape::sphere(1.001), {{10 + gap, 0, -10 + gap}, {}}));
  EXPECT_FALSE(enters(spec, Shape::sphere(0.999), {{10 + gap, 0, -10 + gap}, {}}));
}

TEST_F(AreaKinds, PrismStandsOverItsOutline) {
  AreaSpec spec = spec_of(AreaKind::Prism);
  EXPECT_TRUE(enters(spec, {0, 2, -9.9}));
  EXPECT_TRUE(enters(spec, {9.9, -2, 4.99}));
  EXPECT_FALSE(enters(spec, {0, 0, 5.01}));
  EXPECT_FALSE(enters(spec, {0, 2.01, 0}));
  EXPECT_FALSE(enters(spec, {9, 0, -5}));
  EXPECT_FALSE(leaves(spec, {0, 2.99, 5.99}));
  EXPECT_TRUE(leaves(spec, {0, 0, 6.01}));
  EXPECT_TRUE(leaves(spec, {0, 3.01, 0}));
  spec.rotation = about({0, 1, 0}, pi);
  EXPECT_TRUE(enters(spec, {0, 0, 9.9}));
  EXPECT_FALSE(enters(spec, {0, 0, -5.01}));
  const Shape box = Shape::box({1, 1, 1});
  EXPECT_TRUE(enters(spec, box, {{0, 0, -5.999}, {}}));
  EXPECT_FALSE(enters(spec, box, {{0, 0, -6.001}, {}}));
}

TEST_F(AreaKinds, MeshesAndHullsReachInWithTheirSurface) {
  // A roof of two triangles over the area, whose tight box contains everything.
  auto roof = TriangleMesh::build({{-30, 0, -30}, {30, 0, -30}, {30, 40, 30}, {-30, 40, 30}},
                                  {{0, 2, 1}, {0, 3, 2}}, true, "mesh");
  ASSERT_TRUE(roof.ok());
  const auto mesh = std::make_shared<const TriangleMesh>(std::move(roof.value()));
  const Shape shape = Shape::of_parts({mesh_primitive(mesh)});
  AreaSpec spec = spec_of(AreaKind::OrientedBox);
  spec.half_extent_m = {1, 1, 1};
  spec.rotation = about({1, 0, 0}, 0.3);
  EXPECT_TRUE(enters(spec, shape, {{0, -20, 0}, {}}));
  EXPECT_FALSE(enters(spec, shape, {{0, -16, 0}, {}}));
  AreaSpec sphere;
  sphere.enter_radius_m = 1;
  EXPECT_TRUE(enters(sphere, shape, {{0, -20.5, 0}, {}}));
  EXPECT_FALSE(enters(sphere, shape, {{0, -16, 0}, {}}));
}

TEST_F(AreaKinds, FarFromTheOriginTheyAreAsExact) {
  const Vec3 far{0x1p33, -0x1p33, 0x1p33};
  AreaSpec spec = spec_of(AreaKind::Frustum);
  const Shape ball = Shape::sphere(1);
  EXPECT_TRUE(enters(spec, ball, {{0, 0, -20.9990234375}, {}}, far));
  EXPECT_FALSE(enters(spec, ball, {{0, 0, -21.0009765625}, {}}, far));
}

TEST_F(AreaKinds, CentreReachLooksAtTheMiddleOfTheTightBox) {
  for (const AreaKind kind : {AreaKind::Cylinder, AreaKind::OrientedBox, AreaKind::Cone,
                              AreaKind::Frustum, AreaKind::Prism}) {
    AreaSpec spec = spec_of(kind);
    const std::uint32_t slot = builder_.add(Aabb{{-50, -1, -2}, {51, 1, 0}});
    EXPECT_TRUE(inside_enter(area(spec), builder_.snapshot(), slot)) << static_cast<int>(kind);
    spec.reach = Reach::Centre;
    spec.centre.x = 40;
    EXPECT_FALSE(inside_enter(area(spec), builder_.snapshot(), slot)) << static_cast<int>(kind);
  }
}

TEST_F(AreaKinds, FollowsTheHeadingOfItsAnchor) {
  const Quat turn = about({0, 1, 0}, pi / 2);  // -z becomes -x
  const std::uint32_t anchor = builder_.add(Shape::box({1, 1, 1}), {{100, 0, 0}, turn});
  AreaSpec spec = spec_of(AreaKind::Cone, {0, 0, -2});
  const auto placed = [&](AreaFollow follow) {
    spec.follow = follow;
    InterestArea out = make_area(AreaId{1}, spec, builder_.snapshot().id[anchor]);
    place(builder_.snapshot(), out);
    return out;
  };
  const std::uint32_t ahead = builder_.add(Shape::sphere(0), {{90, 0, 0}, {}});
  const std::uint32_t north = builder_.add(Shape::sphere(0), {{100, 0, -10}, {}});
  const InterestArea turned = placed(AreaFollow::PositionAndHeading);
  EXPECT_NEAR(turned.position.x, 98, 1e-9);
  EXPECT_TRUE(inside_enter(turned, builder_.snapshot(), ahead));
  EXPECT_FALSE(inside_enter(turned, builder_.snapshot(), north));
  const InterestArea still = placed(AreaFollow::Position);
  EXPECT_EQ(still.position, (Vec3{100, 0, -2}));
  EXPECT_FALSE(inside_enter(still, builder_.snapshot(), ahead));
  EXPECT_TRUE(inside_enter(still, builder_.snapshot(), north));
}

}  // namespace
}  // namespace vicinity
