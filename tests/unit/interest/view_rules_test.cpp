// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What is in view beyond distance: owners, visibility, relevance, followers, nearest, suspension.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/limits.h"
#include "unit/interest/interest_fixture.h"

namespace vicinity {
namespace {

using test::area;
using test::InterestTest;
using test::observer;
using test::patch;
using test::session;
using test::sphere_area;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A world whose snapshots are changed by hand before interest sees them.
class ViewRules : public InterestTest {
 protected:
  void step() {
    world_->step();
    Snapshot snapshot = *world_->snapshot();
    snapshot.followers = followers_;
    snapshot.relevance.clear();
    snapshot.relevance.resize(snapshot.slot_count());
    for (const auto& [id, relevance] : relevance_) snapshot.relevance[id.index()] = relevance;
    interest_.update(snapshot, snapshot_slots(snapshot), *world_->index(), world_->workers(),
                     events_);
  }
  ErrorCode see(EntityId id, Visibility visibility) {
    return interest_.set_visibility(session, {observer, {id}, visibility}, id);
  }
  EntityId spawn_owned(SessionId owner, Vec3 position) {
    SpawnCommand command;
    command.position = position;
    command.shape = Shape::sphere(0);
    return world_->table().spawn(owner, command).value();
  }
  std::vector<LeaveReason> reasons() const {
    std::vector<LeaveReason> out;
    for (const Leave& leave : left()) out.push_back(leave.reason);
    return out;
  }

  std::vector<Follower> followers_;
  std::vector<std::pair<EntityId, Relevance>> relevance_;

 private:
  static std::vector<std::uint32_t> snapshot_slots(const Snapshot& snapshot) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t slot = 0; slot < snapshot.slot_count(); ++slot) out.push_back(slot);
    return out;
  }
};

TEST_F(ViewRules, PlayersSeeWhatTheyOwnWhereverItIs) {
  interest_.open_session(session, Role::Player);
  const EntityId far = spawn_owned(session, {500, 0, 0});
  const EntityId anchor = spawn_owned(session, {0, 0, 0});
  spawn_owned(SessionId{99}, {500, 0, 0});
  add(sphere_area(), anchor);
  step();
  EXPECT_THAT(entered(), ElementsAre(far));
  world_->table().set_filter(far, patch(&FilterPatch::enabled, false));
  step();
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Disabled));
  world_->table().set_filter(far, patch(&FilterPatch::enabled, true));
  step();
  EXPECT_THAT(entered(), ElementsAre(far));
  world_->table().despawn(far, DespawnReason::Command);
  step();
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Despawned));
}

TEST_F(ViewRules, AnchorThatIsOwnedIsSeenWhenItsAreaIncludesIt) {
  interest_.open_session(session, Role::Player);
  const EntityId anchor = spawn_owned(session, {0, 0, 0});
  AreaSpec spec = sphere_area({100, 0, 0});  // the area itself does not reach its anchor
  spec.include_anchor = true;
  add(spec, anchor);
  step();
  EXPECT_THAT(entered(), ElementsAre(anchor));
}

TEST_F(ViewRules, OtherSessionsSeeWhatTheyOwnByTheirAreasOnly) {
  interest_.open_session(session, Role::Authority);
  spawn_owned(session, {500, 0, 0});
  add(sphere_area());
  step();
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(ViewRules, VisibilityOverridesAreasUntilItIsDefaultAgain) {
  const EntityId far = world_->spawn_point({500, 0, 0}, {.instance = 3});
  const EntityId near = world_->spawn_point({1, 0, 0});
  add(sphere_area());
  ASSERT_EQ(see(far, Visibility::Always), ErrorCode::None);
  ASSERT_EQ(see(near, Visibility::Never), ErrorCode::None);
  step();
  EXPECT_THAT(entered(), ElementsAre(far));
  ASSERT_EQ(see(far, Visibility::Default), ErrorCode::None);
  ASSERT_EQ(see(near, Visibility::Default), ErrorCode::None);
  step();
  EXPECT_THAT(entered(), ElementsAre(near));
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Hidden));
  ASSERT_EQ(see(near, Visibility::Never), ErrorCode::None);
  step();
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Hidden));
}

