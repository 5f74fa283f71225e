// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The numbers of the C++ enumerations are the numbers of the schemas: the encoders cast.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "client_generated.h"
#include "geometry/shape.h"
#include "server_generated.h"
#include "wire/encode.h"
#include "world/command.h"
#include "world/reasons.h"

namespace vicinity::wire {
namespace {

template <class Proto, class Ours>
void same(Proto proto, Ours ours) {
  EXPECT_EQ(static_cast<int>(proto), static_cast<int>(ours)) << static_cast<int>(proto);
}

TEST(Enums, EveryErrorCodeHasTheNameAndNumberOfTheSchema) {
  for (const proto::ErrorCode code : proto::EnumValuesErrorCode())
    EXPECT_EQ(to_string(static_cast<ErrorCode>(code)), proto::EnumNameErrorCode(code));
  // The other way round: what the schema does not name, we do not either.
  for (int number = 0; number <= 0xFFFF; ++number) {
    const bool known = to_string(static_cast<ErrorCode>(number)) != "Unknown";
    const std::string name = proto::EnumNameErrorCode(static_cast<proto::ErrorCode>(number));
    EXPECT_EQ(known, !name.empty()) << number;
  }
}

TEST(Enums, EveryErrorCodeIsDescribedInItsOwnWords) {
  std::vector<std::string_view> texts;
  for (const proto::ErrorCode code : proto::EnumValuesErrorCode()) {
    const std::string_view text = describe(static_cast<ErrorCode>(code));
    EXPECT_NE(text, "unknown") << proto::EnumNameErrorCode(code);
    EXPECT_EQ(std::count(texts.begin(), texts.end(), text), 0) << text;
    texts.push_back(text);
  }
}

TEST(Enums, ReasonsAreTheSame) {
  same(proto::EndReason::Separated, EndReason::Separated);
  same(proto::EndReason::PassedThrough, EndReason::PassedThrough);
  same(proto::EndReason::Despawned, EndReason::Despawned);
  same(proto::EndReason::Disabled, EndReason::Disabled);
  same(proto::EndReason::FilterChanged, EndReason::FilterChanged);
  same(proto::EndReason::ShapeChanged, EndReason::ShapeChanged);
  same(proto::EndReason::Teleported, EndReason::Teleported);
  same(proto::EndReason::OutOfWorld, EndReason::OutOfWorld);
  same(proto::EndReason::PairBudget, EndReason::PairBudget);
  same(proto::EndReason::MAX, EndReason::PairBudget);
  same(proto::LeaveReason::OutOfRange, LeaveReason::OutOfRange);
  same(proto::LeaveReason::Despawned, LeaveReason::Despawned);
  same(proto::LeaveReason::Disabled, LeaveReason::Disabled);
  same(proto::LeaveReason::FilterChanged, LeaveReason::FilterChanged);
  same(proto::LeaveReason::AreaChanged, LeaveReason::AreaChanged);
  same(proto::LeaveReason::OutOfWorld, LeaveReason::OutOfWorld);
  same(proto::LeaveReason::Hidden, LeaveReason::Hidden);
  same(proto::LeaveReason::Crowded, LeaveReason::Crowded);
  same(proto::LeaveReason::MAX, LeaveReason::Crowded);
  same(proto::DespawnReason::Command, DespawnReason::Command);
  same(proto::DespawnReason::SessionEnded, DespawnReason::SessionEnded);
  same(proto::DespawnReason::LeftWorld, DespawnReason::LeftWorld);
  same(proto::DespawnReason::ParentEnded, DespawnReason::ParentEnded);
  same(proto::DespawnReason::MAX, DespawnReason::ParentEnded);
}

TEST(Enums, KindsAreTheSame) {
  same(proto::Role::Observer, Role::Observer);
  same(proto::Role::Player, Role::Player);
  same(proto::Role::Authority, Role::Authority);
  same(proto::Role::MAX, Role::Authority);
  same(proto::ContactScope::None, ContactScope::None);
  same(proto::ContactScope::Own, ContactScope::Own);
  same(proto::ContactScope::All, ContactScope::All);
  same(proto::ContactScope::MAX, ContactScope::All);
  same(proto::TickMode::Timer, TickMode::Timer);
  same(proto::TickMode::Manual, TickMode::Manual);
  same(proto::TickMode::MAX, TickMode::Manual);
  same(proto::ShapeKind::Sphere, ShapeKind::Sphere);
  same(proto::ShapeKind::Capsule, ShapeKind::Capsule);
  same(proto::ShapeKind::Box, ShapeKind::Box);
  same(proto::ShapeKind::Hull, ShapeKind::Hull);
  same(proto::ShapeKind::Mesh, ShapeKind::Mesh);
  same(proto::ShapeKind::Compound, ShapeKind::Compound);
  same(proto::ShapeKind::MAX, ShapeKind::Compound);
  same(proto::OnParentEnd::Detach, OnParentEnd::Detach);
  same(proto::OnParentEnd::Despawn, OnParentEnd::Despawn);
  same(proto::OnParentEnd::MAX, OnParentEnd::Despawn);
  same(proto::PolicyAction::Contact, PolicyAction::Contact);
  same(proto::PolicyAction::Trigger, PolicyAction::Trigger);
  same(proto::PolicyAction::Ignore, PolicyAction::Ignore);
  same(proto::PolicyAction::MAX, PolicyAction::Ignore);
  same(proto::SubscriptionKind::Entity, SubscriptionKind::Entity);
  same(proto::SubscriptionKind::Categories, SubscriptionKind::Categories);
  same(proto::SubscriptionKind::Area, SubscriptionKind::Area);
  same(proto::SubscriptionKind::MAX, SubscriptionKind::Area);
  same(proto::AreaKind::Sphere, AreaKind::Sphere);
  same(proto::AreaKind::Box, AreaKind::Box);
  same(proto::AreaKind::Cylinder, AreaKind::Cylinder);
  same(proto::AreaKind::OrientedBox, AreaKind::OrientedBox);
  same(proto::AreaKind::Cone, AreaKind::Cone);
  same(proto::AreaKind::Frustum, AreaKind::Frustum);
  same(proto::AreaKind::Prism, AreaKind::Prism);
  same(proto::AreaKind::MAX, AreaKind::Prism);
  same(proto::AreaFollow::Position, AreaFollow::Position);
  same(proto::AreaFollow::PositionAndHeading, AreaFollow::PositionAndHeading);
  same(proto::AreaFollow::MAX, AreaFollow::PositionAndHeading);
  same(proto::Visibility::Default, Visibility::Default);
  same(proto::Visibility::Always, Visibility::Always);
  same(proto::Visibility::Never, Visibility::Never);
  same(proto::Visibility::MAX, Visibility::Never);
  same(proto::Reach::Shape, Reach::Shape);
  same(proto::Reach::Centre, Reach::Centre);
  same(proto::Reach::MAX, Reach::Centre);
}

TEST(Enums, EveryCommandKindOfTheSchemaHasAValue) {
  // Four alternatives never come over the wire: opening and closing a session, what becomes of its
  // entities in between, and restarts.
  EXPECT_EQ(static_cast<std::size_t>(proto::CommandKind::MAX) + 4,
            std::variant_size_v<CommandBody>);
}

}  // namespace
}  // namespace vicinity::wire
