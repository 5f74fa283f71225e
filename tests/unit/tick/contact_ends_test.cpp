// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every way in which two entities can stop being in contact, each with the reason it must have:
// whichever of the two it happens to, at rest or not, and for every session that was told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "unit/tick/world_of_sessions.h"

namespace vicinity {
namespace {

using test::Rest;
using test::unit_box;
using testing::IsEmpty;
using testing::SizeIs;

constexpr SessionId authority{1};
constexpr SessionId owner{2};  ///< of both entities; a player, so that they end with it
constexpr SessionId all{3};
constexpr SessionId subscribed{4};
constexpr SessionId removed{5};  ///< subscribed, and took it back

/// Two boxes, owned by a player, that have been in contact for some ticks.
class ContactOfTwo : public test::WorldOfSessions {
 public:
  explicit ContactOfTwo(Rest rest) : WorldOfSessions(test::small_world(rest)) {
    open(authority, Role::Authority);
    open(owner, Role::Player, ContactScope::Own);
    open(all, Role::Observer, ContactScope::All);
    for (const SessionId session : {subscribed, removed}) {
      open(session, Role::Observer);
      SubscribeCommand everything;
      everything.kind = SubscriptionKind::Categories;
      send(session, everything);
    }
    a = spawned(owner, unit_box({0, 0, 0}));
    b = spawned(owner, unit_box({0.5, 0, 0}));
    send(removed, UnsubscribeCommand{0});
    steps(4);
  }
  EntityId a;
  EntityId b;
};

struct Way {
  std::string name;
  EndReason reason;
  /// Commands for one of the two.
  std::function<void(ContactOfTwo& world, EntityId one, EntityId other)> happen;
};

EntityRef ref(EntityId id) { return {id, 0}; }

FilterPatch patch_of(const std::function<void(FilterPatch&)>& change) {
  FilterPatch patch;
  change(patch);
  return patch;
}

Way filter_way(std::string name, EndReason reason,
               const std::function<void(FilterPatch&)>& change) {
  const FilterPatch patch = patch_of(change);
  return {std::move(name), reason, [patch](ContactOfTwo& world, EntityId one, EntityId) {
            world.send(authority, SetFilterCommand{ref(one), patch});
          }};
}

std::vector<Way> ways_of_motion() {
  return {
      {"MoveApart", EndReason::Separated,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, MoveToCommand{ref(one), {5, 0, 0}});
       }},
      {"VelocityApart", EndReason::Separated,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, SetVelocityCommand{ref(one), {0, 7, 0}});
       }},
      {"BothMoveApart", EndReason::Separated,
       [](auto& world, EntityId one, EntityId other) {
         world.send(authority, MoveToCommand{ref(one), {5, 0, 0}});
         world.send(authority, MoveToCommand{ref(other), {-5, 0, 0}});
       }},
      {"MoveThroughAndBeyond", EndReason::Separated,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, MoveToCommand{ref(one), {50, 0, 0}, true});
       }},
      {"Teleport", EndReason::Teleported,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, TeleportCommand{ref(one), {5, 0, 0}});
       }},
      {"ParentTeleports", EndReason::Teleported,
       [](auto& world, EntityId one, EntityId) {
         const std::uint64_t spawn = world.send(authority, unit_box({50, 0, 0}));
         world.send(authority, AttachCommand{ref(one), {{}, spawn}, Pose{{0, 5, 0}, {}}});
       }},
      {"FlyOutOfTheWorld", EndReason::OutOfWorld,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, SetVelocityCommand{ref(one), {0, 5000, 0}});
       }},
  };
}

std::vector<Way> ways_of_entities() {
  return {
      {"ShapeShrinks", EndReason::ShapeChanged,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, SetShapeCommand{ref(one), Shape::box({0.1, 0.1, 0.1}, {0, 3, 0})});
       }},
      {"Despawn", EndReason::Despawned,
       [](auto& world, EntityId one, EntityId) {
         world.send(authority, DespawnCommand{ref(one)});
       }},
      {"BothDespawn", EndReason::Despawned,
       [](auto& world, EntityId one, EntityId other) {
         world.send(authority, DespawnCommand{ref(one)});
         world.send(authority, DespawnCommand{ref(other)});
       }},
      {"OwnerLeaves", EndReason::Despawned,
       [](auto& world, EntityId, EntityId) { world.send(owner, CloseSessionCommand{}); }},
  };
}

