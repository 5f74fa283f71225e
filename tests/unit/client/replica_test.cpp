// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/replica.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vicinity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr EntityId tree{1, 1};
constexpr EntityId deer{2, 1};
constexpr ObserverId near_view{1};
constexpr ObserverId far_view{2};

std::uint32_t slot_of(EntityId id, ObserverId observer) { return 4 * observer.value + id.index(); }

EntityView view_of(EntityId id, ObserverId observer, Vec3 position) {
  EntityView view;
  view.id = id;
  view.observer = observer;
  view.position = position;
  view.slot = slot_of(id, observer);
  return view;
}

EntityMove move_of(EntityId id, ObserverId observer, Vec3 position = {}) {
  return {id, observer, slot_of(id, observer), position};
}

TickFrame enters(Tick tick, std::vector<EntityView> entities) {
  TickFrame frame;
  frame.tick = tick;
  frame.enters = std::move(entities);
  return frame;
}

TEST(Replica, FollowsEnterMoveChangeAndLeave) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(
                  5, {view_of(tree, near_view, {1, 0, 0}), view_of(deer, near_view, {2, 0, 0})})),
              IsEmpty());
  EXPECT_EQ(replica.tick(), 5u);
  ASSERT_EQ(replica.view(near_view).size(), 2u);
  EXPECT_EQ(replica.find(tree, near_view)->position, (Vec3{1, 0, 0}));

  TickFrame frame;
  frame.tick = 6;
  frame.moved = {move_of(deer, near_view, {3, 0, 0})};
  frame.velocities = {{deer, near_view, slot_of(deer, near_view), {1, 0, 0}}};
  EntityView changed = view_of(tree, near_view, {1, 0, 0});
  changed.user_data = 77;
  frame.changed = {changed};
  EXPECT_THAT(replica.apply(frame), IsEmpty());
  EXPECT_EQ(replica.find(deer, near_view)->position, (Vec3{3, 0, 0}));
  EXPECT_EQ(replica.find(deer, near_view)->velocity, (Vec3{1, 0, 0}));
  EXPECT_EQ(replica.find(tree, near_view)->user_data, 77u);

  TickFrame last;
  last.tick = 7;
  last.leaves = {{deer, near_view, LeaveReason::OutOfRange}};
  EXPECT_THAT(replica.apply(last), IsEmpty());
  EXPECT_FALSE(replica.view(near_view).contains(deer));
  EXPECT_EQ(replica.view(near_view).size(), 1u);
  EXPECT_EQ(replica.violation_count(), 0u);
}

TEST(Replica, KeepsObserversApart) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {}), view_of(tree, far_view, {})})),
              IsEmpty());
  TickFrame frame;
  frame.tick = 2;
  frame.leaves = {{tree, near_view, LeaveReason::OutOfRange}};
  EXPECT_THAT(replica.apply(frame), IsEmpty());
  EXPECT_TRUE(replica.view(near_view).empty());
  EXPECT_EQ(replica.view(far_view).size(), 1u);
  EXPECT_TRUE(replica.view(ObserverId{99}).empty());
}

TEST(Replica, LeaveBeforeEnterInOneTickIsNoSecondEnter) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {})})), IsEmpty());
  TickFrame frame = enters(2, {view_of(tree, near_view, {5, 5, 5})});
  frame.leaves = {{tree, near_view, LeaveReason::AreaChanged}};
  EXPECT_THAT(replica.apply(frame), IsEmpty());
  EXPECT_EQ(replica.find(tree, near_view)->position, (Vec3{5, 5, 5}));
}

TEST(Replica, ReportsSecondEnter) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {})})), IsEmpty());
  EXPECT_THAT(replica.apply(enters(2, {view_of(tree, near_view, {})})),
              ElementsAre("tick 2, observer 1: second enter of entity 1:1"));
  EXPECT_EQ(replica.violation_count(), 1u);
}

