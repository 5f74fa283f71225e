// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/grid/rows.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/prng.h"
#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

RowGrid grid_for(const SnapshotBuilder& world, double row_size_m = 0) {
  Workers workers(1);
  IndexSettings settings;
  settings.row_size_m = row_size_m;
  return choose_row_grid(settings, *world.bounds(workers));
}

RowSet set_of(const SnapshotBuilder& world, const RowGrid& grid,
              Membership membership = Membership::InPairSearch) {
  Workers workers(1);
  return RowSet(grid, *world.share(), *world.bounds(workers), membership, workers);
}

TEST(RowKey, SortsByFirstThenSecondAlsoBelowZero) {
  EXPECT_LT(row_key(-1, 5), row_key(0, -5));
  EXPECT_LT(row_key(0, -1), row_key(0, 0));
  EXPECT_LT(row_key(-2, 0), row_key(-1, 0));
  EXPECT_NE(row_key(1, 2), row_key(2, 1));
}

TEST(RowGrid, NumbersRowsByFloor) {
  const RowGrid grid{.row_size_m = 2};
  EXPECT_EQ(grid.number(0.0f), 0);
  EXPECT_EQ(grid.number(-0.0f), 0);
  EXPECT_EQ(grid.number(1.99f), 0);
  EXPECT_EQ(grid.number(2.0f), 1);
  EXPECT_EQ(grid.number(-0.01f), -1);
  EXPECT_EQ(grid.number(-2.0f), -1);
  EXPECT_EQ(grid.number(-2.01f), -2);
}

TEST(RowGrid, ClampsFarRowsInsteadOfWrapping) {
  const RowGrid grid{.row_size_m = 0.001};
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(grid.number(1e13f), 1 << 30);
  EXPECT_EQ(grid.number(-1e13f), -(1 << 30));
  EXPECT_EQ(grid.number(most), 1 << 30);
  EXPECT_EQ(grid.range({{-most, -most, -most}, {most, most, most}}).count(0), (1ll << 31) + 1);
}

// Monotone numbers are all that a missed pair could come from.
TEST(RowGrid, NumbersNeverDescendWithTheCoordinate) {
  Prng prng(11);
  for (int i = 0; i < 20'000; ++i) {
    const RowGrid grid{.row_size_m = prng.between(0.001, 3)};
    const auto x = static_cast<float>(prng.between(-1e4, 1e4));
    const float next = std::nextafter(x, 1e9f);
    ASSERT_LE(grid.number(x), grid.number(next)) << x << " with rows of " << grid.row_size_m;
  }
}

TEST(RowGrid, SweepsTheAxisWithTheWidestSpread) {
  for (int axis = 0; axis < 3; ++axis) {
    SnapshotBuilder world;
    for (int i = 0; i < 100; ++i) {
      Vec3 at{i * 0.1, i * 0.2, i * 0.3};
      at[axis] = i * 100.0;
      world.add(box_at(at.x, at.y, at.z));
    }
    const RowGrid grid = grid_for(world);
    EXPECT_EQ(grid.along, axis);
    EXPECT_EQ(grid.across[0] + grid.across[1] + grid.along, 3);
    EXPECT_LT(grid.across[0], grid.across[1]);
  }
}

TEST(RowGrid, AFewFarAwayDoNotDecideTheAxis) {
  SnapshotBuilder world;
  for (int i = 0; i < 100; ++i) world.add(box_at(0, 0, i * 10.0));
  world.add(box_at(1e12, 0, 0));
  EXPECT_EQ(grid_for(world).along, 2);
}

TEST(RowGrid, KeepsAGivenRowSize) { EXPECT_EQ(grid_for(SnapshotBuilder(), 3.5).row_size_m, 3.5); }

TEST(RowGrid, ChoosesRowsThatFitASpreadOutCrowd) {
  SnapshotBuilder world;
  Prng prng(3);
  for (int i = 0; i < 4'000; ++i) {
    world.add(box_at(prng.between(-500, 500), prng.between(-500, 500), prng.between(-500, 500)));
  }
  const RowGrid grid = grid_for(world);
  EXPECT_GE(grid.row_size_m, 1.0) << "smaller than the boxes";
  EXPECT_LE(grid.row_size_m, 250.0) << "nearly everything in a few rows";
}

TEST(RowGrid, ChoosesFiniteRowsForDegenerateWorlds) {
  SnapshotBuilder one_point;
  for (int i = 0; i < 10; ++i) one_point.add(box_at(5, 5, 5, 0));
  SnapshotBuilder whole_world;
  whole_world.add({{-8e12, -8e12, -8e12}, {8e12, 8e12, 8e12}});
  for (const SnapshotBuilder* world : {&one_point, &whole_world}) {
    const double size = grid_for(*world).row_size_m;
    EXPECT_TRUE(std::isfinite(size));
    EXPECT_GT(size, 0.0);
  }
}