TEST_F(ViewRules, DisabledIsNeverSeenEvenWhenItAlwaysShouldBe) {
  const EntityId id = world_->spawn_point({1, 0, 0}, {.enabled = false});
  relevance_ = {{id, {.always = true}}};
  add(sphere_area());
  ASSERT_EQ(see(id, Visibility::Always), ErrorCode::None);
  step();
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(ViewRules, VisibilityOfAnObserverIsLimitedAndForgotten) {
  EXPECT_EQ(see(EntityId(1, 1), Visibility::Always), ErrorCode::UnknownObserver);
  add(sphere_area());
  std::vector<EntityId> ids;
  for (std::uint32_t i = 0; i <= limits::visibilities_per_observer_max; ++i)
    ids.push_back(world_->spawn_point({500, 0, 0}));
  for (std::uint32_t i = 0; i < limits::visibilities_per_observer_max; ++i)
    ASSERT_EQ(see(ids[i], Visibility::Always), ErrorCode::None);
  EXPECT_EQ(see(ids.back(), Visibility::Never), ErrorCode::LimitExceeded);
  EXPECT_EQ(see(ids.front(), Visibility::Never), ErrorCode::None);  // in place of what it was
  EXPECT_EQ(see(ids.back(), Visibility::Default), ErrorCode::None);
  world_->table().despawn(ids[5], DespawnReason::Command);
  step();
  EXPECT_EQ(see(ids.back(), Visibility::Always), ErrorCode::None);  // room again
  ASSERT_EQ(interest_.remove_area(session, {area}), ErrorCode::None);
  EXPECT_EQ(see(ids.front(), Visibility::Default), ErrorCode::UnknownObserver);
  add(sphere_area());
  step();
  EXPECT_EQ(interest_.visible_count(), 0u);
}

TEST_F(ViewRules, AlwaysRelevantIsSeenByWhoeverAcceptsIt) {
  const EntityId id = world_->spawn_point({1e6, 0, 0}, {.category = 2});
  relevance_ = {{id, {.always = true}}};
  AreaSpec refuses = sphere_area();
  refuses.filter.category_mask = 1;
  add(refuses);
  add(sphere_area(), {}, AreaId{12}, ObserverId{4});
  step();
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].observer, ObserverId{4});
  relevance_.clear();
  step();
  EXPECT_EQ(events_[0].leaves[0].reason, LeaveReason::OutOfRange);
}

TEST_F(ViewRules, SeenFromAfarEntersAndLeavesByItsOwnDistances) {
  const EntityId tower = world_->spawn(Shape::sphere(5), {105, 0, 0});
  relevance_ = {{tower, {.seen_from_enter_m = 95, .seen_from_leave_m = 97}}};
  AreaSpec spec = sphere_area();
  add(spec);  // reach: the centre, 105 m away
  AreaSpec by_shape = sphere_area();
  by_shape.reach = Reach::Shape;
  add(by_shape, {}, AreaId{12}, ObserverId{4});  // its surface is 100 m away
  step();
  EXPECT_THAT(events_, IsEmpty());
  world_->table().teleport(tower, {100, 0, 0});
  step();
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_EQ(events_[0].observer, ObserverId{4});
  world_->table().teleport(tower, {102, 0, 0});
  step();
  EXPECT_THAT(left(), IsEmpty());
  world_->table().teleport(tower, {102.5, 0, 0});
  step();
  EXPECT_EQ(events_[0].leaves[0].reason, LeaveReason::OutOfRange);
}

TEST_F(ViewRules, FollowersAreInViewExactlyWhenTheirParentIs) {
  const EntityId cart = world_->spawn_point({9, 0, 0});
  const EntityId rider = world_->spawn_point({1, 0, 0});
  const EntityId hat = world_->spawn_point({900, 0, 0}, {.instance = 8});
  followers_ = {{rider.index(), cart.index()}, {hat.index(), rider.index()}};
  add(sphere_area());
  step();
  EXPECT_THAT(entered(), ElementsAre(cart, rider, hat));
  world_->table().teleport(cart, {50, 0, 0});
  step();  // the rider would still be seen, the hat not
  EXPECT_THAT(reasons(),
              ElementsAre(LeaveReason::OutOfRange, LeaveReason::Hidden, LeaveReason::OutOfRange));
  followers_ = {{hat.index(), rider.index()}};
  step();
  EXPECT_THAT(entered(), ElementsAre(rider, hat));
  world_->table().set_filter(rider, patch(&FilterPatch::enabled, false));
  step();
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Disabled, LeaveReason::OutOfRange));
}