TEST(Replica, ReportsLeaveMoveAndChangeWithoutEnter) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {})})), IsEmpty());
  TickFrame frame;
  frame.tick = 2;
  frame.leaves = {{tree, far_view, LeaveReason::OutOfRange}};
  frame.changed = {view_of(deer, near_view, {})};
  frame.moved = {move_of(EntityId(1, 2), near_view)};  // another incarnation of the same slot
  EXPECT_THAT(replica.apply(frame), ElementsAre(HasSubstr("leave without enter of entity 1:1"),
                                                HasSubstr("change without enter of entity 2:1"),
                                                HasSubstr("move without enter of entity 1:2")));
  EXPECT_EQ(replica.violation_count(), 3u);
  EXPECT_EQ(replica.view(near_view).size(), 1u);
}

TEST(Replica, ReportsMoveAfterLeave) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {})})), IsEmpty());
  TickFrame frame;
  frame.tick = 2;
  frame.leaves = {{tree, near_view, LeaveReason::OutOfRange}};
  frame.moved = {move_of(tree, near_view)};
  EXPECT_THAT(replica.apply(frame), ElementsAre(HasSubstr("move without enter")));
}

TEST(Replica, ReportsTickThatDoesNotGrow) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(8, {})), IsEmpty());
  EXPECT_THAT(replica.apply(enters(8, {})), ElementsAre("tick 8 came after tick 8"));
  EXPECT_THAT(replica.apply(enters(3, {})), ElementsAre("tick 3 came after tick 8"));
}

TEST(Replica, ShowsAViewByAscendingIdWhateverItsSlots) {
  Replica replica;
  TickFrame frame = enters(1, {});
  for (const std::uint32_t index : {3u, 1u, 2u}) {
    EntityView entity = view_of(EntityId(index, 1), near_view, {1.0 * index, 0, 0});
    entity.slot = 3 - index;
    frame.enters.push_back(entity);
  }
  EXPECT_THAT(replica.apply(frame), IsEmpty());
  std::vector<std::pair<EntityId, double>> seen;
  for (const EntityView& entity : replica.view(near_view))
    seen.emplace_back(entity.id, entity.position.x);
  EXPECT_THAT(seen, ElementsAre(std::pair(EntityId(1, 1), 1.0), std::pair(EntityId(2, 1), 2.0),
                                std::pair(EntityId(3, 1), 3.0)));
}

/// An observer whose last area is gone loses its slots before the answer drops it here.
TEST(Replica, WhoGetsASlotTakesItFromWhoHadIt) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {1, 0, 0})})), IsEmpty());
  EntityView other = view_of(tree, far_view, {2, 0, 0});
  other.slot = slot_of(tree, near_view);
  EXPECT_THAT(replica.apply(enters(2, {other})), IsEmpty());
  EXPECT_FALSE(replica.find(tree, near_view).has_value());
  EXPECT_EQ(replica.find(tree, far_view)->position.x, 2);
  replica.drop_observer(near_view);
  EXPECT_EQ(replica.find(tree, far_view)->position.x, 2);
}

TEST(Replica, EveryPartOfAMotionIsNewsOfItsEntity) {
  const std::uint32_t slot = slot_of(tree, near_view);
  TickFrame turn, velocity, spin, jump;
  turn.turned = {{tree, near_view, slot, {0, 1, 0, 0}}};
  velocity.velocities = {{tree, near_view, slot, {1, 2, 3}}};
  spin.spins = {{tree, near_view, slot, {4, 5, 6}}};
  jump.jumped = {{tree, near_view, slot}};
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {7, 8, 9})})), IsEmpty());
  Tick tick = 1;
  for (TickFrame frame : {turn, velocity, spin, jump}) {
    frame.tick = ++tick;
    EXPECT_THAT(replica.apply(frame), IsEmpty());
    EXPECT_EQ(replica.find(tree, near_view)->last_update, tick);
  }
  const auto seen = replica.find(tree, near_view);
  EXPECT_EQ(seen->position, (Vec3{7, 8, 9}));
  EXPECT_EQ(seen->rotation, (Quat{0, 1, 0, 0}));
  EXPECT_EQ(seen->velocity, (Vec3{1, 2, 3}));
  EXPECT_EQ(seen->angular_velocity, (Vec3{4, 5, 6}));
}

