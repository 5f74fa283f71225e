// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The names that a session gives its areas and observers, and how many it may have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/limits.h"
#include "interest/interest.h"
#include "unit/interest/interest_fixture.h"

namespace vicinity {
namespace {

using test::area;
using test::InterestTest;
using test::observer;
using test::session;
using test::sphere_area;
using testing::ElementsAre;
using testing::IsEmpty;

class AreaNames : public InterestTest {};

TEST_F(AreaNames, LastAreaTakesTheObserverWithItSilently) {
  const EntityId seen = world_->spawn_point({0, 0, 0});
  add(sphere_area());
  step();
  ASSERT_EQ(interest_.remove_area(session, {area}), ErrorCode::None);
  step();
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_TRUE(only().dropped);
  EXPECT_THAT(only().leaves, IsEmpty());
  EXPECT_EQ(interest_.visible_count(), 0u);
  step();
  EXPECT_THAT(events_, IsEmpty());
  add(sphere_area());
  step();
  EXPECT_THAT(entered(), ElementsAre(seen));
}

TEST_F(AreaNames, RefusesDoubleAndUnknownNamesWithinASession) {
  add(sphere_area());
  EXPECT_EQ(interest_.add_area(session, {ObserverId{9}, area, sphere_area()}, {}),
            ErrorCode::DuplicateArea);
  EXPECT_EQ(interest_.add_area(SessionId{8}, {observer, area, sphere_area()}, {}), ErrorCode::None);
  EXPECT_EQ(interest_.change_area(session, {AreaId{99}, sphere_area()}, {}),
            ErrorCode::UnknownArea);
  EXPECT_EQ(interest_.change_area(SessionId{9}, {area, sphere_area()}, {}), ErrorCode::UnknownArea);
  EXPECT_EQ(interest_.remove_area(session, {AreaId{99}}), ErrorCode::UnknownArea);
  EXPECT_EQ(interest_.remove_area(SessionId{9}, {area}), ErrorCode::UnknownArea);
}

TEST_F(AreaNames, RefusesAreasAboveTheLimitOfASession) {
  for (std::uint32_t i = 0; i < limits::areas_per_session_max; ++i)
    add(sphere_area(), {}, AreaId{i}, ObserverId{i / 60});
  const AddAreaCommand one_more{observer, AreaId{limits::areas_per_session_max}, sphere_area()};
  EXPECT_EQ(interest_.add_area(session, one_more, {}), ErrorCode::LimitExceeded);
  ASSERT_EQ(interest_.remove_area(session, {AreaId{0}}), ErrorCode::None);
  EXPECT_EQ(interest_.add_area(session, one_more, {}), ErrorCode::None);
}

TEST_F(AreaNames, RefusesAreasAboveTheLimitOfAnObserver) {
  for (std::uint32_t i = 0; i < limits::areas_per_observer_max; ++i)
    add(sphere_area(), {}, AreaId{i});
  const AreaId one_more{limits::areas_per_observer_max};
  EXPECT_EQ(interest_.add_area(session, {observer, one_more, sphere_area()}, {}),
            ErrorCode::LimitExceeded);
  EXPECT_EQ(interest_.change_area(session, {one_more, sphere_area()}, {}), ErrorCode::UnknownArea);
  add(sphere_area(), {}, one_more, ObserverId{4});  // another observer has room
}

TEST_F(AreaNames, FindsEachOfManyAreasByItsName) {
  // Added out of order; then each is moved to an entity of its own.
  constexpr std::uint32_t count = 60;
  std::vector<EntityId> seen;
  for (std::uint32_t i = 0; i < count; ++i) seen.push_back(world_->spawn_point({i * 100.0, 0, 0}));
  for (std::uint32_t i = 0; i < count; ++i)
    add(sphere_area({-1000, 0, 0}), {}, AreaId{i * 7 % count});
  for (std::uint32_t i = 0; i < count; ++i)
    ASSERT_EQ(interest_.change_area(session, {AreaId{i}, sphere_area({i * 100.0, 0, 0})}, {}),
              ErrorCode::None);
  ASSERT_EQ(interest_.remove_area(session, {AreaId{9}}), ErrorCode::None);
  step();
  seen.erase(seen.begin() + 9);
  EXPECT_EQ(entered(), seen);
}

TEST_F(AreaNames, ClosingASessionDropsItsViewsOnly) {
  world_->spawn_point({0, 0, 0});
  add(sphere_area());
  ASSERT_EQ(interest_.add_area(SessionId{8}, {observer, area, sphere_area()}, {}), ErrorCode::None);
  step();
  ASSERT_EQ(events_.size(), 2u);
  EXPECT_EQ(events_[0].session, session);
  EXPECT_EQ(events_[1].session, SessionId{8});
  interest_.close_session(session);
  step();
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_EQ(interest_.visible_count(), 1u);
  add(sphere_area());  // its names are free again
}

}  // namespace
}  // namespace vicinity
