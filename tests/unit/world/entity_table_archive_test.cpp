// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A table that was saved and loaded, and generations that a restart leaves out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "world/entity_table.h"
#include "world/restored_entities.h"

namespace vicinity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr SessionId alice{1};
constexpr SessionId bob{2};

SpawnCommand unit_box_at(Vec3 position) {
  SpawnCommand command;
  command.position = position;
  command.shape = Shape::box({0.5, 0.5, 0.5});
  return command;
}

EntityTableSettings settings_with(std::uint32_t reuse_delay_ticks,
                                  std::uint32_t generation_max = 0xFFFF'FFFFu) {
  EntityTableSettings settings;
  settings.world_half_size_m = 100;
  settings.reuse_delay_ticks = reuse_delay_ticks;
  settings.generation_max = generation_max;
  return settings;
}

class SavedTable : public testing::Test {
 protected:
  explicit SavedTable(std::uint32_t reuse_delay_ticks = 0)
      : settings_(settings_with(reuse_delay_ticks)) {
    make();
  }
  void make() {
    tick_ = 0;
    table_ = std::make_unique<EntityTable>(settings_);
    table_->begin_tick(++tick_);
  }
  EntityId spawn(Vec3 position = {}, SessionId owner = alice) {
    const auto made = table_->spawn(owner, unit_box_at(position));
    CHECK(made.ok());
    return made.value();
  }
  Snapshot end_tick() {
    Snapshot snapshot;
    table_->advance(0.5, workers_);
    table_->freeze(0.5, workers_, snapshot);
    return snapshot;
  }
  Snapshot step() {
    Snapshot snapshot = end_tick();
    table_->begin_tick(++tick_);
    return snapshot;
  }
  std::vector<std::uint8_t> saved() {
    ArchiveWriter out;
    table_->save(out, workers_);
    return out.take();
  }
  /// Ends the tick, saves, and goes on with what was loaded.
  void save_and_load() {
    end_tick();
    const auto bytes = saved();
    ArchiveReader in(bytes);
    auto loaded = std::make_unique<EntityTable>(settings_);
    std::vector<QuarantinedEntity> quarantined;
    ASSERT_TRUE(loaded->load(in, quarantined));
    EXPECT_THAT(quarantined, IsEmpty());
    table_ = std::move(loaded);
    EXPECT_EQ(saved(), bytes);
    table_->begin_tick(++tick_);
  }

  EntityTableSettings settings_;
  Workers workers_{1};
  Tick tick_ = 0;
  std::unique_ptr<EntityTable> table_;
};

TEST_F(SavedTable, KeepsTheOrderInWhichSlotsAreUsedAgain) {
  for (int i = 0; i < 4; ++i) spawn();
  step();
  for (const std::uint32_t slot : {2u, 0u, 3u}) table_->despawn(EntityId(slot, 1), {});
  save_and_load();
  EXPECT_EQ(spawn(), EntityId(2, 2));
  EXPECT_EQ(spawn(), EntityId(0, 2));
  EXPECT_EQ(spawn(), EntityId(3, 2));
  EXPECT_EQ(spawn(), EntityId(4, 1));
}

TEST_F(SavedTable, KeepsTheDelayOfReuse) {
  settings_.reuse_delay_ticks = 3;
  make();
  const EntityId first = spawn();
  step();
  table_->despawn(first, {});
  save_and_load();
  step();
  EXPECT_EQ(spawn(), EntityId(1, 1)) << "two ticks after the end";
  step();
  EXPECT_EQ(spawn(), EntityId(0, 2)) << "three ticks after it";
}

TEST_F(SavedTable, KeepsTheOrderInWhichTheEntitiesOfAnOwnerEnd) {
  for (int i = 0; i < 3; ++i) spawn({}, i == 1 ? bob : alice);
  step();
  table_->despawn(EntityId(0, 1), {});
  step();
  spawn();  // slot 0 again, now the newest of alice
  save_and_load();
  table_->despawn_owned_by(alice);
  step();
  EXPECT_EQ(spawn().index(), 0u);
  EXPECT_EQ(spawn().index(), 2u);
  EXPECT_EQ(table_->owned_count(bob), 1u);
}

