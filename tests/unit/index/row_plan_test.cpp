// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "index/rows/row_stack.h"
#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using test::box32;
using test::cube32;
using test::random_cubes;
using test::rows_touched;
using test::sample_of;

IndexSettings settings_of(IndexKind kind, double row_size_m = 0) {
  IndexSettings settings;
  settings.kind = kind;
  settings.row_size_m = row_size_m;
  return settings;
}

bool same_axis(const RowAxis& a, const RowAxis& b) {
  return a.axis == b.axis && a.origin == b.origin && a.inverse_size == b.inverse_size &&
         a.low == b.low && a.high == b.high && a.count == b.count && a.mask == b.mask;
}
bool same_grid(const RowGrid& a, const RowGrid& b) {
  return a.along == b.along && a.along_origin == b.along_origin &&
         a.along_inverse_size == b.along_inverse_size && a.along_cells == b.along_cells &&
         same_axis(a.across[0], b.across[0]) && same_axis(a.across[1], b.across[1]);
}

/// Boxes of any sizes and distances, also absurd ones.
std::vector<Aabb32> any_boxes(Prng& prng) {
  std::vector<Aabb32> boxes;
  const std::size_t count = 1 + prng.below(600);
  double reach[3];
  for (double& r : reach) r = std::pow(10, prng.between(-1, 6));
  const double size_low = prng.between(-3, 1);
  const double size_high = size_low + prng.between(0, 5);
  const double outliers = prng.chance(0.5) ? 0 : prng.between(0, 0.1);
  for (std::size_t i = 0; i < count; ++i) {
    Aabb min_max;
    for (int axis = 0; axis < 3; ++axis) {
      double at = prng.between(-reach[axis], reach[axis]);
      if (prng.chance(outliers))
        at += std::pow(10, prng.between(4, 12)) * (prng.chance(0.5) ? 1 : -1);
      min_max.min[axis] = at;
      min_max.max[axis] = at + std::pow(10, prng.between(size_low, size_high));
    }
    boxes.push_back(round_outward(min_max));
  }
  return boxes;
}

TEST(RowPlan, OfNothingSweeps) {
  const RowPlan plan = make_row_plan(settings_of(IndexKind::Auto), {});
  EXPECT_TRUE(plan.levels.empty());
  EXPECT_EQ(plan.chosen, IndexKind::Sweep);
  EXPECT_EQ(plan.reason, PlanReason::Empty);
}

TEST(RowPlan, DependsOnItsArgumentsOnly) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Prng prng(seed);
    const PlanSample sample = sample_of(any_boxes(prng));
    const RowPlan first = make_row_plan(settings_of(IndexKind::Rows), sample);
    const RowPlan second = make_row_plan(settings_of(IndexKind::Rows), sample);
    ASSERT_EQ(first.levels.size(), second.levels.size());
    for (std::size_t i = 0; i < first.levels.size(); ++i) {
      EXPECT_TRUE(same_grid(first.levels[i].grid, second.levels[i].grid));
    }
    EXPECT_TRUE(same_grid(first.list, second.list));
  }
}

// Registrations are counted on this: buffers have room for no more, and rows that wrap rely on it.
TEST(RowPlan, WhatFitsALevelTouchesFewRowsWhereverItLies) {
  std::uint64_t fitting = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Prng prng(seed);
    const std::vector<Aabb32> boxes = any_boxes(prng);
    const double row_sizes_m[] = {0, 0, 0.003, 1, 250};
    const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows, row_sizes_m[prng.below(5)]),
                                       sample_of(boxes, boxes.size() << prng.below(10)));
    ASSERT_LE(plan.levels.size(), row_levels_max);
    for (const LevelPlan& level : plan.levels) {
      for (std::size_t i = 0; i < 300; ++i) {
        Aabb32 box = boxes[prng.below(boxes.size())];  // as large as allowed, somewhere
        for (int axis = 0; axis < 3; ++axis) {
          const float extent = std::min(level.extent_max[axis], 1e30f);
          if (prng.chance(0.3)) box.min[axis] = static_cast<float>(prng.between(-1, 1) * 1e9);
          if (prng.chance(0.5)) box.max[axis] = box.min[axis] + extent;
        }
        if (!fits_level(level, box)) continue;
        ++fitting;
        for (const RowAxis& axis : level.grid.across) {
          ASSERT_LE(rows_touched(axis, box), rows_touched_max + 1)
              << "seed " << seed << " axis " << axis.axis << " at " << box.min[axis.axis];
        }
      }
    }
  }
  EXPECT_GT(fitting, 10'000u);
}

