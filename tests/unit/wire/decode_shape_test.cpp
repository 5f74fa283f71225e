// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Shapes that are not plain: what they become, and what is refused, with which words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/limits.h"
#include "client_generated.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr DecodeLimits world{4096};

std::vector<DecodedCommand> decode(const std::string& commands) {
  const auto result = decode_client_message(
      test::client_frame("Commands", "{first_sequence: 1, commands: [" + commands + "]}"), world);
  EXPECT_TRUE(result.ok()) << commands;
  if (!result.ok()) return {{1, result.error()}};
  return std::get<CommandsMessage>(result.value()).commands;
}

std::string set_shape(const std::string& shape) {
  return "{kind: \"SetShape\", entity: 1, shape: {" + shape + "}}";
}

Error error_of(const std::string& command) {
  const auto commands = decode(command);
  const Error* error = std::get_if<Error>(&commands.at(0).outcome);
  return error ? *error : Error{};
}

ErrorCode code(const std::string& shape) { return error_of(set_shape(shape)).code; }
std::string text(const std::string& shape) { return error_of(set_shape(shape)).text; }

Shape shape_of(const std::string& shape) {
  const auto commands = decode(set_shape(shape));
  const auto* body = std::get_if<CommandBody>(&commands.at(0).outcome);
  EXPECT_NE(body, nullptr) << std::get<Error>(commands.at(0).outcome).text;
  return body ? std::get<SetShapeCommand>(*body).shape : Shape{};
}

const std::string unit_box = "box_min: {x: -1, y: -1, z: -1}, box_max: {x: 1, y: 1, z: 1}";
const std::string quarter_turn = "rotation: {x: 0, y: 1, z: 0, w: 1}";
const std::string tetrahedron =
    "points: [{x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, {x: 0, y: 0, z: 1}, {x: 0, y: 0, z: 0}]";

std::string repeated(const std::string& element, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ", ") + element;
  return "[" + out + "]";
}

/// Corners of two squares over one another, the upper one turned a little by each further ring.
std::string ring_points(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle_rad = 0.4 * static_cast<double>(i);
    out += (i == 0 ? "" : ", ") + std::string("{x: ") + std::to_string(std::cos(angle_rad)) +
           ", y: " + std::to_string(0.25 * static_cast<double>(i % 5)) +
           ", z: " + std::to_string(std::sin(angle_rad)) + "}";
  }
  return "points: [" + out + "]";
}

TEST(DecodeShape, ABoxThatIsNotTurnedKeepsItsCorners) {
  const std::string corners = "box_min: {x: 0.1, y: 0.2, z: 0.3}, box_max: {x: 0.7, y: 0.9, z: 1}";
  const Shape plain = Shape::box_corners({0.1, 0.2, 0.3}, {0.7, 0.9, 1});
  for (const char* rotation :
       {"", ", rotation: {x: 0, y: 0, z: 0, w: 1}", ", rotation: {x: 0, y: 0, z: 0, w: 0.25}"})
    EXPECT_EQ(shape_of("kind: \"Box\", " + corners + rotation), plain) << rotation;
}

TEST(DecodeShape, ATurnedBoxIsPlacedByItsOwnFrame) {
  const Shape shape = shape_of(
      "kind: \"Box\", box_min: {x: 0, y: 0, z: 0}, box_max: {x: 2, y: 4, z: 6}, offset: {x: 10, "
      "y: 0, z: 0}, " +
      quarter_turn);
  ASSERT_FALSE(shape.is_plain());
  EXPECT_EQ(shape.kind, ShapeKind::Box);
  const Primitive& part = shape.compound->parts.at(0);
  EXPECT_EQ(part.half_extent_m, (Vec3{1, 2, 3}));
  // A quarter turn about y takes x to -z and z to x: the centre (1, 2, 3) to (3, 2, -1).
  EXPECT_NEAR(part.offset.position.x, 13, 1e-12);
  EXPECT_NEAR(part.offset.position.y, 2, 1e-12);
  EXPECT_NEAR(part.offset.position.z, -1, 1e-12);
}

TEST(DecodeShape, OneRoundPartIsPlain) {
  EXPECT_EQ(shape_of("kind: \"Sphere\", radius_m: 2, " + quarter_turn), Shape::sphere(2));
  EXPECT_EQ(shape_of("kind: \"Compound\", parts: [{kind: \"Capsule\", radius_m: 1, "
                     "half_height_m: 2, offset: {x: 3, y: 0, z: 0}}]"),
            Shape::capsule(1, 2, {3, 0, 0}));
}

