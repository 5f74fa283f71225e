// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Saving and restoring a world: what is refused, what is quarantined, what a restart changes. That
// a restored world goes on the same is in tests/oracle/restore_test.cpp.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/saved_entity.h"
#include "tick/simulation.h"
#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId watcher{2};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A world with commands of its own, which may be saved and replaced by what was restored.
class RestoreTest : public testing::Test {
 protected:
  RestoreTest() { settings_ = test::small_world(); }

  std::uint64_t send(SessionId session, CommandBody body) {
    commands_.push_back({session, ++sequence_, std::move(body)});
    return sequence_;
  }
  void step() {
    std::stable_sort(commands_.begin(), commands_.end(),
                     [](const Command& x, const Command& y) { return x.session < y.session; });
    output_ = world_->run_tick(std::exchange(commands_, {}));
  }
  void start() {
    world_ = std::make_unique<Simulation>(settings_);
    send(authority, OpenSessionCommand{Role::Authority, ContactScope::All});
  }
  EntityId spawned(Vec3 position) {
    send(authority, test::unit_box(position));
    step();
    return output_.sessions.at(0).results.at(0).entity;
  }
  std::vector<std::uint8_t> saved() const {
    ArchiveWriter out;
    world_->save(out);
    return out.take();
  }
  std::string error_of(const std::vector<std::uint8_t>& bytes) const {
    ArchiveReader in(bytes);
    const auto restored = Simulation::restore(settings_, in);
    return restored ? "restored" : restored.error().text;
  }
  std::vector<QuarantinedEntity> restore(const std::vector<std::uint8_t>& bytes) {
    ArchiveReader in(bytes);
    auto restored = Simulation::restore(settings_, in);
    CHECK(restored.ok());
    world_ = std::move(restored.value().simulation);
    return restored.value().quarantined;
  }

  SimulationSettings settings_;
  std::unique_ptr<Simulation> world_;
  std::vector<Command> commands_;
  std::uint64_t sequence_ = 0;
  TickOutput output_;
};

TEST_F(RestoreTest, AWorldThatNeverRanIsRestoredAsOne) {
  start();
  EXPECT_THAT(restore(saved()), IsEmpty());
  EXPECT_EQ(world_->last_hash(), 0u);
  EXPECT_EQ(world_->frame()->tick, 0u);
  EXPECT_EQ(spawned({}), EntityId(0, 1));
}

TEST_F(RestoreTest, TheFrameCanBeAskedBeforeTheFirstTick) {
  start();
  const EntityId a = spawned({1, 0, 0});
  const EntityId b = spawned({1.5, 0, 0});
  const std::uint64_t hash = output_.report.hash;
  restore(saved());
  EXPECT_EQ(world_->last_hash(), hash);
  const auto frame = world_->frame();
  EXPECT_EQ(frame->tick, 2u);
  EXPECT_EQ(frame->index_version, 2u);
  EXPECT_TRUE(frame->contacts.contains(a, b));
  const Query here{BoxQuery{{{-5, -5, -5}, {5, 5, 5}}}, {}, 10};
  EXPECT_THAT(answer_query(*frame, here).hits, SizeIs(2));
  EXPECT_THAT(std::vector<std::uint32_t>(world_->changed().begin(), world_->changed().end()),
              ElementsAre(0, 1));
}

TEST_F(RestoreTest, ViewsCanBeToldAnew) {
  start();
  send(watcher, OpenSessionCommand{Role::Observer, ContactScope::None});
  AreaSpec area;
  area.enter_radius_m = area.leave_radius_m = 5;
  send(watcher, AddAreaCommand{ObserverId{7}, AreaId{1}, area});
  spawned({1, 0, 0});
  spawned({50, 0, 0});
  spawned({2, 0, 0});
  restore(saved());
  const std::vector<ObserverEvents> views = world_->interest().views(*world_->frame()->snapshot);
  ASSERT_THAT(views, SizeIs(1));
  EXPECT_EQ(views[0].session, watcher);
  EXPECT_EQ(views[0].observer, ObserverId{7});
  EXPECT_THAT(views[0].enters, ElementsAre(0, 2));
  EXPECT_EQ(views[0].visible_count, 2u);
  step();
  EXPECT_THAT(output_.sessions.at(1).observers, IsEmpty()) << "nothing enters again";
}

