// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/progress.h"

#include <chrono>
#include <cstdio>

namespace vicinity::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct State {
  std::string context;
  Clock::time_point last = Clock::now();
};

State& state() {
  static State state;
  return state;
}

}  // namespace

void set_progress_context(const std::string& context) { state().context = context; }

void progress(const std::string& step) {
  const Clock::time_point now = Clock::now();
  if (now - state().last < std::chrono::seconds(1)) return;
  state().last = now;
  std::fprintf(stderr, "%s: %s\n", state().context.c_str(), step.c_str());
}

}  // namespace vicinity::bench
