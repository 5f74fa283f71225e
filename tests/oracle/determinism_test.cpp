// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The same commands give the same result hash in every tick and tell every session the same, for
// any number of workers, any index, any block size and any order of arrival across sessions.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "oracle/random_script.h"
#include "oracle/seeds.h"
#include "tick/simulation.h"
#include "world/command_queue.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 75;
constexpr int ticks_per_world = 12;

using Script = std::vector<std::vector<Command>>;  ///< by tick

/// What one tick came to.
struct TickResult {
  std::uint64_t hash = 0;  ///< of the world
  std::uint64_t told = 0;  ///< of what the sessions heard
  friend bool operator==(const TickResult&, const TickResult&) = default;
  friend std::ostream& operator<<(std::ostream& out, const TickResult& result) {
    return out << std::hex << result.hash << "/" << result.told;
  }
};

void add_contact(const EventContact& contact, ContentHash& hash) {
  hash.add(contact.a.raw());
  hash.add(contact.b.raw());
  hash.add(contact.begin_tick);
  hash.add(contact.user_data_a);
  hash.add(contact.user_data_b);
  hash.add(contact.owner_a.value);
  hash.add(contact.owner_b.value);
  hash.add(contact.sensor);
}

void add_ends(const std::vector<ContactEnd>& ends, ContentHash& hash) {
  hash.add(ends.size());
  for (const ContactEnd& end : ends) {
    add_contact(end.contact, hash);
    hash.add(end.reason);
  }
}

void add_observer(const ObserverEvents& events, ContentHash& hash) {
  hash.add(events.session.value);
  hash.add(events.observer.value);
  hash.add(events.leaves.size());
  for (const Leave& leave : events.leaves) {
    hash.add(leave.id.raw());
    hash.add(leave.reason);
    hash.add(leave.user_data);
  }
  hash.add(events.enters.size());
  for (const std::uint32_t slot : events.enters) hash.add(slot);
  hash.add(events.visible_count);
}

void add_session(const SessionOutput& told, ContentHash& hash) {
  hash.add(told.session.value);
  hash.add(told.results.size());
  for (const CommandResult& result : told.results) {
    hash.add(result.sequence);
    hash.add(result.code);
    hash.add(result.entity.raw());
  }
  hash.add(told.lost.size());
  for (const Despawn& lost : told.lost) {
    hash.add(lost.id.raw());
    hash.add(lost.owner.value);
    hash.add(lost.reason);
    hash.add(lost.user_data);
    hash.add(lost.by.value);
  }
  hash.add(told.observers.size());
  for (const ObserverEvents& events : told.observers) add_observer(events, hash);
  add_ends(told.contact_ends, hash);
  hash.add(told.contact_begins.size());
  for (const ContactBegin& begin : told.contact_begins) {
    add_contact(begin.contact, hash);
    hash.add(begin.toi);
  }
  add_ends(told.contact_passed, hash);
}

std::uint64_t hash_of_told(const TickOutput& output) {
  ContentHash hash;
  for (const SessionOutput& told : output.sessions) add_session(told, hash);
  return hash.digest();
}

TickResult result_of(const TickOutput& output) {
  return {output.report.hash, hash_of_told(output)};
}

struct Variant {
  std::string name;
  int worker_count = 1;
  IndexKind index = IndexKind::Rows;
  std::uint32_t block_size = 256;
  IndexKernel kernel = IndexKernel::Auto;
  bool rest_eagerly = false;  ///< after the first tick without a change
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"2 workers", 2, IndexKind::Rows, 256},
      {"3 workers, tiny blocks", 3, IndexKind::Rows, 3},
      {"8 workers, blocks of one", 8, IndexKind::Rows, 1},
      {"rows, at rest", 2, IndexKind::Rows, 64, IndexKernel::Auto, true},
      {"rows, scalar", 1, IndexKind::Rows, 256, IndexKernel::Scalar},
      {"rows, avx2", 1, IndexKind::Rows, 256, IndexKernel::Avx2},
      {"rows, avx512", 1, IndexKind::Rows, 256, IndexKernel::Avx512},
      {"sweep", 1, IndexKind::Sweep, 256},
      {"sweep, 3 workers, scalar, at rest", 3, IndexKind::Sweep, 5, IndexKernel::Scalar, true},
      {"auto", 1, IndexKind::Auto, 256},
      {"auto, 8 workers, at rest", 8, IndexKind::Auto, 7, IndexKernel::Auto, true},
      {"brute force", 1, IndexKind::BruteForce, 256},
      {"brute force, 3 workers, tiny blocks", 3, IndexKind::BruteForce, 2},
  };
  return all;
}

SimulationSettings with(SimulationSettings settings, const Variant& variant) {
  settings.worker_count = variant.worker_count;
  settings.index.kind = variant.index;
  settings.index.block_size = variant.block_size;
  settings.index.kernel = is_supported(variant.kernel) ? variant.kernel : IndexKernel::Auto;
  settings.index.rest_eagerly = variant.rest_eagerly;
  if (variant.rest_eagerly) settings.index.rest_after_ticks = 1;
  return settings;
}

std::vector<TickResult> replay(const Script& script, const SimulationSettings& settings) {
  Simulation simulation(settings);
  std::vector<TickResult> results;
  for (const std::vector<Command>& commands : script)
    results.push_back(result_of(simulation.run_tick(commands)));
  return results;
}