TEST_F(RestoreTest, OtherSettingsAreRefusedByTheirName) {
  start();
  spawned({});
  const auto bytes = saved();
  const SimulationSettings good = settings_;
  const auto error_with = [&](const auto& change) {
    settings_ = good;
    change(settings_);
    return error_of(bytes);
  };
  EXPECT_THAT(error_with([](auto& s) { s.dt_s = 2; }), HasSubstr("dt_s is 2, but"));
  EXPECT_THAT(error_with([](auto& s) { s.world_half_size_m = 999; }),
              HasSubstr("world_half_size_m is 999, but the world was saved under 1000"));
  EXPECT_THAT(error_with([](auto& s) { --s.entity_count_max; }), HasSubstr("entity_count_max"));
  EXPECT_THAT(error_with([](auto& s) { ++s.entities_per_player_max; }),
              HasSubstr("entities_per_player_max"));
  EXPECT_THAT(error_with([](auto& s) { s.player_shape_extent_max_m = 1; }),
              HasSubstr("player_shape_extent_max_m"));
  EXPECT_THAT(error_with([](auto& s) { ++s.reuse_delay_ticks; }), HasSubstr("reuse_delay_ticks"));
  EXPECT_THAT(error_with([](auto& s) { s.policy = {PolicyRule{}}; }), HasSubstr("policy"));
  EXPECT_EQ(error_with([](auto& s) {
              s.worker_count = 3;
              s.index.kind = IndexKind::Sweep;
              s.index.candidate_pairs_max = 5;
              s.audit_rate = 1;
            }),
            "restored");
}

TEST_F(RestoreTest, ThePolicyInForceIsTheSavedOne) {
  settings_.policy = {{1, 1, PolicyAction::Trigger, 0, 0}};
  start();
  send(authority, SetPolicyCommand{{{1, 1, PolicyAction::Ignore, 0, 0}}});
  spawned({});
  restore(saved());
  spawned({0.5, 0, 0});
  EXPECT_THAT(output_.contacts.begins, IsEmpty());
}

TEST_F(RestoreTest, OtherFormatsAndOtherBytesAreRefusedInWords) {
  start();
  spawned({});
  auto bytes = saved();
  EXPECT_THAT(error_of({}), HasSubstr("not a saved world"));
  bytes[0] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("not a saved world"));
  bytes[0] ^= 1;
  bytes[4] = 9;
  EXPECT_THAT(error_of(bytes), HasSubstr("format 9; this program reads 1"));
  bytes = saved();
  bytes.back() ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("not a whole world"));
}

TEST_F(RestoreTest, EveryTornWorldIsRefusedAsAWhole) {
  start();
  spawned({});
  spawned({0.5, 0, 0});
  const auto bytes = saved();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto cut = bytes;
    cut.resize(size);
    EXPECT_NE(error_of(cut), "restored") << size << " of " << bytes.size();
  }
}

// --- Quarantine ----------------------------------------------------------------------------------

TEST_F(RestoreTest, AnEntityThatCannotBeIsLeftOutWithAllThatNamesIt) {
  start();
  send(watcher, OpenSessionCommand{Role::Observer, ContactScope::None});
  AreaSpec area;
  area.enter_radius_m = area.leave_radius_m = 50;
  send(watcher, AddAreaCommand{ObserverId{1}, AreaId{1}, area});
  const EntityId a = spawned({});
  const EntityId b = spawned({0.5, 0, 0});
  const EntityId c = spawned({0.75, 0, 0});
  send(watcher, SubscribeCommand{1, SubscriptionKind::Entity, {b, 0}, 1, 1, {}});
  send(watcher, SetVisibilityCommand{ObserverId{1}, {b, 0}, Visibility::Always});
  step();
  ASSERT_EQ(output_.report.contacts, 3u);
  auto bytes = saved();
  test::SavedEntityEditor editor(bytes);
  ASSERT_TRUE(editor.find(b));
  editor.set_position({nan, 0, 0});
  const auto quarantined = restore(bytes);
  ASSERT_THAT(quarantined, SizeIs(1));
  EXPECT_EQ(quarantined[0].id, b);
  EXPECT_THAT(quarantined[0].reason, HasSubstr("position.x is NaN"));
  EXPECT_EQ(world_->frame()->contacts.size(), 1u);
  EXPECT_TRUE(world_->frame()->contacts.contains(a, c));
  step();
  EXPECT_THAT(output_.contacts.ends, IsEmpty());
  EXPECT_THAT(output_.contacts.begins, IsEmpty());
  EXPECT_THAT(output_.sessions.at(1).observers, IsEmpty());
  EXPECT_EQ(output_.report.visible, 2u);
  EXPECT_EQ(output_.report.entities, 2u);
}

