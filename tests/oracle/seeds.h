// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/check.h"

namespace vicinity::oracle {

/// How many times as many seeds as usual: DEV_SEEDS_FACTOR in the environment (./dev test --long).
inline std::uint64_t seeds_factor() {
  const char* factor = std::getenv("DEV_SEEDS_FACTOR");
  return factor == nullptr ? 1 : std::strtoull(factor, nullptr, 10);
}

/// Runs `test(seed)` for one shard of the seeds and stops at the first failure, naming the seed.
/// VICINITY_SEED=N in the environment runs that seed alone.
template <class Test>
void for_each_seed(std::uint64_t shard, std::uint64_t seeds_per_shard, const Test& test) {
  std::uint64_t count = seeds_per_shard * seeds_factor();
  std::uint64_t first = shard * count;
  if (const char* only = std::getenv("VICINITY_SEED")) {
    first = std::strtoull(only, nullptr, 10);
    count = 1;
  }
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string context = "seed " + std::to_string(seed);
    SCOPED_TRACE(context);
    set_check_context(context.c_str());
    test(seed);
    set_check_context(nullptr);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace vicinity::oracle
