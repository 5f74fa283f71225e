// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/begin_details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using test::unit_box;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId curious{2};
constexpr SessionId late{3};

SpawnCommand unit_sphere(Vec3 position) {
  SpawnCommand command;
  command.position = position;
  command.shape = Shape::sphere(1);
  return command;
}

class BeginDetails : public testing::Test {
 protected:
  BeginDetails() : world(test::small_world()) {
    world.open(authority, Role::Authority, ContactScope::All);
    world.open(curious, Role::Observer, ContactScope::All, true);
    world.step();
  }
  test::WorldOfSessions world;
};

TEST_F(BeginDetails, AreForThoseWhoAskOnly) {
  world.send(authority, unit_sphere({0, 0, 0}));
  world.send(authority, unit_sphere({1.5, 0, 0}));
  world.step();
  EXPECT_THAT(world.told(authority).contact_begins, SizeIs(1));
  EXPECT_THAT(world.told(authority).begin_details, IsEmpty());
  EXPECT_THAT(world.told(curious).begin_details, SizeIs(1));
  world.step();
  EXPECT_THAT(world.told(curious).begin_details, IsEmpty());
}

TEST_F(BeginDetails, SayWhereTwoSpheresTouch) {
  world.send(authority, unit_sphere({0, 0, 0}));
  world.send(authority, unit_sphere({1.5, 0, 0}));
  world.step();
  ASSERT_THAT(world.told(curious).begin_details, SizeIs(1));
  const ImpactDetail& detail = world.told(curious).begin_details[0];
  EXPECT_NEAR(detail.penetration_m, 0.5, 1e-9);
  EXPECT_NEAR(detail.normal.x, 1, 1e-9);
  EXPECT_NEAR(detail.point.y, 0, 1e-9);
  EXPECT_GE(detail.point.x, 0.5);
  EXPECT_LE(detail.point.x, 1.0);
  EXPECT_EQ(detail.pose_a.position, (Vec3{0, 0, 0}));
  EXPECT_EQ(detail.pose_b.position, (Vec3{1.5, 0, 0}));
}

TEST_F(BeginDetails, TellThePosesOfTheMomentOfImpact) {
  world.send(authority, unit_sphere({0, 0, 0}));
  const EntityId mover = world.spawned(authority, unit_sphere({10, 0, 0}));
  world.send(authority, MoveToCommand{{mover, 0}, {0, 0, 0}});
  world.step();
  ASSERT_THAT(world.told(curious).begin_details, SizeIs(1));
  EXPECT_NEAR(world.told(curious).begin_details[0].pose_b.position.x, 2, 1e-3);
  EXPECT_NEAR(world.told(curious).contact_begins[0].toi, 0.8, 1e-3);
}

TEST_F(BeginDetails, OfWhatPassesThroughAreOfThatMomentToo) {
  world.send(authority, unit_sphere({0, 0, 0}));
  const EntityId bullet = world.spawned(authority, unit_sphere({10, 0, 0}));
  world.send(authority, MoveToCommand{{bullet, 0}, {-10, 0, 0}});
  world.step();
  ASSERT_THAT(world.told(curious).contact_passed, SizeIs(1));
  ASSERT_THAT(world.told(curious).begin_details, SizeIs(1));
  const ImpactDetail& detail = world.told(curious).begin_details[0];
  EXPECT_NEAR(detail.pose_b.position.x, 2, 1e-3);
  EXPECT_NEAR(detail.point.x, 1, 1e-3);
  EXPECT_NEAR(detail.penetration_m, 0, 1e-3);  // by the poses at the end they are far apart
}

TEST_F(BeginDetails, OfContactsThatAreToldAgainAreOfThePresentPose) {
  const EntityId first = world.spawned(authority, unit_sphere({0, 0, 0}));
  const EntityId second = world.spawned(authority, unit_sphere({10, 0, 0}));
  world.send(authority, MoveToCommand{{second, 0}, {1.5, 0, 0}});
  world.step();
  world.step();
  world.open(late, Role::Observer, ContactScope::All, true);
  world.step();
  ASSERT_THAT(world.told(late).begin_details, SizeIs(1));
  EXPECT_EQ(world.told(late).contact_begins[0].contact.a, first);
  EXPECT_EQ(world.told(late).begin_details[0].pose_b.position, (Vec3{1.5, 0, 0}));
  EXPECT_NEAR(world.told(late).begin_details[0].penetration_m, 0.5, 1e-9);
}

TEST_F(BeginDetails, StandBesideTheirBeginsInEverySession) {
  world.open(late, Role::Authority, ContactScope::Own, true);
  // A heap of spheres, those at odd places owned by `late`.
  for (int i = 0; i < 12; ++i)
    world.send(i % 2 == 1 ? late : authority, unit_sphere({0.25 * i, 0, 0}));
  world.step();
  const auto& all = world.told(curious);
  const auto& own = world.told(late);
  ASSERT_THAT(all.contact_begins, SizeIs(56));  // those less than 2 m apart
  ASSERT_EQ(all.begin_details.size(), all.contact_begins.size());
  ASSERT_EQ(own.begin_details.size(), own.contact_begins.size());
  ASSERT_LT(own.contact_begins.size(), all.contact_begins.size());
  for (const SessionOutput* told : {&all, &own}) {
    for (std::size_t i = 0; i < told->contact_begins.size(); ++i) {
      const auto& snapshot = *world.output().frame->snapshot;
      const EventContact& contact = told->contact_begins[i].contact;
      const Vec3 a = snapshot.position[contact.a.index()];
      const Vec3 b = snapshot.position[contact.b.index()];
      EXPECT_EQ(told->begin_details[i].pose_a.position, a);
      EXPECT_EQ(told->begin_details[i].pose_b.position, b);
      EXPECT_NEAR(told->begin_details[i].penetration_m, 2 - std::abs(a.x - b.x), 1e-9);
    }
  }
}

TEST_F(BeginDetails, AreTheSameForAnyNumberOfWorkers) {
  test::WorldOfSessions parallel(test::small_world(test::Rest::Never, 3));
  parallel.open(authority, Role::Authority);
  parallel.open(curious, Role::Observer, ContactScope::All, true);
  parallel.step();
  for (test::WorldOfSessions* each : {&world, &parallel}) {
    for (int i = 0; i < 60; ++i) each->send(authority, unit_sphere({0.25 * i, 0.125 * (i % 3), 0}));
    each->step();
  }
  const auto& one = world.told(curious).begin_details;
  const auto& three = parallel.told(curious).begin_details;
  ASSERT_GT(one.size(), 300u);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].point, three[i].point);
    EXPECT_EQ(one[i].normal, three[i].normal);
    EXPECT_EQ(one[i].penetration_m, three[i].penetration_m);
  }
}

}  // namespace
}  // namespace vicinity