TEST_F(ViewRules, WhoStopsFollowingIsJudgedAsInView) {
  const EntityId cart = world_->spawn_point({1, 0, 0});
  const EntityId rider = world_->spawn_point({11, 0, 0});  // between enter and leave
  followers_ = {{rider.index(), cart.index()}};
  add(sphere_area());
  step();
  ASSERT_THAT(entered(), ElementsAre(cart, rider));
  followers_.clear();
  step();
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(ViewRules, OnlyTheNearestAreInViewTiesById) {
  std::vector<EntityId> ids;
  for (const double x : {5.0, 3.0, 3.0, 1.0, 3.0}) ids.push_back(world_->spawn_point({x, 0, 0}));
  AreaSpec spec = sphere_area();
  spec.nearest_max = 3;
  add(spec);
  step();
  EXPECT_THAT(entered(), ElementsAre(ids[1], ids[2], ids[3]));
  world_->table().teleport(ids[0], {2, 0, 0});
  step();
  EXPECT_THAT(entered(), ElementsAre(ids[0]));
  EXPECT_THAT(left(), SizeIs(1));
  EXPECT_EQ(left()[0].id, ids[2]);
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Crowded));
  spec.nearest_max = 1;
  change(spec);
  step();
  EXPECT_THAT(reasons(), ElementsAre(LeaveReason::Crowded, LeaveReason::Crowded));
}

TEST_F(ViewRules, WhatIsHeldBeyondTheEnterSizeCountsAmongTheNearest) {
  const EntityId held = world_->spawn_point({9, 0, 0});
  const EntityId other = world_->spawn_point({9.5, 0, 0});
  AreaSpec spec = sphere_area();
  spec.nearest_max = 1;
  add(spec);
  step();
  ASSERT_THAT(entered(), ElementsAre(held));
  world_->table().teleport(held, {11, 0, 0});
  world_->table().teleport(other, {11.5, 0, 0});
  step();  // still held, and nobody else may come in
  EXPECT_THAT(entered(), IsEmpty());
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(ViewRules, AreaThatSuspendsSaysSoOnlyOfWhatWalkedAway) {
  const EntityId walks = world_->spawn_point({1, 0, 0});
  const EntityId ends = world_->spawn_point({2, 0, 0});
  const EntityId both = world_->spawn_point({3, 0, 0});
  AreaSpec spec = sphere_area();
  spec.suspend = true;
  add(spec);
  AreaSpec plain = sphere_area({10, 0, 0});
  plain.enter_radius_m = plain.leave_radius_m = 7;
  add(plain, {}, AreaId{12});
  step();
  ASSERT_THAT(entered(), ElementsAre(walks, ends, both));
  world_->table().teleport(walks, {-90, 0, 0});
  world_->table().despawn(ends, DespawnReason::Command);
  world_->table().teleport(both, {-90, 0, 0});  // an area that does not suspend held it too
  step();
  ASSERT_THAT(left(), SizeIs(3));
  EXPECT_TRUE(left()[0].suspended);
  EXPECT_FALSE(left()[1].suspended);
  EXPECT_FALSE(left()[2].suspended);
}

TEST_F(ViewRules, ObserverMadeAnewInTheSameTickIsToldAsDropped) {
  const EntityId seen = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  step();
  ASSERT_EQ(interest_.remove_area(session, {area}), ErrorCode::None);
  add(sphere_area());
  step();
  EXPECT_TRUE(only().dropped);
  EXPECT_THAT(only().leaves, IsEmpty());
  EXPECT_THAT(entered(), ElementsAre(seen));
  step();
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(ViewRules, ClosedSessionNamesNobody) {
  add(sphere_area());
  step();
  ASSERT_EQ(interest_.remove_area(session, {area}), ErrorCode::None);
  interest_.close_session(session);
  step();
  EXPECT_THAT(events_, IsEmpty());
}

}  // namespace
}  // namespace vicinity
