// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "unit/index/plain_rows.h"
#include "unit/index/row_world.h"

namespace vicinity {
namespace {

using test::PlainRows;

RowGrid grid_of(float row_size, std::uint32_t rows, std::uint32_t cells) {
  RowGrid grid;
  grid.along_origin = -20;
  grid.along_inverse_size = static_cast<float>(cells) / 40;
  grid.along_cells = cells;
  for (int i = 0; i < 2; ++i) {
    RowAxis& axis = grid.across[i];
    axis.axis = i + 1;
    axis.origin = -20;
    axis.inverse_size = 1 / row_size;
    axis.count = rows;
    axis.high = static_cast<float>(rows - 1);
  }
  return grid;
}

void build(RowLevel& level, const RowGrid& grid, const Bounds& bounds,
           const std::vector<std::uint32_t>& members, std::size_t block_size) {
  level.reset(grid);
  std::vector<RowBlock> blocks(members.size() / block_size + 1);
  std::vector<const RowBlock*> pointers;
  std::vector<RowEntry> scratch;
  const RowKernels& kernels = row_kernels(IndexKernel::Scalar);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t begin = std::min(members.size(), i * block_size);
    const std::size_t end = std::min(members.size(), begin + block_size);
    blocks[i].members.reset(end - begin);
    std::copy(members.begin() + static_cast<std::ptrdiff_t>(begin),
              members.begin() + static_cast<std::ptrdiff_t>(end), blocks[i].members.begin());
    level.register_block(bounds.data(), kernels, scratch, blocks[i]);
    pointers.push_back(&blocks[i]);
  }
  level.plan_buckets(pointers.data(), pointers.size());
  // In any order: here from the last to the first.
  for (std::uint32_t bucket = level.bucket_count(); bucket-- > 0;) {
    level.fill_bucket(bounds.data(), kernels, pointers.data(), pointers.size(), bucket, scratch);
  }
}

void expect_same(const RowLevel& level, const PlainRows& plain, const RowGrid& grid) {
  const RowArrays found = level.arrays();
  const RowArrays expected = plain.arrays();
  ASSERT_EQ(found.count, expected.count);
  EXPECT_EQ(level.registration_count(), expected.count);
  EXPECT_TRUE(std::equal(found.start, found.start + grid.cell_count() + 1, expected.start));
  EXPECT_TRUE(std::equal(found.tag, found.tag + found.count, expected.tag));
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_TRUE(std::equal(found.min[axis], found.min[axis] + found.count, expected.min[axis]));
    EXPECT_TRUE(std::equal(found.max[axis], found.max[axis] + found.count, expected.max[axis]));
  }
  EXPECT_GE(found.along_extent_max, plain.along_extent_max());
  EXPECT_LE(found.along_extent_max, plain.along_extent_max() * 1.001f);
}

TEST(RowLevel, IsInOrderOfCellAndMemberWhateverTheBlocks) {
  Prng prng(3);
  // The last has more cells than one bucket counts.
  for (const RowGrid& grid : {grid_of(40, 1, 1), grid_of(2, 20, 7), grid_of(1, 40, 100)}) {
    const Bounds bounds = test::bounds_of(test::random_cubes(prng, 700, 44, 44, 44, 0.1, 6));
    const std::vector<std::uint32_t> members = test::numbers_to(bounds.size());
    const PlainRows plain(grid, bounds, members);
    for (const std::size_t block_size : {1u, 13u, 300u, 5'000u}) {
      RowLevel level;
      build(level, grid, bounds, members, block_size);
      expect_same(level, plain, grid);
    }
  }
}

TEST(RowLevel, SortsAnOverfullCellByWhereItsMembersBegin) {
  Prng prng(6);
  for (const RowGrid& grid : {grid_of(40, 1, 1), grid_of(20, 2, 3)}) {
    Bounds bounds = test::bounds_of(test::random_cubes(prng, 3'000, 30, 30, 30, 0.1, 2));
    for (std::size_t i = 0; i < bounds.size(); i += 3) {  // many begin at the same place
      bounds[i].box.min[0] = std::floor(bounds[i].box.min[0]) + (i % 2 == 0 ? 0.0f : -0.0f);
    }
    const std::vector<std::uint32_t> members = test::numbers_to(bounds.size());
    const PlainRows plain(grid, bounds, members);
    for (const std::size_t block_size : {64u, 5'000u}) {
      RowLevel level;
      build(level, grid, bounds, members, block_size);
      expect_same(level, plain, grid);
      const RowArrays rows = level.arrays();
      std::size_t overfull = 0;
      for (std::uint32_t cell = 0; cell < grid.cell_count(); ++cell) {
        if (rows.start[cell + 1] - rows.start[cell] < overfull_cell) continue;
        ++overfull;
        EXPECT_TRUE(
            std::is_sorted(rows.min[0] + rows.start[cell], rows.min[0] + rows.start[cell + 1]));
      }
      EXPECT_GT(overfull, 0u);
    }
  }
}

TEST(RowLevel, ForgetsWhatItHeldBefore) {
  Prng prng(4);
  RowLevel level;
  for (const std::size_t count : {900u, 20u, 0u, 300u}) {
    const Bounds bounds = test::bounds_of(test::random_cubes(prng, count, 30, 30, 30));
    const RowGrid grid = grid_of(3, 14, static_cast<std::uint32_t>(1 + count / 10));
    build(level, grid, bounds, test::numbers_to(count), 64);
    expect_same(level, PlainRows(grid, bounds, test::numbers_to(count)), grid);
  }
}

TEST(RowLevel, GivesMemoryBackAfterAPeak) {
  Prng prng(5);
  RowLevel level;
  const RowGrid grid = grid_of(3, 14, 20);
  const Bounds many = test::bounds_of(test::random_cubes(prng, 20'000, 30, 30, 30));
  build(level, grid, many, test::numbers_to(many.size()), 512);
  const std::size_t peak_bytes = level.size_bytes();
  EXPECT_GT(peak_bytes, 20'000u * 28);
  build(level, grid, many, test::numbers_to(500), 512);
  EXPECT_LT(level.size_bytes(), peak_bytes / 4);
}

}  // namespace
}  // namespace vicinity