std::vector<Way> ways_of_filters() {
  return {
      filter_way("Disable", EndReason::Disabled, [](FilterPatch& patch) { patch.enabled = false; }),
      filter_way("Instance", EndReason::FilterChanged,
                 [](FilterPatch& patch) { patch.instance = 1; }),
      filter_way("EmptyMask", EndReason::FilterChanged, [](FilterPatch& patch) { patch.mask = 0; }),
      filter_way("Mask", EndReason::FilterChanged, [](FilterPatch& patch) { patch.mask = 2; }),
      {"Category", EndReason::FilterChanged,
       [](auto& world, EntityId one, EntityId other) {
         world.send(
             authority,
             SetFilterCommand{ref(other), patch_of([](FilterPatch& patch) { patch.mask = 1; })});
         world.send(
             authority,
             SetFilterCommand{ref(one), patch_of([](FilterPatch& patch) { patch.category = 4; })});
       }},
      {"Group", EndReason::FilterChanged,
       [](auto& world, EntityId one, EntityId other) {
         for (const EntityId each : {one, other})
           world.send(
               authority,
               SetFilterCommand{ref(each), patch_of([](FilterPatch& patch) { patch.group = -1; })});
       }},
      {"BothStatic", EndReason::FilterChanged,
       [](auto& world, EntityId one, EntityId other) {
         for (const EntityId each : {one, other})
           world.send(authority, SetFilterCommand{ref(each), patch_of([](FilterPatch& patch) {
                                                    patch.is_static = true;
                                                  })});
       }},
      {"BothSensors", EndReason::FilterChanged,
       [](auto& world, EntityId one, EntityId other) {
         for (const EntityId each : {one, other})
           world.send(authority, SetFilterCommand{ref(each), patch_of([](FilterPatch& patch) {
                                                    patch.sensor = true;
                                                  })});
       }},
  };
}

std::vector<Way> ways_of_pairs() {
  return {
      {"PolicyIgnores", EndReason::FilterChanged,
       [](auto& world, EntityId, EntityId) {
         world.send(authority, SetPolicyCommand{{{1, 1, PolicyAction::Ignore, 0, 0}}});
       }},
      {"PolicyTriggersAndCoolsDown", EndReason::FilterChanged,
       [](auto& world, EntityId, EntityId) {
         world.send(authority, SetPolicyCommand{{{1, 1, PolicyAction::Trigger, 0, 9}}});
       }},
      {"PairExcluded", EndReason::FilterChanged,
       [](auto& world, EntityId one, EntityId other) {
         world.send(authority, ExcludePairCommand{ref(one), ref(other), true});
       }},
  };
}

std::vector<Way> ways() {
  std::vector<Way> out;
  for (const auto& group :
       {ways_of_motion(), ways_of_entities(), ways_of_filters(), ways_of_pairs()})
    out.insert(out.end(), group.begin(), group.end());
  return out;
}

class ContactEndsBy : public testing::TestWithParam<std::tuple<std::size_t, Rest, bool>> {};

std::string name_of_case(const testing::TestParamInfo<ContactEndsBy::ParamType>& each) {
  const auto& [way, rest, is_first] = each.param;
  return ways()[way].name + test::name_of(rest) + (is_first ? "First" : "Second");
}

INSTANTIATE_TEST_SUITE_P(Each, ContactEndsBy,
                         testing::Combine(testing::Range<std::size_t>(0, ways().size()),
                                          testing::Values(Rest::Never, Rest::Eagerly),
                                          testing::Bool()),
                         name_of_case);

TEST_P(ContactEndsBy, OneEndWithItsReasonForEverybodyWhoWasTold) {
  const auto& [number, rest, is_first] = GetParam();
  const Way way = ways()[number];
  ContactOfTwo world(rest);
  ASSERT_EQ(world.output().frame->contacts.size(), 1u);
  ASSERT_EQ(world.output().report.index.resting, rest == Rest::Eagerly ? 2u : 0u);
  way.happen(world, is_first ? world.a : world.b, is_first ? world.b : world.a);
  world.step();
  ASSERT_THAT(world.events().ends, SizeIs(1));
  EXPECT_EQ(world.events().ends[0].reason, way.reason);
  EXPECT_EQ(world.events().ends[0].contact.a, world.a);
  EXPECT_EQ(world.events().ends[0].contact.b, world.b);
  EXPECT_THAT(world.events().begins, IsEmpty());
  EXPECT_EQ(world.output().frame->contacts.size(), 0u);
  for (const SessionOutput& told : world.output().sessions) {
    if (told.session == authority) {
      EXPECT_THAT(told.contact_ends, IsEmpty());
      continue;
    }
    ASSERT_THAT(told.contact_ends, SizeIs(1)) << "session " << told.session.value;
    EXPECT_EQ(told.contact_ends[0].reason, way.reason);
  }
  for (int i = 0; i < 4; ++i) {  // and never again
    world.step();
    EXPECT_THAT(world.events().ends, IsEmpty());
  }
}

}  // namespace
}  // namespace vicinity
