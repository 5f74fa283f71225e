// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Whole ticks: any bytes as commands of sessions over some ticks of a small world (tick_script.h),
// which two simulations run that find the same in different ways. Both of them say the same, what
// they say fits together (tick_books.h), the audit finds nothing that the index missed, and what
// is saved goes on as if nothing had happened.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "fuzz/tick_books.h"
#include "fuzz/tick_script.h"
#include "support/output_bytes.h"

namespace vicinity::fuzz {
namespace {

constexpr int ticks_max = 32;
constexpr int ticks_after_restore = 3;

struct World {
  SimulationSettings settings;
  std::unique_ptr<Simulation> simulation;
};

enum class Way : std::uint8_t { Rows, Sweep, BruteForce };

SimulationSettings settings_of(const TickScript& script, Way way) {
  SimulationSettings settings = script.settings();
  const bool rests = way == Way::Rows;
  settings.worker_count = way == Way::Sweep && script.wants_workers() ? 2 : 1;
  settings.index.kind = way == Way::Rows    ? IndexKind::Rows
                        : way == Way::Sweep ? IndexKind::Sweep
                                            : IndexKind::BruteForce;
  settings.index.kernel = way == Way::Sweep ? IndexKernel::Scalar : IndexKernel::Auto;
  settings.index.block_size = way == Way::Sweep ? 3 : 16;
  settings.index.rest_eagerly = rests;
  settings.index.rest_after_ticks = rests ? 1 : 3;
  settings.index.demote_after_ticks = 2;
  settings.audit_rate = 1;
  return settings;
}

using Bytes = std::vector<std::uint8_t>;

Bytes saved(const Simulation& world) {
  ArchiveWriter out;
  world.save(out);
  return out.take();
}

std::unique_ptr<Simulation> restored(const Bytes& bytes, const SimulationSettings& settings) {
  ArchiveReader in(bytes);
  auto out = Simulation::restore(settings, in);
  CHECK(out.ok());
  CHECK(in.done());
  CHECK(out.value().quarantined.empty());
  return std::move(out.value().simulation);
}

/// A tick of every world; what the first one says.
TickOutput run(std::vector<World>& worlds, const std::vector<Command>& commands) {
  TickOutput first = worlds.front().simulation->run_tick(commands);
  CHECK(first.report.audit.misses == 0);
  CHECK(!first.report.pairs_truncated);
  const Bytes told = test::bytes_of(first);
  for (std::size_t i = 1; i < worlds.size(); ++i) {
    const TickOutput other = worlds[i].simulation->run_tick(commands);
    CHECK(other.report.audit.misses == 0);
    CHECK(other.report.hash == first.report.hash);
    CHECK(other.report.candidate_pairs == first.report.candidate_pairs);
    CHECK(test::bytes_of(other) == told);
  }
  return first;
}

/// The others go on from what the first one saves; the first one itself goes on.
void restore_others(std::vector<World>& worlds) {
  const Bytes bytes = saved(*worlds.front().simulation);
  for (World& world : worlds) {
    CHECK(saved(*world.simulation) == bytes);
    if (&world == &worlds.front()) continue;
    world.simulation = restored(bytes, world.settings);
    CHECK(world.simulation->last_hash() == worlds.front().simulation->last_hash());
    CHECK(saved(*world.simulation) == bytes);
  }
}

void run_script(TickScript script) {
  std::vector<World> worlds;
  // Two at a time are enough: any input may be run with the others as well.
  const Way other = script.wants_brute_force() ? Way::BruteForce : Way::Sweep;
  for (const Way way : {Way::Rows, other}) {
    const SimulationSettings settings = settings_of(script, way);
    worlds.push_back({settings, std::make_unique<Simulation>(settings)});
  }
  TickBooks books;
  for (int tick = 0; tick < ticks_max && !script.done(); ++tick) {
    const TickScript::Step step = script.next_tick();
    if (step.restores) restore_others(worlds);
    const TickOutput output = run(worlds, step.commands);
    books.take(output, *worlds.front().simulation);
    script.learn(output);
  }
  restore_others(worlds);
  for (int tick = 0; tick < ticks_after_restore; ++tick)
    books.take(run(worlds, {}), *worlds.front().simulation);
}

}  // namespace
}  // namespace vicinity::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  vicinity::fuzz::run_script(vicinity::fuzz::TickScript({data, size}));
  return 0;
}
