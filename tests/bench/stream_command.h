// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// `vicinity_bench stream`: what it costs to tell every observer what moved: choosing, encoding and
// decoding, over a real world of walkers. Every decoded position is compared with the snapshot,
// outside of the measured time.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <vector>

namespace vicinity::bench {

struct StreamCommand {
  std::uint32_t entities = 50'000;
  std::vector<std::uint32_t> observers = {1'000, 10'000};
  std::uint32_t ticks = 20;
  std::uint64_t seed = 1;
  bool json = false;
  bool smoke = false;
};

void add_stream_options(CLI::App& app, StreamCommand& command);
/// Status of the program: 1 when a client did not see what is there.
int run_stream(const StreamCommand& command);

}  // namespace vicinity::bench
