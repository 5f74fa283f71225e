// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include <gtest/gtest.h>

#include <vector>

#include "tick/simulation.h"

namespace vicinity {
namespace {

constexpr SessionId session{1};

TEST(TickReport, NamesTheSlotsThatEndedEntitiesHaveLeftForOthers) {
  SimulationSettings settings;
  settings.worker_count = 1;
  settings.reuse_delay_ticks = 2;
  Simulation simulation(settings);
  std::uint64_t sequence = 0;
  const auto run = [&](const std::vector<CommandBody>& bodies) {
    std::vector<Command> commands;
    for (const CommandBody& body : bodies) commands.push_back({session, ++sequence, body});
    return simulation.run_tick(commands);
  };
  (void)simulation.run_tick({{session, 0, OpenSessionCommand{Role::Authority}}});
  SpawnCommand spawn;
  spawn.shape = Shape::sphere(1);
  const TickOutput spawned = run({spawn, spawn, spawn});
  EXPECT_EQ(spawned.report.slots_reusable, 0u);
  const auto& results = spawned.sessions.at(0).results;
  ASSERT_EQ(results.size(), 3u);
  // Tick 3: they may be used again from tick 5 on.
  EXPECT_EQ(run({DespawnCommand{{results[0].entity, 0}}, DespawnCommand{{results[1].entity, 0}}})
                .report.slots_reusable,
            0u);
  EXPECT_EQ(run({}).report.slots_reusable, 0u);
  EXPECT_EQ(run({}).report.slots_reusable, 2u);
  EXPECT_EQ(run({spawn}).report.slots_reusable, 1u);
  EXPECT_EQ(run({spawn, spawn}).report.slots_reusable, 0u);
}

}  // namespace
}  // namespace vicinity
