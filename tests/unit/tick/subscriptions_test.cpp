// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/subscriptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/limits.h"
#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using test::Rest;
using test::unit_box;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId player{2};
constexpr SessionId watcher{3};

SubscribeCommand to_entity(std::uint32_t id, EntityRef entity) {
  SubscribeCommand command;
  command.subscription = id;
  command.kind = SubscriptionKind::Entity;
  command.entity = entity;
  return command;
}
SubscribeCommand to_categories(std::uint32_t id, std::uint32_t a, std::uint32_t b) {
  SubscribeCommand command;
  command.subscription = id;
  command.kind = SubscriptionKind::Categories;
  command.categories_a = a;
  command.categories_b = b;
  return command;
}
SubscribeCommand to_area(std::uint32_t id, const Aabb& box) {
  SubscribeCommand command;
  command.subscription = id;
  command.kind = SubscriptionKind::Area;
  command.box = box;
  return command;
}

/// Three boxes in a row, each touching the next: two contacts that are open, a-b and b-c.
class SubscriptionsOf : public testing::TestWithParam<Rest> {
 protected:
  SubscriptionsOf() : world(test::small_world(GetParam())) {
    world.open(authority, Role::Authority);
    world.open(player, Role::Player, ContactScope::Own);
    world.open(watcher, Role::Observer);
    a = world.spawned(authority, unit_box({0, 0, 0}, 1));
    b = world.spawned(authority, unit_box({0.75, 0, 0}, 2));
    c = world.spawned(authority, unit_box({1.5, 0, 0}, 4));
    world.steps(3);
  }
  void move(EntityId id, Vec3 position) {
    world.send(authority, TeleportCommand{{id, 0}, position});
  }
  const SessionOutput& told() const { return world.told(watcher); }

  test::WorldOfSessions world;
  EntityId a, b, c;
};

INSTANTIATE_TEST_SUITE_P(Rest, SubscriptionsOf, testing::Values(Rest::Never, Rest::Eagerly),
                         [](const auto& each) { return test::name_of(each.param); });

template <class Event>
std::vector<std::pair<EntityId, EntityId>> pairs_of(const std::vector<Event>& events) {
  std::vector<std::pair<EntityId, EntityId>> out;
  for (const Event& event : events) out.emplace_back(event.contact.a, event.contact.b);
  return out;
}

TEST_P(SubscriptionsOf, NobodyIsToldAnythingWithoutOne) {
  move(a, {9, 9, 9});
  world.step();
  EXPECT_THAT(world.events().ends, SizeIs(1));
  EXPECT_THAT(told().contact_ends, IsEmpty());
}

TEST_P(SubscriptionsOf, ToAnEntityTellWhatIsOpenThenWhatHappens) {
  world.send(watcher, to_entity(1, {a, 0}));
  world.step();
  EXPECT_THAT(pairs_of(told().contact_begins), ElementsAre(std::pair(a, b)));
  EXPECT_EQ(told().contact_begins[0].event_seq, 0u);
  EXPECT_EQ(told().contact_begins[0].toi, 1);
  EXPECT_LT(told().contact_begins[0].contact.begin_tick, world.tick());
  world.step();
  EXPECT_THAT(told().contact_begins, IsEmpty());
  move(a, {1.25, 0, 0});  // goes on with b, begins with c
  world.step();
  EXPECT_THAT(pairs_of(told().contact_begins), ElementsAre(std::pair(a, c)));
  EXPECT_GT(told().contact_begins[0].event_seq, 0u);
  move(b, {9, 9, 9});  // a-b and b-c end
  world.step();
  EXPECT_THAT(pairs_of(told().contact_ends), ElementsAre(std::pair(a, b)));
}

TEST_P(SubscriptionsOf, ToCategoriesFitWhicheverWayRound) {
  world.send(watcher, to_categories(1, 4, 2));
  world.send(authority, unit_box({1.5, 0, 0}, 4 | 2));
  world.step();
  const EntityId d(3, 1);
  EXPECT_THAT(pairs_of(told().contact_begins),
              ElementsAre(std::pair(b, c), std::pair(b, d), std::pair(c, d)));
}

TEST_P(SubscriptionsOf, ToAnAreaTellWhatBeginsWhileOneOfTheTwoReachesIn) {
  world.send(watcher, to_area(1, {{-5, -5, -5}, {-0.25, 5, 5}}));  // a reaches in, b and c do not
  world.step();
  EXPECT_THAT(pairs_of(told().contact_begins), ElementsAre(std::pair(a, b)));
  move(a, {0.75, 0, 0});  // out of the area, and now touches c, outside of it
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
  EXPECT_THAT(told().contact_begins, IsEmpty());
  EXPECT_THAT(told().contact_ends, IsEmpty());
  move(a, {9, 9, 9});
  world.step();
  EXPECT_THAT(pairs_of(told().contact_ends), ElementsAre(std::pair(a, b)));
}

