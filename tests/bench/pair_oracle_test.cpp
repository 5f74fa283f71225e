// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/pair_oracle.h"

#include <gtest/gtest.h>

#include <string>

namespace vicinity::bench {
namespace {

PairSum compare_all_with_all(const SceneState& state) {
  PairSum sum;
  for (std::uint32_t a = 0; a < state.slot_count(); ++a)
    for (std::uint32_t b = a + 1; b < state.slot_count(); ++b)
      if (is_pair(state, {a, b})) sum.add({a, b});
  return sum;
}

class PairsOfScene : public ::testing::TestWithParam<SceneInfo> {};

TEST_P(PairsOfScene, SweepFindsThePairsOfBruteForce) {
  const std::string name(GetParam().name);
  for (const std::uint32_t count : {1u, 100u, 2'000u}) {
    const std::unique_ptr<Scene> scene = make_scene(name, count, 7);
    if (scene == nullptr) GTEST_SKIP() << "no recordings in " << recordings_folder();
    for (int tick = 0; tick < 4; ++tick) {
      EXPECT_EQ(sum_pairs(scene->state()), compare_all_with_all(scene->state())) << tick;
      scene->step();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PairOracle, PairsOfScene,
                         ::testing::ValuesIn(scene_infos().begin(), scene_infos().end()),
                         [](const auto& test) { return std::string(test.param.name); });

// More than one slab.
TEST(PairOracle, SweepFindsThePairsOfBruteForceAcrossSlabs) {
  for (const char* name : {"uniform", "mixed", "flat"}) {
    const std::unique_ptr<Scene> scene = make_scene(name, 20'000, 7);
    const PairSum sum = sum_pairs(scene->state());
    EXPECT_EQ(sum, compare_all_with_all(scene->state())) << name;
    EXPECT_GT(sum.count, 1'000u) << name;
  }
}

TEST(PairOracle, OnlyLivingOverlappingAcceptingEntitiesArePairs) {
  SceneState state;
  state.bounds = {{{0, 0, 0}, {2, 2, 2}}, {{1, 1, 1}, {3, 3, 3}}, {{2, 0, 0}, {4, 1, 1}}};
  state.filters.resize(3);
  state.alive = {1, 1, 1};
  EXPECT_TRUE(is_pair(state, {0, 1}));
  EXPECT_FALSE(is_pair(state, {0, 2}));  // they share a face
  EXPECT_FALSE(is_pair(state, {1, 0}));  // not canonical
  EXPECT_FALSE(is_pair(state, {1, 3}));  // no such slot
  state.filters[0].is_static = state.filters[1].is_static = true;
  EXPECT_FALSE(is_pair(state, {0, 1}));
  state.filters[0].is_static = false;
  state.alive[1] = 0;
  EXPECT_FALSE(is_pair(state, {0, 1}));
}

TEST(PairOracle, SumsDependOnThePairsAndNotOnTheirOrder) {
  PairSum forward, backward, other;
  forward.add({1, 2});
  forward.add({3, 4});
  backward.add({3, 4});
  backward.add({1, 2});
  other.add({1, 4});
  other.add({2, 3});
  EXPECT_EQ(forward, backward);
  EXPECT_NE(forward, other);
  forward.add({3, 4});
  EXPECT_NE(forward, backward);
}

}  // namespace
}  // namespace vicinity::bench
