// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// `vicinity_bench narrow`: the exact tests of shapes against other libraries, pair by pair, and the
// whole tick with exact shapes against the same with boxes.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/narrow_measure.h"
#include "bench/tick_measure.h"

namespace vicinity::bench {

struct NarrowCommand {
  std::vector<std::string> pairs;  ///< both empty: everything; one empty: the other part alone
  std::vector<std::string> scenes;
  std::uint32_t rounds = 0;  ///< 0: five for pairs, three for scenes
  NarrowOptions pair_options;
  TickOptions tick_options;
  bool json = false;
  bool smoke = false;
};

void add_narrow_options(CLI::App& app, NarrowCommand& command);
/// Status of the program: 1 when something was wrong.
int run_narrow(const NarrowCommand& command);

}  // namespace vicinity::bench
