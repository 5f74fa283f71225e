// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What the contact policy does to a world, moving or at rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/limits.h"
#include "query/explain.h"
#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using test::Rest;
using test::unit_box;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId other{2};

constexpr std::uint32_t wolf = 2;
constexpr std::uint32_t sheep = 4;

PolicyRule between(std::uint32_t a, std::uint32_t b, PolicyAction action, std::uint32_t stay = 0,
                   std::uint32_t cooldown = 0) {
  return {a, b, action, stay, cooldown};
}

/// An authority that hears everything, a wolf in slot 0 and a sheep in slot 1, one in the other.
class PolicyWorld : public test::WorldOfSessions {
 public:
  explicit PolicyWorld(Rest rest, std::vector<PolicyRule> policy = {})
      : WorldOfSessions(with(test::small_world(rest), std::move(policy))) {
    open(authority, Role::Authority, ContactScope::All);
    wolf_id = spawned(authority, unit_box({0, 0, 0}, wolf));
    sheep_id = spawned(authority, unit_box({0.5, 0, 0}, sheep));
  }
  void set_policy(std::vector<PolicyRule> rules) {
    send(authority, SetPolicyCommand{std::move(rules)});
  }
  void put_sheep(double x) { send(authority, TeleportCommand{{sheep_id, 0}, {x, 0, 0}}); }
  std::size_t open_count() const { return output().frame->contacts.size(); }
  /// Runs so many ticks, in which nothing may be told.
  void expect_silence(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      step();
      EXPECT_THAT(events().begins, IsEmpty()) << "tick " << tick();
      EXPECT_THAT(events().ends, IsEmpty()) << "tick " << tick();
      EXPECT_THAT(events().stays, IsEmpty()) << "tick " << tick();
    }
  }

  EntityId wolf_id;
  EntityId sheep_id;

 private:
  static SimulationSettings with(SimulationSettings settings, std::vector<PolicyRule> policy) {
    settings.policy = std::move(policy);
    return settings;
  }
};

class ContactPolicyOf : public testing::TestWithParam<Rest> {};

INSTANTIATE_TEST_SUITE_P(Rest, ContactPolicyOf, testing::Values(Rest::Never, Rest::Eagerly),
                         [](const auto& each) { return test::name_of(each.param); });

TEST_P(ContactPolicyOf, TheWorldRestsWhereTheTestsSaySo) {
  PolicyWorld world(GetParam());
  world.steps(5);
  EXPECT_EQ(world.output().report.index.resting, GetParam() == Rest::Eagerly ? 2u : 0u);
}

TEST_P(ContactPolicyOf, OfTheSettingsIsInForceFromTheFirstTick) {
  test::WorldOfSessions world([] {
    SimulationSettings settings = test::small_world();
    settings.policy = {between(wolf, sheep, PolicyAction::Ignore)};
    return settings;
  }());
  world.open(authority, Role::Authority, ContactScope::All);
  world.send(authority, unit_box({}, wolf));
  world.send(authority, unit_box({}, sheep));
  world.send(authority, unit_box({}, wolf));
  world.step();
  ASSERT_EQ(world.tick(), 1u);
  ASSERT_THAT(world.events().begins, SizeIs(1));  // the two wolves
  EXPECT_EQ(world.events().begins[0].contact.b.index(), 2u);
}

// --- Ignore and Trigger ------------------------------------------------------------------------

TEST_P(ContactPolicyOf, IgnoredPairsAreToldNothing) {
  for (const auto& [a, b] : {std::pair(wolf, sheep), std::pair(sheep, wolf)}) {
    PolicyWorld world(GetParam(), {between(a, b, PolicyAction::Ignore)});
    EXPECT_THAT(world.events().begins, IsEmpty());
    world.expect_silence(5);
    world.send(authority, MoveToCommand{{world.sheep_id, 0}, {-9, 0, 0}});
    world.expect_silence(1);
    world.send(authority, MoveToCommand{{world.sheep_id, 0}, {9, 0, 0}});  // passes through
    world.expect_silence(1);
    EXPECT_EQ(world.open_count(), 0u);
  }
}

