// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/pose.h"

#include <gtest/gtest.h>

namespace vicinity {
namespace {

void expect_near(Vec3 a, Vec3 b, double error) {
  EXPECT_NEAR(a.x, b.x, error);
  EXPECT_NEAR(a.y, b.y, error);
  EXPECT_NEAR(a.z, b.z, error);
}

const Quat quarter_about_y = from_rotation_vector({0, pi / 2, 0});

TEST(Pose, ComposesFromTheInsideOut) {
  const Pose outer = {{10, 0, 0}, quarter_about_y};
  const Pose inner = {{0, 0, 2}, quarter_about_y};
  const Pose both = compose(outer, inner);
  expect_near(both.position, {12, 0, 0}, 1e-15);
  expect_near(apply(both, {1, 0, 0}), {11, 0, 0}, 2e-15);  // half a turn
  expect_near(apply(both, {1, 0, 0}), apply(outer, apply(inner, {1, 0, 0})), 2e-15);
}

TEST(Pose, InverseUndoes) {
  const Pose pose = {{1, -2, 3}, normalized({0.1, 0.5, -0.3, 0.7})};
  const Vec3 point = {4, 5, 6};
  expect_near(apply_inverse(pose, apply(pose, point)), point, 4e-15);
  expect_near(apply(inverse(pose), apply(pose, point)), point, 4e-15);
}

TEST(Path, BothEndsAreExact) {
  const Pose start = {{0.1, 0.2, 0.3}, normalized({0.1, 0.5, -0.3, 0.7})};
  const Pose end = {{1e9, -0.7, 5e-9}, normalized({-0.4, 0.1, 0.3, -0.2})};
  const Path path = path_move_to(start, end);
  EXPECT_EQ(pose_at(path, 0), start);
  EXPECT_EQ(pose_at(path, 1), end);
}

TEST(Path, MoveToTakesTheShortestArc) {
  const Pose end = {{4, 0, 0}, from_rotation_vector({0, 1.5 * pi, 0})};
  const Pose middle = pose_at(path_move_to({}, end), 0.5);
  expect_near(middle.position, {2, 0, 0}, 0);
  expect_near(rotate(middle.rotation, {1, 0, 0}), {std::sqrt(0.5), 0, std::sqrt(0.5)}, 1e-14);
}

TEST(Path, TheRotationReachesItsEnd) {
  const Pose start = {{}, normalized({0.1, 0.5, -0.3, 0.7})};
  const Pose end = {{}, normalized({-0.4, 0.1, 0.3, 0.2})};
  const Pose almost = pose_at(path_move_to(start, end), std::nextafter(1.0, 0.0));
  expect_near(rotate(almost.rotation, {1, 2, 3}), rotate(end.rotation, {1, 2, 3}), 1e-14);
}

TEST(Path, OfVelocityMayTurnSeveralTimes) {
  const Path path = path_of_velocity({{1, 0, 0}, {}}, {10, 0, 0}, {0, 50 * pi, 0}, 0.05);
  expect_near(path.end.position, {1.5, 0, 0}, 1e-15);
  expect_near(rotate(path.end.rotation, {1, 0, 0}), {0, 0, -1}, 1e-14);  // a turn and a quarter
  // A fifth of two and a half half turns is half a half turn.
  expect_near(rotate(pose_at(path, 0.4).rotation, {1, 0, 0}), {-1, 0, 0}, 1e-14);
}

TEST(Path, WithoutRotationKeepsItsBits) {
  const Pose start = {{1, 2, 3}, normalized({0.1, 0.5, -0.3, 0.7})};
  const Path path = path_of_velocity(start, {1, 1, 1}, {}, 0.1);
  EXPECT_EQ(path.rotation_vector, Vec3{});
  EXPECT_EQ(path.end.rotation, start.rotation);
  EXPECT_EQ(pose_at(path, 0.3).rotation, start.rotation);
  EXPECT_EQ(pose_at(path_at_rest(start), 0.3), start);
}

TEST(Path, NeverLeavesTheBoxOfItsEnds) {
  const Path path = path_move_to({{0.1, 1e9, -0.3}, {}}, {{0.1 + 1e-16, 1e9 + 1e-7, 0.7}, {}});
  for (int i = 0; i <= 1000; ++i) {
    const Vec3 at = pose_at(path, i / 1000.0).position;
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_GE(at[axis], path.start.position[axis]);
      EXPECT_LE(at[axis], path.end.position[axis]);
    }
  }
}

}  // namespace
}  // namespace vicinity
