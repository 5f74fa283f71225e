// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Single commands: what is refused alone, with which code and which words, and what is filled in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using testing::HasSubstr;

constexpr DecodeLimits world{4096};

std::variant<CommandBody, Error> outcome(const std::string& command, DecodeLimits limits = world) {
  const auto result = decode_client_message(
      test::client_frame("Commands", "{first_sequence: 1, commands: [" + command + "]}"), limits);
  if (!result.ok()) return result.error();
  return std::get<CommandsMessage>(result.value()).commands.at(0).outcome;
}

template <class Command>
Command value(const std::string& command) {
  const auto decoded = outcome(command);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << command << ": " << error->text;
    return {};
  }
  const Command* body = std::get_if<Command>(&std::get<CommandBody>(decoded));
  EXPECT_NE(body, nullptr) << command;
  return body ? *body : Command{};
}

ErrorCode code(const std::string& command) {
  const auto decoded = outcome(command);
  const Error* error = std::get_if<Error>(&decoded);
  return error ? error->code : ErrorCode::None;
}

std::string text(const std::string& command) {
  const auto decoded = outcome(command);
  const Error* error = std::get_if<Error>(&decoded);
  return error ? error->text : "";
}

const std::string origin = "position: {x: 0, y: 0, z: 0}";
const std::string point_shape = "shape: {kind: \"Sphere\"}";

std::string spawn(const std::string& position, const std::string& shape = point_shape,
                  const std::string& rest = "") {
  return "{kind: \"Spawn\", " + position + ", " + shape + (rest.empty() ? "" : ", " + rest) + "}";
}
std::string at(const std::string& x, const std::string& y = "0", const std::string& z = "0") {
  return "position: {x: " + x + ", y: " + y + ", z: " + z + "}";
}
std::string box(const std::string& min, const std::string& max) {
  return "shape: {kind: \"Box\", box_min: {" + min + "}, box_max: {" + max + "}}";
}
std::string area(const std::string& spec) {
  return "{kind: \"AddArea\", area: 1, spec: {centre: {x: 0, y: 0, z: 0}, " + spec + "}}";
}

