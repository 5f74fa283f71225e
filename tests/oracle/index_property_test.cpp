// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every kind of index with any settings in random worlds of boxes, against plain loops. A failure
// prints its seed; VICINITY_SEED=N runs that seed alone.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "oracle/box_world.h"
#include "oracle/index_checker.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 8;
constexpr std::size_t indexes_per_world = 4;

/// Worlds of all tests draw from the same few arenas.
Workers& some_workers(std::uint64_t i) {
  static Workers one(1), two(2), three(3), eight(8);
  const std::array<Workers*, 4> all{&one, &two, &three, &eight};
  return *all[i % all.size()];
}

class IndexProperty : public testing::TestWithParam<std::uint64_t> {};

TEST_P(IndexProperty, PairsAndSearchesAreThoseOfPlainLoops) {
  std::uint64_t persisted = 0;
  std::uint64_t woken = 0;
  constexpr std::uint64_t seeds_per_shard = 250;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) {
    Prng prng(seed);
    BoxWorld world(random_box_world(prng), prng.next());
    std::vector<std::unique_ptr<IndexChecker>> indexes;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < indexes_per_world; ++i) {
      const IndexSettings settings = random_index_settings(prng);
      indexes.push_back(std::make_unique<IndexChecker>(settings));
      names.push_back(to_string(settings));
    }
    const std::uint64_t ticks = 4 + prng.below(16);
    for (std::uint64_t tick = 0; tick < ticks; ++tick) {
      world.run_tick();
      const PairList expected = all_pairs(world.bounds(), world.filters());
      for (std::size_t i = 0; i < indexes.size(); ++i) {
        SCOPED_TRACE(names[i] + ", tick " + std::to_string(tick));
        indexes[i]->check(world, expected, some_workers(seed + tick));
        indexes[i]->check_views(world, 2);
        if (HasFailure()) return;
      }
    }
    for (const auto& index : indexes) {
      persisted += index->persisted();
      woken += index->woken();
    }
  });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  EXPECT_GT(persisted, 100 * seeds_per_shard) << "hardly anything came to rest";
  EXPECT_GT(woken, 10 * seeds_per_shard) << "hardly anything woke";
}

INSTANTIATE_TEST_SUITE_P(Shard, IndexProperty, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