TEST_P(ContactPolicyOf, ATableThatIgnoresEndsWhatIsOpenInThatTick) {
  PolicyWorld world(GetParam());
  ASSERT_EQ(world.open_count(), 1u);
  world.steps(5);
  world.set_policy({between(sheep, wolf, PolicyAction::Ignore)});
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  EXPECT_EQ(world.events().ends[0].reason, EndReason::FilterChanged);
  EXPECT_EQ(world.open_count(), 0u);
  world.expect_silence(5);
}

TEST_P(ContactPolicyOf, ATableThatNoLongerIgnoresBeginsInThatTick) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Ignore)});
  world.steps(5);
  world.set_policy({});
  world.step();
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_EQ(world.events().begins[0].contact.begin_tick, world.tick());
  EXPECT_FALSE(world.events().begins[0].contact.sensor);
  world.expect_silence(5);
  EXPECT_EQ(world.open_count(), 1u);
}

TEST_P(ContactPolicyOf, ATriggerIsToldAsASensorContact) {
  PolicyWorld world(GetParam(), {between(sheep, wolf, PolicyAction::Trigger)});
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_TRUE(world.events().begins[0].contact.sensor);
  world.expect_silence(5);
  world.set_policy({});
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  EXPECT_EQ(world.events().ends[0].reason, EndReason::FilterChanged);
  EXPECT_TRUE(world.events().ends[0].contact.sensor);
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_FALSE(world.events().begins[0].contact.sensor);
  world.expect_silence(5);
}

TEST_P(ContactPolicyOf, ACategoryThatChangesChangesTheRule) {
  PolicyWorld world(GetParam(), {between(wolf, 8, PolicyAction::Ignore)});
  world.steps(5);
  FilterPatch patch;
  patch.category = 8 | sheep;
  world.send(authority, SetFilterCommand{{world.sheep_id, 0}, patch});
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  EXPECT_EQ(world.events().ends[0].reason, EndReason::FilterChanged);
  world.expect_silence(5);
  patch.category = sheep;
  world.send(authority, SetFilterCommand{{world.sheep_id, 0}, patch});
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
}

TEST_P(ContactPolicyOf, TheFirstRuleThatFitsCounts) {
  PolicyWorld world(
      GetParam(), {between(1, 1, PolicyAction::Ignore), between(wolf, sheep, PolicyAction::Trigger),
                   between(~0u, ~0u, PolicyAction::Ignore)});
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_TRUE(world.events().begins[0].contact.sensor);
}

TEST_P(ContactPolicyOf, TheSameTableAgainChangesNothing) {
  const std::vector<PolicyRule> rules = {between(wolf, sheep, PolicyAction::Trigger)};
  PolicyWorld world(GetParam(), rules);
  world.steps(5);
  world.set_policy(rules);
  world.expect_silence(1);
  EXPECT_EQ(world.output().report.index.moving, GetParam() == Rest::Eagerly ? 0u : 2u);
}

TEST_P(ContactPolicyOf, ANewTableChangesNoEntity) {
  PolicyWorld world(GetParam());
  world.steps(5);
  const auto before = world.output().frame->snapshot->changed;
  world.set_policy({between(wolf, sheep, PolicyAction::Ignore)});
  world.step();
  EXPECT_EQ(world.output().frame->snapshot->changed, before);
}

// --- Cooldown ----------------------------------------------------------------------------------

TEST_P(ContactPolicyOf, APairThatTouchesAgainBeginsWhenItsCooldownIsOver) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 10)});
  ASSERT_EQ(world.open_count(), 1u);
  world.put_sheep(5);
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  const Tick end_tick = world.tick();
  world.put_sheep(0.5);  // and there it stays and rests
  world.expect_silence(9);
  world.step();
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_EQ(world.tick(), end_tick + 10);
  EXPECT_EQ(world.events().begins[0].contact.begin_tick, end_tick + 10);
  EXPECT_EQ(world.events().begins[0].toi, 1);
  world.expect_silence(3);
  EXPECT_EQ(world.open_count(), 1u);
  world.put_sheep(5);  // what began at rest ends like any other
  world.step();
  EXPECT_THAT(world.events().ends, SizeIs(1));
}