TEST_P(SubscriptionsOf, AnAreaThatOnlyTouchesABoxDoesNotHoldIt) {
  world.send(watcher, to_area(1, {{-5, -5, -5}, {-0.5, 5, 5}}));
  world.step();
  EXPECT_THAT(told().contact_begins, IsEmpty());
}

TEST_P(SubscriptionsOf, TogetherTellEachContactOnce) {
  world.send(watcher, to_entity(1, {a, 0}));
  world.send(watcher, to_entity(2, {b, 0}));
  world.send(watcher, to_categories(3, ~0u, ~0u));
  world.step();
  EXPECT_THAT(pairs_of(told().contact_begins), ElementsAre(std::pair(a, b), std::pair(b, c)));
  world.send(watcher, to_area(4, {{-9, -9, -9}, {9, 9, 9}}));  // told before
  world.send(watcher, to_entity(1, {c, 0}));                   // replaced
  world.step();
  EXPECT_THAT(told().contact_begins, IsEmpty());
  move(b, {9, 9, 9});
  world.step();
  EXPECT_THAT(told().contact_ends, SizeIs(2));
}

TEST_P(SubscriptionsOf, ThatWereRemovedStillOweTheEnds) {
  world.send(watcher, to_entity(1, {b, 0}));
  world.step();
  EXPECT_THAT(told().contact_begins, SizeIs(2));
  world.send(watcher, UnsubscribeCommand{1});
  world.step();
  EXPECT_THAT(told().contact_ends, IsEmpty());
  move(a, {9, 9, 9});
  world.step();
  EXPECT_THAT(pairs_of(told().contact_ends), ElementsAre(std::pair(a, b)));
  move(a, {0, 0, 0});
  world.step();
  EXPECT_THAT(told().contact_begins, IsEmpty());
  world.send(authority, DespawnCommand{{b, 0}});
  world.step();
  EXPECT_THAT(pairs_of(told().contact_ends), ElementsAre(std::pair(b, c)));  // not a-b
}

TEST_P(SubscriptionsOf, OweTheEndWhenTheCategoriesNoLongerFit) {
  world.send(watcher, to_categories(1, 1, 2));
  world.step();
  EXPECT_THAT(told().contact_begins, SizeIs(1));
  FilterPatch patch;
  patch.category = 8;
  world.send(authority, SetFilterCommand{{a, 0}, patch});
  world.step();
  EXPECT_THAT(told().contact_ends, IsEmpty());  // the contact goes on
  move(a, {9, 9, 9});
  world.step();
  EXPECT_THAT(told().contact_ends, SizeIs(1));
}

TEST_P(SubscriptionsOf, MadeAndRemovedInOneTickTellNothing) {
  world.send(watcher, to_entity(1, {b, 0}));
  world.send(watcher, UnsubscribeCommand{1});
  world.step();
  EXPECT_THAT(told().contact_begins, IsEmpty());
}

TEST_P(SubscriptionsOf, TellOfWhatPassesThroughBeginAndEnd) {
  const EntityId bullet = world.spawned(authority, unit_box({0, -50, 0}));
  world.send(watcher, to_entity(1, {bullet, 0}));
  world.send(authority, MoveToCommand{{bullet, 0}, {0, 50, 0}});
  world.step();
  EXPECT_THAT(pairs_of(told().contact_begins),
              ElementsAre(std::pair(a, bullet), std::pair(b, bullet)));
  EXPECT_THAT(pairs_of(told().contact_passed),
              ElementsAre(std::pair(a, bullet), std::pair(b, bullet)));
  world.send(authority, MoveToCommand{{bullet, 0}, {0, -50, 0}});
  world.step();
  EXPECT_THAT(told().contact_passed, SizeIs(2));
}

TEST_P(SubscriptionsOf, TellStaysOnlyOfWhatWasTold) {
  world.send(authority, SetPolicyCommand{{{~0u, ~0u, PolicyAction::Contact, 1, 0}}});
  world.step();
  EXPECT_THAT(world.events().stays, SizeIs(2));
  EXPECT_THAT(told().contact_stays, IsEmpty());
  world.send(watcher, to_entity(1, {a, 0}));
  world.step();
  EXPECT_THAT(pairs_of(told().contact_stays), ElementsAre(std::pair(a, b)));
  EXPECT_GT(told().contact_stays[0].event_seq, 0u);
}

