// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "bounds/bounds.h"

#include "base/check.h"

namespace vicinity {
namespace {

/// Rows per block: some tens of microseconds of work, far above what starting a task costs.
constexpr std::size_t rows_per_block = 4096;

}  // namespace

void compute_bounds(const Snapshot& snapshot, Workers& workers, Bounds& out) {
  const std::size_t rows = snapshot.row_count();
  CHECK(snapshot.start_box.size() == rows && snapshot.tight_box.size() == rows);
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis].resize(rows);
    out.max[axis].resize(rows);
  }
  workers.parallel_blocks(
      rows, rows_per_block, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          // Corners move on straight lines, so the box around both ends holds all between.
          const Aabb32 box = round_outward(merge(snapshot.start_box[row], snapshot.tight_box[row]));
          for (int axis = 0; axis < 3; ++axis) {
            out.min[axis][row] = box.min[axis];
            out.max[axis][row] = box.max[axis];
          }
        }
      });
}

}  // namespace vicinity
