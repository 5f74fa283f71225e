// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/command_rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "base/limits.h"

namespace vicinity::app {
namespace {

constexpr ErrorCode yes = ErrorCode::None;
constexpr ErrorCode no = ErrorCode::WrongRole;
constexpr ErrorCode never = ErrorCode::UnknownCommand;  ///< the server's own

/// One command of each kind there is.
template <std::size_t... index>
std::vector<CommandBody> one_of_each(std::index_sequence<index...>) {
  return {CommandBody(std::in_place_index<index>)...};
}

struct Row {
  std::size_t kind;
  ErrorCode observer;
  ErrorCode player;
  ErrorCode authority;
};
template <class Kind>
Row row(ErrorCode observer, ErrorCode player, ErrorCode authority) {
  return {CommandBody(Kind()).index(), observer, player, authority};
}

TEST(CommandRules, EveryRoleMayWhatTheTableSaysOfEveryKindOfCommand) {
  const Row table[] = {
      row<SpawnCommand>(no, yes, yes),
      row<DespawnCommand>(no, yes, yes),
      row<SetVelocityCommand>(no, yes, yes),
      row<MoveToCommand>(no, yes, yes),
      row<TeleportCommand>(no, yes, yes),
      row<SetShapeCommand>(no, yes, yes),
      row<SetFilterCommand>(no, yes, yes),
      row<SetUserDataCommand>(no, yes, yes),
      row<AddAreaCommand>(yes, yes, yes),
      row<ChangeAreaCommand>(yes, yes, yes),
      row<RemoveAreaCommand>(yes, yes, yes),
      row<OpenSessionCommand>(never, never, never),
      row<CloseSessionCommand>(never, never, never),
      row<AttachCommand>(no, yes, yes),
      row<DetachCommand>(no, yes, yes),
      row<ExcludePairCommand>(no, yes, yes),
      row<SetPolicyCommand>(no, no, yes),
      row<SubscribeCommand>(yes, yes, yes),
      row<UnsubscribeCommand>(yes, yes, yes),
      row<SetRelevanceCommand>(no, yes, yes),
      row<SetVisibilityCommand>(yes, yes, yes),
      row<DespawnOwnedCommand>(never, never, never),
      row<RestartCommand>(never, never, never),
  };
  const auto commands = one_of_each(std::make_index_sequence<std::variant_size_v<CommandBody>>());
  ASSERT_EQ(std::size(table), commands.size()) << "a kind of command has no row";
  for (const CommandBody& command : commands) {
    const Row& expected = table[command.index()];
    ASSERT_EQ(expected.kind, command.index());
    EXPECT_EQ(check_role(Role::Observer, command).code, expected.observer) << command.index();
    EXPECT_EQ(check_role(Role::Player, command).code, expected.player) << command.index();
    EXPECT_EQ(check_role(Role::Authority, command).code, expected.authority) << command.index();
  }
}

TEST(CommandRules, WithoutCapsEveryCommandPassesAsItIs) {
  access::SessionGuard guard({});
  for (const CommandBody& command :
       one_of_each(std::make_index_sequence<std::variant_size_v<CommandBody>>())) {
    CommandBody same = command;
    EXPECT_EQ(apply_caps(guard, same).code, yes) << command.index();
    EXPECT_EQ(same, command);
  }
}

class Capped : public testing::Test {
 protected:
  ErrorCode code(CommandBody body) {
    const ErrorCode found = apply_caps(guard_, body).code;
    last_ = body;
    return found;
  }
  static SpawnCommand spawn(std::uint32_t category, std::int32_t group) {
    SpawnCommand command;
    command.filter.category = category;
    command.filter.group = group;
    return command;
  }
  static AreaSpec sphere(double radius_m) {
    AreaSpec area;
    area.enter_radius_m = area.leave_radius_m = radius_m;
    return area;
  }

