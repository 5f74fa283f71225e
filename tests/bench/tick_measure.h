// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Measures whole ticks of the server (commands, paths, index, exact tests, events, hash) with the
// bodies of a scene as boxes and, for comparison, as the shapes that fit into those boxes: persons
// are upright capsules, bullets spheres. Bullets fly along their path in both.
//
//      round 1:  boxes │ shapes      each in a world of its own, from the same seed
//      round 2:  boxes │ shapes
//
//      tick:     move the scene, write commands │ Simulation::run_tick() │ let go of the output
//                                               └────── measured ────────┘
//
// Worlds of the same shapes must end every tick with the same hash, whatever the round and the
// number of workers.

#include <cstdint>
#include <string>
#include <vector>

namespace vicinity::bench {

struct TickOptions {
  std::uint32_t count = 100'000;
  std::vector<int> threads = {1, 2};
  std::uint32_t rounds = 3;
  std::uint32_t warm_up_ticks = 10;
  std::uint32_t ticks = 30;
  std::uint64_t seed = 1;
  bool audit = false;  ///< looks for missed contacts in every tick, within the measured time
};

struct TickResult {
  std::string scene;
  std::uint32_t count = 0;
  int threads = 1;
  double boxes_p50_ms = 0;  ///< median of the rounds
  double shapes_p50_ms = 0;
  double boxes_begins = 0;  ///< contacts that begin in a tick, mean
  double shapes_begins = 0;
  double boxes_contacts = 0;  ///< open after a tick, mean
  double shapes_contacts = 0;
  std::string mismatch;  ///< what was wrong; empty = all verified
};

/// The scenes whose bodies are persons and bullets: "crowd" and "bullets".
const std::vector<std::string>& tick_scenes();
/// One result for each number of threads.
std::vector<TickResult> measure_ticks(const std::string& scene, const TickOptions& options);

}  // namespace vicinity::bench