TEST_P(SubscriptionsOf, OfAPlayerComeBesideItsOwnContactsInOrder) {
  const EntityId own = world.spawned(player, unit_box({0, 0.75, 0}, 16));
  EXPECT_THAT(world.told(player).contact_begins, SizeIs(2));  // with a and b, by its scope
  world.send(player, to_entity(1, {own, 0}));
  world.step();
  EXPECT_THAT(world.told(player).contact_begins, IsEmpty());  // told before
  world.send(authority, DespawnCommand{{b, 0}});
  move(c, {0, 1.25, 0});
  world.step();
  EXPECT_THAT(pairs_of(world.told(player).contact_ends), ElementsAre(std::pair(b, own)));
  EXPECT_THAT(pairs_of(world.told(player).contact_begins), ElementsAre(std::pair(c, own)));
}

TEST_P(SubscriptionsOf, OfASessionOfScopeOwnAddToItInTheOrderOfEvents) {
  const SessionId second{7};
  world.open(second, Role::Authority, ContactScope::Own);
  const EntityId own = world.spawned(second, unit_box({0.75, 0.5, 0}));  // touches all three
  EXPECT_THAT(world.told(second).contact_begins, SizeIs(3));
  world.send(second, to_categories(1, ~0u, ~0u));
  world.step();
  EXPECT_THAT(pairs_of(world.told(second).contact_begins),
              ElementsAre(std::pair(a, b), std::pair(b, c)));
  move(b, {50, 0, 0});
  world.step();
  EXPECT_THAT(pairs_of(world.told(second).contact_ends),
              ElementsAre(std::pair(a, b), std::pair(b, c), std::pair(b, own)));
  EXPECT_THAT(test::names_of(world.told(second).contact_ends),
              testing::ElementsAreArray(test::names_of(world.events().ends)));
}

TEST_P(SubscriptionsOf, OfScopeAllChangeNothing) {
  const SessionId all{8};
  world.open(all, Role::Observer, ContactScope::All);
  world.send(all, to_entity(1, {a, 0}));
  world.step();
  EXPECT_THAT(world.told(all).contact_begins, SizeIs(2));
  world.send(all, to_entity(2, {b, 0}));
  world.step();
  EXPECT_THAT(world.told(all).contact_begins, IsEmpty());
  EXPECT_EQ(world.code_of(all, UnsubscribeCommand{2}), ErrorCode::None);
}

TEST_P(SubscriptionsOf, ThatNameWhatCannotBeAreRefused) {
  const EntityId dead = world.spawned(authority, unit_box({90, 0, 0}));
  const EntityId own = world.spawned(player, unit_box({80, 0, 0}));
  EXPECT_EQ(world.code_of(authority, DespawnCommand{{dead, 0}}), ErrorCode::None);
  EXPECT_EQ(world.code_of(watcher, to_entity(1, {dead, 0})), ErrorCode::StaleEntity);
  EXPECT_EQ(world.code_of(watcher, to_entity(1, {EntityId(99, 1), 0})), ErrorCode::UnknownEntity);
  EXPECT_EQ(world.code_of(watcher, to_entity(1, {})), ErrorCode::MissingField);
  EXPECT_EQ(world.code_of(watcher, UnsubscribeCommand{1}), ErrorCode::UnknownSubscription);
  EXPECT_EQ(world.code_of(player, to_entity(1, {a, 0})), ErrorCode::WrongRole);
  EXPECT_EQ(world.code_of(player, to_categories(1, 1, 1)), ErrorCode::WrongRole);
  EXPECT_EQ(world.code_of(player, to_area(1, {{0, 0, 0}, {1, 1, 1}})), ErrorCode::WrongRole);
  EXPECT_EQ(world.code_of(player, to_entity(1, {own, 0})), ErrorCode::None);
  EXPECT_EQ(world.code_of(player, UnsubscribeCommand{1}), ErrorCode::None);
  EXPECT_EQ(world.code_of(player, UnsubscribeCommand{1}), ErrorCode::UnknownSubscription);
}

TEST_P(SubscriptionsOf, CanNameWhatTheSameFrameSpawned) {
  const std::uint64_t spawn = world.send(authority, unit_box({0, 0.5, 0}));
  world.send(authority, to_entity(5, {{}, spawn}));
  world.step();
  EXPECT_THAT(world.told(authority).contact_begins, SizeIs(2));
}

