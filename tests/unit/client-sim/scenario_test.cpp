// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace vicinity::sim {
namespace {

constexpr std::uint32_t bot_count = 40;
constexpr std::uint32_t tick_rate_hz = 20;

MoverSettings settings(Scenario scenario, std::uint32_t bot, std::uint64_t seed = 1) {
  return {scenario, bot, bot_count, seed, tick_rate_hz};
}

class ScenarioTest : public ::testing::TestWithParam<Scenario> {};
INSTANTIATE_TEST_SUITE_P(All, ScenarioTest,
                         ::testing::Values(Scenario::Walk, Scenario::Crowd, Scenario::FlashMob,
                                           Scenario::Teleport, Scenario::Corridor),
                         [](const auto& param_info) {
                           std::string name(to_string(param_info.param));
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(ScenarioTest, NameReadsBackAsTheSame) {
  EXPECT_EQ(parse_scenario(to_string(GetParam())), GetParam());
  EXPECT_NE(scenario_names().find(to_string(GetParam())), std::string::npos);
}

TEST_P(ScenarioTest, EverybodyStaysOnTheGround) {
  const Ground ground = ground_of(GetParam(), bot_count);
  for (std::uint32_t bot = 0; bot < bot_count; ++bot) {
    Mover mover(settings(GetParam(), bot));
    for (int tick = 0; tick < 2'000; ++tick) {
      const Vec3 p = mover.position();
      ASSERT_LE(std::abs(p.x), ground.half_x_m) << "bot " << bot << " tick " << tick;
      ASSERT_LE(std::abs(p.z), ground.half_z_m) << "bot " << bot << " tick " << tick;
      ASSERT_GE(p.y, 0) << "bot " << bot << " tick " << tick;
      ASSERT_LE(p.y, ground.height_m) << "bot " << bot << " tick " << tick;
      mover.advance();
    }
  }
}

/// What a server makes of the steps: it adds the velocity unless a step names a position.
TEST_P(ScenarioTest, SteeringFollowsThePathOfTheMover) {
  for (std::uint32_t bot = 0; bot < bot_count; ++bot) {
    Mover mover(settings(GetParam(), bot));
    Vec3 position = mover.position();
    Vec3 velocity;
    for (int tick = 0; tick < 500; ++tick) {
      const Step step = mover.advance();
      const bool named = step.kind != StepKind::Stay;
      position = named ? step.position : position + velocity * (1.0 / tick_rate_hz);
      if (step.kind == StepKind::Steer) velocity = step.velocity;
      ASSERT_LT(length(position - mover.position()), 1e-6) << "bot " << bot << " tick " << tick;
    }
  }
}

/// The same of the rotation; what never turns is never told to.
TEST_P(ScenarioTest, TurningFollowsTheHeadingOfTheMover) {
  int turning = 0;
  for (std::uint32_t bot = 0; bot < bot_count; ++bot) {
    Mover mover(settings(GetParam(), bot));
    if (mover.rotation() == Quat{}) {
      for (int tick = 0; tick < 100; ++tick) ASSERT_FALSE(mover.advance().rotation.has_value());
      continue;
    }
    ++turning;
    for (int tick = 0; tick < 500; ++tick) {
      const Step step = mover.advance();
      ASSERT_EQ(step.rotation.has_value(), step.kind != StepKind::Stay);
      if (step.rotation) {
        ASSERT_EQ(*step.rotation, mover.rotation());
      }
    }
  }
  EXPECT_GT(turning, 0);
}

TEST_P(ScenarioTest, OnlyTeleportsJump) {
  const double longest_step_m = 8.0 / tick_rate_hz + 1e-9;
  for (std::uint32_t bot = 0; bot < bot_count; ++bot) {
    Mover mover(settings(GetParam(), bot));
    for (int tick = 0; tick < 500; ++tick) {
      const Vec3 before = mover.position();
      const Step step = mover.advance();
      if (step.kind == StepKind::Teleport) continue;
      ASSERT_LE(length(mover.position() - before), longest_step_m) << "bot " << bot;
    }
  }
}

TEST_P(ScenarioTest, TheSameSeedGivesTheSamePath) {
  Mover a(settings(GetParam(), 3, 42));
  Mover b(settings(GetParam(), 3, 42));
  Mover other_seed(settings(GetParam(), 3, 43));
  Mover other_bot(settings(GetParam(), 4, 42));
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_NE(a.position(), other_seed.position());
  EXPECT_NE(a.position(), other_bot.position());
  for (int tick = 0; tick < 500; ++tick) {
    a.advance();
    b.advance();
    ASSERT_EQ(a.position(), b.position());
  }
}

TEST_P(ScenarioTest, SizesAndKindsAreMixed) {
  std::map<ShapeKind, int> kinds;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::uint32_t bot = 0; bot < bot_count; ++bot) {
    const Shape shape = Mover(settings(GetParam(), bot)).shape();
    ++kinds[shape.kind];
    const double width = local_box(shape).max.x - local_box(shape).min.x;
    smallest = std::min(smallest, width);
    largest = std::max(largest, width);
  }
  for (const ShapeKind kind :
       {ShapeKind::Sphere, ShapeKind::Capsule, ShapeKind::Box, ShapeKind::Hull}) {
    EXPECT_GT(kinds[kind], 0) << static_cast<int>(kind);
  }
  EXPECT_GT(largest, 2 * smallest);
}

TEST(Scenario, AnUnknownNameIsRefused) {
  EXPECT_EQ(parse_scenario("Crowd"), std::nullopt);
  EXPECT_EQ(parse_scenario(""), std::nullopt);
}

double spread_m(const std::vector<Mover>& movers) {
  Vec3 mean;
  const double share = 1.0 / static_cast<double>(movers.size());
  for (const Mover& mover : movers) mean = mean + mover.position() * share;
  double largest = 0;
  for (const Mover& mover : movers) {
    Vec3 gap = mover.position() - mean;
    gap.y = 0;
    largest = std::max(largest, length(gap));
  }
  return largest;
}

TEST(Scenario, TheFlashMobGathersAndScattersAgain) {
  std::vector<Mover> movers;
  for (std::uint32_t bot = 0; bot < bot_count; ++bot)
    movers.emplace_back(settings(Scenario::FlashMob, bot));
  const double scattered_m = spread_m(movers);
  double gathered_m = scattered_m;
  double after_m = 0;
  for (int tick = 0; tick < 100 * static_cast<int>(tick_rate_hz); ++tick) {
    for (Mover& mover : movers) mover.advance();
    const double now_m = spread_m(movers);
    if (now_m < gathered_m) after_m = gathered_m = now_m;
    after_m = std::max(after_m, now_m);
  }
  EXPECT_LT(gathered_m, 10);
  EXPECT_GT(after_m, 0.5 * scattered_m);
}

}  // namespace
}  // namespace vicinity::sim
