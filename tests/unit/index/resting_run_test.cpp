// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/resting_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/index/row_world.h"

namespace vicinity {
namespace {

/// Slots 3, 5 and 8 of ten.
struct ThreeOfTen {
  ThreeOfTen() {
    std::vector<Aabb32> boxes;
    for (int slot = 0; slot < 10; ++slot) {
      boxes.push_back(test::cube32(static_cast<float>(10 * slot), 0, 0));
    }
    bounds = test::bounds_of(boxes);
  }
  Bounds bounds;
  std::vector<std::uint32_t> slots{3, 5, 8};
};

TEST(RestingRun, KeepsSlotsAndBoxesAsTheyWere) {
  ThreeOfTen world;
  const RestingRun run(7, true, world.slots, world.bounds);
  world.bounds[5].box = {};
  EXPECT_EQ(run.id(), 7u);
  EXPECT_TRUE(run.is_static());
  ASSERT_EQ(run.member_count(), 3u);
  EXPECT_EQ(run.slot(1), 5u);
  EXPECT_EQ(run.box(1), test::cube32(50, 0, 0));
}

TEST(RestingRun, AMemberIsSeenUntilTheVersionThatEndsIt) {
  const ThreeOfTen world;
  RestingRun run(1, false, world.slots, world.bounds);
  EXPECT_EQ(run.alive_count(), 3u);
  for (std::uint32_t member = 0; member < 3; ++member) {
    EXPECT_FALSE(run.has_ended(member));
    EXPECT_TRUE(run.exists_in(member, 1'000'000));
  }
  run.end(1, 42);
  EXPECT_EQ(run.alive_count(), 2u);
  EXPECT_FALSE(run.has_ended(0));
  EXPECT_TRUE(run.has_ended(1));
  EXPECT_TRUE(run.exists_in(1, 41));
  EXPECT_FALSE(run.exists_in(1, 42));
  run.end(0, 43);
  run.end(2, 43);
  EXPECT_EQ(run.alive_count(), 0u);
  EXPECT_TRUE(run.exists_in(0, 42));
  EXPECT_FALSE(run.exists_in(1, 42));
}

TEST(RestingRun, StaysSearchableWhateverEnds) {
  const ThreeOfTen world;
  RestingRun run(1, false, world.slots, world.bounds);
  RowStackBuilder builder;
  Workers workers(1);
  const RowKernels& kernels = row_kernels(IndexKernel::Auto);
  run.build(IndexSettings{}, kernels, builder, workers);
  run.end(1, 42);
  std::vector<std::uint32_t> found;
  run.stack().find(
      kernels, test::box32(0, 0, 0, 60, 1, 1),
      [](void* context, const std::uint32_t* members, std::size_t count) {
        auto& out = *static_cast<std::vector<std::uint32_t>*>(context);
        out.insert(out.end(), members, members + count);
        return true;
      },
      &found);
  std::ranges::sort(found);
  EXPECT_EQ(found, (std::vector<std::uint32_t>{0, 1}));  // members, ended ones included
  EXPECT_GT(run.size_bytes(), 3 * sizeof(Bound));
}

}  // namespace
}  // namespace vicinity
