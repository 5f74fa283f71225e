// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The bounds of a session's views, reached by a whole simulation with its real limits.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/limits.h"
#include "tick/simulation.h"

namespace vicinity {
namespace {

TEST(ViewsTruncated, AreCountedInTheReport) {
  // As many observers as there may be, and one entity more than the share of each.
  constexpr std::uint64_t observers = limits::areas_per_session_max;
  constexpr std::uint64_t share = limits::visible_per_session_max / observers;
  static_assert(observers * (share + 1) <= limits::area_candidates_per_session_max);
  SimulationSettings settings;
  settings.worker_count = 1;
  Simulation simulation(settings);
  AreaSpec area;
  area.enter_radius_m = area.leave_radius_m = 1;
  SpawnCommand point;
  point.shape = Shape::sphere(0);
  point.filter.mask = 0;
  std::vector<Command> commands;
  const auto send = [&](CommandBody body) {
    commands.push_back({SessionId{1}, commands.size() + 1, std::move(body)});
  };
  send(OpenSessionCommand{Role::Authority, ContactScope::None});
  for (std::uint64_t i = 0; i < share; ++i) send(point);
  for (std::uint32_t i = 0; i < observers; ++i)
    send(AddAreaCommand{ObserverId{i}, AreaId{i}, area});
  const TickReport full = simulation.run_tick(commands).report;
  EXPECT_EQ(full.visible, limits::visible_per_session_max);
  EXPECT_EQ(full.views_truncated, 0u);
  commands = {{SessionId{1}, commands.size() + 1, point}};
  const TickReport truncated = simulation.run_tick(commands).report;
  EXPECT_EQ(truncated.visible, limits::visible_per_session_max);
  EXPECT_EQ(truncated.views_truncated, observers);
}

}  // namespace
}  // namespace vicinity