TEST(DecodeCommand, SpawnFillsInTheDefaultsOfTheSchema) {
  const auto spawned = value<SpawnCommand>(spawn(at("1", "2", "3")));
  EXPECT_EQ(spawned.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(spawned.velocity, Vec3{});
  EXPECT_EQ(spawned.shape, Shape::sphere(0));
  EXPECT_EQ(spawned.filter, Filter{});
  EXPECT_EQ(spawned.user_data, 0u);
}

TEST(DecodeCommand, AFilterWithOneFieldKeepsTheOthersAtTheirDefaults) {
  const auto spawned =
      value<SpawnCommand>(spawn(origin, point_shape, "filter: {enabled: false, mask: 0}"));
  EXPECT_FALSE(spawned.filter.enabled);
  EXPECT_EQ(spawned.filter.mask, 0u);
  EXPECT_EQ(spawned.filter.category, 1u);
}

TEST(DecodeCommand, AFilterPatchTellsAbsentFromZero) {
  const auto set =
      value<SetFilterCommand>("{kind: \"SetFilter\", entity: 1, filter: {category: 0, group: -2}}");
  EXPECT_EQ(set.patch.category, 0u);
  EXPECT_EQ(set.patch.group, -2);
  EXPECT_FALSE(set.patch.mask.has_value());
  EXPECT_FALSE(set.patch.enabled.has_value());
}

TEST(DecodeCommand, TheOffsetOfABoxMovesBothCorners) {
  const auto set = value<SetShapeCommand>(
      "{kind: \"SetShape\", entity: 1, shape: {kind: \"Box\", offset: {x: 10, y: 0, z: -1},"
      " box_min: {x: -1, y: -2, z: -3}, box_max: {x: 1, y: 2, z: 3}}}");
  EXPECT_EQ(set.shape, Shape::box_corners({9, -2, -4}, {11, 2, 2}));
}

TEST(DecodeCommand, AbsentLeaveSizesAreATenthAboveTheEnterSizes) {
  const auto sphere = value<AddAreaCommand>(area("enter_radius_m: 50"));
  EXPECT_DOUBLE_EQ(sphere.spec.leave_radius_m, 55);
  const auto cube =
      value<AddAreaCommand>(area("kind: \"Box\", enter_half_extent_m: {x: 10, y: 0, z: 30}"));
  EXPECT_DOUBLE_EQ(cube.spec.leave_half_extent_m.x, 11);
  EXPECT_DOUBLE_EQ(cube.spec.leave_half_extent_m.y, 0);
  EXPECT_DOUBLE_EQ(cube.spec.leave_half_extent_m.z, 33);
}

TEST(DecodeCommand, TheLargestAreaIsAcceptedWithItsDefaultLeaveSize) {
  const auto sphere = value<AddAreaCommand>(area("enter_radius_m: 17592186044416"));
  EXPECT_EQ(sphere.spec.enter_radius_m, limits::area_size_m);
  EXPECT_EQ(sphere.spec.leave_radius_m, limits::area_size_m);
}

TEST(DecodeCommand, AnAttachedAreaNeedsNoCentre) {
  const auto added = value<AddAreaCommand>(
      "{kind: \"AddArea\", area: 1, spec: {anchor_spawned_by: 1, enter_radius_m: 5}}");
  EXPECT_EQ(added.spec.anchor, (EntityRef{{}, 1}));
  EXPECT_EQ(added.spec.centre, Vec3{});
}

TEST(DecodeCommand, MissingFieldsAreNamed) {
  const struct {
    const char* command;
    const char* field;
  } cases[] = {
      {"{kind: \"Spawn\", shape: {kind: \"Sphere\"}}", "position"},
      {"{kind: \"Spawn\", position: {x: 0, y: 0, z: 0}}", "shape"},
      {"{kind: \"Spawn\", position: {x: 0, y: 0, z: 0}, shape: {}}", "shape.box_min"},
      {"{kind: \"Despawn\"}", "entity"},
      {"{kind: \"SetVelocity\", entity: 1}", "velocity"},
      {"{kind: \"SetVelocity\", velocity: {x: 0, y: 0, z: 0}}", "entity"},
      {"{kind: \"MoveTo\", entity: 1}", "position"},
      {"{kind: \"MoveTo\", position: {x: 0, y: 0, z: 0}}", "entity"},
      {"{kind: \"Teleport\", entity: 1}", "position"},
      {"{kind: \"Teleport\", position: {x: 0, y: 0, z: 0}}", "entity"},
      {"{kind: \"SetShape\", entity: 1}", "shape"},
      {"{kind: \"SetShape\", shape: {kind: \"Sphere\"}}", "entity"},
      {"{kind: \"SetFilter\", entity: 1}", "filter"},
      {"{kind: \"SetFilter\", filter: {}}", "entity"},
      {"{kind: \"SetUserData\"}", "entity"},
      {"{kind: \"AddArea\", area: 1}", "spec"},
      {"{kind: \"AddArea\", area: 1, spec: {enter_radius_m: 1}}", "spec.centre"},
      {"{kind: \"AddArea\", spec: {anchor: 1, kind: \"Box\"}}", "spec.enter_half_extent_m"},
      {"{kind: \"ChangeArea\", area: 1}", "spec"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(code(c.command), ErrorCode::MissingField) << c.command;
    EXPECT_THAT(text(c.command), HasSubstr(c.field)) << c.command;
  }
  EXPECT_EQ(code("{kind: \"Spawn\", position: {x: 0, y: 0, z: 0}, shape: {box_min: {x: 0, y: 0, "
                 "z: 0}}}"),
            ErrorCode::MissingField);
}

TEST(DecodeCommand, UnknownKindsAreRefusedAlone) {
  EXPECT_EQ(code("{kind: 0}"), ErrorCode::UnknownCommand);
  EXPECT_EQ(code("{}"), ErrorCode::UnknownCommand);
  for (int kind = 20; kind < 256; ++kind)
    EXPECT_EQ(code("{kind: " + std::to_string(kind) + ", entity: 1}"), ErrorCode::UnknownCommand);
  EXPECT_EQ(code("{kind: \"RemoveArea\"}"), ErrorCode::None);
}

TEST(DecodeCommand, AWrongCommandDoesNotHarmItsNeighbours) {
  const auto result =
      decode_client_message(test::client_frame("Commands", R"({first_sequence: 5, commands: [
          {kind: "Despawn", entity: 1}, {kind: 99}, {kind: "Despawn", entity: 2}]})"),
                            world);
  const auto& commands = std::get<CommandsMessage>(result.value()).commands;
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(std::get<CommandBody>(commands[0].outcome),
            CommandBody(DespawnCommand{{EntityId::from_raw(1), 0}}));
  EXPECT_EQ(std::get<Error>(commands[1].outcome).code, ErrorCode::UnknownCommand);
  EXPECT_EQ(commands[1].sequence, 6u);
  EXPECT_EQ(std::get<CommandBody>(commands[2].outcome),
            CommandBody(DespawnCommand{{EntityId::from_raw(2), 0}}));
}

