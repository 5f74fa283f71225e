// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every enter, update and leave of every observer, against the model in random worlds.

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "oracle/interest_model.h"
#include "oracle/random_script.h"
#include "oracle/seeds.h"
#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 500;
constexpr int ticks_per_world = 16;

std::vector<EntityId> ids_of(const Snapshot& snapshot, const std::vector<std::uint32_t>& slots) {
  std::vector<EntityId> ids;
  for (const std::uint32_t slot : slots) ids.push_back(snapshot.id[slot]);
  return ids;
}

/// Events by observer; also checks the order in which they are handed out.
std::map<ObserverName, ObserverEvents> events_of(const TickOutput& output) {
  std::map<ObserverName, ObserverEvents> all;
  for (const SessionOutput& told : output.sessions) {
    for (std::size_t i = 0; i < told.observers.size(); ++i) {
      const ObserverEvents& events = told.observers[i];
      EXPECT_EQ(events.session, told.session);
      if (i > 0) {
        EXPECT_LT(told.observers[i - 1].observer, events.observer);
      }
      all.emplace(ObserverName(events.session, events.observer), events);
    }
  }
  return all;
}

void expect_same(const ExpectedEvents& expected, const ObserverEvents& events,
                 const Snapshot& snapshot) {
  std::vector<EntityId> leaves;
  for (const auto& [id, reason] : expected.leaves) leaves.push_back(id);
  std::vector<EntityId> left;
  for (const Leave& leave : events.leaves) left.push_back(leave.id);
  ASSERT_EQ(left, leaves);  // both ascend
  for (const Leave& leave : events.leaves) EXPECT_EQ(leave.reason, expected.leaves.at(leave.id));
  EXPECT_EQ(ids_of(snapshot, events.enters), expected.enters);
}

/// How often something happened over all seeds: a script that never does it proves nothing.
struct Tally {
  std::size_t enters = 0;
  std::map<LeaveReason, std::size_t> leaves;
};

/// An observer that is gone is named once, whether or not there is a new one of its name.
void check_dropped(const std::set<ObserverName>& dropped,
                   std::map<ObserverName, ObserverEvents>& events) {
  for (auto& [name, told] : events) EXPECT_EQ(told.dropped, dropped.contains(name));
  for (const ObserverName& name : dropped) {
    const auto found = events.find(name);
    ASSERT_NE(found, events.end());
    if (found->second.leaves.empty() && found->second.enters.empty()) events.erase(found);
  }
}

void check_tick(const std::map<ObserverName, ExpectedEvents>& expected,
                const std::set<ObserverName>& dropped, const TickOutput& output, Tally& tally) {
  const Snapshot& snapshot = *output.frame->snapshot;
  auto events = events_of(output);
  check_dropped(dropped, events);
  std::uint64_t visible = 0;
  for (const auto& [name, wanted] : expected) {
    SCOPED_TRACE("session " + std::to_string(name.first.value) + " observer " +
                 std::to_string(name.second.value));
    const auto found = events.find(name);
    const bool has_news = found != events.end();
    expect_same(wanted, has_news ? found->second : ObserverEvents{}, snapshot);
    if (has_news) {
      EXPECT_EQ(found->second.visible_count, wanted.visible_count);
      events.erase(found);
    }
    visible += wanted.visible_count;
    tally.enters += wanted.enters.size();
    for (const auto& [id, reason] : wanted.leaves) ++tally.leaves[reason];
  }
  EXPECT_TRUE(events.empty()) << "events of an observer that does not exist";
  EXPECT_EQ(output.report.visible, visible);
}

void run_world(std::uint64_t seed, Tally& tally) {
  RandomScript script(seed);
  SimulationSettings settings = script.settings();
  settings.worker_count = seed % 8 == 0 ? 3 : 1;
  constexpr IndexKind kinds[] = {IndexKind::Auto, IndexKind::Rows, IndexKind::Sweep,
                                 IndexKind::BruteForce};
  settings.index.kind = kinds[seed % 4];
  settings.index.rest_after_ticks = static_cast<std::uint32_t>(1 + seed % 3);
  settings.index.rest_eagerly = seed % 5 != 0;
  Simulation simulation(settings);
  InterestModel model;
  for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick) {
    const std::vector<Command> commands = script.next_tick();
    const TickOutput output = simulation.run_tick(commands);
    script.learn(output);
    SCOPED_TRACE("tick " + std::to_string(output.report.tick));
    const auto expected = model.run_tick(commands, output);
    check_tick(expected, model.dropped(), output, tally);
  }
}

class InterestOracle : public testing::TestWithParam<std::uint64_t> {};

TEST_P(InterestOracle, EveryViewFollowsTheModel) {
  Tally tally;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) { run_world(seed, tally); });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  EXPECT_GT(tally.enters, seeds_per_shard);
  EXPECT_EQ(tally.leaves.size(), 6u) << "a reason for leaving that never occurred";
}

INSTANTIATE_TEST_SUITE_P(Seeds, InterestOracle, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