TEST(SubscriptionsLimit, CountsThoseOfOneSession) {
  Subscriptions subscriptions;
  for (std::uint32_t i = 0; i < limits::subscriptions_per_session_max; ++i)
    ASSERT_EQ(subscriptions.add(to_categories(i, 1, 1), {}), ErrorCode::None);
  EXPECT_EQ(subscriptions.add(to_categories(1'000'000, 1, 1), {}), ErrorCode::LimitExceeded);
  EXPECT_EQ(subscriptions.add(to_categories(7, 1, 1), {}), ErrorCode::None);  // replaces
  EXPECT_EQ(subscriptions.remove(7), ErrorCode::None);
  EXPECT_EQ(subscriptions.add(to_categories(1'000'000, 1, 1), {}), ErrorCode::None);
  EXPECT_EQ(subscriptions.count(), limits::subscriptions_per_session_max);
}

TEST(SubscriptionsLimit, OverTheLimitAreRefusedByTheWorld) {
  test::WorldOfSessions world(test::small_world());
  world.open(watcher, Role::Observer);
  for (std::uint32_t i = 0; i < limits::subscriptions_per_session_max; ++i)
    world.send(watcher, to_categories(i, 1, 1));
  const std::uint64_t last = world.send(watcher, to_categories(999, 1, 1));
  world.step();
  EXPECT_EQ(world.output().report.commands_refused, 1u);
  EXPECT_EQ(world.result(watcher, last).code, ErrorCode::LimitExceeded);
}

// Two bullets that cross in the middle of the area and end outside, and two the other way round.
TEST(Subscriptions, ToAnAreaGoByWhereTheTwoAreAtTheImpact) {
  test::WorldOfSessions world(test::small_world());
  world.open(authority, Role::Authority);
  world.open(watcher, Role::Observer);
  const auto bullet = [&](double x) {
    SpawnCommand command;
    command.position = {x, 0, 0};
    command.shape = Shape::sphere(0.25);
    return world.spawned(authority, command);
  };
  const EntityId left = bullet(-50), right = bullet(50);
  const EntityId outside = bullet(200), into = bullet(300);
  world.send(watcher, to_area(1, {{-10, -10, -10}, {10, 10, 10}}));
  world.step();
  world.send(authority, MoveToCommand{{left, 0}, {50, 0, 0}});
  world.send(authority, MoveToCommand{{right, 0}, {-50, 0, 0}});
  world.send(authority, MoveToCommand{{into, 0}, {0, 0, 0}});  // meets `outside` at 200 m
  world.step();
  ASSERT_THAT(world.events().passed, SizeIs(testing::Ge(2u)));
  const auto told = test::names_of(world.told(watcher).contact_begins);
  EXPECT_THAT(told, testing::Contains(test::ContactName{left, right, world.tick()}));
  EXPECT_THAT(told,
              testing::Not(testing::Contains(test::ContactName{outside, into, world.tick()})));
  EXPECT_THAT(test::names_of(world.told(watcher).contact_passed),
              testing::Contains(test::ContactName{left, right, world.tick()}));
}

TEST(SessionOutputs, NameWhatEndedWithItsParentToTheOneWhoEndedIt) {
  test::WorldOfSessions world(test::small_world());
  world.open(authority, Role::Authority);
  const EntityId parent = world.spawned(authority, unit_box({0, 0, 0}));
  const EntityId child = world.spawned(authority, unit_box({5, 0, 0}));
  world.send(authority, AttachCommand{{child, 0}, {parent, 0}, {}, OnParentEnd::Despawn});
  world.step();
  world.send(authority, DespawnCommand{{parent, 0}});
  world.step();
  ASSERT_THAT(world.told(authority).lost, SizeIs(1));
  EXPECT_EQ(world.told(authority).lost[0].id, child);
  EXPECT_EQ(world.told(authority).lost[0].reason, DespawnReason::ParentEnded);
}

TEST(Subscriptions, TheSameAgainIsNoChange) {
  Subscriptions subscriptions;
  subscriptions.add(to_categories(1, 1, 2), {});
  subscriptions.add(to_entity(2, {EntityId(5, 1), 0}), EntityId(5, 1));
  EXPECT_TRUE(subscriptions.has_new());
  subscriptions.settle();
  EXPECT_EQ(subscriptions.add(to_categories(1, 1, 2), {}), ErrorCode::None);
  EXPECT_EQ(subscriptions.add(to_entity(2, {EntityId(5, 1), 0}), EntityId(5, 1)), ErrorCode::None);
  EXPECT_FALSE(subscriptions.has_new());
  subscriptions.add(to_categories(1, 1, 4), {});
  EXPECT_TRUE(subscriptions.has_new());
}

}  // namespace
}  // namespace vicinity
