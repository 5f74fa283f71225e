// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/behaviour.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace vicinity::sim {
namespace {

using ::testing::HasSubstr;

std::size_t count(const std::vector<Behaviour>& bots, Behaviour behaviour) {
  return static_cast<std::size_t>(std::count(bots.begin(), bots.end(), behaviour));
}

TEST(Behaviours, WeightsAreReadByName) {
  const auto mix = parse_behaviours("normal:90, slow-reader:2.5 ,flood");
  ASSERT_TRUE(mix.ok());
  EXPECT_EQ(mix.value().weights[static_cast<std::size_t>(Behaviour::Normal)], 90);
  EXPECT_EQ(mix.value().weights[static_cast<std::size_t>(Behaviour::SlowReader)], 2.5);
  EXPECT_EQ(mix.value().weights[static_cast<std::size_t>(Behaviour::Flood)], 1);
  EXPECT_EQ(mix.value().weights[static_cast<std::size_t>(Behaviour::Spectator)], 0);
}

TEST(Behaviours, MistakesAreNamed) {
  EXPECT_THAT(parse_behaviours("normal,lazy:3").error(), HasSubstr("unknown behaviour 'lazy'"));
  EXPECT_THAT(parse_behaviours("normal:x").error(), HasSubstr("weight of normal"));
  EXPECT_THAT(parse_behaviours("normal:-1").error(), HasSubstr("weight of normal"));
  EXPECT_THAT(parse_behaviours("normal:nan").error(), HasSubstr("weight of normal"));
  EXPECT_THAT(parse_behaviours("flood,flood").error(), HasSubstr("flood is named twice"));
  EXPECT_THAT(parse_behaviours("normal:0").error(), HasSubstr("above 0"));
  EXPECT_THAT(parse_behaviours("").error(), HasSubstr("unknown behaviour ''"));
}

TEST(Behaviours, EveryNameIsReadBack) {
  for (std::size_t i = 0; i < behaviour_count; ++i) {
    const auto behaviour = static_cast<Behaviour>(i);
    EXPECT_EQ(parse_behaviour(to_string(behaviour)), behaviour);
    EXPECT_THAT(behaviour_names(), HasSubstr(std::string(to_string(behaviour))));
  }
}

TEST(Behaviours, NumbersFollowTheWeights) {
  const auto bots =
      assign_behaviours(parse_behaviours("normal:6,flood:3,spectator:1").value(), 100, 1);
  ASSERT_EQ(bots.size(), 100u);
  EXPECT_EQ(count(bots, Behaviour::Normal), 60u);
  EXPECT_EQ(count(bots, Behaviour::Flood), 30u);
  EXPECT_EQ(count(bots, Behaviour::Spectator), 10u);
}

TEST(Behaviours, ASmallWeightGetsABotToo) {
  const auto mix = parse_behaviours("normal:1000,flood:1,malformed:1").value();
  const auto bots = assign_behaviours(mix, 10, 1);
  EXPECT_EQ(count(bots, Behaviour::Normal), 8u);
  EXPECT_EQ(count(bots, Behaviour::Flood), 1u);
  EXPECT_EQ(count(bots, Behaviour::Malformed), 1u);
  EXPECT_EQ(assign_behaviours(mix, 1, 1).size(), 1u);
}

TEST(Behaviours, TheSeedShuffles) {
  const auto mix = parse_behaviours("normal:1,flood:1").value();
  EXPECT_EQ(assign_behaviours(mix, 64, 5), assign_behaviours(mix, 64, 5));
  EXPECT_NE(assign_behaviours(mix, 64, 5), assign_behaviours(mix, 64, 6));
}

}  // namespace
}  // namespace vicinity::sim
