// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
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
using test::TestWorld;
using testing::ElementsAre;
using testing::IsEmpty;

std::string text(const Leave& leave) {
  return std::to_string(leave.id.raw()) + ":" + std::to_string(static_cast<int>(leave.reason));
}
MATCHER_P2(Left, id, reason, "leaves " + text({id, reason, 0})) {
  return arg.id == id && arg.reason == reason;
}

TEST_F(InterestTest, EntersInTheTickOfTheAreaWithTheEdgeIncluded) {
  const EntityId on_edge = world_->spawn_point({10, 0, 0});
  world_->spawn_point({10.0000001, 0, 0});
  add(sphere_area());
  step();
  EXPECT_THAT(entered(), ElementsAre(on_edge));
  EXPECT_EQ(only().visible_count, 1u);
  EXPECT_EQ(only().session, session);
  EXPECT_EQ(only().observer, observer);
}

TEST_F(InterestTest, LeavesOnlyBeyondTheLeaveSize) {
  const EntityId walker = world_->spawn_point({10, 0, 0});
  add(sphere_area());
  step();
  world_->table().teleport(walker, {12, 0, 0});
  step();
  EXPECT_THAT(left(), IsEmpty());
  EXPECT_EQ(interest_.visible_count(), 1u);
  world_->table().teleport(walker, {12.0000001, 0, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(walker, LeaveReason::OutOfRange)));
  world_->table().teleport(walker, {11, 0, 0});  // between the sizes: no way in
  step();
  EXPECT_THAT(events_, IsEmpty());
}

TEST_F(InterestTest, ReachDecidesBetweenShapeAndCentre) {
  const EntityId big = world_->spawn_box({{10, -5, -5}, {30, 5, 5}});
  AreaSpec by_shape = sphere_area();
  by_shape.reach = Reach::Shape;
  add(by_shape, {}, AreaId{1}, ObserverId{1});
  add(sphere_area(), {}, AreaId{2}, ObserverId{2});
  step();
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].observer, ObserverId{1});
  EXPECT_THAT(ids(events_[0].enters), ElementsAre(big));
}