/// Cuts the commands of a tick into frames of a few commands of one session each and pushes them
/// in a random order that keeps the order within each session.
std::vector<Command> through_the_queue(const std::vector<Command>& commands, Prng& prng) {
  std::vector<std::vector<std::vector<Command>>> frames_of_session;
  for (const Command& command : commands) {
    const bool same_session = !frames_of_session.empty() &&
                              frames_of_session.back().back().back().session == command.session;
    if (!same_session) frames_of_session.push_back({{}});
    auto& frames = frames_of_session.back();
    if (!frames.back().empty() && prng.chance(0.5)) frames.emplace_back();
    frames.back().push_back(command);
  }
  for (auto& frames : frames_of_session) std::reverse(frames.begin(), frames.end());
  CommandQueue queue;
  while (!frames_of_session.empty()) {
    auto& frames = frames_of_session[prng.below(frames_of_session.size())];
    EXPECT_TRUE(queue.push(frames.back().front().session, frames.back()));
    frames.pop_back();
    std::erase_if(frames_of_session, [](const auto& left) { return left.empty(); });
  }
  return queue.drain();
}

/// Writes a script down while it runs, since what it says depends on the ids it is given.
Script record(RandomScript& source, const SimulationSettings& settings,
              std::vector<TickResult>& results) {
  Simulation simulation(settings);
  Script script;
  for (int tick = 0; tick < ticks_per_world; ++tick) {
    script.push_back(source.next_tick());
    const TickOutput output = simulation.run_tick(script.back());
    source.learn(output);
    results.push_back(result_of(output));
  }
  return script;
}

void expect_all_the_same(std::uint64_t seed) {
  RandomScript source(seed);
  SimulationSettings settings = source.settings();
  settings.worker_count = 1;
  std::vector<TickResult> expected;
  const Script script = record(source, settings, expected);
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name);
    EXPECT_EQ(replay(script, with(settings, variant)), expected);
  }
  SCOPED_TRACE("another order of arrival");
  Prng prng(seed);
  Script reordered;
  for (const std::vector<Command>& commands : script)
    reordered.push_back(through_the_queue(commands, prng));
  EXPECT_EQ(replay(reordered, settings), expected);
}

class Determinism : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Determinism, HashesAgreeForWorkersIndexesBlocksAndArrival) {
  for_each_seed(GetParam(), seeds_per_shard, expect_all_the_same);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Determinism, testing::Range<std::uint64_t>(0, shard_count));

TEST(ResultHashOfScripts, TellsDifferentScriptsApart) {
  std::vector<TickResult> first;
  std::vector<TickResult> second;
  RandomScript one(1);
  RandomScript other(2);
  record(one, one.settings(), first);
  record(other, other.settings(), second);
  for (int tick = 0; tick < ticks_per_world; ++tick)
    EXPECT_NE(first[static_cast<std::size_t>(tick)].hash,
              second[static_cast<std::size_t>(tick)].hash);
}

// --- Large worlds ------------------------------------------------------------------------------

/// Enough of everything that each parallel loop has many blocks.
Script large_script(std::uint64_t seed) {
  constexpr std::uint64_t entity_count = 2500;
  constexpr std::uint32_t observer_count = 48;
  Prng prng(seed);
  const SessionId session{1};
  std::uint64_t sequence = 0;
  Script script(4);
  const auto send = [&](std::size_t tick, CommandBody body) {
    script[tick].push_back({session, ++sequence, std::move(body)});
  };
  const auto point = [&] {
    return Vec3{prng.between(-15, 15), prng.between(-15, 15), prng.between(-15, 15)};
  };
  send(0, OpenSessionCommand{Role::Authority, ContactScope::All});
  for (std::uint64_t i = 0; i < entity_count; ++i) {
    const Vec3 velocity{prng.between(-1, 1), prng.between(-1, 1), prng.between(-1, 1)};
    send(0, SpawnCommand{point(), velocity, Shape::sphere(prng.between(0.5, 2)), {}, i});
  }
  for (std::uint32_t i = 0; i < observer_count; ++i) {
    AreaSpec spec;
    spec.centre = point();
    spec.enter_radius_m = 8;
    spec.leave_radius_m = 9;
    send(0, AddAreaCommand{ObserverId{i}, AreaId{i}, spec});
  }
  for (std::size_t tick = 1; tick < script.size(); ++tick) {
    for (int i = 0; i < 200; ++i) {
      const EntityId id(static_cast<std::uint32_t>(prng.below(entity_count)), 1);
      if (prng.chance(0.3)) {
        send(tick, DespawnCommand{{id, 0}});
      } else {
        send(tick, MoveToCommand{{id, 0}, point(), false});
      }
    }
  }
  return script;
}

TEST(DeterminismAtScale, LargeWorldsAgreeForWorkersAndIndexes) {
  for_each_seed(0, 2, [](std::uint64_t seed) {
    const Script script = large_script(seed);
    SimulationSettings settings;
    settings.dt_s = 0.25;
    settings.worker_count = 1;
    Simulation simulation(settings);
    std::vector<TickResult> expected;
    for (const std::vector<Command>& commands : script) {
      const TickOutput output = simulation.run_tick(commands);
      EXPECT_GT(output.report.contacts, 5'000u);
      EXPECT_GT(output.report.visible, 1'000u);
      expected.push_back(result_of(output));
    }
    for (const Variant& variant : variants()) {
      SCOPED_TRACE(variant.name);
      EXPECT_EQ(replay(script, with(settings, variant)), expected);
    }
  });
}

}  // namespace
}  // namespace vicinity::oracle
