// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bench/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench/integer_roots.h"
#include "bench/pair_oracle.h"

namespace vicinity::bench {
namespace {

TEST(IntegerRoots, AreRoundedDown) {
  EXPECT_EQ(square_root(0), 0u);
  EXPECT_EQ(square_root(35), 5u);
  EXPECT_EQ(square_root(36), 6u);
  EXPECT_EQ(square_root(~std::uint64_t{0}), 0xFFFF'FFFFu);
  EXPECT_EQ(cube_root(26), 2u);
  EXPECT_EQ(cube_root(27), 3u);
  EXPECT_EQ(cube_root(1'000'000'000'000'000'000), 1'000'000u);
}

class EveryScene : public ::testing::TestWithParam<SceneInfo> {
 protected:
  static std::unique_ptr<Scene> make(std::uint32_t count, std::uint64_t seed = 1) {
    return make_scene(std::string(GetParam().name), count, seed);
  }
};
INSTANTIATE_TEST_SUITE_P(Scene, EveryScene,
                         ::testing::ValuesIn(scene_infos().begin(), scene_infos().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(EveryScene, IsTheSameForTheSameSeed) {
  const std::unique_ptr<Scene> one = make(500), two = make(500), other = make(500, 2);
  if (one == nullptr) GTEST_SKIP() << "no recordings in " << recordings_folder();
  for (int tick = 0; tick < 20; ++tick) {
    EXPECT_EQ(one->state().boxes, two->state().boxes);
    EXPECT_EQ(one->state().moved, two->state().moved);
    EXPECT_EQ(one->state().alive, two->state().alive);
    one->step();
    two->step();
  }
  if (GetParam().name != "recorded_crowd") {
    EXPECT_NE(one->state().boxes, other->state().boxes);
  }
}

TEST_P(EveryScene, NamesWhatMovedAndNothingElse) {
  const std::unique_ptr<Scene> scene = make(500);
  if (scene == nullptr) GTEST_SKIP() << "no recordings in " << recordings_folder();
  SceneState before;
  before.boxes.resize(scene->state().slot_count());
  before.alive.resize(scene->state().slot_count());
  for (int tick = 0; tick < 40; ++tick) {
    const SceneState& now = scene->state();
    std::vector<std::uint32_t> moved;
    std::uint32_t alive = 0;
    for (std::uint32_t slot = 0; slot < now.slot_count(); ++slot) {
      const bool differs = now.alive[slot] != before.alive[slot] ||
                           (now.alive[slot] != 0 && now.boxes[slot] != before.boxes[slot]);
      if (differs) moved.push_back(slot);
      alive += now.alive[slot];
    }
    EXPECT_EQ(now.moved, moved) << tick;
    EXPECT_EQ(now.alive_count, alive) << tick;
    before = now;
    scene->step();
  }
}

TEST_P(EveryScene, StaysInItsExtentWithBoundsAroundBoxes) {
  const std::unique_ptr<Scene> scene = make(500);
  if (scene == nullptr) GTEST_SKIP() << "no recordings in " << recordings_folder();
  for (int tick = 0; tick < 100; ++tick) {
    const SceneState& now = scene->state();
    for (std::uint32_t slot = 0; slot < now.slot_count(); ++slot) {
      if (now.alive[slot] == 0) continue;
      ASSERT_EQ(now.bounds[slot], round_outward(now.boxes[slot]));
      for (int axis = 0; axis < 3; ++axis) {
        ASSERT_LT(now.bounds[slot].min[axis], now.bounds[slot].max[axis]);
        ASSERT_GE(now.bounds[slot].min[axis], now.extent.min[axis]);
        ASSERT_LE(now.bounds[slot].max[axis], now.extent.max[axis]);
      }
    }
    scene->step();
  }
}

/// Means over some ticks of a scene of 10 000.
struct Figures {
  double pairs_per_entity = 0;
  double moved_share = 0;
};
Figures figures_of(const char* name) {
  constexpr int ticks = 10;
  const std::unique_ptr<Scene> scene = make_scene(name, 10'000, 1);
  Figures figures;
  for (int tick = 0; tick < ticks; ++tick) {
    scene->step();
    const double entities = scene->state().alive_count;
    figures.pairs_per_entity +=
        static_cast<double>(sum_pairs(scene->state()).count) / entities / ticks;
    figures.moved_share += static_cast<double>(scene->state().moved.size()) / entities / ticks;
  }
  return figures;
}

// Expectations follow from the definitions. In a cube of 8 m3 each, n / 2 * E[(a + b)^3] / 8 m3
// pairs, with E[a + b] = 2 m on each axis: 1 / 2 per entity; a little more near walls. A heap has
// half of those boxes, so 1 / 4 for each of them, 1 / 2 for each of its specks, and one more for
// every 16 specks, since a box is about one cubic metre in 16.
TEST(Scene, HasTheDensityThatItsNameStandsFor) {
  struct Expected {
    const char* name;
    double pairs, pairs_tolerance, moved, moved_tolerance;
  };
  const Expected all[] = {
      {"uniform", 0.52, 0.03, 1.00, 0.01},
      {"uniform_fast", 0.52, 0.03, 1.00, 0.01},
      {"crowd", 0.15, 0.03, 0.80, 0.02},
      {"flat", 0.51, 0.03, 1.00, 0.01},
      {"mixed", 3.8, 0.4, 0.50, 0.02},
      {"mostly_static", 0.52, 0.03, 0.05, 0.01},
      {"teleport", 0.52, 0.03, 1.00, 0.01},
      {"heap", 0.125 + 0.25 + 0.03, 0.08, 1.00, 0.01},
      {"bullets", 0.77, 0.1, 0.82, 0.02},
      // A tenth goes, a tenth comes, the others walk.
      {"churn", 0.52, 0.03, 1.10, 0.01},
  };
  for (const Expected& expected : all) {
    const Figures figures = figures_of(expected.name);
    EXPECT_NEAR(figures.pairs_per_entity, expected.pairs, expected.pairs_tolerance)
        << expected.name;
    EXPECT_NEAR(figures.moved_share, expected.moved, expected.moved_tolerance) << expected.name;
  }
}

TEST(Scene, OnePointOverlapsCompletely) {
  const std::unique_ptr<Scene> scene = make_scene("one_point", 300, 1);
  for (int tick = 0; tick < 100; ++tick) scene->step();
  EXPECT_EQ(sum_pairs(scene->state()).count, 300u * 299 / 2);
}

TEST(Scene, ChurnKeepsTheNumberAndLetsSlotsRest) {
  const std::unique_ptr<Scene> scene = make_scene("churn", 1'000, 1);
  std::vector<int> died(scene->state().slot_count(), -1000);
  for (int tick = 1; tick <= 50; ++tick) {
    const std::vector<std::uint8_t> before = scene->state().alive;
    scene->step();
    const SceneState& now = scene->state();
    EXPECT_EQ(now.alive_count, 1'000u);
    for (const std::uint32_t slot : now.moved) {
      if (before[slot] != 0 && now.alive[slot] == 0) died[slot] = tick;
      if (before[slot] == 0 && now.alive[slot] != 0) {
        EXPECT_GE(tick - died[slot], 10);
      }
    }
  }
}

TEST(Scene, LevelStormChangesEverySizeByAFactor) {
  const std::unique_ptr<Scene> scene = make_scene("level_storm", 500, 1);
  for (int tick = 0; tick < 10; ++tick) {
    const std::vector<Aabb> before = scene->state().boxes;
    scene->step();
    for (std::size_t slot = 0; slot < before.size(); ++slot) {
      const Aabb& box = scene->state().boxes[slot];
      const double a = before[slot].max.x - before[slot].min.x, b = box.max.x - box.min.x;
      EXPECT_GE(std::max(a, b) / std::min(a, b), 1.5);
    }
  }
}

TEST(Scene, MoversAreTheSameWithAndWithoutStatics) {
  const std::unique_ptr<Scene> with = make_scene("static_1m", 3'000, 1);
  const std::unique_ptr<Scene> alone = make_scene("moving_1k_alone", 3'000, 1);
  EXPECT_EQ(with->state().alive_count, 4'000u);
  EXPECT_EQ(alone->state().alive_count, 1'000u);
  for (int tick = 0; tick < 5; ++tick) {
    with->step();
    alone->step();
    EXPECT_EQ(with->state().moved, alone->state().moved);
    for (std::uint32_t slot = 0; slot < 1'000; ++slot)
      ASSERT_EQ(with->state().boxes[slot], alone->state().boxes[slot]);
  }
  EXPECT_TRUE(with->state().filters.back().is_static);
  EXPECT_FALSE(with->state().filters.front().is_static);
}

}  // namespace
}  // namespace vicinity::bench
