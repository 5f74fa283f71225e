// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A world that was saved and restored goes on as if it had never stopped: the same hash, the same
// outputs and the same bytes in every tick, under other workers, indexes and kernels.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "oracle/save_script.h"
#include "oracle/seeds.h"
#include "support/output_bytes.h"
#include "tick/simulation.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 40;

using Bytes = std::vector<std::uint8_t>;

struct Variant {
  std::string name;
  int worker_count = 1;
  IndexKind index = IndexKind::Rows;
  IndexKernel kernel = IndexKernel::Auto;
  bool rest_eagerly = false;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"brute force", 1, IndexKind::BruteForce},
      {"rows", 2, IndexKind::Rows},
      {"rows, at rest", 1, IndexKind::Rows, IndexKernel::Auto, true},
      {"rows, scalar", 3, IndexKind::Rows, IndexKernel::Scalar},
      {"sweep, avx2, at rest", 2, IndexKind::Sweep, IndexKernel::Avx2, true},
      {"auto", 8, IndexKind::Auto},
  };
  return all;
}

SimulationSettings with(SimulationSettings settings, const Variant& variant) {
  settings.worker_count = variant.worker_count;
  settings.index.kind = variant.index;
  settings.index.block_size = 7;
  settings.index.kernel = is_supported(variant.kernel) ? variant.kernel : IndexKernel::Auto;
  settings.index.rest_eagerly = variant.rest_eagerly;
  if (variant.rest_eagerly) settings.index.rest_after_ticks = 1;
  settings.audit_rate = 1;
  return settings;
}

Bytes saved(const Simulation& world) {
  ArchiveWriter out;
  world.save(out);
  return out.take();
}

std::unique_ptr<Simulation> restored(const Bytes& bytes, const SimulationSettings& settings) {
  ArchiveReader in(bytes);
  auto out = Simulation::restore(settings, in);
  if (!out) {
    ADD_FAILURE() << out.error().text;
    return nullptr;
  }
  EXPECT_TRUE(in.done());
  for (const QuarantinedEntity& each : out.value().quarantined)
    ADD_FAILURE() << "quarantined for " << each.reason;
  return std::move(out.value().simulation);
}

/// How often something of a world was there when it was saved or afterwards.
struct Seen {
  std::uint64_t attached = 0;
  std::uint64_t followers = 0;
  std::uint64_t excluded = 0;
  std::uint64_t turned = 0;
  std::uint64_t compounds = 0;
  std::uint64_t stays = 0;
  std::uint64_t contacts = 0;
  std::uint64_t visible = 0;
  std::uint64_t free_slots = 0;
} seen;

void note(const TickOutput& output) {
  const Snapshot& snapshot = *output.frame->snapshot;
  seen.followers += snapshot.followers.size();
  seen.attached += snapshot.swings.size();
  seen.excluded += snapshot.excluded ? snapshot.excluded->size() : 0;
  seen.stays += output.contacts.stays.size();
  seen.contacts += output.report.contacts;
  seen.visible += output.report.visible;
  for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) {
    if (!snapshot.is_alive(slot)) {
      ++seen.free_slots;
      continue;
    }
    seen.compounds += snapshot.shape[slot].is_plain() ? 0 : 1;
    seen.turned += snapshot.angular_velocity(slot) != Vec3{} ? 1 : 0;
  }
}

