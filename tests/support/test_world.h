// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A small world for tests of everything behind the snapshot: change it, step it, look at what was
// frozen. No commands, no sessions.

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

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
      : TestWorld(IndexSettings{.kind = kind}, settings) {}
  explicit TestWorld(const IndexSettings& index_settings, EntityTableSettings settings = {},
                     int worker_count = 1)
      : table_(settings), workers_(worker_count), live_index_(make_index(index_settings)) {
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

  /// Runs the tick: everything below describes it afterwards.
  void step() {
    ++tick_;
    table_.advance(1.0, workers_);
    auto snapshot = std::make_shared<Snapshot>();
    table_.freeze(1.0, workers_, *snapshot);
    snapshot_ = std::move(snapshot);
    changed_.assign(table_.changed().begin(), table_.changed().end());
    compute_bounds(*snapshot_, changed_, workers_, bounds_, bounds_blocks_, moved_);
    live_index_->update(index_input(), workers_);
    index_ = live_index_->view();
    table_.begin_tick(tick_ + 1);
  }
  /// Candidate pairs of the tick; at most once for each.
  void find_pairs(CandidatePairs& out) { live_index_->find_pairs(index_input(), workers_, out); }
  /// What the index was told of the last tick.
  IndexInput index_input(std::uint64_t pair_count = 0) const {
    return {tick_, bounds_, snapshot_->filter, moved_, pair_count};
  }

  Tick tick() const { return tick_; }
  const std::shared_ptr<const Snapshot>& snapshot() const { return snapshot_; }
  const std::vector<std::uint32_t>& changed() const { return changed_; }
  const Bounds& bounds() const { return bounds_; }
  const std::vector<std::uint32_t>& moved() const { return moved_; }
  const std::shared_ptr<const IndexView>& index() const { return index_; }
  Index& live_index() { return *live_index_; }
  Workers& workers() { return workers_; }

 private:
  EntityTable table_;
  Workers workers_;
  std::unique_ptr<Index> live_index_;
  Tick tick_ = 0;
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<std::uint32_t> changed_;
  Bounds bounds_;
  BlockBuffers<std::uint32_t> bounds_blocks_;
  std::vector<std::uint32_t> moved_;
  std::shared_ptr<const IndexView> index_;
};

}  // namespace vicinity::test