TEST(RowPlan, TablesThatWrapAreLongerThanTwoBoxes) {
  int wrapping = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Prng prng(seed);
    const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows), sample_of(any_boxes(prng)));
    for (const LevelPlan& level : plan.levels) {
      for (const RowAxis& axis : level.grid.across) {
        if (!axis.wraps()) continue;
        ++wrapping;
        EXPECT_GE(axis.count, wrapped_rows_min);
        EXPECT_EQ(axis.count & (axis.count - 1), 0u);
        EXPECT_EQ(axis.mask, axis.count - 1);
      }
    }
  }
  EXPECT_GT(wrapping, 10);
}

TEST(RowPlan, TakesNoMoreCellsThanTheWorldIsWorth) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Prng prng(seed);
    const std::vector<Aabb32> boxes = any_boxes(prng);
    const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows), sample_of(boxes, 1'000'000));
    for (const LevelPlan& level : plan.levels) {
      EXPECT_LE(std::uint64_t{level.grid.across[0].count} * level.grid.across[1].count *
                    level.grid.along_cells,
                100'000'000u)
          << seed;
    }
  }
}

TEST(RowPlan, SweepsAThinCorridorAlongItAndHashesACube) {
  Prng prng(1);
  for (const int along : {0, 1, 2}) {
    double widths[] = {2, 2, 2};
    widths[along] = 20'000;
    const auto corridor = random_cubes(prng, 5'000, widths[0], widths[1], widths[2]);
    const RowPlan plan = make_row_plan(settings_of(IndexKind::Auto), sample_of(corridor));
    EXPECT_EQ(plan.chosen, IndexKind::Sweep);
    EXPECT_EQ(plan.reason, PlanReason::CheaperAsSweep);
    EXPECT_TRUE(plan.levels.empty());
    EXPECT_EQ(plan.list.along, along);
  }
  const auto cube = random_cubes(prng, 5'000, 17, 17, 17);
  const RowPlan plan = make_row_plan(settings_of(IndexKind::Auto), sample_of(cube));
  EXPECT_EQ(plan.chosen, IndexKind::Rows);
  EXPECT_EQ(plan.reason, PlanReason::CheaperAsRows);
  EXPECT_LT(plan.rows_cost_ns, plan.sweep_cost_ns);
  ASSERT_FALSE(plan.levels.empty());
}

TEST(RowPlan, OfFewEntitiesSweepsUnlessTold) {
  Prng prng(1);
  const PlanSample sample = sample_of(random_cubes(prng, 30, 100, 100, 100));
  EXPECT_EQ(make_row_plan(settings_of(IndexKind::Auto), sample).reason, PlanReason::FewEntities);
  const RowPlan rows = make_row_plan(settings_of(IndexKind::Rows), sample);
  EXPECT_EQ(rows.chosen, IndexKind::Rows);
  EXPECT_EQ(rows.reason, PlanReason::Forced);
  const RowPlan sweep = make_row_plan(settings_of(IndexKind::Sweep), sample);
  EXPECT_EQ(sweep.chosen, IndexKind::Sweep);
  EXPECT_EQ(sweep.reason, PlanReason::Forced);
}

TEST(RowPlan, TakesTheRowSizeOfTheSettings) {
  Prng prng(1);
  const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows, 4),
                                     sample_of(random_cubes(prng, 500, 100, 100, 100)));
  ASSERT_FALSE(plan.levels.empty());
  for (const RowAxis& axis : plan.levels[0].grid.across) EXPECT_EQ(axis.inverse_size, 0.25f);
}

TEST(RowPlan, SizesFarApartMakeLevels) {
  Prng prng(1);
  std::vector<Aabb32> boxes = random_cubes(prng, 8'000, 400, 400, 400);
  const std::vector<Aabb32> large = random_cubes(prng, 2'000, 100'000, 100'000, 100'000, 500, 900);
  for (std::size_t i = 0; i < large.size(); ++i) boxes.insert(boxes.begin() + 5 * i, large[i]);
  const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows, 1), sample_of(boxes));
  EXPECT_GE(plan.levels.size(), 2u);
  for (std::size_t i = 1; i < plan.levels.size(); ++i) {
    EXPECT_LT(plan.levels[i].grid.across[0].inverse_size,
              plan.levels[i - 1].grid.across[0].inverse_size);
  }
}