  const access::Caps caps_{
      .areas_max = 1, .area_radius_max_m = 10, .bytes_per_s = {}, .categories = 6, .group = 3};
  access::SessionGuard guard_{{}, caps_};
  CommandBody last_;
};

TEST_F(Capped, EntitiesHaveCategoriesAndGroupOfTheToken) {
  EXPECT_EQ(code(spawn(2, 3)), yes);
  EXPECT_EQ(code(spawn(6, 3)), yes);
  EXPECT_EQ(code(spawn(7, 3)), no);
  EXPECT_EQ(code(spawn(0x8000'0002u, 3)), no);
  EXPECT_EQ(code(spawn(2, 0)), no);
  EXPECT_EQ(code(spawn(2, -3)), no);
  SetFilterCommand command;
  EXPECT_EQ(code(command), yes);
  command.patch.category = 1;
  EXPECT_EQ(code(command), no);
  command.patch.category = 4;
  EXPECT_EQ(code(command), yes);
  command.patch.group = 4;
  EXPECT_EQ(code(command), no);
}

TEST_F(Capped, AreasAreFewSmallAndLookForTheCategoriesOfTheToken) {
  EXPECT_EQ(code(AddAreaCommand{ObserverId{1}, AreaId{1}, sphere(10.5)}), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(AddAreaCommand{ObserverId{1}, AreaId{1}, sphere(10)}), yes);
  EXPECT_EQ(std::get<AddAreaCommand>(last_).spec.filter.category_mask, 6u);
  EXPECT_EQ(code(AddAreaCommand{ObserverId{2}, AreaId{2}, sphere(1)}), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(ChangeAreaCommand{AreaId{1}, sphere(11)}), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(ChangeAreaCommand{AreaId{1}, sphere(9)}), yes);
  EXPECT_EQ(std::get<ChangeAreaCommand>(last_).spec.filter.category_mask, 6u);
  EXPECT_EQ(code(RemoveAreaCommand{AreaId{1}}), yes);
  EXPECT_EQ(code(AddAreaCommand{ObserverId{2}, AreaId{2}, sphere(1)}), yes);
}

TEST_F(Capped, NothingIsHeldInViewBeyondTheAreas) {
  AreaSpec area = sphere(5);
  area.min_dwell_ticks = limits::capped_dwell_ticks_max;
  EXPECT_EQ(code(AddAreaCommand{ObserverId{1}, AreaId{1}, area}), yes);
  area.min_dwell_ticks = limits::capped_dwell_ticks_max + 1;
  EXPECT_EQ(code(ChangeAreaCommand{AreaId{1}, area}), ErrorCode::LimitExceeded);
  access::Caps caps;
  caps.area_radius_max_m = 10;
  access::SessionGuard guard({}, caps);
  const auto told_to = [&guard](Visibility visibility) {
    CommandBody body = SetVisibilityCommand{ObserverId{1}, {}, visibility};
    return apply_caps(guard, body).code;
  };
  EXPECT_EQ(told_to(Visibility::Always), no);
  EXPECT_EQ(told_to(Visibility::Never), yes);
}

TEST_F(Capped, NothingGoesRoundTheCategories) {
  SetVisibilityCommand visibility;
  EXPECT_EQ(code(visibility), yes);
  visibility.visibility = Visibility::Always;
  EXPECT_EQ(code(visibility), no);
  SubscribeCommand subscribe;
  EXPECT_EQ(code(subscribe), no) << "contacts of any entity";
  subscribe.kind = SubscriptionKind::Area;
  EXPECT_EQ(code(subscribe), no);
  subscribe.kind = SubscriptionKind::Categories;
  subscribe.categories_b = 3;
  EXPECT_EQ(code(subscribe), yes);
  EXPECT_EQ(std::get<SubscribeCommand>(last_).categories_a, 6u);
  EXPECT_EQ(std::get<SubscribeCommand>(last_).categories_b, 2u);
  Query query{BoxQuery{}};
  EXPECT_EQ(apply_caps(caps_, query).code, yes);
  EXPECT_EQ(query.filter.category_mask, 6u);
  Query contacts{ContactsQuery{}};
  EXPECT_EQ(apply_caps(caps_, contacts).code, no) << "it goes by no filter";
}

TEST(CommandRules, AnAreaReachesAsFarAsItsFarthestPoint) {
  AreaSpec area;
  area.kind = AreaKind::Box;
  area.enter_half_extent_m = area.leave_half_extent_m = {2, 3, 6};
  EXPECT_DOUBLE_EQ(reach_m(area), 7);
  area.kind = AreaKind::OrientedBox;
  area.half_extent_m = {1, 4, 8};
  area.leave_margin_m = 0.5;
  EXPECT_DOUBLE_EQ(reach_m(area), 9.5);
  area.kind = AreaKind::Cylinder;
  area.radius_m = 3;
  area.half_height_m = 4;
  EXPECT_DOUBLE_EQ(reach_m(area), 5.5);
  area.kind = AreaKind::Cone;
  area.range_m = 20;
  EXPECT_DOUBLE_EQ(reach_m(area), 20.5);
  area.kind = AreaKind::Frustum;
  area.half_angle_rad = area.half_angle_up_rad = std::atan(1);
  EXPECT_DOUBLE_EQ(reach_m(area), 20 * std::sqrt(3) + 0.5);
  area.kind = AreaKind::Prism;
  area.half_height_m = 6;
  area.outline = {{1, 0}, {2, 3}, {0, 1}};
  EXPECT_DOUBLE_EQ(reach_m(area), 7.5);
  area.kind = AreaKind::Sphere;
  area.enter_radius_m = 4;
  area.leave_radius_m = 5;
  EXPECT_DOUBLE_EQ(reach_m(area), 5);
}

}  // namespace
}  // namespace vicinity::app
