// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/tick_stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tick/simulation.h"

namespace vicinity {
namespace {

using testing::ElementsAre;

SimulationSettings small() {
  SimulationSettings settings;
  settings.worker_count = 1;
  return settings;
}

std::vector<Command> some_commands() {
  SpawnCommand one;
  one.shape = Shape::sphere(1);
  return {{SessionId{1}, 0, OpenSessionCommand{Role::Authority, ContactScope::All, false}},
          {SessionId{1}, 1, one},
          {SessionId{1}, 2, one}};
}

TEST(TickStage, EveryStageOfATickIsToldInOrder) {
  std::vector<std::string> stages;
  SimulationSettings settings = small();
  settings.on_stage = [&](TickStage stage) { stages.emplace_back(to_string(stage)); };
  Simulation world(settings);
  EXPECT_TRUE(stages.empty());
  world.run_tick(some_commands());
  EXPECT_THAT(stages,
              ElementsAre("commands", "advance", "freeze", "bounds", "index", "search", "pairs",
                          "narrow", "events", "interest", "audit", "hash", "outputs"));
}

TEST(TickStage, ResultsAreTheSameWhoeverMeasures) {
  SimulationSettings watched = small();
  watched.on_stage = [](TickStage) {};
  Simulation one(watched);
  Simulation other(small());
  const TickOutput a = one.run_tick(some_commands());
  const TickOutput b = other.run_tick(some_commands());
  EXPECT_EQ(a.report.contacts, 1u);
  EXPECT_EQ(a.report.hash, b.report.hash);
}

}  // namespace
}  // namespace vicinity
