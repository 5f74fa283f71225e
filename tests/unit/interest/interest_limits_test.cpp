// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What one session may look at and see, with bounds so low that a handful of entities reaches them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "interest/interest.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

using test::TestWorld;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr SessionId session{7};

AreaSpec sphere_area(Vec3 centre, double radius_m = 10) {
  AreaSpec spec;
  spec.centre = centre;
  spec.enter_radius_m = spec.leave_radius_m = radius_m;
  return spec;
}

class InterestLimits : public testing::Test {
 protected:
  void use(const InterestSettings& settings) { interest_ = Interest(settings); }
  void add(std::uint32_t observer, std::uint32_t area, const AreaSpec& spec,
           SessionId of = session) {
    ASSERT_EQ(interest_.add_area(of, {ObserverId{observer}, AreaId{area}, spec}, {}),
              ErrorCode::None);
  }
  std::vector<EntityId> spawn_at(Vec3 position, int count) {
    std::vector<EntityId> ids;
    for (int i = 0; i < count; ++i) ids.push_back(world_.spawn_point(position));
    return ids;
  }
  /// Runs a tick and keeps every view from its events alone, as a client would.
  void step() {
    world_.step();
    interest_.update(*world_.snapshot(), world_.changed(), *world_.index(), world_.workers(),
                     events_);
    for (const ObserverEvents& events : events_) {
      if (events.session != session) continue;
      std::set<EntityId>& view = views_[events.observer.value];
      for (const Leave& leave : events.leaves) EXPECT_EQ(view.erase(leave.id), 1u);
      for (const std::uint32_t slot : events.enters)
        EXPECT_TRUE(view.insert(world_.snapshot()->id[slot]).second);
      EXPECT_EQ(view.size(), events.visible_count);
    }
  }
  std::vector<EntityId> view(std::uint32_t observer) {
    return {views_[observer].begin(), views_[observer].end()};
  }

  TestWorld world_;
  Interest interest_;
  std::vector<ObserverEvents> events_;
  std::map<std::uint32_t, std::set<EntityId>> views_;
};

TEST_F(InterestLimits, FullViewTakesTheSmallestSlotsAndLetsTheRestWait) {
  use({.visible_max = 3});
  const auto ids = spawn_at({}, 5);
  add(1, 1, sphere_area({}));
  step();
  EXPECT_THAT(view(1), ElementsAre(ids[0], ids[1], ids[2]));
  EXPECT_EQ(interest_.views_truncated(), 1u);
  step();
  EXPECT_THAT(events_, IsEmpty());
  world_.table().despawn(ids[1], DespawnReason::Command);
  step();  // one left, one may enter
  EXPECT_THAT(view(1), ElementsAre(ids[0], ids[2], ids[3]));
  EXPECT_EQ(interest_.views_truncated(), 1u);
  world_.table().teleport(ids[0], {500, 0, 0});
  step();
  EXPECT_THAT(view(1), ElementsAre(ids[2], ids[3], ids[4]));
  EXPECT_EQ(interest_.views_truncated(), 0u);
}

TEST_F(InterestLimits, NewcomerWithASmallerSlotDoesNotPushOutWhatIsInView) {
  use({.visible_max = 1});
  const EntityId late = spawn_at({500, 0, 0}, 1).front();
  const EntityId seen = spawn_at({}, 1).front();
  add(1, 1, sphere_area({}));
  step();
  world_.table().teleport(late, {1, 0, 0});
  step();
  EXPECT_THAT(view(1), ElementsAre(seen));
  EXPECT_EQ(interest_.views_truncated(), 1u);
}

TEST_F(InterestLimits, ObserversOfASessionShareItsRoomEqually) {
  use({.visible_max = 5});
  const auto ids = spawn_at({}, 4);
  add(1, 1, sphere_area({}));
  add(2, 2, sphere_area({}));
  add(1, 1, sphere_area({}), SessionId{8});  // has room of its own: 4 of 5
  step();
  EXPECT_EQ(interest_.visible_count(), 2u + 2u + 4u);
  EXPECT_EQ(interest_.views_truncated(), 2u);
}

TEST_F(InterestLimits, EveryObserverMayHoldOneEntity) {
  use({.visible_max = 2});
  const auto ids = spawn_at({}, 2);
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, i, sphere_area({}));
  step();
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_THAT(view(i), ElementsAre(ids[0]));
}

TEST_F(InterestLimits, WhatIsInViewStaysWhenTheShareShrinks) {
  use({.visible_max = 4});
  spawn_at({}, 4);
  add(1, 1, sphere_area({}));
  step();
  add(2, 2, sphere_area({}));
  step();
  EXPECT_EQ(view(1).size(), 4u);
  EXPECT_EQ(view(2).size(), 2u);
}