TEST_P(ContactPolicyOf, APairThatTouchesLaterBeginsAtOnce) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 3)});
  world.put_sheep(5);
  world.step();
  world.expect_silence(2);
  world.put_sheep(0.5);
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
}

TEST_P(ContactPolicyOf, APairThatCoolsDownDoesNotPassThroughEither) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 2)});
  world.put_sheep(9);
  world.step();
  world.send(authority, MoveToCommand{{world.sheep_id, 0}, {-9, 0, 0}});
  world.expect_silence(1);
  world.send(authority, MoveToCommand{{world.sheep_id, 0}, {9, 0, 0}});
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
  EXPECT_THAT(world.events().passed, SizeIs(1));
  world.send(authority, MoveToCommand{{world.sheep_id, 0}, {-9, 0, 0}});  // cools down again
  world.expect_silence(1);
}

TEST_P(ContactPolicyOf, ACooldownIsOfThePairNotOfItsEntities) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 10)});
  world.put_sheep(5);
  world.step();
  world.send(authority, unit_box({5, 0, 0}, wolf));
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
  world.send(authority, DespawnCommand{{world.wolf_id, 0}});
  world.steps(2);
  world.put_sheep(0.5);
  const EntityId successor = world.spawned(authority, unit_box({0, 0, 0}, wolf));
  ASSERT_EQ(successor.index(), world.wolf_id.index());
  EXPECT_THAT(world.events().begins, SizeIs(1));  // another entity in the same slot
  EXPECT_EQ(world.output().report.ends, 1u);      // of the wolf at 5
}

TEST_P(ContactPolicyOf, ANewTableCountsTheCooldownFromTheEnd) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 100)});
  world.put_sheep(5);
  world.step();
  const Tick end_tick = world.tick();
  world.put_sheep(0.5);
  world.expect_silence(4);
  world.set_policy({between(wolf, sheep, PolicyAction::Contact, 0, 8)});
  world.expect_silence(3);
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
  EXPECT_EQ(world.tick(), end_tick + 8);
}

TEST_P(ContactPolicyOf, ANewTableWithoutACooldownEndsIt) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 100)});
  world.put_sheep(5);
  world.step();
  world.put_sheep(0.5);
  world.expect_silence(4);
  world.set_policy({});
  world.step();
  EXPECT_THAT(world.events().begins, SizeIs(1));
}

TEST_P(ContactPolicyOf, AnIgnoredPairDoesNotBeginWhenItsCooldownIsOver) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 5)});
  world.put_sheep(5);
  world.step();
  world.put_sheep(0.5);
  world.step();
  world.set_policy({between(wolf, sheep, PolicyAction::Ignore, 0, 5)});
  world.expect_silence(10);
}

TEST_P(ContactPolicyOf, AnEndByTheTableStartsTheCooldownOfItsRule) {
  PolicyWorld world(GetParam());
  world.steps(3);
  world.set_policy({between(wolf, sheep, PolicyAction::Trigger, 0, 6)});
  world.step();
  EXPECT_THAT(world.events().ends, SizeIs(1));
  EXPECT_THAT(world.events().begins, IsEmpty());
  world.expect_silence(5);
  world.step();
  ASSERT_THAT(world.events().begins, SizeIs(1));
  EXPECT_TRUE(world.events().begins[0].contact.sensor);
}

// --- Stay --------------------------------------------------------------------------------------