TEST(RowPlan, IsStaleWhenTheWorldGrewShrankOrMovedAway) {
  Prng prng(1);
  const std::vector<Aabb32> boxes = random_cubes(prng, 5'000, 100, 100, 100);
  const RowPlan plan = make_row_plan(settings_of(IndexKind::Rows), sample_of(boxes));
  EXPECT_FALSE(is_stale(plan, sample_of(boxes)));
  EXPECT_FALSE(is_stale(plan, sample_of(boxes, 7'000)));
  EXPECT_TRUE(is_stale(plan, sample_of(boxes, 11'000)));
  EXPECT_TRUE(is_stale(plan, sample_of(boxes, 2'000)));
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Aabb32> elsewhere = boxes;
    for (Aabb32& box : elsewhere) box.min[axis] += 1'000, box.max[axis] += 1'000;
    EXPECT_TRUE(is_stale(plan, sample_of(elsewhere))) << axis;
  }
}

/// A channel of the given width, as the planner gets to see it while it grows wider and narrower.
PlanSample channel(double width) {
  Prng prng(9);
  return sample_of(random_cubes(prng, 256, 4'000, width, width), 100'000);
}

TEST(RowPlan, ChangesItsKindLaterThanAFreshPlanWould) {
  const IndexSettings settings = settings_of(IndexKind::Auto);
  RowPlan plan = make_row_plan(settings, channel(1));
  ASSERT_EQ(plan.chosen, IndexKind::Sweep);
  double fresh_at = 0;
  double widened_at = 0;
  bool was_reluctant = false;
  for (double width = 1; width < 400 && widened_at == 0; width *= 1.03) {
    if (fresh_at == 0 && make_row_plan(settings, channel(width)).chosen == IndexKind::Rows) {
      fresh_at = width;
    }
    settle_row_plan(settings, channel(width), plan);
    was_reluctant |= plan.reason == PlanReason::Hysteresis;
    if (plan.chosen == IndexKind::Rows) widened_at = width;
  }
  ASSERT_GT(widened_at, 0);
  EXPECT_GT(widened_at, fresh_at);
  EXPECT_TRUE(was_reluctant);
  double narrowed_at = 0;
  for (double width = widened_at; width > 1 && narrowed_at == 0; width /= 1.03) {
    settle_row_plan(settings, channel(width), plan);
    if (plan.chosen == IndexKind::Sweep) narrowed_at = width;
  }
  EXPECT_GT(narrowed_at, 0);
  EXPECT_LT(narrowed_at, fresh_at);
}

/// What a search with this plan compared, as a sample brings it along.
PlanSample with_measured(PlanSample sample, std::uint64_t tests_per_registration) {
  sample.registrations = 2 * sample.entity_count;
  sample.tests = tests_per_registration * sample.registrations;
  return sample;
}

TEST(RowPlan, MakesFinerRowsWhenMoreThanExpectedWasCompared) {
  Prng prng(5);
  const PlanSample sample = sample_of(random_cubes(prng, 3'000, 400, 400, 400), 100'000);
  RowPlan plan = make_row_plan(settings_of(IndexKind::Rows), sample);
  const float before = plan.levels[0].grid.across[0].inverse_size;
  EXPECT_FALSE(settle_row_plan(settings_of(IndexKind::Rows), with_measured(sample, 8), plan));
  EXPECT_TRUE(settle_row_plan(settings_of(IndexKind::Rows), with_measured(sample, 800), plan));
  EXPECT_GT(plan.clumping.rows, 10);
  EXPECT_GT(plan.levels[0].grid.across[0].inverse_size, before);
}

TEST(RowPlan, LeavesASweepThatHadToCompareTooMuchAndTriesItAgainMuchLater) {
  const IndexSettings settings = settings_of(IndexKind::Auto);
  double width = 1;  // the widest that is still swept
  while (make_row_plan(settings, channel(1.03 * width)).chosen == IndexKind::Sweep) width *= 1.03;
  const PlanSample sample = channel(width);
  RowPlan plan = make_row_plan(settings, sample);
  ASSERT_EQ(plan.chosen, IndexKind::Sweep);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(settle_row_plan(settings, with_measured(sample, 20), plan));
  }
  EXPECT_TRUE(settle_row_plan(settings, with_measured(sample, 20'000), plan));
  EXPECT_EQ(plan.chosen, IndexKind::Rows);
  int looks = 0;
  for (; plan.chosen == IndexKind::Rows && looks < 1'000; ++looks) {
    settle_row_plan(settings, with_measured(sample, 40), plan);
  }
  EXPECT_GT(looks, 10);
}

TEST(RowPlan, StaysWhileItsWorldStays) {
  Prng prng(4);
  const PlanSample sample = sample_of(random_cubes(prng, 3'000, 100, 100, 100));
  RowPlan plan;
  EXPECT_TRUE(settle_row_plan(settings_of(IndexKind::Auto), sample, plan));
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(settle_row_plan(settings_of(IndexKind::Auto), sample, plan));
  }
}

}  // namespace
}  // namespace vicinity