TEST_F(RestoreTest, WhatCannotBeIsSaidByItsField) {
  start();
  const EntityId id = spawned({});
  const auto good = saved();
  const auto reason_of = [&](const auto& edit) {
    auto bytes = good;
    test::SavedEntityEditor editor(bytes);
    CHECK(editor.find(id));
    edit(editor);
    const auto quarantined = restore(bytes);
    return quarantined.empty() ? "none" : quarantined.front().reason;
  };
  EXPECT_EQ(reason_of([](auto&) {}), "none");
  EXPECT_THAT(reason_of([](auto& e) {
                e.set_position({0, 1e300, 0});
              }),
              HasSubstr("position.y is 1e+300"));
  EXPECT_THAT(reason_of([](auto& e) { e.set_position({999.75, 0, 0}); }), HasSubstr("corner"));
  EXPECT_THAT(reason_of([](auto& e) {
                e.set_box({{1, 0, 0}, {0, 1, 1}});
              }),
              HasSubstr("shape.box_min is above shape.box_max"));
  EXPECT_THAT(reason_of([](auto& e) {
                e.set_box({{0, 0, nan}, {1, 1, 1}});
              }),
              HasSubstr("shape.box_min.z is NaN"));
  EXPECT_THAT(reason_of([](auto& e) {
                const double infinite = std::numeric_limits<double>::infinity();
                e.set_box({{0, 0, 0}, {1, infinite, 1}});
              }),
              HasSubstr("shape.box_max.y is +Inf"));
}

// --- Restarts ------------------------------------------------------------------------------------

TEST_F(RestoreTest, ARestartGivesNoIdAndNoNumberOfAnEventAgain) {
  start();
  const EntityId a = spawned({});
  const auto bytes = saved();
  const EntityId lost = spawned({0.5, 0, 0});
  ASSERT_THAT(output_.contacts.begins, SizeIs(1));
  const std::uint64_t lost_number = output_.contacts.begins[0].event_seq;
  restore(bytes);
  send(SessionId{}, RestartCommand{});
  const std::uint64_t about_lost = send(authority, TeleportCommand{{lost, 0}, {}});
  step();
  EXPECT_EQ(output_.sessions.at(0).results.at(0).sequence, about_lost);
  EXPECT_EQ(output_.sessions.at(0).results.at(0).code, ErrorCode::StaleEntity);
  EXPECT_EQ(output_.report.commands, 1u) << "a restart is no command of a client";
  EXPECT_TRUE(output_.frame->snapshot->contains(a));
  const EntityId made = spawned({0.5, 0, 0});
  EXPECT_EQ(made.index(), lost.index());
  EXPECT_GE(made.generation(), lost.generation() + limits::restart_generations);
  ASSERT_THAT(output_.contacts.begins, SizeIs(1));
  EXPECT_GE(output_.contacts.begins[0].event_seq, lost_number + limits::restart_events);
}

TEST_F(RestoreTest, ARestartChangesNothingThatIsTold) {
  start();
  spawned({});
  spawned({0.5, 0, 0});
  send(SessionId{}, RestartCommand{});
  step();
  EXPECT_THAT(output_.contacts.begins, IsEmpty());
  EXPECT_THAT(output_.contacts.ends, IsEmpty());
  EXPECT_EQ(output_.report.contacts, 1u);
}

}  // namespace
}  // namespace vicinity