TEST_P(ContactPolicyOf, AContactIsToldEverySoManyTicksWhileItGoesOn) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 3, 0)});
  ASSERT_THAT(world.events().begins, SizeIs(1));
  const Tick begin_tick = world.tick();
  EXPECT_THAT(world.events().stays, IsEmpty());
  for (int i = 1; i <= 10; ++i) {
    world.step();
    ASSERT_THAT(world.events().stays, SizeIs(i % 3 == 0 ? 1 : 0)) << i;
    EXPECT_EQ(world.output().report.stays, i % 3 == 0 ? 1u : 0u);
    EXPECT_THAT(world.told(authority).contact_stays, SizeIs(i % 3 == 0 ? 1 : 0));
    if (i % 3 != 0) continue;
    EXPECT_EQ(world.events().stays[0].contact.begin_tick, begin_tick);
    EXPECT_EQ(world.events().stays[0].contact.a, world.wolf_id);
    EXPECT_EQ(world.events().stays[0].contact.b, world.sheep_id);
  }
  world.send(authority, SetUserDataCommand{{world.wolf_id, 0}, 77});
  world.put_sheep(0.25);  // goes on
  world.step();
  world.step();
  ASSERT_THAT(world.events().stays, SizeIs(1));
  EXPECT_EQ(world.events().stays[0].contact.user_data_a, 77u);
  world.put_sheep(5);
  world.step();
  for (int i = 0; i < 5; ++i) {
    world.step();
    EXPECT_THAT(world.events().stays, IsEmpty());
  }
}

TEST_P(ContactPolicyOf, ANewIntervalCountsFromTheBeginAndAtOnce) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 100, 0)});
  world.steps(5);
  world.set_policy({between(wolf, sheep, PolicyAction::Contact, 6, 0)});
  world.step();
  EXPECT_THAT(world.events().stays, SizeIs(1));  // begin + 6
  world.set_policy({between(wolf, sheep, PolicyAction::Contact, 4, 0)});
  world.step();
  EXPECT_THAT(world.events().stays, IsEmpty());
  world.step();
  EXPECT_THAT(world.events().stays, SizeIs(1));  // begin + 8
  FilterPatch patch;
  patch.category = 64;
  world.send(authority, SetFilterCommand{{world.sheep_id, 0}, patch});
  world.expect_silence(8);
  world.set_policy({});
  world.expect_silence(8);
}

TEST_P(ContactPolicyOf, NoStayInTheTickOfTheEnd) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 4, 0)});
  world.steps(3);
  world.put_sheep(5);
  world.step();
  EXPECT_THAT(world.events().ends, SizeIs(1));
  EXPECT_THAT(world.events().stays, IsEmpty());
}

// --- Numbers -----------------------------------------------------------------------------------

TEST_P(ContactPolicyOf, EventsAreNumberedInTheOrderInWhichTheyAreTold) {
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 4, 0)});
  EXPECT_EQ(world.events().begins[0].event_seq, 1u);
  const EntityId ends = world.spawned(authority, unit_box({-0.5, 0, 0}));
  EXPECT_EQ(world.events().begins[0].event_seq, 2u);
  const EntityId bullet = world.spawned(authority, unit_box({0, -50, 0}));
  world.step();
  world.send(authority, TeleportCommand{{ends, 0}, {-50, 0, 0}});
  world.send(authority, MoveToCommand{{bullet, 0}, {0, 50, 0}});
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  ASSERT_THAT(world.events().begins, SizeIs(2));
  ASSERT_THAT(world.events().passed, SizeIs(2));
  ASSERT_THAT(world.events().stays, SizeIs(1));
  EXPECT_EQ(world.events().ends[0].event_seq, 3u);
  EXPECT_EQ(world.events().begins[0].event_seq, 4u);
  EXPECT_EQ(world.events().begins[1].event_seq, 5u);
  EXPECT_EQ(world.events().passed[0].event_seq, 6u);
  EXPECT_EQ(world.events().passed[1].event_seq, 7u);
  EXPECT_EQ(world.events().stays[0].event_seq, 8u);
  world.open(other, Role::Observer, ContactScope::All);
  world.step();
  ASSERT_THAT(world.told(other).contact_begins, SizeIs(1));
  EXPECT_EQ(world.told(other).contact_begins[0].event_seq, 0u);  // told again
}

// --- Who may set it ----------------------------------------------------------------------------