/// Areas 1 to 6 see four entities each, of its own; observers 1 and 2 have three areas each.
class InterestTurns : public InterestLimits {
 protected:
  void SetUp() override {
    for (std::uint32_t i = 0; i < 6; ++i) {
      groups_.push_back(spawn_at({i * 100.0, 0, 0}, 4));
      add_group(i, session);
    }
  }
  void add_group(std::uint32_t i, SessionId of) {
    add(1 + i / 3, 1 + i, sphere_area({i * 100.0, 0, 0}), of);
  }
  void restart(std::uint64_t candidates_max) {
    use({.candidates_max = candidates_max});
    for (std::uint32_t i = 0; i < 6; ++i) add_group(i, session);
  }
  bool sees(std::uint32_t group) {
    const auto& view = views_[1 + group / 3];
    return std::all_of(groups_[group].begin(), groups_[group].end(),
                       [&](EntityId id) { return view.contains(id); });
  }
  std::vector<std::uint32_t> seen() {
    std::vector<std::uint32_t> out;
    for (std::uint32_t group = 0; group < 6; ++group)
      if (sees(group)) out.push_back(group);
    return out;
  }
  std::vector<std::vector<EntityId>> groups_;
};

TEST_F(InterestTurns, AreasBeyondTheCandidatesWaitForTheirTurn) {
  restart(8);  // two areas of four
  step();
  EXPECT_THAT(seen(), ElementsAre(0u, 1u));
  EXPECT_EQ(interest_.views_truncated(), 2u);
  step();
  EXPECT_THAT(seen(), ElementsAre(0u, 1u, 2u, 3u));
  step();
  EXPECT_THAT(seen(), ElementsAre(0u, 1u, 2u, 3u, 4u, 5u));
}

TEST_F(InterestTurns, TurnsGoRoundFromTheMiddleOfAnObserver) {
  restart(16);  // four areas of four
  step();
  EXPECT_THAT(seen(), ElementsAre(0u, 1u, 2u, 3u));
  const EntityId late = world_.spawn_point({0, 0, 0});
  const EntityId later = world_.spawn_point({200, 0, 0});
  step();  // areas 5, 6, 1, 2
  EXPECT_EQ(seen().size(), 6u);
  EXPECT_TRUE(views_[1].contains(late));
  EXPECT_FALSE(views_[1].contains(later));
  EXPECT_EQ(interest_.views_truncated(), 2u);  // area 3 is of observer 1, area 4 of observer 2
  step();
  EXPECT_TRUE(views_[1].contains(later));
}

TEST_F(InterestTurns, LeavesAreNeverLate) {
  restart(8);
  for (int i = 0; i < 3; ++i) step();
  ASSERT_EQ(seen().size(), 6u);
  for (const auto& group : groups_) world_.table().teleport(group.front(), {0, 1000, 0});
  step();
  EXPECT_EQ(view(1).size() + view(2).size(), 18u);
}

TEST_F(InterestTurns, CandidatesThatJustSufficeCutNothingShort) {
  restart(24);
  step();
  EXPECT_EQ(seen().size(), 6u);
  EXPECT_EQ(interest_.views_truncated(), 0u);
}

TEST_F(InterestTurns, OneSessionDoesNotUseUpTheCandidatesOfAnother) {
  restart(8);
  add(1, 1, sphere_area({500, 0, 0}), SessionId{8});
  step();
  ASSERT_EQ(events_.back().session, SessionId{8});
  EXPECT_EQ(events_.back().visible_count, 4u);
}

TEST_F(InterestLimits, OneAreaIsSearchedHoweverLargeItIs) {
  use({.candidates_max = 1});
  spawn_at({}, 50);
  add(1, 1, sphere_area({}));
  step();
  EXPECT_EQ(view(1).size(), 50u);
  EXPECT_EQ(interest_.views_truncated(), 0u);
}

TEST_F(InterestLimits, UnevenObserversAreNotCutShortBelowTheCandidates) {
  // One block sees nearly all, and more than its share: the session as a whole has enough.
  use({.candidates_max = 1000});
  spawn_at({}, 30);
  for (std::uint32_t i = 0; i < 200; ++i) add(i, i, sphere_area({0, i < 30 ? 0.0 : 5000.0, 0}));
  step();
  EXPECT_EQ(interest_.visible_count(), 900u);
  EXPECT_EQ(interest_.views_truncated(), 0u);
}

TEST_F(InterestLimits, OverlappingAreasFindEachEntityOnce) {
  const auto ids = spawn_at({}, 3);
  for (std::uint32_t i = 0; i < 40; ++i) add(1, i, sphere_area({i / 10.0, 0, 0}));
  step();
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(view(1), ids);
  EXPECT_EQ(events_.front().enters.size(), 3u);
}

}  // namespace
}  // namespace vicinity
