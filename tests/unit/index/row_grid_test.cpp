// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace vicinity {
namespace {

constexpr float most = std::numeric_limits<float>::max();

RowAxis axis_of(float origin, float size, std::uint32_t count) {
  RowAxis axis;
  axis.origin = origin;
  axis.inverse_size = 1 / size;
  axis.count = count;
  axis.high = static_cast<float>(count - 1);
  return axis;
}

RowAxis wrapped(float size, std::uint32_t count) {
  RowAxis axis = axis_of(0, size, count);
  axis.mask = count - 1;
  axis.low = -1e6f;
  axis.high = 1e6f;
  return axis;
}

TEST(RowGrid, NumbersByFloorNeverByTruncation) {
  const RowAxis axis = wrapped(2, 64);
  EXPECT_EQ(axis.number(0), 0);
  EXPECT_EQ(axis.number(1.999f), 0);
  EXPECT_EQ(axis.number(2), 1);
  EXPECT_EQ(axis.number(-0.0f), 0);
  EXPECT_EQ(axis.number(-0.001f), -1);
  EXPECT_EQ(axis.number(-2), -1);
  EXPECT_EQ(axis.number(-2.001f), -2);
}

TEST(RowGrid, CountsWhatLiesOutsideATableToItsOutermostRows) {
  const RowAxis axis = axis_of(10, 1, 5);
  EXPECT_EQ(axis.number(10), 0);
  EXPECT_EQ(axis.number(14.5f), 4);
  for (const float below : {9.99f, -1e9f, -most}) EXPECT_EQ(axis.number(below), 0) << below;
  for (const float above : {15.0f, 1e9f, most}) EXPECT_EQ(axis.number(above), 4) << above;
}

TEST(RowGrid, ClampsTheNumbersOfAWrappedTableToo) {
  const RowAxis axis = wrapped(1, 64);
  EXPECT_EQ(axis.number(most), 1'000'000);
  EXPECT_EQ(axis.number(-most), -1'000'000);
}

TEST(RowGrid, WrapsNegativeNumbersToTheEndOfTheTable) {
  const RowAxis axis = wrapped(1, 64);
  EXPECT_TRUE(axis.wraps());
  EXPECT_EQ(axis.position(0), 0u);
  EXPECT_EQ(axis.position(63), 63u);
  EXPECT_EQ(axis.position(64), 0u);
  EXPECT_EQ(axis.position(-1), 63u);
  EXPECT_EQ(axis.position(-64), 0u);
}

TEST(RowGrid, AnAxisWithoutRowsHasOneForEverything) {
  const RowAxis axis;
  EXPECT_FALSE(axis.wraps());
  for (const float coordinate : {-most, -1.0f, 0.0f, 1e20f, most}) {
    EXPECT_EQ(axis.number(coordinate), 0) << coordinate;
  }
}

TEST(RowGrid, NumbersNeverFallWhereCoordinatesRise) {
  for (const float size : {0.001f, 0.3f, 1.0f, 7.77f, 1e6f}) {
    RowAxis axis = wrapped(size, 64);
    axis.origin = 123.456f;
    std::int32_t last = axis.number(-most);
    float coordinate = -1e12f;
    for (int i = 0; i < 4'000; ++i) {
      const std::int32_t number = axis.number(coordinate);
      ASSERT_GE(number, last) << coordinate << " with rows of " << size;
      last = number;
      coordinate = i % 2 == 0 ? std::nextafter(coordinate, most)
                              : (coordinate < -1e-12f  ? coordinate * 0.97f
                                 : coordinate < 1e-12f ? 1e-11f
                                                       : coordinate * 1.03f);
    }
    EXPECT_GE(axis.number(most), last);
  }
}

TEST(RowGrid, CellsOfARowStandSideBySide) {
  RowGrid grid;
  grid.along = 0;
  grid.along_inverse_size = 0.5f;
  grid.along_cells = 10;
  grid.across[0] = axis_of(0, 1, 3);
  grid.across[1] = axis_of(0, 1, 4);
  EXPECT_EQ(grid.cell_count(), 120u);
  EXPECT_EQ(grid.row_begin(0, 0), 0u);
  EXPECT_EQ(grid.row_begin(1, 0), 10u);
  EXPECT_EQ(grid.row_begin(0, 1), 30u);
  EXPECT_EQ(grid.row_begin(2, 3), 110u);
  EXPECT_EQ(grid.cell(-5), 0);
  EXPECT_EQ(grid.cell(3.9f), 1);
  EXPECT_EQ(grid.cell(most), 9);
}

}  // namespace
}  // namespace vicinity
