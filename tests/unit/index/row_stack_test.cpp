// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using Members = std::vector<std::uint32_t>;

/// Sizes for two levels and the list, in a plan of two levels.
struct World {
  World() {
    Prng prng(2);
    auto add = [&](std::size_t count, double size_min, double size_max) {
      const auto more = test::random_cubes(prng, count, 150, 150, 150, size_min, size_max);
      boxes.insert(boxes.end(), more.begin(), more.end());
    };
    add(500, 0.2, 2);
    add(300, 20, 60);
    add(5, 2'000, 3'000);
    boxes.push_back(test::box32(0, 0, 0, 1e6f, 0.1f, 1e6f));
    for (std::size_t i = boxes.size(); i > 1; --i) std::swap(boxes[i - 1], boxes[prng.below(i)]);
    bounds = test::bounds_of(boxes);
    IndexSettings settings;
    settings.kind = IndexKind::Rows;
    settings.row_size_m = 1;
    // Entities of both levels are many enough for a level of their own.
    plan = make_row_plan(settings, test::sample_of(boxes, 50'000));
    plan.levels.resize(2);
  }
  Members level_members(std::uint32_t level) const {
    Members members;
    for (std::uint32_t i = 0; i < boxes.size(); ++i) {
      if (fitting_level(plan.levels, boxes[i]) == level) members.push_back(i);
    }
    return members;
  }
  void build(RowStack& stack, RowStackBuilder& builder, std::size_t block_size,
             Workers& workers) const {
    builder.build(
        plan, bounds.data(), row_kernels(IndexKernel::Auto), boxes.size(), block_size,
        [&](std::size_t, std::size_t begin, std::size_t end,
            std::span<RawBuffer<std::uint32_t>*> out) {
          std::size_t count[3] = {};
          for (auto* members : out) members->reset(end - begin);
          for (auto i = static_cast<std::uint32_t>(begin); i < end; ++i) {
            const std::uint32_t level = fitting_level(plan.levels, boxes[i]);
            (*out[level])[count[level]++] = i;
          }
          for (std::size_t level = 0; level < out.size(); ++level) {
            out[level]->truncate(count[level]);
          }
        },
        workers, stack);
  }

  std::vector<Aabb32> boxes;
  Bounds bounds;
  RowPlan plan;
};

bool take(void* context, const std::uint32_t* members, std::size_t count) {
  auto& out = *static_cast<Members*>(context);
  out.insert(out.end(), members, members + count);
  return true;
}

TEST(RowStack, FittingLevelIsTheFirstThatHoldsTheBoxOnAllAxes) {
  std::vector<LevelPlan> levels(2);
  for (int axis = 0; axis < 3; ++axis) {
    levels[0].extent_max[axis] = 2;
    levels[1].extent_max[axis] = 20;
  }
  using test::box32;
  EXPECT_EQ(fitting_level(levels, box32(5, 5, 5, 2, 2, 2)), 0u);
  for (int axis = 0; axis < 3; ++axis) {
    Aabb32 box = box32(0, 0, 0, 1, 1, 1);
    box.max[axis] = 2.5f;
    EXPECT_EQ(fitting_level(levels, box), 1u);
    box.max[axis] = 21;
    EXPECT_EQ(fitting_level(levels, box), 2u);
  }
  EXPECT_EQ(fitting_level({}, box32(0, 0, 0, 1, 1, 1)), 0u);
}

TEST(RowStack, HoldsEveryMemberInItsLevel) {
  const World world;
  for (const int worker_count : {1, 3}) {
    Workers workers(worker_count);
    RowStackBuilder builder;
    RowStack stack;
    for (const std::size_t block_size : {1'000u, 7u, 64u}) {
      world.build(stack, builder, block_size, workers);
      ASSERT_EQ(stack.levels().size(), 3u);
      for (std::uint32_t level = 0; level < 3; ++level) {
        const Members members = test::members_of(stack.levels()[level]);
        EXPECT_EQ(members, world.level_members(level));
        EXPECT_FALSE(members.empty());
      }
      EXPECT_EQ(stack.list().registration_count(), world.level_members(2).size());
    }
  }
}

TEST(RowStack, IsTheSameForAnyBlocksAndWorkers) {
  const World world;
  Workers one(1);
  Workers four(4);
  RowStackBuilder first_builder, builder;
  RowStack first, stack;
  world.build(first, first_builder, 10'000, one);
  for (const std::size_t block_size : {1u, 13u, 200u}) {
    world.build(stack, builder, block_size, four);
    for (std::size_t i = 0; i < 3; ++i) {
      const RowArrays a = first.levels()[i].arrays();
      const RowArrays b = stack.levels()[i].arrays();
      ASSERT_EQ(a.count, b.count);
      EXPECT_TRUE(std::equal(a.tag, a.tag + a.count, b.tag));
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_TRUE(std::equal(a.min[axis], a.min[axis] + a.count, b.min[axis]));
      }
      EXPECT_EQ(a.along_extent_max, b.along_extent_max);
    }
  }
}

TEST(RowStack, FindsEveryMemberThatTouchesOnce) {
  const World world;
  Workers workers(1);
  RowStackBuilder builder;
  RowStack stack;
  world.build(stack, builder, 100, workers);
  Prng prng(8);
  for (int i = 0; i < 300; ++i) {
    const auto size = static_cast<float>(prng.chance(0.1) ? 500 : prng.between(0, 10));
    const auto at = [&] { return static_cast<float>(prng.between(-80, 80)); };
    const Aabb32 box = test::cube32(at(), at(), at(), size);
    Members found, expected;
    stack.find(row_kernels(IndexKernel::Auto), box, take, &found);
    std::ranges::sort(found);
    for (std::uint32_t member = 0; member < world.boxes.size(); ++member) {
      if (touches(world.boxes[member], box)) expected.push_back(member);
    }
    EXPECT_EQ(found, expected);
  }
}

TEST(RowStack, TakesALowerStackAfterAHigherOne) {
  World world;
  Workers workers(1);
  RowStackBuilder builder;
  RowStack stack;
  world.build(stack, builder, 50, workers);
  world.plan.levels.clear();
  world.build(stack, builder, 50, workers);
  ASSERT_EQ(stack.levels().size(), 1u);
  EXPECT_EQ(stack.list().registration_count(), world.boxes.size());
  EXPECT_EQ(stack.registration_count(), world.boxes.size());
}

}  // namespace
}  // namespace vicinity