TEST(RowSet, RegistersABoxInEveryRowItTouches) {
  SnapshotBuilder world;
  world.add({{0, 0.5, 0.5}, {9, 1.5, 2.5}});  // rows y 0..1, z 0..2
  const RowGrid grid{.row_size_m = 1};
  const RowSet set = set_of(world, grid);
  std::vector<RowKey> keys;
  for (const RowSpan& span : set.directory()) keys.push_back(span.key);
  EXPECT_EQ(keys, (std::vector<RowKey>{row_key(0, 0), row_key(0, 1), row_key(0, 2), row_key(1, 0),
                                       row_key(1, 1), row_key(1, 2)}));
  EXPECT_EQ(set.registrations().size(), 6u);
  EXPECT_EQ(set.directory()[0].extent_max, 9.0);
}

TEST(RowSet, SortsEachRowAlong) {
  SnapshotBuilder world;
  for (const double x : {5.0, -3.0, 0.0, -3.0}) world.add(box_at(x, 0.25, 0.25, 0.5));
  const RowSet set = set_of(world, RowGrid{.row_size_m = 1});
  std::vector<std::uint32_t> rows;
  for (const Registration& entry : set.registrations()) rows.push_back(entry.row);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 3, 2, 0}));
  EXPECT_EQ(set.row_of_registration(3), 0u);
}

TEST(RowSet, PutsWhatTouchesTooManyRowsIntoTheHugeList) {
  SnapshotBuilder world;
  world.add({{0, 0.5, 0.5}, {1, 7.5, 7.5}});    // 8 by 8 rows: just fits
  world.add({{0, 0.5, 0.5}, {1, 8.5, 0.5}});    // 9 rows
  world.add({{0, 0.5, 0.5}, {1e9, 0.5, 0.5}});  // long along: one row
  const RowSet set = set_of(world, RowGrid{.row_size_m = 1});
  EXPECT_EQ(set.huge(), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(set.registrations().size(), 65u);
}

TEST(RowSet, SplitsMembersByWhetherTheyTakePartInPairs) {
  SnapshotBuilder world;
  world.add(box_at(0.25, 0.25, 0.25, 0.5));
  world.add(box_at(0.25, 0.25, 0.25, 0.5), {.mask = 0});
  const RowGrid grid{.row_size_m = 1};
  EXPECT_EQ(set_of(world, grid).registrations().at(0).row, 0u);
  EXPECT_EQ(set_of(world, grid, Membership::QueryOnly).registrations().at(0).row, 1u);
}

TEST(RowSet, IsTheSameForAnyNumberOfWorkers) {
  SnapshotBuilder world;
  Prng prng(8);
  for (int i = 0; i < 20'000; ++i) {
    world.add(box_at(prng.between(-90, 90), prng.between(-90, 90), prng.between(-90, 90)));
  }
  Workers one(1);
  Workers eight(8);
  const RowGrid grid{.row_size_m = 4};
  const auto snapshot = world.share();
  const auto bounds = world.bounds(one);
  const RowSet a(grid, *snapshot, *bounds, Membership::InPairSearch, one);
  const RowSet b(grid, *snapshot, *bounds, Membership::InPairSearch, eight);
  ASSERT_EQ(a.registrations().size(), b.registrations().size());
  for (std::size_t i = 0; i < a.registrations().size(); ++i) {
    ASSERT_EQ(a.registrations()[i].row, b.registrations()[i].row);
    ASSERT_EQ(a.registrations()[i].key, b.registrations()[i].key);
  }
}

TEST(Rows, ReportWhatTheyAreMadeOf) {
  SnapshotBuilder world;
  world.add(box_at(0.25, 0.25, 0.25, 0.5));
  world.add(box_at(9.25, 0.25, 0.25, 0.5), {.mask = 0});
  world.add({{-100, -100, -100}, {100, 100, 100}});
  Workers workers(1);
  IndexSettings settings;
  settings.row_size_m = 1;
  const auto index = build_index(settings, 1, world.share(), world.bounds(workers), workers);
  const IndexStats stats = index->stats();
  EXPECT_EQ(stats.registrations, 2u);
  EXPECT_EQ(stats.occupied_rows, 2u);
  EXPECT_EQ(stats.huge_entities, 1u);
  EXPECT_EQ(stats.row_size_m, 1.0);
  EXPECT_EQ(stats.along_axis, 0);
}

}  // namespace
}  // namespace vicinity