TEST(ContactPolicyCommand, IsForAuthoritiesAndWithinLimits) {
  test::WorldOfSessions world(test::small_world());
  world.open(authority, Role::Authority);
  world.open(other, Role::Player);
  world.open(SessionId{3}, Role::Observer);
  world.step();
  const std::vector<PolicyRule> rules(limits::policy_rules_max);
  EXPECT_EQ(world.code_of(other, SetPolicyCommand{rules}), ErrorCode::WrongRole);
  EXPECT_EQ(world.code_of(SessionId{3}, SetPolicyCommand{rules}), ErrorCode::WrongRole);
  EXPECT_EQ(world.code_of(authority, SetPolicyCommand{rules}), ErrorCode::None);
  EXPECT_EQ(world.code_of(authority, SetPolicyCommand{std::vector<PolicyRule>(rules.size() + 1)}),
            ErrorCode::LimitExceeded);
  const std::uint32_t long_time = limits::policy_ticks_max + 1;
  EXPECT_EQ(world.code_of(authority,
                          SetPolicyCommand{{between(1, 1, PolicyAction::Contact, long_time, 0)}}),
            ErrorCode::LimitExceeded);
  EXPECT_EQ(world.code_of(authority,
                          SetPolicyCommand{{between(1, 1, PolicyAction::Contact, 0, long_time)}}),
            ErrorCode::LimitExceeded);
}

TEST(ContactPolicyCommand, ThatIsRefusedLeavesTheTableAsItWas) {
  PolicyWorld world(Rest::Never, {between(wolf, sheep, PolicyAction::Ignore)});
  world.set_policy(std::vector<PolicyRule>(limits::policy_rules_max + 1));
  world.expect_silence(2);
}

// --- What is said of it --------------------------------------------------------------------------

TEST_P(ContactPolicyOf, IsTheStageThatExplainNames) {
  const auto explained = [](const PolicyWorld& world) {
    return explain_pair(*world.output().frame, world.wolf_id, world.sheep_id);
  };
  PolicyWorld world(GetParam(), {between(wolf, sheep, PolicyAction::Contact, 0, 9)});
  EXPECT_EQ(explained(world).stage, ExplainStage::None);
  EXPECT_EQ(explained(world).begin_tick, world.tick());
  world.put_sheep(50);
  world.step();  // the contact ends
  const Tick until = world.tick() + 9;
  world.put_sheep(0.5);
  world.step();
  for (; world.tick() < until; world.step()) {
    const PairExplanation pair = explained(world);
    EXPECT_EQ(pair.stage, ExplainStage::Policy);
    EXPECT_EQ(pair.policy, PolicyReason::CoolingDown);
    EXPECT_EQ(pair.cooling_until, until);
    EXPECT_FALSE(pair.missed);
  }
  EXPECT_EQ(explained(world).stage, ExplainStage::None);
  EXPECT_EQ(explained(world).begin_tick, until);
  world.set_policy({between(wolf, sheep, PolicyAction::Ignore)});
  world.step();
  EXPECT_EQ(explained(world).policy, PolicyReason::Ignored);
  world.set_policy({});
  world.step();
  EXPECT_EQ(explained(world).stage, ExplainStage::None);
}

/// The audit judges contacts while a rule has a cooldown: those that do not cool down.
TEST_P(ContactPolicyOf, LeavesTheAuditNothingToFind) {
  SimulationSettings settings = test::small_world(GetParam());
  settings.audit_rate = 1;
  settings.policy = {between(wolf, sheep, PolicyAction::Contact, 0, 9)};
  test::WorldOfSessions world(settings);
  world.open(authority, Role::Authority, ContactScope::All);
  world.spawned(authority, unit_box({0, 0, 0}, wolf));
  const EntityId moves = world.spawned(authority, unit_box({0.5, 0, 0}, sheep));
  for (int tick = 0; tick < 40; ++tick) {
    const double x = tick % 3 == 0 ? 50 : 0.5;
    world.send(authority, TeleportCommand{{moves, 0}, {x, 0, 0}});
    world.step();
    EXPECT_EQ(world.output().report.audit.misses, 0u) << "tick " << world.tick();
    EXPECT_EQ(world.output().report.audit.entities, 2u);
  }
}

}  // namespace
}  // namespace vicinity
