// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Commands about turning, attachments, exclusions, the policy and subscriptions, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/limits.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr DecodeLimits world{4096};

std::variant<CommandBody, Error> outcome(const std::string& command) {
  const auto result = decode_client_message(
      test::client_frame("Commands", "{first_sequence: 1, commands: [" + command + "]}"), world);
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

Error error_of(const std::string& command) {
  const auto decoded = outcome(command);
  const Error* error = std::get_if<Error>(&decoded);
  return error ? *error : Error{};
}
ErrorCode code(const std::string& command) { return error_of(command).code; }

const std::string zero = "{x: 0, y: 0, z: 0}";
const std::string zeros = "{x: 0, y: 0, z: 0, w: 0}";

std::string spawn(const std::string& rest) {
  return "{kind: \"Spawn\", position: " + zero + ", shape: {kind: \"Sphere\"}, " + rest + "}";
}
std::string move_to(const std::string& rest) {
  return "{kind: \"MoveTo\", entity: 1, position: " + zero + (rest.empty() ? "" : ", ") + rest +
         "}";
}
std::string teleport(const std::string& rest) {
  return "{kind: \"Teleport\", entity: 1, position: " + zero + (rest.empty() ? "" : ", ") + rest +
         "}";
}
std::string attach(const std::string& rest) {
  return "{kind: \"Attach\", entity: 1, parent: 2" + (rest.empty() ? rest : ", " + rest) + "}";
}
std::string policy(const std::string& rules) {
  return "{kind: \"SetPolicy\", rules: [" + rules + "]}";
}
std::string subscribe(const std::string& rest) {
  return "{kind: \"Subscribe\", subscription: 1, " + rest + "}";
}

TEST(DecodeTurning, RotationsAreBroughtToLengthOne) {
  for (const double size : {1e-200, 1e-3, 1.0, 5.0, 1e200}) {
    const std::string three =
        std::to_string(3) + "e" + std::to_string(std::lround(std::log10(size)));
    const std::string four =
        std::to_string(4) + "e" + std::to_string(std::lround(std::log10(size)));
    const Quat got =
        value<SpawnCommand>(spawn("rotation: {x: " + three + ", y: 0, z: 0, w: -" + four + "}"))
            .rotation;
    EXPECT_NEAR(got.x, 0.6, 1e-15) << size;
    EXPECT_NEAR(got.w, -0.8, 1e-15) << size;
  }
}

TEST(DecodeTurning, AnAbsentRotationIsNoneOnSpawnAndUnchangedElsewhere) {
  EXPECT_EQ(value<SpawnCommand>(spawn("user_data: 1")).rotation, Quat{});
  EXPECT_EQ(value<SpawnCommand>(spawn("rotation: " + zeros)).rotation, Quat{});
  EXPECT_FALSE(value<MoveToCommand>(move_to("")).rotation.has_value());
  EXPECT_FALSE(value<TeleportCommand>(teleport("")).rotation.has_value());
  EXPECT_FALSE(
      value<SetVelocityCommand>("{kind: \"SetVelocity\", entity: 1, velocity: " + zero + "}")
          .angular_velocity.has_value());
  EXPECT_EQ(value<SetVelocityCommand>("{kind: \"SetVelocity\", entity: 1, velocity: " + zero +
                                      ", angular_velocity: " + zero + "}")
                .angular_velocity,
            Vec3{});
}

TEST(DecodeTurning, ZerosAreNoRotationElsewhere) {
  for (const std::string& command : {move_to("rotation: " + zeros), teleport("rotation: " + zeros),
                                     attach("relative_rotation: " + zeros)}) {
    EXPECT_EQ(code(command), ErrorCode::InvalidNumber) << command;
    EXPECT_THAT(error_of(command).text, HasSubstr("rotation has length 0")) << command;
  }
}

TEST(DecodeTurning, NumbersThatAreNoneAreRefusedInEveryPlace) {
  for (const std::string bad : {"nan", "inf", "-inf"}) {
    const std::string v = "{x: 0, y: " + bad + ", z: 0}";
    for (const std::string axis : {"x", "y", "z", "w"}) {
      std::string q = "{";
      for (const std::string name : {"x", "y", "z", "w"})
        q += name + ": " + (name == axis ? bad : "0.5") + (name == "w" ? "}" : ", ");
      for (const std::string& command :
           {spawn("rotation: " + q), move_to("rotation: " + q), teleport("rotation: " + q),
            attach("relative_rotation: " + q)}) {
        EXPECT_EQ(code(command), ErrorCode::InvalidNumber) << command;
        EXPECT_THAT(error_of(command).text, HasSubstr("rotation." + axis)) << command;
      }
    }
    const std::string commands[] = {
        spawn("angular_velocity: " + v),
        "{kind: \"SetVelocity\", entity: 1, velocity: " + zero + ", angular_velocity: " + v + "}",
        attach("relative_position: " + v),
        subscribe("subscription_kind: \"Area\", box_min: " + v + ", box_max: " + zero),
        subscribe("subscription_kind: \"Area\", box_min: " + zero + ", box_max: " + v),
    };
    for (const std::string& command : commands)
      EXPECT_EQ(code(command), ErrorCode::InvalidNumber) << command;
  }
}

TEST(DecodeTurning, AngularSpeedsAboveTheLimitAreRefused) {
  const auto with = [](const std::string& angular_velocity) {
    return "{kind: \"SetVelocity\", entity: 1, velocity: {x: 0, y: 0, z: 0}, angular_velocity: {" +
           angular_velocity + "}}";
  };
  EXPECT_EQ(code(with("x: 6283.2, y: 0, z: 0")), ErrorCode::None);
  EXPECT_EQ(code(with("x: 6283.3, y: 0, z: 0")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(with("x: 5000, y: 5000, z: 0")), ErrorCode::LimitExceeded);  // each axis is fine
  EXPECT_THAT(error_of(with("x: 6283.3, y: 0, z: 0")).text,
              StartsWith("angular_velocity.x is 6283.3; allowed"));
}

TEST(DecodeTurning, AStaticEntityDoesNotTurn) {
  EXPECT_EQ(code(spawn("rotation: {x: 1, y: 0, z: 0, w: 0}, filter: {is_static: true}")),
            ErrorCode::None);
  EXPECT_EQ(code(spawn("angular_velocity: {x: 1, y: 0, z: 0}, filter: {is_static: true}")),
            ErrorCode::StaticMotion);
}

TEST(DecodeAttachment, MissingEntitiesAreNamed) {
  const struct {
    const char* command;
    const char* field;
  } cases[] = {
      {"{kind: \"Attach\", parent: 2}", "entity is 0"},
      {"{kind: \"Attach\", entity: 1}", "parent is 0"},
      {"{kind: \"Detach\"}", "entity is 0"},
      {"{kind: \"ExcludePair\", b: 2}", "entity is 0"},
      {"{kind: \"ExcludePair\", entity: 2}", "b is 0"},
      {"{kind: \"Subscribe\", subscription: 1}", "entity is 0"},
      {"{kind: \"Subscribe\", subscription_kind: \"Area\", box_max: {x: 0, y: 0, z: 0}}",
       "box_min is missing"},
      {"{kind: \"Subscribe\", subscription_kind: \"Area\", box_min: {x: 0, y: 0, z: 0}}",
       "box_max is missing"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(code(c.command), ErrorCode::MissingField) << c.command;
    EXPECT_THAT(error_of(c.command).text, StartsWith(c.field)) << c.command;
  }
}

TEST(DecodeAttachment, HalfAPoseIsFilledIn) {
  EXPECT_FALSE(value<AttachCommand>(attach("")).relative.has_value());
  EXPECT_EQ(value<AttachCommand>(attach("relative_position: {x: 1, y: 2, z: 3}")).relative,
            (Pose{{1, 2, 3}, {}}));
  EXPECT_EQ(value<AttachCommand>(attach("relative_rotation: {x: 2, y: 0, z: 0, w: 0}")).relative,
            (Pose{{}, {1, 0, 0, 0}}));
}

TEST(DecodeAttachment, UnknownEnumeratorsAreRefused) {
  EXPECT_EQ(code(attach("on_parent_end: 1")), ErrorCode::None);
  for (const char* unknown : {"2", "255"}) {
    EXPECT_NE(code(attach(std::string("on_parent_end: ") + unknown)), ErrorCode::None);
    EXPECT_NE(code(policy(std::string("{action: 3}, {action: ") + unknown + "}")), ErrorCode::None);
    EXPECT_NE(code(subscribe(std::string("entity: 1, subscription_kind: 3"))), ErrorCode::None);
    EXPECT_NE(code(subscribe("entity: 1, subscription_kind: 255")), ErrorCode::None);
  }
}

TEST(DecodePolicy, RulesHaveTheirLimits) {
  EXPECT_EQ(value<SetPolicyCommand>("{kind: \"SetPolicy\"}").rules.size(), 0u);
  std::string rules = "{}";
  for (int i = 1; i < 64; ++i) rules += ", {}";
  EXPECT_EQ(value<SetPolicyCommand>(policy(rules)).rules.size(), 64u);
  EXPECT_EQ(code(policy(rules + ", {}")), ErrorCode::LimitExceeded);
  EXPECT_EQ(error_of(policy(rules + ", {}")).text, "rules has 65 elements; allowed: 0 to 64");
  EXPECT_EQ(code(policy("{stay_interval_ticks: 864000, cooldown_ticks: 864000}")), ErrorCode::None);
  EXPECT_EQ(code(policy("{stay_interval_ticks: 864001}")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(policy("{}, {cooldown_ticks: 864001}")), ErrorCode::LimitExceeded);
}

TEST(DecodeSubscription, BoxesAreChecked) {
  const auto area = [](const std::string& min, const std::string& max) {
    return subscribe("subscription_kind: \"Area\", box_min: {" + min + "}, box_max: {" + max + "}");
  };
  EXPECT_EQ(code(area("x: 0, y: 0, z: 0", "x: 0, y: 0, z: 0")), ErrorCode::None);
  EXPECT_EQ(code(area("x: 0, y: 1, z: 0", "x: 0, y: 0, z: 0")), ErrorCode::InvalidBox);
  EXPECT_EQ(code(area("x: -2e13, y: 0, z: 0", "x: 0, y: 0, z: 0")), ErrorCode::LimitExceeded);
}

TEST(Validate, InProcessCallersMustNormalize) {
  SpawnCommand command;
  command.rotation = {0, 0, 3, 4};
  EXPECT_EQ(validate(CommandBody(command), world).code, ErrorCode::InvalidNumber);
  command.rotation = {0, 0, 0.6, 0.8};
  EXPECT_EQ(validate(CommandBody(command), world).code, ErrorCode::None);
  SetPolicyCommand rules;
  rules.rules.resize(65);
  EXPECT_EQ(validate(CommandBody(rules), world).code, ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace vicinity::wire
