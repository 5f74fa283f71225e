// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Snapshots made by hand, row by row, for tests of the stages that only read one.

#include <memory>

#include "base/parallel.h"
#include "bounds/bounds.h"
#include "world/snapshot.h"

namespace vicinity::test {

class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(Tick tick = 1) { snapshot_.tick = tick; }

  /// A row that did not move. Slot = row, generation 1.
  std::uint32_t add(const Aabb& box, const Filter& filter = {}) {
    return add_moved(box, box, Motion::None, filter);
  }
  std::uint32_t add_moved(const Aabb& start, const Aabb& end, Motion motion = Motion::Path,
                          const Filter& filter = {}) {
    const std::uint32_t row = snapshot_.row_count();
    snapshot_.row_of_slot.push_back(row);
    snapshot_.id.emplace_back(row, 1);
    snapshot_.position.push_back(centre(end));
    snapshot_.velocity.emplace_back();
    snapshot_.tight_box.push_back(end);
    snapshot_.start_box.push_back(start);
    snapshot_.motion.push_back(motion);
    snapshot_.shape.push_back(Shape::box_corners(end.min, end.max));
    snapshot_.filter.push_back(filter);
    snapshot_.user_data.push_back(0);
    snapshot_.owner.emplace_back();
    snapshot_.changed.emplace_back();
    return row;
  }

  Snapshot& snapshot() { return snapshot_; }
  std::shared_ptr<const Snapshot> share() const { return std::make_shared<Snapshot>(snapshot_); }
  std::shared_ptr<const Bounds> bounds(Workers& workers) const {
    auto bounds = std::make_shared<Bounds>();
    compute_bounds(snapshot_, workers, *bounds);
    return bounds;
  }

 private:
  Snapshot snapshot_;
};

/// A box of the given size whose lower corner is at (x, y, z).
constexpr Aabb box_at(double x, double y, double z, double size = 1) {
  return {{x, y, z}, {x + size, y + size, z + size}};
}

}  // namespace vicinity::test
