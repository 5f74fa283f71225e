// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Who does what in a run: garbage, huggers, the pacer, the crew, the walkers.

#include "client-sim/crew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/framing.h"
#include "base/limits.h"
#include "client-sim/garbage.h"
#include "client-sim/pacer.h"
#include "client-sim/population.h"

namespace vicinity::sim {
namespace {

TEST(Garbage, HasTheDefectOfItsKind) {
  Prng prng(1);
  for (int i = 0; i < 50; ++i) {
    for (std::uint64_t kind = 0; kind < garbage_count; ++kind) {
      const auto bytes = make_garbage(static_cast<Garbage>(kind), prng);
      FrameReader reader(2048);
      std::span<const std::uint8_t> input(bytes);
      const auto body = reader.next(input);
      switch (static_cast<Garbage>(kind)) {
        case Garbage::RandomBody: ASSERT_TRUE(body); break;
        case Garbage::BrokenTable:
          ASSERT_TRUE(body);
          EXPECT_EQ(std::string(body->begin() + 4, body->begin() + 8), "VCC1");
          break;
        case Garbage::Oversize: EXPECT_EQ(reader.failed(), ErrorCode::FrameTooLarge); break;
        case Garbage::ZeroLength: EXPECT_EQ(reader.failed(), ErrorCode::BadFrame); break;
        case Garbage::Truncated:
          EXPECT_FALSE(body);
          EXPECT_EQ(reader.failed(), ErrorCode::None);
          break;
      }
    }
  }
}

TEST(Garbage, FollowsFromTheSeed) {
  Prng a(9);
  Prng b(9);
  EXPECT_EQ(make_garbage(Garbage::RandomBody, a), make_garbage(Garbage::RandomBody, b));
  EXPECT_NE(make_garbage(Garbage::RandomBody, a), make_garbage(Garbage::RandomBody, a));
}

TEST(Hugger, CrossesBothEdgesAgainAndAgain) {
  Hugger hugger({15, 0, 0}, {20, 22});
  int beyond = 0;
  int within = 0;
  bool was_beyond = false;
  for (int i = 0; i < 1'000; ++i) {
    const double distance_m = length(hugger.advance({}, 0.4, {100, 100, 0}, 0));
    if (distance_m > 22 && !was_beyond) ++beyond;
    if (distance_m < 20 && was_beyond) ++within;
    if (distance_m > 22) was_beyond = true;
    if (distance_m < 20) was_beyond = false;
  }
  EXPECT_GT(beyond, 10);
  EXPECT_GT(within, 10);
}

TEST(Hugger, StaysOnTheGround) {
  Hugger hugger({0, 0, 0}, {20, 22});
  for (int i = 0; i < 1'000; ++i) {
    const Vec3 place = hugger.advance({1, 0, 1}, 0.4, {10, 5, 0}, 1);
    EXPECT_LE(std::abs(place.x), 11);
    EXPECT_LE(std::abs(place.z), 6);
  }
}

TEST(Pacer, EveryBotHasItsTurnInEveryInterval) {
  Pacer pacer(4, 1'000, 50'000);
  std::vector<std::pair<std::uint32_t, std::int64_t>> turns;
  const auto take = [&](std::int64_t now_us) {
    pacer.take_due(
        now_us, [&](const Pacer::Turn& turn) { turns.emplace_back(turn.bot, turn.intended_us); });
  };
  take(49'999);
  EXPECT_TRUE(turns.empty());
  take(50'600);
  EXPECT_EQ(turns, (std::vector<std::pair<std::uint32_t, std::int64_t>>{
                       {0, 50'000}, {1, 50'250}, {2, 50'500}}));
  EXPECT_EQ(pacer.next_us(), 50'750);
}

TEST(Pacer, WhatWasHeldUpKeepsItsTime) {
  Pacer pacer(1, 1'000, 0);
  std::vector<std::int64_t> times;
  pacer.take_due(3'500, [&](const Pacer::Turn& turn) { times.push_back(turn.intended_us); });
  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 1'000, 2'000, 3'000}));  // none is left out
}

TEST(Crew, SharesAreRoundedUp) {
  for (const auto& [count, share, chosen] :
       {std::tuple{10u, 0.0, 0}, {10u, 0.05, 1}, {10u, 0.2, 2}, {10u, 1.0, 10}, {0u, 1.0, 0}}) {
    const auto picks = choose_share(count, share, 3);
    EXPECT_EQ(picks.size(), count);
    EXPECT_EQ(std::count(picks.begin(), picks.end(), true), chosen);
  }
  EXPECT_NE(choose_share(100, 0.5, 1), choose_share(100, 0.5, 2));
}

TEST(Crew, OnlyThoseThatAreNotHostileAreChecked) {
  SwarmOptions options;
  options.bots = 40;
  options.behaviours = parse_behaviours("normal:1,flood:3").value();
  options.check_share = 0.5;
  options.conditions = NetConditions{1'000, 0, 0, 0};
  options.conditions_share = 0.25;
  const Crew crew(options);
  int checked = 0;
  int conditioned = 0;
  for (std::uint32_t bot = 0; bot < options.bots; ++bot) {
    const BotSettings settings = crew.settings(bot);
    EXPECT_FALSE(settings.is_checked && is_hostile(settings.behaviour));
    checked += settings.is_checked ? 1 : 0;
    conditioned += settings.conditions ? 1 : 0;
  }
  EXPECT_EQ(checked, 5);
  EXPECT_EQ(conditioned, 10);
  EXPECT_EQ(crew.hostile_count(), 30u);
  EXPECT_EQ(crew.describe(), "normal 10, flood 30");
}

TEST(Crew, SpectatorsSeeFarAndShapesAreKnown) {
  SwarmOptions options;
  options.bots = 4;
  options.behaviours = parse_behaviours("spectator").value();
  options.spectator_radius_m = 300;
  options.entities = 1'000;
  const Crew crew(options);
  EXPECT_EQ(crew.settings(0).area.enter_radius_m, 300);
  EXPECT_EQ(crew.settings(0).area.leave_radius_m, 302);
  EXPECT_EQ(crew.shape_of(0), std::optional<const Shape*>(nullptr));  // its box says it
  ASSERT_TRUE(crew.shape_of(user_data_of(options.seed, 3)));
  EXPECT_EQ(*crew.shape_of(user_data_of(options.seed, 3)).value(),
            Mover(crew.settings(3).mover).shape());
  EXPECT_FALSE(crew.shape_of(user_data_of(options.seed, 4)));
  EXPECT_FALSE(crew.shape_of(user_data_of(options.seed + 1, 3)));  // a bot of another process
  EXPECT_EQ(crew.ground().half_x_m, ground_of(options.scenario, 1'004).half_x_m);
}

TEST(Walkers, StayOnTheGroundAndTurn) {
  const PopulationSettings settings{200, 5, {40, 30, 6}};
  Walkers walkers(settings, 20);
  std::map<std::uint32_t, int> turns;
  for (int tick = 0; tick < 2'000; ++tick) {
    for (const Walkers::Turn& turn : walkers.advance()) {
      ++turns[turn.walker];
      EXPECT_EQ(turn.velocity, walkers.velocity(turn.walker));
      const Vec3 place = walkers.position(turn.walker);
      EXPECT_LE(std::abs(place.x), 40.5);
      EXPECT_LE(std::abs(place.z), 30.5);
    }
  }
  EXPECT_EQ(turns.size(), 200u);  // legs take at most 20 s
  for (const auto& [walker, count] : turns) EXPECT_GE(count, 4);
}

TEST(Walkers, FollowFromTheSeed) {
  const PopulationSettings settings{50, 5, {40, 30, 6}};
  Walkers a(settings, 20);
  Walkers b(settings, 20);
  PopulationSettings other = settings;
  other.seed = 6;
  EXPECT_NE(Walkers(other, 20).position(0), a.position(0));
  for (int tick = 0; tick < 500; ++tick) {
    a.advance();
    b.advance();
  }
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(a.position(i), b.position(i));
}

}  // namespace
}  // namespace vicinity::sim
