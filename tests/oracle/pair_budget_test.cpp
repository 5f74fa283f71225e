// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Whole ticks far beyond the pair budget: everything is in one point. Events stay bookended, the
// report says so, and the result is the same for any workers and blocks.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "oracle/seeds.h"
#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

constexpr SessionId session{1};
constexpr std::uint32_t entity_count = 2000;  // 2 million true pairs
constexpr std::uint64_t budget = 20'000;
constexpr int crowded_ticks = 6;

using Script = std::vector<std::vector<Command>>;  ///< by tick

/// Spawns the crowd, moves, ends and replaces some of it in every tick, then ends all.
Script crowd_script(std::uint64_t seed) {
  Prng prng(seed);
  std::uint64_t sequence = 0;
  Script script(crowded_ticks + 1);
  std::vector<EntityId> alive;
  const auto send = [&](std::size_t tick, CommandBody body) {
    script[tick].push_back({session, ++sequence, std::move(body)});
  };
  const auto spawn = [&](std::size_t tick) {
    // Newcomers are larger: where the pairs that are kept are those of whoever begins first along
    // the rows, they push others out.
    const Shape shape = Shape::sphere(prng.between(1, 2) + 0.1 * static_cast<double>(tick));
    send(tick, SpawnCommand{{}, {}, shape, {}, sequence});
  };
  send(0, OpenSessionCommand{Role::Authority, ContactScope::All});
  for (std::uint32_t slot = 0; slot < entity_count; ++slot) {
    alive.emplace_back(slot, 1);
    spawn(0);
  }
  for (std::size_t tick = 1; tick < crowded_ticks; ++tick) {
    for (int i = 0; i < 40; ++i) {
      // Often one of the first, whose pairs are those that are kept.
      const std::size_t at = prng.below(prng.chance(0.5) ? 12 : alive.size());
      const EntityRef one{alive[at], 0};
      if (prng.chance(0.5)) {
        send(tick, TeleportCommand{one, {prng.chance(0.5) ? 500.0 : 0.0, 0, 0}});
      } else {
        send(tick, DespawnCommand{one});
        // With a delay of no ticks the slot is used again by the very next spawn.
        alive[at] = EntityId(alive[at].index(), alive[at].generation() + 1);
        spawn(tick);
      }
    }
  }
  for (const EntityId id : alive) send(crowded_ticks, DespawnCommand{{id, 0}});
  return script;
}

SimulationSettings settings_of(IndexKind kind, int worker_count, std::uint32_t block_size) {
  SimulationSettings settings;
  settings.reuse_delay_ticks = 0;
  settings.worker_count = worker_count;
  settings.index.kind = kind;
  settings.index.block_size = block_size;
  settings.index.candidate_pairs_max = budget;
  return settings;
}

/// Every begin once, every end of an open contact once; what is open is what has not ended.
class Bookkeeping {
 public:
  void take(const TickOutput& output) {
    for (const ContactEnd& end : output.contacts.ends) {
      EXPECT_EQ(open_.erase(name(end.contact)), 1u);
      ++reasons_[end.reason];
    }
    for (const ContactBegin& begin : output.contacts.begins)
      EXPECT_TRUE(open_.insert(name(begin.contact)).second);
    EXPECT_TRUE(output.contacts.passed.empty());
    std::set<Name> told;
    for (const OpenContact& contact : output.frame->contacts.to_vector())
      told.insert(name(contact));
    EXPECT_EQ(told, open_);
  }
  std::uint64_t count(EndReason reason) { return reasons_[reason]; }

 private:
  using Name = std::tuple<EntityId, EntityId, Tick>;
  template <class Contact>
  static Name name(const Contact& contact) {
    return {contact.a, contact.b, contact.begin_tick};
  }
  std::set<Name> open_;
  std::map<EndReason, std::uint64_t> reasons_;
};

std::vector<std::uint64_t> run(const Script& script, const SimulationSettings& settings) {
  Simulation simulation(settings);
  Bookkeeping books;
  std::vector<std::uint64_t> hashes;
  for (std::size_t tick = 0; tick < script.size(); ++tick) {
    const TickOutput output = simulation.run_tick(script[tick]);
    EXPECT_EQ(output.report.commands_refused, 0u);
    const bool crowded = tick < crowded_ticks;
    EXPECT_EQ(output.report.pairs_truncated, crowded);
    EXPECT_EQ(output.report.candidate_pairs, crowded ? budget : 0);
    EXPECT_EQ(output.report.contacts, crowded ? budget : 0);
    EXPECT_EQ(output.sessions[0].contact_begins.size(), output.contacts.begins.size());
    books.take(output);
    hashes.push_back(output.report.hash);
  }
  // The subset shifts when its members move or end, and says so.
  EXPECT_GT(books.count(EndReason::PairBudget), 0u);
  EXPECT_GT(books.count(EndReason::Despawned), 0u);
  return hashes;
}

class PairBudget : public testing::TestWithParam<IndexKind> {};

TEST_P(PairBudget, KeepsEventsBookendedAndTheSameForWorkersAndBlocks) {
  for_each_seed(0, 1, [](std::uint64_t seed) {
    const Script script = crowd_script(seed);
    const auto expected = run(script, settings_of(GetParam(), 1, 256));
    EXPECT_EQ(run(script, settings_of(GetParam(), 2, 256)), expected);
    EXPECT_EQ(run(script, settings_of(GetParam(), 3, 7)), expected);
    EXPECT_EQ(run(script, settings_of(GetParam(), 8, 64)), expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, PairBudget,
                         testing::Values(IndexKind::BruteForce, IndexKind::Rows, IndexKind::Sweep,
                                         IndexKind::Auto),
                         [](const auto& each) { return std::string(to_string(each.param)); });

}  // namespace
}  // namespace vicinity::oracle