TEST(DecodeCommand, NumbersThatAreNoneAreRefusedInEveryPlace) {
  for (const std::string bad : {"nan", "inf", "-inf"}) {
    const std::string v = "{x: 0, y: " + bad + ", z: 0}";
    const std::string zero = "{x: 0, y: 0, z: 0}";
    const std::string commands[] = {
        spawn("position: " + v),
        spawn(origin, point_shape, "velocity: " + v),
        spawn(origin, "shape: {kind: \"Sphere\", radius_m: " + bad + "}"),
        spawn(origin, "shape: {kind: \"Capsule\", half_height_m: " + bad + "}"),
        spawn(origin, "shape: {kind: \"Sphere\", offset: " + v + "}"),
        spawn(origin, "shape: {kind: \"Box\", box_min: " + v + ", box_max: " + zero + "}"),
        spawn(origin, "shape: {kind: \"Box\", box_min: " + zero + ", box_max: " + v + "}"),
        "{kind: \"SetVelocity\", entity: 1, velocity: " + v + "}",
        "{kind: \"MoveTo\", entity: 1, position: " + v + "}",
        "{kind: \"Teleport\", entity: 1, position: " + v + "}",
        "{kind: \"SetShape\", entity: 1, shape: {kind: \"Sphere\", radius_m: " + bad + "}}",
        "{kind: \"AddArea\", area: 1, spec: {centre: " + v + ", enter_radius_m: 1}}",
        "{kind: \"AddArea\", area: 1, spec: {anchor: 1, centre: " + v + ", enter_radius_m: 1}}",
        area("enter_radius_m: " + bad),
        area("enter_radius_m: 1, leave_radius_m: " + bad),
        area("kind: \"Box\", enter_half_extent_m: " + v),
        area("kind: \"Box\", enter_half_extent_m: " + zero + ", leave_half_extent_m: " + v),
    };
    for (const std::string& command : commands)
      EXPECT_EQ(code(command), ErrorCode::InvalidNumber) << command;
  }
}

TEST(DecodeCommand, TextsNameTheFieldTheValueAndTheRange) {
  EXPECT_EQ(text(spawn(at("nan"))), "position.x is NaN; allowed: |position.x| <= 4096 m");
  EXPECT_EQ(text(spawn(at("0", "0", "-5000"))),
            "position.z is -5000; allowed: |position.z| <= 4096 m");
  EXPECT_EQ(text(spawn(origin, "shape: {kind: \"Sphere\", radius_m: -1}")),
            "shape.radius_m is -1; allowed: 0 to 8.79609e+12 m");
}

TEST(DecodeCommand, PositionsAndBoxesBeyondTheWorldAreRefused) {
  EXPECT_EQ(code(spawn(at("4096"))), ErrorCode::None);
  EXPECT_EQ(code(spawn(at("-4096"))), ErrorCode::None);
  EXPECT_EQ(code(spawn(at("4096.001"))), ErrorCode::OutOfWorld);
  EXPECT_EQ(code("{kind: \"MoveTo\", entity: 1, " + at("0", "-4097") + "}"), ErrorCode::OutOfWorld);
  EXPECT_EQ(code("{kind: \"Teleport\", entity: 1, " + at("0", "0", "1e300") + "}"),
            ErrorCode::OutOfWorld);
  EXPECT_EQ(code(spawn(at("4000"), "shape: {kind: \"Sphere\", radius_m: 96}")), ErrorCode::None);
  EXPECT_EQ(code(spawn(at("4000"), "shape: {kind: \"Sphere\", radius_m: 97}")),
            ErrorCode::OutOfWorld);
  EXPECT_EQ(code("{kind: \"AddArea\", area: 1, spec: {centre: {x: 5000, y: 0, z: 0}}}"),
            ErrorCode::OutOfWorld);
}

TEST(DecodeCommand, InvertedBoxesAreRefusedHoweverLarge) {
  EXPECT_EQ(code(spawn(origin, box("x: 0, y: 0, z: 0", "x: 0, y: 0, z: 0"))), ErrorCode::None);
  EXPECT_EQ(code(spawn(origin, box("x: 0, y: 1, z: 0", "x: 0, y: 0.5, z: 0"))),
            ErrorCode::InvalidBox);
  EXPECT_EQ(code(spawn(origin, box("x: 3e38, y: 3e38, z: 3e38", "x: -3e38, y: -3e38, z: -3e38"))),
            ErrorCode::InvalidBox);
  EXPECT_THAT(text(spawn(origin, box("x: 0, y: 0, z: 2", "x: 0, y: 0, z: 1"))),
              HasSubstr("axis z"));
}