TEST(Replica, DroppedObserverStartsAnew) {
  Replica replica;
  EXPECT_THAT(replica.apply(enters(1, {view_of(tree, near_view, {})})), IsEmpty());
  replica.drop_observer(near_view);
  EXPECT_TRUE(replica.view(near_view).empty());
  EXPECT_THAT(replica.apply(enters(2, {view_of(tree, near_view, {})})), IsEmpty());
}

EntityLeave leave_of(EntityId id, ObserverId observer, bool suspended) {
  EntityLeave leave;
  leave.id = id;
  leave.observer = observer;
  leave.suspended = suspended;
  return leave;
}

TEST(Replica, KeepsSuspendedEntitiesApartOnRequestOnly) {
  for (const bool kept : {false, true}) {
    Replica replica;
    if (kept) replica.keep_suspended(1);
    replica.apply(
        enters(5, {view_of(tree, near_view, {1, 0, 0}), view_of(deer, near_view, {2, 0, 0})}));
    TickFrame frame;
    frame.tick = 6;
    frame.leaves = {leave_of(tree, near_view, true), leave_of(deer, near_view, false)};
    EXPECT_THAT(replica.apply(frame), IsEmpty());
    EXPECT_TRUE(replica.view(near_view).empty());
    ASSERT_EQ(replica.suspended(near_view).size(), kept ? 1u : 0u);
    if (!kept) continue;
    EXPECT_EQ(replica.suspended(near_view).at(tree).position, (Vec3{1, 0, 0}));
    EXPECT_THAT(replica.suspended(far_view), IsEmpty());
    EXPECT_THAT(replica.apply(enters(7, {view_of(tree, near_view, {3, 0, 0})})), IsEmpty());
    EXPECT_THAT(replica.suspended(near_view), IsEmpty());
  }
}

TEST(Replica, ForgetsTheLongestSuspendedBeyondItsBound) {
  Replica replica;
  replica.keep_suspended(1);
  replica.apply(
      enters(5, {view_of(tree, near_view, {1, 0, 0}), view_of(deer, near_view, {2, 0, 0})}));
  TickFrame frame;
  frame.tick = 6;
  frame.leaves = {leave_of(tree, near_view, true)};
  replica.apply(frame);
  frame.tick = 7;
  frame.leaves = {leave_of(deer, near_view, true)};
  replica.apply(frame);
  EXPECT_EQ(replica.suspended(near_view).count(tree), 0u);
  EXPECT_EQ(replica.suspended(near_view).count(deer), 1u);
  replica.forget_suspended(near_view, deer);
  EXPECT_THAT(replica.suspended(near_view), IsEmpty());
}

TEST(Replica, TellsWhenItHeardOfAnEntityLastAndAllowsMissingTicks) {
  Replica replica;
  replica.apply(
      enters(5, {view_of(tree, near_view, {1, 0, 0}), view_of(deer, near_view, {2, 0, 0})}));
  TickFrame frame;
  frame.tick = 9;
  frame.moved = {move_of(deer, near_view)};
  EXPECT_THAT(replica.apply(frame), IsEmpty());
  EXPECT_EQ(replica.find(tree, near_view)->last_update, 5u);
  EXPECT_EQ(replica.find(deer, near_view)->last_update, 9u);
  frame.tick = 3;  // which a correct server never does
  replica.apply(frame);
  EXPECT_EQ(replica.find(deer, near_view)->last_update, 9u);
}

TEST(Replica, BeginsAnewAfterAReset) {
  Replica replica;
  replica.keep_suspended(10);
  replica.apply(
      enters(5, {view_of(tree, near_view, {1, 0, 0}), view_of(deer, near_view, {2, 0, 0})}));
  TickFrame frame;
  frame.tick = 6;
  frame.leaves = {leave_of(tree, near_view, true)};
  replica.apply(frame);
  replica.clear();
  EXPECT_TRUE(replica.view(near_view).empty());
  EXPECT_THAT(replica.suspended(near_view), IsEmpty());
  EXPECT_FALSE(replica.find(deer, near_view).has_value());
  EXPECT_THAT(replica.apply(enters(2, {view_of(deer, near_view, {2, 0, 0})})), IsEmpty());
}

}  // namespace
}  // namespace vicinity::client
