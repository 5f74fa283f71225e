// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// `vicinity_bench interest`: what observers see, and what is new for them, in every tick; against
// other ways to find it. The news of every tick of every one must be the same.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace vicinity::bench {

struct InterestCommand {
  std::vector<std::string> scenes = {"walk", "hot", "rest"};
  std::vector<std::uint32_t> counts = {50'000, 100'000};
  std::vector<std::uint32_t> observers = {1'000, 10'000};
  std::vector<int> threads = {1, 2};
  std::vector<std::string> implementations;  ///< empty: all
  std::uint32_t warm_up_ticks = 15;
  std::uint32_t ticks = 120;
  double budget_s = 4;  ///< measured seconds per implementation; three ticks at least
  std::uint64_t seed = 1;
  bool json = false;
  bool verifies = true;
  bool smoke = false;
};

void add_interest_options(CLI::App& app, InterestCommand& command);
/// Status of the program: 1 when something was wrong.
int run_interest(InterestCommand& command);

}  // namespace vicinity::bench