void expect_to_go_on(std::uint64_t seed) {
  Prng prng(seed);
  SaveScript script(seed);
  const SimulationSettings settings = with(script.settings(), variants()[prng.below(6)]);
  Simulation original(settings);
  for (std::uint64_t ticks = prng.below(30); ticks > 0; --ticks)
    script.learn(original.run_tick(script.next_tick()));
  const Bytes bytes = saved(original);
  std::vector<std::unique_ptr<Simulation>> worlds;
  std::vector<std::string> names;
  for (int i = 0; i < 3; ++i) {
    const Variant& variant = variants()[prng.below(variants().size())];
    worlds.push_back(restored(bytes, with(script.settings(), variant)));
    names.push_back(variant.name);
    ASSERT_NE(worlds.back(), nullptr);
    EXPECT_EQ(worlds.back()->last_hash(), original.last_hash());
    EXPECT_EQ(saved(*worlds.back()), bytes);
  }
  for (int tick = 0; tick < 12; ++tick) {
    const std::vector<Command> commands = script.next_tick();
    const TickOutput expected = original.run_tick(commands);
    script.learn(expected);
    note(expected);
    const Bytes expected_bytes = saved(original);
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      SCOPED_TRACE(names[i] + ", tick " + std::to_string(tick));
      const TickOutput output = worlds[i]->run_tick(commands);
      EXPECT_EQ(output.report.hash, expected.report.hash);
      EXPECT_EQ(output.report.audit.misses, 0u);
      EXPECT_EQ(test::bytes_of(output), test::bytes_of(expected));
      EXPECT_EQ(saved(*worlds[i]), expected_bytes);
      if (testing::Test::HasFailure()) return;
    }
  }
}

class Restore : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Restore, GoesOnAsIfTheWorldHadNeverStopped) {
  seen = {};
  for_each_seed(GetParam(), seeds_per_shard, expect_to_go_on);
  EXPECT_GT(seen.attached, 100u);
  EXPECT_GT(seen.followers, 100u);
  EXPECT_GT(seen.excluded, 100u);
  EXPECT_GT(seen.turned, 100u);
  EXPECT_GT(seen.compounds, 100u);
  EXPECT_GT(seen.stays, 50u);
  EXPECT_GT(seen.contacts, 100u);
  EXPECT_GT(seen.visible, 100u);
  EXPECT_GT(seen.free_slots, 100u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Restore, testing::Range<std::uint64_t>(0, shard_count));

// --- Bytes that are none -----------------------------------------------------------------------

constexpr std::uint64_t mutations_per_seed = 40;

/// What comes of it is refused, or is a world that runs.
void try_bytes(const Bytes& bytes, const SimulationSettings& settings,
               std::uint64_t& restored_count) {
  ArchiveReader in(bytes);
  auto out = Simulation::restore(settings, in);
  if (!out) {
    EXPECT_FALSE(out.error().text.empty());
    return;
  }
  ++restored_count;
  for (int tick = 0; tick < 3; ++tick) out.value().simulation->run_tick({});
}

void expect_no_crash(std::uint64_t seed) {
  Prng prng(seed);
  SaveScript script(seed);
  const SimulationSettings settings = with(script.settings(), variants()[prng.below(6)]);
  Simulation world(settings);
  for (std::uint64_t ticks = 1 + prng.below(20); ticks > 0; --ticks)
    script.learn(world.run_tick(script.next_tick()));
  const Bytes bytes = saved(world);
  std::uint64_t restored_count = 0;
  for (std::uint64_t i = 0; i < mutations_per_seed; ++i) {
    Bytes mutated = bytes;
    for (std::uint64_t flips = 1 + prng.below(3); flips > 0; --flips) {
      std::uint8_t& byte = mutated[prng.below(mutated.size())];
      const std::uint64_t way = prng.below(3);
      byte = way == 0   ? static_cast<std::uint8_t>(byte ^ 1u << prng.below(8))
             : way == 1 ? std::uint8_t{0xFF}
                        : static_cast<std::uint8_t>(prng.below(256));
    }
    try_bytes(mutated, settings, restored_count);
  }
  for (std::uint64_t i = 0; i < mutations_per_seed; ++i) {
    Bytes cut = bytes;
    cut.resize(prng.below(bytes.size()));
    std::uint64_t none = 0;
    try_bytes(cut, settings, none);
    EXPECT_EQ(none, 0u) << "cut to " << cut.size() << " of " << bytes.size();
  }
}

TEST(RestoreOfOtherBytes, IsRefusedOrRuns) { for_each_seed(0, 60, expect_no_crash); }

}  // namespace
}  // namespace vicinity::oracle
