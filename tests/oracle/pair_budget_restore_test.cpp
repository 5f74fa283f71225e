// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Whether the pair budget bites is a matter of the world: what happens to be at rest, the index and
// a restart have no say in it. So a world that stays within its budget goes on the same after a
// restart, in which everything is moving at first.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

constexpr SessionId session{1};
constexpr std::uint32_t resting_count = 16;  // in one place: 120 pairs
constexpr std::uint32_t moving_count = 17;   // in another one: 136 pairs
constexpr std::uint64_t budget = 256;
constexpr Vec3 far_away{500, 0, 0};

struct Variant {
  IndexKind kind;
  int worker_count;
  bool rest_eagerly;
};
constexpr Variant variants[] = {{IndexKind::Rows, 1, true},  {IndexKind::Rows, 8, false},
                                {IndexKind::Sweep, 2, true}, {IndexKind::Sweep, 1, false},
                                {IndexKind::Auto, 3, true},  {IndexKind::BruteForce, 2, false}};

SimulationSettings settings_of(const Variant& variant) {
  SimulationSettings settings;
  settings.dt_s = 0.05;
  settings.reuse_delay_ticks = 0;
  settings.worker_count = variant.worker_count;
  settings.index.kind = variant.kind;
  settings.index.block_size = 5;
  settings.index.rest_eagerly = variant.rest_eagerly;
  if (variant.rest_eagerly) settings.index.rest_after_ticks = 1;
  settings.index.candidate_pairs_max = budget;
  return settings;
}

SpawnCommand ball(const Vec3& position, const Vec3& velocity) {
  SpawnCommand command;
  command.position = position;
  command.velocity = velocity;
  command.shape = Shape::sphere(1);
  return command;
}

/// The commands of tick `tick`, the first of which is 1.
class Script {
 public:
  std::vector<Command> commands(Tick tick) {
    std::vector<Command> out;
    const auto send = [&](CommandBody body) {
      out.push_back({session, ++sequence_, std::move(body)});
    };
    if (tick == 1) {
      send(OpenSessionCommand{Role::Authority, ContactScope::All});
      for (std::uint32_t i = 0; i < resting_count; ++i) send(ball({}, {}));
    }
    // From then on there are too many pairs for anybody else to come to rest.
    if (tick == 15)
      for (std::uint32_t i = 0; i < moving_count; ++i) send(ball(far_away, {0, 1, 0}));
    if (tick % 7 == 0 && tick != 14)  // one of the resting wakes
      send(TeleportCommand{{EntityId(tick % resting_count, 1), 0}, {}});
    return out;
  }

 private:
  std::uint64_t sequence_ = 0;
};

std::unique_ptr<Simulation> restored(const Simulation& world, const Variant& variant) {
  ArchiveWriter out;
  world.save(out);
  const auto bytes = out.take();
  ArchiveReader in(bytes);
  auto found = Simulation::restore(settings_of(variant), in);
  if (!found.ok()) ADD_FAILURE() << found.error().text;
  return found.ok() ? std::move(found.value().simulation) : nullptr;
}

TEST(PairBudgetRestore, AWorldAtItsBudgetGoesOnTheSame) {
  Script script;
  Simulation original(settings_of(variants[0]));
  TickOutput output;
  for (Tick tick = 1; tick <= 20; ++tick) output = original.run_tick(script.commands(tick));
  ASSERT_EQ(output.report.index.resting, resting_count);
  ASSERT_EQ(output.report.candidate_pairs, budget);
  std::vector<std::unique_ptr<Simulation>> worlds;
  for (const Variant& variant : variants) worlds.push_back(restored(original, variant));
  for (Tick tick = 21; tick <= 60; ++tick) {
    const std::vector<Command> commands = script.commands(tick);
    output = original.run_tick(commands);
    ASSERT_FALSE(output.report.pairs_truncated);
    for (const auto& world : worlds) {
      const TickReport report = world->run_tick(commands).report;
      ASSERT_FALSE(report.pairs_truncated) << "tick " << tick;
      ASSERT_EQ(report.hash, output.report.hash) << "tick " << tick;
    }
  }
}

TEST(PairBudgetRestore, BitesInTheSameTicksWhateverRests) {
  Script script;
  Simulation original(settings_of(variants[0]));
  TickOutput output;
  for (Tick tick = 1; tick <= 20; ++tick) output = original.run_tick(script.commands(tick));
  ASSERT_EQ(output.report.index.resting, resting_count);
  std::vector<std::unique_ptr<Simulation>> worlds;
  for (const Variant& variant : variants) worlds.push_back(restored(original, variant));
  // One more among the moving in every third tick: 17 pairs more than fit. The moving alone, 153,
  // would.
  const EntityId newcomer(resting_count + moving_count, 1);
  int bitten = 0;
  for (Tick tick = 21; tick <= 60; ++tick) {
    std::vector<Command> commands = script.commands(tick);
    const bool is_in = tick % 3 == 0;
    const Vec3 place =
        is_in ? original.frame()->snapshot->position[resting_count] : Vec3{0, 0, 300};
    commands.push_back({session, 1000 + tick,
                        tick == 21 ? CommandBody(ball(place, {}))
                                   : CommandBody(TeleportCommand{{newcomer, 0}, place})});
    output = original.run_tick(commands);
    EXPECT_EQ(output.report.commands_refused, 0u);
    EXPECT_EQ(output.report.pairs_truncated, is_in) << "tick " << tick;
    EXPECT_EQ(output.report.candidate_pairs, budget) << "tick " << tick;
    bitten += output.report.pairs_truncated;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      const TickReport report = worlds[i]->run_tick(commands).report;
      EXPECT_EQ(report.pairs_truncated, is_in) << "tick " << tick << ", world " << i;
      EXPECT_EQ(report.candidate_pairs, budget) << "tick " << tick << ", world " << i;
      EXPECT_EQ(report.entity_hash, output.report.entity_hash)
          << "tick " << tick << ", world " << i;
    }
  }
  EXPECT_GT(bitten, 10);
}

}  // namespace
}  // namespace vicinity::oracle
