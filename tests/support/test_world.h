// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A small world for tests of everything behind the snapshot: change it, step it, look at what was
// frozen. No commands, no sessions.

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "bounds/bounds.h"
#include "index/index.h"
#include "world/entity_table.h"

namespace vicinity::test {

/// A patch of one field: patch(&FilterPatch::enabled, false).
template <class T>
FilterPatch patch(std::optional<T> FilterPatch::*field, std::type_identity_t<T> value) {
  FilterPatch out;
  out.*field = value;
  return out;
}

class TestWorld {
 public:
  explicit TestWorld(IndexKind kind = IndexKind::BruteForce, EntityTableSettings settings = {})
      : table_(settings), workers_(1) {
    index_settings_.kind = kind;
    table_.begin_tick(tick_ + 1);
  }

  /// Changes made here count for the next step.
  EntityTable& table() { return table_; }

  EntityId spawn(const Shape& shape, Vec3 position, const Filter& filter = {},
                 std::uint64_t user_data = 0) {
    const auto id = table_.spawn(SessionId{1}, {position, {}, shape, filter, user_data});
    CHECK(id.ok());
    return id.value();
  }
  /// A box of exactly these corners, its origin at the world's origin.
  EntityId spawn_box(const Aabb& box, const Filter& filter = {}) {
    return spawn(Shape::box_corners(box.min, box.max), {}, filter);
  }
  EntityId spawn_point(Vec3 position, const Filter& filter = {}) {
    return spawn(Shape::sphere(0), position, filter);
  }

  /// Runs the tick: snapshot, bounds and index describe it afterwards.
  void step() {
    ++tick_;
    table_.advance(1.0);
    auto snapshot = std::make_shared<Snapshot>();
    table_.freeze(1.0, *snapshot);
    auto bounds = std::make_shared<Bounds>();
    compute_bounds(*snapshot, workers_, *bounds);
    snapshot_ = std::move(snapshot);
    bounds_ = std::move(bounds);
    index_ = build_index(index_settings_, tick_, snapshot_, bounds_, workers_);
    table_.begin_tick(tick_ + 1);
  }

  Tick tick() const { return tick_; }
  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  const std::shared_ptr<const Bounds>& bounds() const { return bounds_; }
  const std::shared_ptr<const Index>& index() const { return index_; }
  Workers& workers() { return workers_; }

 private:
  EntityTable table_;
  Workers workers_;
  IndexSettings index_settings_;
  Tick tick_ = 0;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const Bounds> bounds_;
  std::shared_ptr<const Index> index_;
};

}  // namespace vicinity::test