TEST_F(SavedTable, NamesAllEntitiesAsChangedUntilTheFirstTickIsOver) {
  for (int i = 0; i < 3; ++i) spawn();
  step();
  table_->despawn(EntityId(1, 1), {});
  save_and_load();
  table_->set_velocity(EntityId(2, 1), {1, 0, 0});
  const auto changed = [this] {
    return std::vector<std::uint32_t>(table_->changed().begin(), table_->changed().end());
  };
  const Snapshot first = end_tick();
  EXPECT_THAT(changed(), ElementsAre(0, 2));
  EXPECT_EQ(first.position[2].x, 0.5);
  table_->begin_tick(++tick_);
  end_tick();
  EXPECT_THAT(changed(), ElementsAre(2));
}

TEST_F(SavedTable, IsOneThatSnapshotsOfBeforeAreNotTakenFor) {
  spawn({1, 2, 3});
  save_and_load();
  Snapshot snapshot;
  snapshot.tick = tick_ - 1;  // as if it held the tick that was saved
  table_->advance(0.5, workers_);
  table_->freeze(0.5, workers_, snapshot);
  EXPECT_EQ(snapshot.position[0], (Vec3{1, 2, 3}));
}

// --- Bytes that are none -------------------------------------------------------------------------

TEST_F(SavedTable, RefusesATornTable) {
  spawn();
  spawn({3, 0, 0}, bob);
  table_->exclude_pair(EntityId(0, 1), EntityId(1, 1), true);
  table_->attach(EntityId(0, 1), EntityId(1, 1), {}, OnParentEnd::Detach);
  end_tick();
  const auto bytes = saved();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EntityTable loaded(settings_);
    ArchiveReader in{std::span(bytes).first(size)};
    std::vector<QuarantinedEntity> quarantined;
    EXPECT_FALSE(loaded.load(in, quarantined)) << size << " of " << bytes.size();
  }
}

TEST_F(SavedTable, RefusesMoreEntitiesThanTheSettingsAllow) {
  for (int i = 0; i < 3; ++i) spawn();
  end_tick();
  const auto bytes = saved();
  settings_.entity_count_max = 2;
  EntityTable loaded(settings_);
  ArchiveReader in(bytes);
  std::vector<QuarantinedEntity> quarantined;
  EXPECT_FALSE(loaded.load(in, quarantined));
}

TEST_F(SavedTable, QuarantinesWhatIsOutOfASmallerWorld) {
  spawn({50, 0, 0}, alice);
  spawn({1, 0, 0}, alice);
  spawn({2, 0, 0}, bob);
  table_->exclude_pair(EntityId(0, 1), EntityId(1, 1), true);
  table_->attach(EntityId(1, 1), EntityId(0, 1), {}, OnParentEnd::Despawn);
  end_tick();
  const auto bytes = saved();
  settings_.world_half_size_m = 10;
  table_ = std::make_unique<EntityTable>(settings_);
  ArchiveReader in(bytes);
  std::vector<QuarantinedEntity> quarantined;
  ASSERT_TRUE(table_->load(in, quarantined));
  ASSERT_EQ(quarantined.size(), 1u);
  EXPECT_EQ(quarantined[0].id, EntityId(0, 1));
  EXPECT_EQ(quarantined[0].position, (Vec3{50, 0, 0}));
  EXPECT_THAT(quarantined[0].reason, testing::HasSubstr("position.x is 50"));
  EXPECT_EQ(table_->status(EntityId(0, 1)), EntityStatus::Stale);
  EXPECT_EQ(table_->owned_count(alice), 1u);
  EXPECT_FALSE(table_->attachment_of(EntityId(1, 1)).has_value());
  table_->begin_tick(++tick_);
  const Snapshot snapshot = step();
  EXPECT_EQ(snapshot.entity_count, 2u);
  EXPECT_EQ(snapshot.excluded, nullptr);
  EXPECT_THAT(snapshot.despawned, IsEmpty());
  EXPECT_EQ(spawn(), EntityId(0, 2)) << "its slot is free, its generation used up";
}