TEST(DecodeShape, MissingFieldsAreNamed) {
  const struct {
    std::string shape;
    const char* field;
  } cases[] = {
      {"kind: \"Hull\"", "shape.points is"},
      {"kind: \"Mesh\"", "shape.points is"},
      {"kind: \"Mesh\", " + tetrahedron, "shape.triangles is"},
      {"kind: \"Compound\"", "shape.parts is"},
      {"kind: \"Box\", " + quarter_turn, "shape.box_min is"},
      {"kind: \"Box\", box_min: {x: 0, y: 0, z: 0}, " + quarter_turn, "shape.box_max is"},
      {"kind: \"Compound\", parts: [{kind: \"Sphere\"}, {kind: \"Hull\"}]",
       "shape.parts[1].points is"},
      {"kind: \"Compound\", parts: [{}]", "shape.parts[0].box_min is"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(code(c.shape), ErrorCode::MissingField) << c.shape;
    EXPECT_THAT(text(c.shape), StartsWith(c.field)) << c.shape;
  }
}

TEST(DecodeShape, NumbersThatAreNoneAreRefusedInEveryPlace) {
  for (const std::string bad : {"nan", "inf", "-inf"}) {
    const std::string v = "{x: 0, y: " + bad + ", z: 0}";
    const std::string parts[] = {
        "kind: \"Sphere\", radius_m: " + bad,
        "kind: \"Capsule\", half_height_m: " + bad,
        "kind: \"Sphere\", offset: " + v,
        "kind: \"Capsule\", rotation: {x: 0, y: 0, z: 0, w: " + bad + "}",
        "kind: \"Capsule\", rotation: {x: " + bad + ", y: 0, z: 0, w: 1}",
        "kind: \"Box\", box_min: " + v + ", box_max: {x: 0, y: 0, z: 0}",
        "kind: \"Box\", box_min: {x: 0, y: 0, z: 0}, box_max: " + v,
        "kind: \"Hull\", points: [{x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, {x: 0, y: 0, z: 1}, " +
            v + "]",
        "kind: \"Mesh\", triangles: [0, 1, 2], points: [{x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, " +
            v + "]",
    };
    for (const std::string& part : parts) {
      EXPECT_EQ(code(part), ErrorCode::InvalidNumber) << part;
      EXPECT_EQ(code(part + ", " + (part.find("rotation") == part.npos ? quarter_turn : "")),
                ErrorCode::InvalidNumber)
          << part;
      const std::string compound =
          "kind: \"Compound\", parts: [{kind: \"Sphere\"}, {" + part + "}]";
      EXPECT_EQ(code(compound), ErrorCode::InvalidNumber) << part;
      EXPECT_THAT(text(compound), StartsWith("shape.parts[1].")) << part;
    }
  }
}

TEST(DecodeShape, ARotationOfZerosIsNone) {
  const std::string zeros = "rotation: {x: 0, y: 0, z: 0, w: 0}";
  EXPECT_EQ(code("kind: \"Capsule\", radius_m: 1, " + zeros), ErrorCode::InvalidNumber);
  EXPECT_THAT(text("kind: \"Capsule\", radius_m: 1, " + zeros), StartsWith("shape.rotation has"));
  EXPECT_EQ(code("kind: \"Box\", " + unit_box + ", " + zeros), ErrorCode::InvalidNumber);
}

TEST(DecodeShape, SizesOfPartsHaveTheirRanges) {
  EXPECT_EQ(code("kind: \"Capsule\", radius_m: -1, " + quarter_turn), ErrorCode::InvalidShape);
  EXPECT_EQ(code("kind: \"Capsule\", radius_m: 1e13, " + quarter_turn), ErrorCode::InvalidShape);
  EXPECT_EQ(code("kind: \"Capsule\", offset: {x: 1e13, y: 0, z: 0}, " + quarter_turn),
            ErrorCode::InvalidShape);
  EXPECT_EQ(code("kind: \"Box\", box_min: {x: 1, y: 0, z: 0}, box_max: {x: 0, y: 0, z: 0}, " +
                 quarter_turn),
            ErrorCode::InvalidBox);
  // Each is in range, and together they are not.
  EXPECT_EQ(
      code("kind: \"Capsule\", radius_m: 8e12, offset: {x: 8e12, y: 0, z: 0}, " + quarter_turn),
      ErrorCode::InvalidShape);
}

TEST(DecodeShape, HullsAndMeshesThatCannotBeAreRefusedByName) {
  EXPECT_EQ(code("kind: \"Hull\", " + tetrahedron), ErrorCode::None);
  const std::string flat = "kind: \"Hull\", points: " + repeated("{x: 1, y: 2, z: 3}", 4);
  EXPECT_EQ(code(flat), ErrorCode::InvalidShape);
  EXPECT_THAT(text(flat), StartsWith("shape.points"));
  EXPECT_EQ(code("kind: \"Hull\", points: []"), ErrorCode::InvalidShape);
  const std::string mesh = "kind: \"Mesh\", " + tetrahedron + ", triangles: ";
  EXPECT_EQ(code(mesh + "[]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(mesh + "[0, 1]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(mesh + "[0, 1, 2, 3]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(mesh + "[0, 1, 4]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(mesh + "[0, 1, 4294967295]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code(mesh + "[0, 1, 1]"), ErrorCode::InvalidShape);
  EXPECT_THAT(text(mesh + "[0, 1]"), StartsWith("shape.triangles"));
  EXPECT_EQ(code(mesh + "[0, 1, 2]"), ErrorCode::None);
}

TEST(DecodeShape, CountsHaveTheirLimits) {
  EXPECT_EQ(code("kind: \"Hull\", " + ring_points(64)), ErrorCode::None);
  EXPECT_EQ(code("kind: \"Hull\", " + ring_points(65)), ErrorCode::LimitExceeded);
  EXPECT_EQ(text("kind: \"Hull\", " + ring_points(65)),
            "shape.points has 65 elements; allowed: 0 to 64");
  const auto compound = [](std::size_t count) {
    return "kind: \"Compound\", parts: " + repeated("{kind: \"Sphere\", radius_m: 1}", count);
  };
  EXPECT_EQ(code(compound(0)), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(compound(1)), ErrorCode::None);
  EXPECT_EQ(code(compound(16)), ErrorCode::None);
  EXPECT_EQ(code(compound(17)), ErrorCode::LimitExceeded);
  EXPECT_EQ(text(compound(17)), "shape.parts has 17 elements; allowed: 1 to 16");
}

TEST(DecodeShape, PartsHaveNoParts) {
  const std::string nested = "kind: \"Compound\", parts: [{kind: \"Compound\", parts: [{" +
                             std::string("kind: \"Sphere\"}]}]");
  EXPECT_EQ(code(nested), ErrorCode::InvalidShape);
  EXPECT_THAT(text(nested), StartsWith("shape.parts[0].kind is 5"));
  EXPECT_EQ(code("kind: \"Compound\", parts: [{kind: 6}]"), ErrorCode::InvalidShape);
  EXPECT_EQ(code("kind: \"Compound\", parts: [{kind: 255}]"), ErrorCode::InvalidShape);
}

TEST(DecodeShape, DeepNestingIsABadFrame) {
  std::string shape = "kind: \"Sphere\"";
  for (int depth = 0; depth < limits::verifier_depth_max; ++depth)
    shape = "kind: \"Compound\", parts: [{" + shape + "}]";
  const auto result = decode_client_message(
      test::client_frame("Commands", "{first_sequence: 1, commands: [" + set_shape(shape) + "]}"),
      world);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::BadFrame);
}

TEST(DecodeShape, TheHullsOfAFrameAreCountedOverAllCommands) {
  std::string commands;
  for (std::size_t i = 0; i < limits::hulls_per_frame_max + 2; ++i)
    commands += (i == 0 ? "" : ", ") + set_shape("kind: \"Hull\", " + tetrahedron);
  commands += ", " + set_shape("kind: \"Sphere\", radius_m: 1");
  const auto decoded = decode(commands);
  ASSERT_EQ(decoded.size(), limits::hulls_per_frame_max + 3);
  for (std::size_t i = 0; i < limits::hulls_per_frame_max; ++i)
    EXPECT_TRUE(std::holds_alternative<CommandBody>(decoded[i].outcome)) << i;
  for (const std::size_t i : {limits::hulls_per_frame_max, limits::hulls_per_frame_max + 1}) {
    const Error* error = std::get_if<Error>(&decoded[i].outcome);
    ASSERT_NE(error, nullptr);
    EXPECT_EQ(error->code, ErrorCode::LimitExceeded);
    EXPECT_THAT(error->text, HasSubstr("too many hulls; allowed: 0 to 64"));
  }
  EXPECT_TRUE(std::holds_alternative<CommandBody>(decoded.back().outcome));
}

TEST(DecodeShape, PartsOfAFrameAreCountedOverAllCommands) {
  const std::string compound =
      set_shape("kind: \"Compound\", parts: " + repeated("{kind: \"Sphere\"}", 16));
  std::string commands = compound;
  for (int i = 1; i < 66; ++i) commands += ", " + compound;
  const auto decoded = decode(commands);
  ASSERT_EQ(decoded.size(), 66u);
  EXPECT_TRUE(std::holds_alternative<CommandBody>(decoded[63].outcome));
  EXPECT_EQ(std::get<Error>(decoded[64].outcome).code, ErrorCode::LimitExceeded);
}

TEST(DecodeShape, AMeshIsForAnyEntity) {
  const std::string spawn =
      "{kind: \"Spawn\", position: {x: 0, y: 0, z: 0}, shape: {kind: "
      "\"Mesh\", triangles: [0, 1, 2], " +
      tetrahedron + "}";
  EXPECT_EQ(error_of(spawn + "}").code, ErrorCode::None);
  EXPECT_EQ(error_of(spawn + ", filter: {is_static: true}}").code, ErrorCode::None);
}

TEST(DecodeShape, ATurnedShapeMustStayInsideTheWorldAsItStands) {
  const auto spawn = [](const std::string& rest) {
    return "{kind: \"Spawn\", position: {x: 4090, y: 0, z: 0}, shape: {kind: \"Box\", box_min: "
           "{x: -1, y: -1, z: -10}, box_max: {x: 1, y: 1, z: 10}}" +
           rest + "}";
  };
  EXPECT_EQ(error_of(spawn("")).code, ErrorCode::None);
  EXPECT_EQ(error_of(spawn(", " + quarter_turn)).code, ErrorCode::OutOfWorld);
}

/// A frame with one SetShape whose points lie `shift` bytes behind a multiple of 8.
std::vector<std::uint8_t> hull_frame_with_points_at(std::size_t shift) {
  flatbuffers::FlatBufferBuilder builder;
  const std::vector<proto::Vec3> points = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  const std::size_t bytes = points.size() * sizeof(proto::Vec3);
  builder.PreAlign(bytes, 8);
  if (shift != 0) builder.Pad(shift);
  builder.PushBytes(reinterpret_cast<const std::uint8_t*>(points.data()), bytes);
  const flatbuffers::uoffset_t length = 4;
  builder.PushBytes(reinterpret_cast<const std::uint8_t*>(&length), sizeof length);
  const flatbuffers::Offset<flatbuffers::Vector<const proto::Vec3*>> vector(builder.GetSize());
  proto::ShapeBuilder shape(builder);
  shape.add_kind(proto::ShapeKind::Hull);
  shape.add_points(vector);
  const auto shape_table = shape.Finish();
  proto::CommandBuilder command(builder);
  command.add_kind(proto::CommandKind::SetShape);
  command.add_entity(1);
  command.add_shape(shape_table);
  const std::vector<flatbuffers::Offset<proto::Command>> commands = {command.Finish()};
  const auto body = proto::CreateCommandsDirect(builder, 1, &commands);
  proto::FinishClientMessageBuffer(
      builder, proto::CreateClientMessage(builder, proto::ClientBody::Commands, body.Union()));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(DecodeShape, PointsAtAnOddAddressAreRefused) {
  for (const std::size_t shift : {std::size_t{0}, std::size_t{4}}) {
    const auto result = decode_client_message(hull_frame_with_points_at(shift), world);
    ASSERT_TRUE(result.ok()) << shift << ": " << result.error().text;
    const auto& outcome = std::get<CommandsMessage>(result.value()).commands.at(0).outcome;
    EXPECT_EQ(std::holds_alternative<CommandBody>(outcome), shift == 0) << shift;
    if (shift != 0) {
      EXPECT_EQ(std::get<Error>(outcome).code, ErrorCode::InvalidShape);
      EXPECT_THAT(std::get<Error>(outcome).text, HasSubstr("shape.points is not aligned"));
    }
  }
}

}  // namespace
}  // namespace vicinity::wire
