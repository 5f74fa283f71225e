// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/wake_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/test_world.h"

namespace vicinity {
namespace {

using testing::ElementsAre;

TEST(WakeAll, NamesAllThatLiveAndWhatEndedInThisTick) {
  test::TestWorld world;
  const EntityId first = world.spawn_point({0, 0, 0});
  const EntityId second = world.spawn_point({5, 0, 0});
  world.spawn_point({9, 0, 0});
  world.step();
  world.table().despawn(first, DespawnReason::Command);
  world.step();
  world.table().despawn(second, DespawnReason::Command);
  world.step();
  Bounds bounds = world.bounds();
  std::vector<std::uint32_t> moved = world.moved();
  ASSERT_THAT(moved, ElementsAre(1));
  wake_all(world.tick(), bounds, moved);
  EXPECT_THAT(moved, ElementsAre(1, 2));
  EXPECT_NE(bounds[0].stamp, stamp_of(world.tick()));
  EXPECT_EQ(bounds[1].stamp, stamp_of(world.tick()));
  EXPECT_EQ(bounds[2].stamp, stamp_of(world.tick()));
  EXPECT_EQ(bounds[2].box, world.bounds()[2].box);
}

}  // namespace
}  // namespace vicinity
