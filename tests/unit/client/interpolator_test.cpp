// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/interpolator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/quat.h"

namespace vicinity::client {
namespace {

constexpr EntityId deer{2, 1};

Quat about_y(double angle_rad) { return from_rotation_vector({0, angle_rad, 0}); }

TickFrame enter_at(std::uint64_t time_us, Vec3 position, Quat rotation = {}) {
  TickFrame frame;
  frame.server_time_us = time_us;
  frame.enters.resize(1);
  frame.enters[0].id = deer;
  frame.enters[0].position = position;
  frame.enters[0].rotation = rotation;
  return frame;
}

TickFrame move_to(std::uint64_t time_us, Vec3 position, Quat rotation = {}, bool jumped = false) {
  TickFrame frame;
  frame.server_time_us = time_us;
  frame.moved.resize(1);
  frame.moved[0].id = deer;
  frame.moved[0].position = position;
  frame.turned.resize(1);
  frame.turned[0].id = deer;
  frame.turned[0].rotation = rotation;
  if (jumped) frame.jumped.push_back({deer, {}, 0});
  return frame;
}

InterpolationOptions without_delay() {
  InterpolationOptions options;
  options.delay_us = 0;
  return options;
}

TEST(Interpolator, GoesStraightAndTurnsEvenlyBetweenTwoStates) {
  Interpolator interpolator(without_delay());
  interpolator.apply(enter_at(100'000, {0, 0, 0}));
  interpolator.apply(move_to(200'000, {10, -20, 0}, about_y(1.0)));
  const auto pose = interpolator.pose(deer, 125'000);
  ASSERT_TRUE(pose.has_value());
  EXPECT_NEAR(pose->position.x, 2.5, 1e-12);
  EXPECT_NEAR(pose->position.y, -5, 1e-12);
  EXPECT_NEAR(pose->rotation.y, std::sin(0.125), 1e-12);
  EXPECT_NEAR(pose->rotation.w, std::cos(0.125), 1e-12);
  EXPECT_EQ(interpolator.pose(deer, 100'000)->position.x, 0);
  EXPECT_NEAR(interpolator.pose(deer, 200'000)->position.x, 10, 1e-12);
  EXPECT_EQ(interpolator.pose(deer, 0)->position.x, 0) << "before all that is known";
}

TEST(Interpolator, TurnsTheShortWayRound) {
  Interpolator interpolator(without_delay());
  interpolator.apply(enter_at(0, {}, about_y(0)));
  const Quat q = about_y(0.5);
  interpolator.apply(move_to(100'000, {}, {-q.x, -q.y, -q.z, -q.w}));  // the same rotation
  EXPECT_NEAR(std::abs(interpolator.pose(deer, 50'000)->rotation.w), std::cos(0.125), 1e-12);
}

TEST(Interpolator, DrawsTheDelayInThePast) {
  InterpolationOptions options;
  options.delay_us = 50'000;
  Interpolator interpolator(options);
  interpolator.apply(enter_at(100'000, {0, 0, 0}));
  interpolator.apply(move_to(200'000, {10, 0, 0}));
  interpolator.apply(move_to(300'000, {30, 0, 0}));
  EXPECT_NEAR(interpolator.pose(deer, 200'000)->position.x, 5, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 300'000)->position.x, 20, 1e-12);
}

TEST(Interpolator, NeverDrawsBetweenTheEndsOfAJump) {
  Interpolator interpolator(without_delay());
  interpolator.apply(enter_at(100'000, {0, 0, 0}));
  interpolator.apply(move_to(200'000, {10, 0, 0}, {}, true));
  EXPECT_EQ(interpolator.pose(deer, 199'999)->position.x, 0);
  EXPECT_EQ(interpolator.pose(deer, 200'000)->position.x, 10);
}

TEST(Interpolator, GoesAheadByVelocityForALimitedTime) {
  InterpolationOptions options = without_delay();
  options.extrapolation_max_us = 250'000;
  Interpolator interpolator(options);
  TickFrame frame = enter_at(100'000, {1, 0, 0});
  frame.enters[0].velocity = {4, 0, 0};
  frame.enters[0].angular_velocity = {0, std::numbers::pi, 0};
  interpolator.apply(frame);
  EXPECT_NEAR(interpolator.pose(deer, 200'000)->position.x, 1.4, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 350'000)->position.x, 2, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 9'000'000)->position.x, 2, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 9'000'000)->rotation.y, std::sin(std::numbers::pi / 8),
              1e-12);
}

TEST(Interpolator, PartsOfAMotionThatAreNotToldGoOnAsBefore) {
  Interpolator interpolator(without_delay());
  TickFrame frame = enter_at(100'000, {1, 0, 0}, about_y(1));
  interpolator.apply(frame);
  TickFrame velocity;
  velocity.server_time_us = 200'000;
  velocity.velocities = {{deer, {}, 0, {4, 0, 0}}};
  velocity.spins = {{deer, {}, 0, {0, 1, 0}}};
  interpolator.apply(velocity);
  EXPECT_NEAR(interpolator.pose(deer, 200'000)->position.x, 1, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 300'000)->position.x, 1.4, 1e-12);
  EXPECT_NEAR(interpolator.pose(deer, 300'000)->rotation.y, std::sin(0.55), 1e-12);
}

TEST(Interpolator, WhoGetsASlotTakesItFromWhoHadIt) {
  Interpolator interpolator(without_delay());
  interpolator.apply(enter_at(100'000, {1, 0, 0}));
  TickFrame other = enter_at(200'000, {2, 0, 0});
  other.enters[0].observer = {1};
  interpolator.apply(other);
  EXPECT_FALSE(interpolator.pose(deer, 200'000).has_value());
  EXPECT_EQ(interpolator.pose(deer, 200'000, {1})->position.x, 2);
  interpolator.drop_observer({1});
  EXPECT_FALSE(interpolator.pose(deer, 200'000, {1}).has_value());
}

TEST(Interpolator, WhatRestedDoesNotCreepWhenItMovesAgain) {
  InterpolationOptions options = without_delay();
  options.gap_max_us = 100'000;
  Interpolator interpolator(options);
  interpolator.apply(enter_at(0, {0, 0, 0}));
  interpolator.apply(move_to(10'000'000, {1, 0, 0}));
  EXPECT_EQ(interpolator.pose(deer, 9'900'000)->position.x, 0);
  EXPECT_NEAR(interpolator.pose(deer, 9'950'000)->position.x, 0.5, 1e-12);
}

TEST(Interpolator, KeepsTheLastStatesOnlyAndForgetsWhatLeft) {
  Interpolator interpolator(without_delay());
  interpolator.apply(enter_at(0, {0, 0, 0}));
  for (int i = 1; i <= 20; ++i)
    interpolator.apply(move_to(static_cast<std::uint64_t>(i) * 50'000, {1.0 * i, 0, 0}));
  EXPECT_NEAR(interpolator.pose(deer, 975'000)->position.x, 19.5, 1e-9);
  TickFrame leave;
  leave.leaves.resize(1);
  leave.leaves[0].id = deer;
  interpolator.apply(leave);
  EXPECT_FALSE(interpolator.pose(deer, 975'000).has_value());
  interpolator.apply(move_to(2'000'000, {1, 0, 0}));
  EXPECT_FALSE(interpolator.pose(deer, 2'000'000).has_value()) << "a move of nothing known";
}

}  // namespace
}  // namespace vicinity::client
