// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// World and bounds of a steady tick allocate nothing. Every allocation of this test binary is
// counted: operator new is replaced here.
#include <gtest/gtest.h>

#include <memory>

#include "base/buffer_pool.h"
#include "base/prng.h"
#include "bounds/bounds.h"
#include "support/count_allocations.h"
#include "world/entity_table.h"

namespace vicinity {
namespace {

/// A world in which the same number of entities moves, changes, ends and is spawned in every tick.
/// The frame of the last tick is held while the next is made, as the server does.
class SteadyWorld {
 public:
  SteadyWorld(std::uint32_t entity_count, int worker_count)
      : workers_(worker_count), entity_count_(entity_count) {
    table_.begin_tick(1);
    for (std::uint32_t i = 0; i < entity_count; ++i) spawn();
    end_tick();
  }

  void tick() {
    table_.begin_tick(frame_->tick + 1);
    for (std::uint32_t i = 0; i < entity_count_ / 10; ++i) {
      table_.move_to(somebody(), {prng_.between(-90, 90), 0, 0}, false);
      table_.set_filter(somebody(), {.category = 1 + static_cast<std::uint32_t>(prng_.below(9))});
    }
    for (std::uint32_t i = 0; i < entity_count_ / 20; ++i) {
      const std::size_t at = prng_.below(ids_.size());
      table_.despawn(ids_[at], DespawnReason::Command);
      ids_[at] = ids_.back();
      ids_.pop_back();
      spawn();
    }
    end_tick();
  }

 private:
  EntityId somebody() { return ids_[prng_.below(ids_.size())]; }
  void spawn() {
    const Vec3 velocity{prng_.chance(0.5) ? 0.001 : 0.0, 0, 0};
    const Vec3 position{prng_.between(-90, 90), 0, 0};
    const auto id = table_.spawn(SessionId{1}, {position, velocity, Shape::sphere(1), {}, 0});
    ids_.push_back(id.value());
  }
  void end_tick() {
    table_.advance(1, workers_);
    const std::shared_ptr<Snapshot> snapshot = pool_.take();
    table_.freeze(1, workers_, *snapshot);
    compute_bounds(*snapshot, table_.changed(), workers_, bounds_, blocks_, moved_);
    EXPECT_FALSE(moved_.empty());
    frame_ = snapshot;
  }

  Workers workers_;
  std::uint32_t entity_count_;
  EntityTable table_{EntityTableSettings{.reuse_delay_ticks = 3}};
  Prng prng_{20265};
  std::vector<EntityId> ids_;
  BufferPool<Snapshot> pool_;
  std::shared_ptr<const Snapshot> frame_;
  Bounds bounds_;
  BlockBuffers<std::uint32_t> blocks_;
  std::vector<std::uint32_t> moved_;
};

TEST(WorldAllocation, IsCounted) {
  const std::size_t before = allocation_count;
  std::vector<int> numbers(1);
  EXPECT_EQ(allocation_count, before + 1);
}

TEST(WorldAllocation, OfASteadyTickIsNone) {
  for (const int workers : {1, 3}) {
    for (const std::uint32_t entity_count : {100u, 20'000u}) {
      SteadyWorld world(entity_count, workers);
      // Until each buffer has held as much as a tick brings at most.
      for (int tick = 0; tick < 300; ++tick) world.tick();
      const std::size_t before = allocation_count;
      for (int tick = 0; tick < 60; ++tick) world.tick();
      EXPECT_EQ(allocation_count, before) << entity_count << " entities, " << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace vicinity
