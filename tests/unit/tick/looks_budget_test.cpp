// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Areas through which much passes within a tick, and in which nothing is at its end: nobody counts
// there, but looking at it must end some time.

#include <gtest/gtest.h>

#include <vector>

#include "tick/simulation.h"

namespace vicinity {
namespace {

constexpr SessionId session{1};
constexpr std::uint64_t candidates_max = 16;
constexpr std::uint32_t area_count = 8;

class Stream {
 public:
  /// Areas like slabs, through which `passing` entities fly in every second tick, to and fro.
  explicit Stream(std::uint32_t passing) : world_(settings()) {
    std::vector<Command> commands;
    const auto send = [&](CommandBody body) {
      commands.push_back({session, ++sequence_, std::move(body)});
    };
    send(OpenSessionCommand{Role::Authority, ContactScope::None});
    for (std::uint32_t i = 0; i < passing; ++i) {
      SpawnCommand spawn;
      spawn.position = {-20, 0, static_cast<double>(i)};
      spawn.velocity = {800, 0, 0};  // 40 m in a tick
      spawn.shape = Shape::sphere(0.1);
      spawn.filter.mask = 0;
      send(spawn);
    }
    for (std::uint32_t i = 0; i < area_count; ++i) {
      AreaSpec spec;
      spec.kind = AreaKind::Box;
      spec.enter_half_extent_m = {0.5, 50, 500};
      spec.leave_half_extent_m = {1, 51, 501};
      send(AddAreaCommand{ObserverId{i}, AreaId{i}, spec});
    }
    report_ = world_.run_tick(commands).report;
    report_ = world_.run_tick({}).report;
  }
  const TickReport& report() const { return report_; }

 private:
  static SimulationSettings settings() {
    SimulationSettings settings;
    settings.dt_s = 0.05;
    settings.worker_count = 1;
    settings.interest.candidates_max = candidates_max;
    return settings;
  }

  Simulation world_;
  std::uint64_t sequence_ = 0;
  TickReport report_;
};

TEST(LooksBudget, WhatOnlyPassesThroughDoesNotCount) {
  const Stream stream(candidates_max + 1);
  EXPECT_EQ(stream.report().visible, 0u);
  EXPECT_EQ(stream.report().views_truncated, 0u);
  EXPECT_FALSE(stream.report().looks_truncated);
}

TEST(LooksBudget, FarMoreOfItEndsTheSearchAndIsNoted) {
  const Stream stream(8 * candidates_max);
  EXPECT_EQ(stream.report().visible, 0u);
  EXPECT_EQ(stream.report().views_truncated, area_count - 1);  // the first has all the looks
  EXPECT_TRUE(stream.report().looks_truncated);
}

}  // namespace
}  // namespace vicinity
