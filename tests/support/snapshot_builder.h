// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Snapshots made by hand, slot by slot, for tests of the stages that only read one.

#include <memory>
#include <numeric>
#include <vector>

#include "base/parallel.h"
#include "bounds/bounds.h"
#include "world/placed_box.h"
#include "world/snapshot.h"

namespace vicinity::test {

class SnapshotBuilder {
 public:
  explicit SnapshotBuilder(Tick tick = 1) { snapshot_.tick = tick; }

  /// An entity that did not move, generation 1, in the next slot.
  std::uint32_t add(const Aabb& box, const Filter& filter = {}) {
    return add_moved(box, box, Motion::None, filter);
  }
  std::uint32_t add_moved(const Aabb& start, const Aabb& end, Motion motion = Motion::Path,
                          const Filter& filter = {}) {
    const std::uint32_t slot = snapshot_.slot_count();
    ++snapshot_.entity_count;
    push(EntityId(slot, 1), start, end, motion, filter);
    return slot;
  }
  /// Any shape that stands at a pose, generation 1, in the next slot.
  std::uint32_t add(const Shape& shape, const Pose& pose, const Filter& filter = {}) {
    return add_moved(shape, path_at_rest(pose), Motion::None, filter);
  }
  std::uint32_t add_moved(const Shape& shape, const Path& path, Motion motion = Motion::Path,
                          const Filter& filter = {}) {
    const auto box_at_pose = [&](const Pose& pose) {
      return placed_around(turned_box(shape, pose.rotation), pose.position);
    };
    const std::uint32_t slot =
        add_moved(box_at_pose(path.start), box_at_pose(path.end), motion, filter);
    snapshot_.position[slot] = path.end.position;
    snapshot_.start_position[slot] = path.start.position;
    snapshot_.form[slot] = Form::Other;
    snapshot_.shape[slot] = shape;
    if (snapshot_.turn.empty()) snapshot_.turn.resize(snapshot_.slot_count());
    snapshot_.turn[slot] = {path.end.rotation, {}, path.start.rotation, path.rotation_vector};
    return slot;
  }
  /// A slot without an entity.
  std::uint32_t add_hole() {
    push(EntityId(), {}, {}, Motion::None, {});
    return snapshot_.slot_count() - 1;
  }

  Snapshot& snapshot() { return snapshot_; }
  std::shared_ptr<const Snapshot> share() const { return std::make_shared<Snapshot>(snapshot_); }
  std::vector<std::uint32_t> all_slots() const {
    std::vector<std::uint32_t> slots(snapshot_.slot_count());
    std::iota(slots.begin(), slots.end(), 0u);
    return slots;
  }
  Bounds bounds() const {
    Workers workers(1);
    Bounds bounds;
    BlockBuffers<std::uint32_t> blocks;
    std::vector<std::uint32_t> moved;
    compute_bounds(snapshot_, all_slots(), workers, bounds, blocks, moved);
    return bounds;
  }

 private:
  void push(EntityId id, const Aabb& start, const Aabb& end, Motion motion, const Filter& filter) {
    snapshot_.id.push_back(id);
    snapshot_.position.push_back(centre(end));
    snapshot_.start_position.push_back(centre(start));
    snapshot_.form.push_back(Form::Box);
    if (!snapshot_.turn.empty()) snapshot_.turn.emplace_back();
    snapshot_.velocity.emplace_back();
    snapshot_.tight_box.push_back(end);
    snapshot_.start_box.push_back(start);
    snapshot_.motion.push_back(motion);
    snapshot_.shape.push_back(Shape::box_corners(end.min - centre(end), end.max - centre(end)));
    snapshot_.filter.push_back(filter);
    snapshot_.user_data.push_back(0);
    snapshot_.owner.emplace_back();
    snapshot_.changed.emplace_back();
  }

  Snapshot snapshot_;
};

/// A box of the given size whose lower corner is at (x, y, z).
constexpr Aabb box_at(double x, double y, double z, double size = 1) {
  return {{x, y, z}, {x + size, y + size, z + size}};
}

}  // namespace vicinity::test