// --- Restarts ------------------------------------------------------------------------------------

TEST_F(SavedTable, ARestartLeavesGenerationsOutOfEverySlot) {
  const EntityId living = spawn();
  const EntityId dead = spawn();
  step();
  table_->despawn(dead, {});
  step();
  table_->skip_generations(1000);
  EXPECT_EQ(table_->status(living), EntityStatus::Alive);
  EXPECT_EQ(table_->status(EntityId(0, 2)), EntityStatus::Stale) << "perhaps of a lost tick";
  EXPECT_EQ(table_->status(EntityId(0, 1001)), EntityStatus::Stale);
  EXPECT_EQ(table_->status(EntityId(0, 1002)), EntityStatus::Unknown);
  EXPECT_EQ(table_->status(EntityId(1, 1001)), EntityStatus::Stale);
  EXPECT_EQ(table_->status(EntityId(1, 1002)), EntityStatus::Unknown);
  EXPECT_EQ(table_->status(EntityId(2, 1)), EntityStatus::Stale) << "a slot that had no entity";
  EXPECT_EQ(table_->status(EntityId(2, 1001)), EntityStatus::Unknown);
  EXPECT_EQ(spawn(), EntityId(1, 1002));
  EXPECT_EQ(spawn(), EntityId(2, 1001));
  table_->despawn(living, {});
  const Snapshot snapshot = step();
  ASSERT_EQ(snapshot.despawned.size(), 1u);
  EXPECT_EQ(snapshot.despawned[0].id, living);
  EXPECT_EQ(spawn(), EntityId(0, 1002));
}

TEST_F(SavedTable, WhatARestartLeftOutIsKept) {
  const EntityId living = spawn();
  table_->skip_generations(1000);
  save_and_load();
  EXPECT_EQ(table_->status(EntityId(0, 1001)), EntityStatus::Stale);
  EXPECT_EQ(spawn(), EntityId(1, 1001));
  table_->skip_generations(1000);
  save_and_load();
  EXPECT_EQ(table_->status(EntityId(0, 2001)), EntityStatus::Stale);
  EXPECT_EQ(table_->status(EntityId(1, 2001)), EntityStatus::Stale);
  EXPECT_EQ(spawn(), EntityId(2, 2001));
  table_->despawn(living, {});
  save_and_load();
  EXPECT_EQ(spawn(), EntityId(0, 2002));
}

TEST_F(SavedTable, SlotsNearTheEndOfTheirGenerationsAreRetiredByARestart) {
  settings_.generation_max = 10;
  make();
  const EntityId living = spawn();
  const EntityId dead = spawn();
  step();
  table_->despawn(dead, {});
  step();
  table_->skip_generations(8);
  EXPECT_EQ(spawn(), EntityId(1, 10)) << "one generation is left";
  EXPECT_EQ(spawn(), EntityId(2, 9));
  table_->skip_generations(8);
  EXPECT_EQ(table_->status(living), EntityStatus::Alive);
  EXPECT_TRUE(table_->has_slot_for_player() == false) << "no slot has a generation left";
  const auto none = table_->spawn(alice, unit_box_at({}));
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error(), ErrorCode::EntityLimit);
  table_->despawn(living, {});
  table_->despawn(EntityId(1, 10), {});
  save_and_load();
  EXPECT_FALSE(table_->spawn(alice, unit_box_at({})).ok());
  EXPECT_EQ(table_->status(living), EntityStatus::Stale);
}

}  // namespace
}  // namespace vicinity
