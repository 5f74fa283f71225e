// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/contacts.h"

#include <gtest/gtest.h>

#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

using Pairs = std::vector<SlotPair>;
using Contacts = std::vector<Contact>;

Contacts contacts_of(SnapshotBuilder& world, const Pairs& pairs = {{0, 1}}) {
  Workers workers(1);
  ContactFinder finder;
  const ContactList found = finder.find(world.snapshot(), pairs, workers);
  return {found.begin(), found.end()};
}

// --- first_overlap ---------------------------------------------------------------------------

TEST(FirstOverlap, IsZeroWhenTheyOverlapAtTheStart) {
  EXPECT_EQ(first_overlap(box_at(0, 0, 0), box_at(9, 0, 0), box_at(0.5, 0, 0), box_at(0.5, 0, 0)),
            0.0);
}

TEST(FirstOverlap, IsTheMomentTheFacesMeet) {
  // Gap of 3 m, closed at 8 m per tick.
  EXPECT_EQ(first_overlap(box_at(0, 0, 0), box_at(8, 0, 0), box_at(4, 0, 0), box_at(4, 0, 0)),
            3.0 / 8);
}

TEST(FirstOverlap, CountsBothMotions) {
  EXPECT_EQ(first_overlap(box_at(0, 0, 0), box_at(2, 0, 0), box_at(4, 0, 0), box_at(2, 0, 0)),
            3.0 / 4);
}

TEST(FirstOverlap, NeedsAllAxesAtOneMoment) {
  const Aabb still = box_at(0, 0, 0);
  // Crosses x in [-1, 1] while y is still far, and y while x has passed.
  EXPECT_FALSE(first_overlap(box_at(-2, 6, 0), box_at(6, -2, 0), still, still).has_value());
  EXPECT_TRUE(first_overlap(box_at(-4, 4, 0), box_at(4, -4, 0), still, still).has_value());
}

TEST(FirstOverlap, ATouchOfFacesOrCornersOnTheWayIsNone) {
  const Aabb still = box_at(0, 0, 0);
  EXPECT_FALSE(first_overlap(box_at(-5, 1, 0), box_at(5, 1, 0), still, still).has_value());
  // The corner slides exactly through the corner of the other.
  EXPECT_FALSE(first_overlap(box_at(-2, 0, 0), box_at(0, 2, 0), still, still).has_value());
}

TEST(FirstOverlap, ReachingTheFaceAtTheVeryEndIsNone) {
  const Aabb still = box_at(0, 0, 0);
  EXPECT_FALSE(first_overlap(box_at(-5, 0, 0), box_at(-1, 0, 0), still, still).has_value());
}

TEST(FirstOverlap, LeavingFromTheFaceIsNone) {
  const Aabb still = box_at(0, 0, 0);
  EXPECT_FALSE(first_overlap(box_at(1, 0, 0), box_at(5, 0, 0), still, still).has_value());
}

TEST(FirstOverlap, APointPassesThroughAThinBox) {
  const Aabb wall{{0, -5, -5}, {0.001, 5, 5}};
  const auto toi = first_overlap(box_at(-100, 0, 0, 0), box_at(100, 0, 0, 0), wall, wall);
  EXPECT_EQ(toi, 0.5);
}

TEST(FirstOverlap, APointDoesNotMeetAPoint) {
  EXPECT_FALSE(
      first_overlap(box_at(-1, 0, 0, 0), box_at(1, 0, 0, 0), box_at(0, 0, 0, 0), box_at(0, 0, 0, 0))
          .has_value());
}

TEST(FirstOverlap, FindsTheOverlapAtTheEndHoweverSmallAgainstThePath) {
  const double tiny = 0x1p-40;
  const Aabb still{{0, 0, 0}, {1, 1, 1}};
  const Aabb end{{-1 + tiny, 0, 0}, {tiny, 1, 1}};
  const auto toi = first_overlap(box_at(-1e13, 0, 0), end, still, still);
  ASSERT_TRUE(toi.has_value());
  EXPECT_LE(*toi, 1.0);
  EXPECT_GT(*toi, 0.999);
}

// --- find_contacts ---------------------------------------------------------------------------

TEST(Contacts, OfUnmovedBoxesTouchAtTheEndOfTheTick) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0));
  world.add(box_at(0.5, 0, 0));
  const Contacts contacts = contacts_of(world);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0].a, EntityId(0, 1));
  EXPECT_EQ(contacts[0].b, EntityId(1, 1));
  EXPECT_EQ(impact(world.snapshot(), 0, 1).toi, 1.0);
  EXPECT_TRUE(contacts[0].touching);
  EXPECT_FALSE(contacts[0].sensor);
}

TEST(Contacts, SharedFacesDoNotTouch) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0));
  world.add(box_at(1, 0, 0));
  EXPECT_TRUE(contacts_of(world).empty());
}

TEST(Contacts, ArrivingByPathCarriesTheTimeOfImpact) {
  SnapshotBuilder world;
  world.add_moved(box_at(-4, 0, 0), box_at(0, 0, 0));
  world.add(box_at(0.5, 0, 0));
  const Contacts contacts = contacts_of(world);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(impact(world.snapshot(), 0, 1).toi, 3.5 / 4);
}