TEST(DecodeCommand, ShapesOfUnknownKindOrSizeAreRefused) {
  EXPECT_EQ(code(spawn(origin, "shape: {kind: 6}")), ErrorCode::InvalidShape);
  EXPECT_EQ(code(spawn(origin, "shape: {kind: 255}")), ErrorCode::InvalidShape);
  EXPECT_EQ(code(spawn(origin, "shape: {kind: \"Sphere\", radius_m: -0.001}")),
            ErrorCode::InvalidShape);
  EXPECT_EQ(code(spawn(origin, "shape: {kind: \"Capsule\", half_height_m: -1}")),
            ErrorCode::InvalidShape);
  const std::string huge = "{kind: \"SetShape\", entity: 1, shape: {kind: \"Sphere\", radius_m: ";
  EXPECT_EQ(code(huge + "8796093022208}}"), ErrorCode::None);
  EXPECT_EQ(code(huge + "8796093022209}}"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(huge + "8796093022208, offset: {x: 1, y: 0, z: 0}}}"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(huge + "1e308, offset: {x: 1e308, y: 0, z: 0}}}"), ErrorCode::InvalidShape);
}

TEST(DecodeCommand, SpeedsAboveTheLimitAreRefused) {
  const auto with = [](const std::string& velocity) {
    return "{kind: \"SetVelocity\", entity: 1, velocity: {" + velocity + "}}";
  };
  EXPECT_EQ(code(with("x: 1e9, y: 0, z: 0")), ErrorCode::None);
  EXPECT_EQ(code(with("x: 1.1e9, y: 0, z: 0")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(with("x: 8e8, y: 8e8, z: 0")), ErrorCode::LimitExceeded);  // each axis is fine
  EXPECT_EQ(code(with("x: 1e308, y: 1e308, z: 0")), ErrorCode::LimitExceeded);
}

TEST(DecodeCommand, AStaticEntityCannotSpawnWithAVelocity) {
  EXPECT_EQ(code(spawn(origin, point_shape, "filter: {is_static: true}")), ErrorCode::None);
  EXPECT_EQ(
      code(spawn(origin, point_shape, "velocity: {x: 0, y: 1, z: 0}, filter: {is_static: true}")),
      ErrorCode::StaticMotion);
}

TEST(DecodeCommand, AreasThatCannotBeAreRefused) {
  EXPECT_EQ(code(area("kind: 7")), ErrorCode::InvalidArea);
  EXPECT_EQ(code(area("reach: 2")), ErrorCode::InvalidArea);
  EXPECT_EQ(code(area("enter_radius_m: 10, leave_radius_m: 9.5")), ErrorCode::InvalidArea);
  EXPECT_EQ(code(area("enter_radius_m: 10, leave_radius_m: 10")), ErrorCode::None);
  EXPECT_EQ(code(area("enter_radius_m: -1")), ErrorCode::InvalidNumber);
  EXPECT_EQ(code(area("enter_radius_m: 2e13")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(area("enter_radius_m: 1, leave_radius_m: 2e13")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(area("min_dwell_ticks: 1048576")), ErrorCode::None);
  EXPECT_EQ(code(area("min_dwell_ticks: 1048577")), ErrorCode::LimitExceeded);
  const std::string cube = "kind: \"Box\", enter_half_extent_m: {x: 1, y: 2, z: 3}";
  EXPECT_EQ(code(area(cube + ", leave_half_extent_m: {x: 1, y: 2, z: 3}")), ErrorCode::None);
  EXPECT_EQ(code(area(cube + ", leave_half_extent_m: {x: 1, y: 1.9, z: 3}")),
            ErrorCode::InvalidArea);
  EXPECT_EQ(code(area("kind: \"Box\", enter_half_extent_m: {x: 1, y: -2, z: 3}")),
            ErrorCode::InvalidNumber);
}

TEST(Validate, SessionsAreNeverOpenedOrClosedByACommand) {
  EXPECT_EQ(validate(CommandBody(OpenSessionCommand{}), world).code, ErrorCode::UnknownCommand);
  EXPECT_EQ(validate(CommandBody(CloseSessionCommand{}), world).code, ErrorCode::UnknownCommand);
}

TEST(Validate, TheWorldOfTheSettingsDecides) {
  const CommandBody teleport =
      TeleportCommand{{EntityId::from_raw(1), 0}, {limits::world_half_size_m, 0, 0}};
  EXPECT_EQ(validate(teleport, {limits::world_half_size_m}).code, ErrorCode::None);
  EXPECT_EQ(validate(teleport, world).code, ErrorCode::OutOfWorld);
}

}  // namespace
}  // namespace vicinity::wire
