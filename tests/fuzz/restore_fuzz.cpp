// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A saved world behind its head (format and settings): any bytes are refused in words, or give a
// world that runs, and that comes back the same when it is saved and restored once more.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "tick/saved_settings.h"
#include "tick/simulation.h"

namespace {

using namespace vicinity;

constexpr int ticks = 3;

SimulationSettings fuzz_settings() {
  SimulationSettings settings;
  settings.dt_s = 0.25;
  settings.world_half_size_m = 64;
  settings.reuse_delay_ticks = 1;
  settings.worker_count = 1;
  settings.index.kind = IndexKind::Rows;
  settings.index.rest_after_ticks = 1;
  settings.index.rest_eagerly = true;
  settings.index.candidate_pairs_max = 1u << 14;
  return settings;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const SimulationSettings settings = fuzz_settings();
  ArchiveWriter bytes;
  save_settings(settings, bytes);
  bytes.append({data, size});
  ArchiveReader in(bytes.bytes());
  auto restored = Simulation::restore(settings, in);
  if (!restored) {
    CHECK(!restored.error().text.empty());
    return 0;
  }
  for (const QuarantinedEntity& each : restored.value().quarantined) CHECK(!each.reason.empty());
  Simulation& world = *restored.value().simulation;
  for (int tick = 0; tick < ticks; ++tick) world.run_tick({});
  ArchiveWriter once;
  world.save(once);
  ArchiveReader again(once.bytes());
  auto same = Simulation::restore(settings, again);
  CHECK(same.ok());
  CHECK(again.done());
  // What was just within what may be may be just outside of it three ticks later.
  if (!same.value().quarantined.empty()) return 0;
  ArchiveWriter twice;
  same.value().simulation->save(twice);
  CHECK(std::ranges::equal(once.bytes(), twice.bytes()));
  return 0;
}