TEST(Contacts, OverlapAllAlongHasImpactTimeZero) {
  SnapshotBuilder world;
  world.add_moved(box_at(0, 0, 0), box_at(0.25, 0, 0));
  world.add(box_at(0.5, 0, 0));
  EXPECT_TRUE(contacts_of(world).at(0).touching);
  EXPECT_EQ(impact(world.snapshot(), 0, 1).toi, 0.0);
}

TEST(Contacts, AFastMoverPassesThrough) {
  SnapshotBuilder world;
  world.add_moved(box_at(-5, 0, 0), box_at(5, 0, 0));
  world.add(box_at(0, 0, 0));
  const Contacts contacts = contacts_of(world);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_FALSE(contacts[0].touching);
  EXPECT_EQ(contacts[0].impact.toi, 0.4);
}

TEST(Contacts, LeavingAnOverlapIsNotPassingThrough) {
  SnapshotBuilder world;
  world.add_moved(box_at(0.5, 0, 0), box_at(50, 0, 0));
  world.add(box_at(0, 0, 0));
  EXPECT_TRUE(contacts_of(world).empty());
}

/// Clips a corner on a short diagonal: overlaps on the way, but at neither end.
SnapshotBuilder corner_clipper(Motion motion) {
  SnapshotBuilder world;
  world.add_moved(box_at(-1.125, 0.75, 0), box_at(-0.75, 1.125, 0), motion);
  world.add(box_at(0, 0, 0));
  return world;
}

TEST(Contacts, APathNoLongerThanTheThicknessIsNotLookedAt) {
  SnapshotBuilder world = corner_clipper(Motion::Path);
  ASSERT_TRUE(first_overlap(world.snapshot().start_box[0], world.snapshot().tight_box[0],
                            world.snapshot().start_box[1], world.snapshot().tight_box[1]));
  EXPECT_TRUE(contacts_of(world).empty());
}

TEST(Contacts, ContinuousMotionIsAlwaysLookedAt) {
  SnapshotBuilder world = corner_clipper(Motion::Continuous);
  const Contacts contacts = contacts_of(world);
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_FALSE(contacts[0].touching);
}

TEST(Contacts, EitherOfTheTwoMayAskForIt) {
  SnapshotBuilder world = corner_clipper(Motion::Path);
  world.snapshot().motion[1] = Motion::Continuous;
  EXPECT_EQ(contacts_of(world).size(), 1u);
}

TEST(Contacts, TheThinnerOfTheTwoDecides) {
  SnapshotBuilder world = corner_clipper(Motion::Path);
  Aabb& still = world.snapshot().tight_box[1];
  still.max.z = 0.25;  // thinner than the path is long
  world.snapshot().start_box[1] = still;
  EXPECT_EQ(contacts_of(world).size(), 1u);
}

TEST(Contacts, MovingSideBySideIsNoRelativePath) {
  SnapshotBuilder world;
  world.add_moved(box_at(0, 0, 0), box_at(100, 0, 0));
  world.add_moved(box_at(1, 0, 0), box_at(101, 0, 0));
  EXPECT_TRUE(contacts_of(world).empty());
}

TEST(Contacts, OneSensorMakesATrigger) {
  for (const bool first : {true, false}) {
    SnapshotBuilder world;
    world.add(box_at(0, 0, 0), {.sensor = first});
    world.add(box_at(0.5, 0, 0), {.sensor = !first});
    EXPECT_TRUE(contacts_of(world).at(0).sensor);
  }
}

TEST(Contacts, GiveMemoryBackAfterAPeak) {
  SnapshotBuilder world;
  Pairs pairs;
  for (std::uint32_t slot = 0; slot < 10'001; ++slot) world.add(box_at(slot * 0.75, 0, 0));
  for (std::uint32_t slot = 0; slot < 10'000; ++slot) pairs.push_back({slot, slot + 1});
  Workers workers(1);
  ContactFinder finder;
  EXPECT_EQ(finder.find(world.snapshot(), pairs, workers).size(), 10'000u);
  EXPECT_GE(finder.size_bytes(), 10'000 * sizeof(Contact));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(finder.find(world.snapshot(), Pairs{{0, 1}}, workers).size(), 1u);
  EXPECT_LT(finder.size_bytes(), 2'000 * sizeof(Contact));
}

TEST(Contacts, KeepTheOrderOfThePairsForAnyNumberOfWorkers) {
  SnapshotBuilder world;
  Pairs pairs;
  // Two that overlap, then a gap, so that there are fewer contacts than pairs.
  for (int i = 0; i < 10'001; ++i) world.add(box_at(i * 0.75 + i / 2, 0, 0));
  for (std::uint32_t slot = 0; slot < 10'000; ++slot) pairs.push_back({slot, slot + 1});
  for (const int count : {1, 3}) {
    Workers workers(count);
    ContactFinder finder;
    const ContactList contacts = finder.find(world.snapshot(), pairs, workers);
    ASSERT_EQ(contacts.size(), pairs.size() / 2);
    for (std::uint32_t i = 0; i < contacts.size(); ++i) ASSERT_EQ(contacts[i].a.index(), 2 * i);
  }
}

}  // namespace
}  // namespace vicinity