TEST_F(InterestTest, BoxAreaIncludesItsFacesAndCorners) {
  AreaSpec spec;
  spec.kind = AreaKind::Box;
  spec.centre = {1, 2, 3};
  spec.enter_half_extent_m = {4, 1, 2};
  spec.leave_half_extent_m = {5, 1, 2};
  const EntityId at_corner = world_->spawn_box({{5, 3, 5}, {6, 4, 6}});
  const EntityId outside = world_->spawn_box({{5.5, 3, 5}, {6, 4, 6}});
  add(spec);
  step();
  EXPECT_THAT(entered(), ElementsAre(at_corner));
  world_->table().teleport(at_corner, {1, 0, 0});
  world_->table().teleport(outside, {-0.5, 0, 0});
  step();
  EXPECT_THAT(entered(), ElementsAre(outside));
  EXPECT_THAT(left(), IsEmpty());
  world_->table().teleport(at_corner, {1, 0.001, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(at_corner, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, DwellHoldsAnEntityThatIsStillAccepted) {
  AreaSpec spec = sphere_area();
  spec.min_dwell_ticks = 3;
  const EntityId walker = world_->spawn_point({0, 0, 0});
  const EntityId quitter = world_->spawn_point({1, 0, 0});
  add(spec);
  step();  // tick 1: enters
  world_->table().teleport(walker, {100, 0, 0});
  world_->table().set_filter(quitter, patch(&FilterPatch::enabled, false));
  step();  // tick 2
  EXPECT_THAT(left(), ElementsAre(Left(quitter, LeaveReason::Disabled)));
  step();  // tick 3
  EXPECT_THAT(left(), IsEmpty());
  step();  // tick 4: three ticks after the enter
  EXPECT_THAT(left(), ElementsAre(Left(walker, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, LeaveNamesItsReason) {
  EntityTableSettings settings;
  settings.world_half_size_m = 50;
  world_ = std::make_unique<TestWorld>(IndexKind::BruteForce, settings);
  const EntityId gone = world_->spawn_point({0, 0, 0});
  const EntityId lost = world_->spawn_point({1, 0, 0});
  const EntityId off = world_->spawn_point({2, 0, 0});
  const EntityId other_instance = world_->spawn_point({3, 0, 0});
  const EntityId far = world_->spawn_point({4, 0, 0});
  add(sphere_area());
  step();
  ASSERT_EQ(entered().size(), 5u);
  world_->table().despawn(gone, DespawnReason::Command);
  world_->table().set_velocity(lost, {1000, 0, 0});
  world_->table().set_filter(off, patch(&FilterPatch::enabled, false));
  world_->table().set_filter(other_instance, patch(&FilterPatch::instance, 9));
  world_->table().teleport(far, {40, 0, 0});
  step();
  EXPECT_THAT(left(),
              ElementsAre(Left(gone, LeaveReason::Despawned), Left(lost, LeaveReason::OutOfWorld),
                          Left(off, LeaveReason::Disabled),
                          Left(other_instance, LeaveReason::FilterChanged),
                          Left(far, LeaveReason::OutOfRange)));
  EXPECT_EQ(interest_.visible_count(), 0u);
}

TEST_F(InterestTest, FilterChangeWinsOnlyWhereItIsToBlame) {
  const EntityId near = world_->spawn_point({0, 0, 0});
  const EntityId far = world_->spawn_point({1, 0, 0});
  AreaSpec here = sphere_area();
  here.filter.category_mask = 1;
  add(here);
  AreaSpec elsewhere = sphere_area({1000, 0, 0});
  elsewhere.filter.category_mask = 2;
  add(elsewhere, {}, AreaId{12});
  step();
  // `near` now only suits the area that it does not reach; `far` still suits the first, but left.
  world_->table().set_filter(near, patch(&FilterPatch::category, 2));
  world_->table().set_filter(far, patch(&FilterPatch::mask, 4));
  world_->table().teleport(far, {40, 0, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(near, LeaveReason::FilterChanged),
                                  Left(far, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, ChangedAreaKeepsWhatStaysAndNamesItselfForTheRest) {
  const EntityId stays = world_->spawn_point({9, 0, 0});
  const EntityId leaves = world_->spawn_point({-9, 0, 0});
  add(sphere_area());
  step();
  change(sphere_area({5, 0, 0}));
  step();
  EXPECT_THAT(left(), ElementsAre(Left(leaves, LeaveReason::AreaChanged)));
  EXPECT_THAT(entered(), IsEmpty());
  world_->table().teleport(stays, {90, 0, 0});  // a later leave is not the command's doing
  step();
  EXPECT_THAT(left(), ElementsAre(Left(stays, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, AddedAreaIsNotToBlameForALeave) {
  const EntityId walker = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  step();
  add(sphere_area({500, 0, 0}), {}, AreaId{12});
  world_->table().teleport(walker, {90, 0, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(walker, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, CommandIsToBlameOnlyForWhatTheAreaWouldStillHold) {
  const EntityId held = world_->spawn_point({0, 0, 0});
  const EntityId walker = world_->spawn_point({1, 0, 0});
  const EntityId other = world_->spawn_point({100, 0, 0});
  add(sphere_area());
  add(sphere_area({100, 0, 0}), {}, AreaId{12});
  step();
  change(sphere_area({200, 0, 0}));
  change(sphere_area({300, 0, 0}));  // what it was in between never held anything
  world_->table().teleport(walker, {200, 0, 0});
  world_->table().teleport(other, {-100, 0, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(held, LeaveReason::AreaChanged),
                                  Left(walker, LeaveReason::OutOfRange),
                                  Left(other, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, RemovedAreaIsToBlameWhereItsAnchorWouldHaveTakenIt) {
  const EntityId anchor = world_->spawn_point({0, 0, 0});
  const EntityId near_start = world_->spawn_point({5, 0, 0});
  const EntityId near_end = world_->spawn_point({12, 0, 0});
  AreaSpec spec = sphere_area();
  spec.enter_radius_m = spec.leave_radius_m = 12;
  add(spec, anchor);
  add(sphere_area({500, 0, 0}), {}, AreaId{12});
  step();
  ASSERT_THAT(entered(), ElementsAre(near_start, near_end));
  world_->table().teleport(anchor, {20, 0, 0});
  ASSERT_EQ(interest_.remove_area(session, {area}), ErrorCode::None);
  step();
  EXPECT_THAT(left(), ElementsAre(Left(near_start, LeaveReason::OutOfRange),
                                  Left(near_end, LeaveReason::AreaChanged)));
}

TEST_F(InterestTest, DwellOfAnAreaThatRefusesTheEntityDoesNotHoldIt) {
  const EntityId walker = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  AreaSpec other = sphere_area({500, 0, 0});
  other.filter.category_mask = 2;
  other.min_dwell_ticks = 100;
  add(other, {}, AreaId{12});
  step();
  world_->table().teleport(walker, {90, 0, 0});
  step();
  EXPECT_THAT(left(), ElementsAre(Left(walker, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, LeaveCarriesTheUserData) {
  const EntityId walker = world_->spawn(Shape::sphere(0), {}, {}, 41);
  const EntityId ended = world_->spawn(Shape::sphere(0), {}, {}, 42);
  add(sphere_area());
  step();
  world_->table().teleport(walker, {90, 0, 0});
  world_->table().set_user_data(walker, 43);
  world_->table().despawn(ended, DespawnReason::Command);
  step();
  ASSERT_THAT(left(), ElementsAre(Left(walker, LeaveReason::OutOfRange),
                                  Left(ended, LeaveReason::Despawned)));
  EXPECT_EQ(left()[0].user_data, 43u);
  EXPECT_EQ(left()[1].user_data, 42u);
}

TEST_F(InterestTest, AreaThatStopsAcceptingNamesItself) {
  const EntityId seen = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  step();
  AreaSpec spec = sphere_area();
  spec.filter.category_mask = 2;
  spec.min_dwell_ticks = 100;
  change(spec);
  step();
  EXPECT_THAT(left(), ElementsAre(Left(seen, LeaveReason::AreaChanged)));
}

TEST_F(InterestTest, AreasOfAnObserverAreAUnion) {
  const EntityId both = world_->spawn_point({5, 0, 0});
  const EntityId second = world_->spawn_point({15, 0, 0});
  add(sphere_area());
  add(sphere_area({10, 0, 0}), {}, AreaId{12});
  step();
  EXPECT_THAT(entered(), ElementsAre(both, second));
  ASSERT_EQ(interest_.remove_area(session, {AreaId{12}}), ErrorCode::None);
  step();
  EXPECT_THAT(left(), ElementsAre(Left(second, LeaveReason::AreaChanged)));
}

TEST_F(InterestTest, AttachedAreaFollowsItsAnchorAndDoesNotSeeIt) {
  const EntityId anchor = world_->spawn_box({{-1, -1, -1}, {3, 1, 1}});  // centre (1, 0, 0)
  const EntityId near_start = world_->spawn_point({13, 0, 0});
  const EntityId near_end = world_->spawn_point({113, 0, 0});
  add(sphere_area({2, 0, 0}), anchor);
  step();
  EXPECT_THAT(entered(), ElementsAre(near_start));
  world_->table().teleport(anchor, {100, 0, 0});
  step();
  EXPECT_THAT(entered(), ElementsAre(near_end));
  EXPECT_THAT(left(), ElementsAre(Left(near_start, LeaveReason::OutOfRange)));
}

TEST_F(InterestTest, AnchorIsSeenWhenAskedForOrByAnotherArea) {
  const EntityId anchor = world_->spawn_point({0, 0, 0});
  AreaSpec with_anchor = sphere_area();
  with_anchor.include_anchor = true;
  add(with_anchor, anchor, AreaId{1}, ObserverId{1});
  add(sphere_area(), anchor, AreaId{2}, ObserverId{2});
  add(sphere_area(), {}, AreaId{3}, ObserverId{2});
  add(sphere_area(), anchor, AreaId{4}, ObserverId{3});
  step();
  ASSERT_EQ(events_.size(), 2u);
  EXPECT_EQ(events_[0].observer, ObserverId{1});
  EXPECT_EQ(events_[1].observer, ObserverId{2});
  EXPECT_THAT(ids(events_[0].enters), ElementsAre(anchor));
  EXPECT_THAT(ids(events_[1].enters), ElementsAre(anchor));
}

TEST_F(InterestTest, AreaStaysWhereItsAnchorEnded) {
  const EntityId anchor = world_->spawn_point({100, 0, 0});
  const EntityId near = world_->spawn_point({105, 0, 0});
  add(sphere_area(), anchor);
  step();
  ASSERT_THAT(entered(), ElementsAre(near));
  world_->table().despawn(anchor, DespawnReason::Command);
  const EntityId late = world_->spawn_point({100, 9, 0});
  step();
  EXPECT_THAT(entered(), ElementsAre(late));
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(InterestTest, AreaFollowsADisabledAnchor) {
  const EntityId anchor = world_->spawn_point({0, 0, 0});
  const EntityId target = world_->spawn_point({200, 0, 0});
  add(sphere_area(), anchor);
  step();
  world_->table().set_filter(anchor, patch(&FilterPatch::enabled, false));
  world_->table().teleport(anchor, {195, 0, 0});
  step();
  EXPECT_THAT(entered(), ElementsAre(target));
}

TEST_F(InterestTest, AreaWhoseAnchorEndedBeforeItWasPlacedSeesNothing) {
  const EntityId anchor = world_->spawn_point({0, 0, 0});
  const EntityId witness = world_->spawn_point({0, 0, 0});
  add(sphere_area(), anchor);
  world_->table().despawn(anchor, DespawnReason::Command);
  step();
  EXPECT_THAT(events_, IsEmpty());
  change(sphere_area());
  step();
  EXPECT_THAT(entered(), ElementsAre(witness));
}

TEST_F(InterestTest, ReusedSlotLeavesAndEntersInOneTick) {
  EntityTableSettings settings;
  settings.reuse_delay_ticks = 0;
  world_ = std::make_unique<TestWorld>(IndexKind::BruteForce, settings);
  const EntityId old = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  step();
  world_->table().despawn(old, DespawnReason::Command);
  const EntityId fresh = world_->spawn_point({0, 0, 0});
  ASSERT_EQ(fresh.index(), old.index());
  ASSERT_NE(fresh, old);
  step();
  EXPECT_THAT(left(), ElementsAre(Left(old, LeaveReason::Despawned)));
  EXPECT_THAT(entered(), ElementsAre(fresh));
  EXPECT_EQ(only().visible_count, 1u);
}

TEST_F(InterestTest, InstancesDoNotSeeEachOther) {
  const EntityId inside = world_->spawn_point({0, 0, 0}, {.instance = 5});
  world_->spawn_point({0, 0, 0});
  AreaSpec spec = sphere_area();
  spec.filter.instance = 5;
  add(spec);
  step();
  EXPECT_THAT(entered(), ElementsAre(inside));
}

TEST_F(InterestTest, LargestAreaSeesBothEndsOfTheWorld) {
  const double end = limits::world_half_size_m;
  const EntityId low = world_->spawn_point({-end, -end, -end});
  const EntityId high = world_->spawn_point({end, end, end});
  AreaSpec spec;
  spec.kind = AreaKind::Box;
  spec.centre = {end, end, end};
  const double size = limits::area_size_m;
  spec.enter_half_extent_m = {size, size, size};
  spec.leave_half_extent_m = {size, size, size};
  add(spec);
  step();
  EXPECT_THAT(entered(), ElementsAre(low, high));
}

}  // namespace
}  // namespace vicinity
