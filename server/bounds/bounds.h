// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Swept bounds: one conservative f32 box per snapshot row that contains everything the entity
// occupies during the tick (start box, end box and the straight path between). Tick room writes,
// index, pairs and queries read.

#include <cstdint>
#include <vector>

#include "base/aabb.h"
#include "base/parallel.h"
#include "world/snapshot.h"

namespace vicinity {

/// Structure of arrays, indexed by snapshot row. 24 bytes per row.
struct Bounds {
  std::vector<float> min[3];
  std::vector<float> max[3];

  std::uint32_t row_count() const { return static_cast<std::uint32_t>(min[0].size()); }
  Aabb32 at(std::uint32_t row) const {
    return {{min[0][row], min[1][row], min[2][row]}, {max[0][row], max[1][row], max[2][row]}};
  }
};

/// Tick room. Invariant: out.at(row) contains start_box[row] and tight_box[row]. O(rows), parallel.
void compute_bounds(const Snapshot& snapshot, Workers& workers, Bounds& out);

}  // namespace vicinity
