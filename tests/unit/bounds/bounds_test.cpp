// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bounds/bounds.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

TEST(Bounds, OfAnUnmovedBoxOnFloatsIsTheBox) {
  SnapshotBuilder world;
  world.add({{-1, -2, -3}, {1, 2, 3}});
  Workers workers(1);
  EXPECT_EQ(world.bounds(workers)->at(0), (Aabb32{{-1, -2, -3}, {1, 2, 3}}));
}

TEST(Bounds, CoverStartAndEndOfAPath) {
  SnapshotBuilder world;
  world.add_moved(box_at(0, 0, 0), box_at(10, -5, 2));
  Workers workers(1);
  EXPECT_EQ(world.bounds(workers)->at(0), (Aabb32{{0, -5, 0}, {11, 1, 3}}));
}

TEST(Bounds, AreRoundedOutwardFarFromTheOrigin) {
  SnapshotBuilder world;
  const Aabb box{{1e12 + 0.1, -1e12 - 0.3, 0.1}, {1e12 + 0.2, -1e12 - 0.1, 0.3}};
  world.add(box);
  Workers workers(1);
  const Aabb32 bound = world.bounds(workers)->at(0);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_LE(static_cast<double>(bound.min[axis]), box.min[axis]);
    EXPECT_GE(static_cast<double>(bound.max[axis]), box.max[axis]);
  }
}

// Property: at 64 instants of the tick the moving box lies inside its bound.
TEST(Bounds, ContainTheBoxAtEveryInstant) {
  Prng prng(20260101);
  SnapshotBuilder world;
  for (int i = 0; i < 200; ++i) {
    const double far = prng.chance(0.5) ? 1e6 : 1;
    auto somewhere = [&] {
      return box_at(prng.between(-far, far), prng.between(-far, far), prng.between(-far, far),
                    prng.unit());
    };
    world.add_moved(somewhere(), somewhere());
  }
  Workers workers(1);
  const auto bounds = world.bounds(workers);
  for (std::uint32_t row = 0; row < bounds->row_count(); ++row) {
    const Aabb& start = world.snapshot().start_box[row];
    const Aabb& end = world.snapshot().tight_box[row];
    for (int instant = 0; instant <= 64; ++instant) {
      const double t = instant / 64.0;
      for (int axis = 0; axis < 3; ++axis) {
        const double low = start.min[axis] * (1 - t) + end.min[axis] * t;
        const double high = start.max[axis] * (1 - t) + end.max[axis] * t;
        ASSERT_LE(static_cast<double>(bounds->min[axis][row]), low) << "row " << row;
        ASSERT_GE(static_cast<double>(bounds->max[axis][row]), high) << "row " << row;
      }
    }
  }
}

TEST(Bounds, AreTheSameForAnyNumberOfWorkersAndShrinkWithTheSnapshot) {
  SnapshotBuilder many;
  for (int i = 0; i < 10'000; ++i) many.add(box_at(i * 0.1, 0, 0));
  Workers one(1);
  Workers three(3);
  Bounds a = *many.bounds(one);
  const Bounds b = *many.bounds(three);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(a.min[axis], b.min[axis]);
    EXPECT_EQ(a.max[axis], b.max[axis]);
  }
  compute_bounds(SnapshotBuilder().snapshot(), one, a);
  EXPECT_EQ(a.row_count(), 0u);
}

}  // namespace
}  // namespace vicinity
