// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The same worlds give the same pairs in every tick, by one hash, for any number of workers, any
// kernel, any kind of index and any block size; and under a pair budget the same subset.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "oracle/box_world.h"
#include "oracle/index_checker.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

constexpr int ticks = 14;

std::vector<IndexKernel> kernels_here() {
  std::vector<IndexKernel> kernels{IndexKernel::Scalar};
  for (const IndexKernel kernel : {IndexKernel::Avx2, IndexKernel::Avx512}) {
    if (is_supported(kernel)) kernels.push_back(kernel);
  }
  return kernels;
}

BoxWorldSettings crowded_world(Prng& prng) {
  BoxWorldSettings settings = random_box_world(prng);
  settings.entity_count = static_cast<std::uint32_t>(200 + prng.below(400));
  settings.scene = static_cast<BoxScene>(prng.below(box_scene_count));
  return settings;
}

/// Hash of all pairs, tick by tick, and of what was reported where nothing rests.
struct Outcome {
  std::uint64_t known = 0;
  std::uint64_t reported = 0;
  int truncated_ticks = 0;
};

Outcome outcome_of(const BoxWorldSettings& world_settings, std::uint64_t seed,
                   const IndexSettings& settings, Workers& workers) {
  BoxWorld world(world_settings, seed);
  IndexChecker index(settings);
  ContentHash known, reported;
  const auto add = [](ContentHash& hash, const PairList& pairs) {
    hash.add(pairs.size());
    for (const SlotPair pair : pairs) hash.add(pair.a), hash.add(pair.b);
  };
  Outcome out;
  for (int tick = 0; tick < ticks; ++tick) {
    world.run_tick();
    index.check(world, all_pairs(world.bounds(), world.filters()), workers);
    add(known, index.known());
    add(reported, index.reported());
    if (index.is_truncated()) ++out.truncated_ticks;
  }
  out.known = known.digest();
  out.reported = reported.digest();
  return out;
}

TEST(IndexIdentity, OneHashForAnyWorkersKernelsKindsAndBlocks) {
  Workers one(1), two(2), three(3), eight(8);
  for_each_seed(0, 4, [&](std::uint64_t seed) {
    Prng prng(seed);
    const BoxWorldSettings world = crowded_world(prng);
    IndexSettings settings;
    settings.kind = IndexKind::BruteForce;
    const std::uint64_t expected = outcome_of(world, seed, settings, one).known;
    for (const IndexKind kind : {IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto}) {
      for (const IndexKernel kernel : kernels_here()) {
        for (Workers* workers : {&one, &two, &three, &eight}) {
          settings.kind = kind;
          settings.kernel = kernel;
          settings.block_size = workers == &one ? 2048 : 37;
          settings.rest_after_ticks = 2;
          EXPECT_EQ(outcome_of(world, seed, settings, *workers).known, expected)
              << to_string(settings) << " workers " << workers->worker_count();
        }
      }
    }
  });
}

TEST(IndexIdentity, OneSubsetUnderAPairBudgetForAnyWorkersKernelsAndBlocks) {
  Workers one(1), two(2), three(3), eight(8);
  int truncated_ticks = 0;
  for_each_seed(0, 12, [&](std::uint64_t seed) {
    Prng prng(seed);
    const BoxWorldSettings world = crowded_world(prng);
    IndexSettings settings = random_index_settings(prng);
    settings.candidate_pairs_max = 10;
    settings.block_size = 2048;
    settings.kernel = IndexKernel::Scalar;
    const Outcome expected = outcome_of(world, seed, settings, one);
    truncated_ticks += expected.truncated_ticks;
    for (const IndexKernel kernel : kernels_here()) {
      for (Workers* workers : {&two, &three, &eight}) {
        settings.kernel = kernel;
        settings.block_size = workers == &two ? 1 : workers == &three ? 7 : 2048;
        const Outcome found = outcome_of(world, seed, settings, *workers);
        EXPECT_EQ(found.reported, expected.reported) << to_string(settings);
        EXPECT_EQ(found.known, expected.known) << to_string(settings);
      }
    }
  });
  EXPECT_GT(truncated_ticks, 20);
}

}  // namespace
}  // namespace vicinity::oracle
