// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using testing::HasSubstr;

constexpr DecodeLimits world{4096};

std::variant<Query, Error> outcome(const std::string& query) {
  const auto result = decode_client_message(test::client_frame("Query", query), world);
  if (!result.ok()) return result.error();
  return std::get<QueryMessage>(result.value()).outcome;
}

ErrorCode code(const std::string& query) {
  const auto decoded = outcome(query);
  const Error* error = std::get_if<Error>(&decoded);
  return error ? error->code : ErrorCode::None;
}

template <class Body>
Body value(const std::string& query) {
  const auto decoded = outcome(query);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << query << ": " << error->text;
    return {};
  }
  const Body* body = std::get_if<Body>(&std::get<Query>(decoded).body);
  EXPECT_NE(body, nullptr) << query;
  return body ? *body : Body{};
}

const std::string zero = "{x: 0, y: 0, z: 0}";
const std::string east = "{x: 1, y: 0, z: 0}";

std::string box(const std::string& min, const std::string& max) {
  return "{kind: \"Box\", min: " + min + ", max: " + max + "}";
}
std::string ray(const std::string& point, const std::string& delta, const std::string& max_t) {
  return "{kind: \"Ray\", point: " + point + ", delta: " + delta + ", max_t: " + max_t + "}";
}
std::string cast(const std::string& max, const std::string& delta) {
  return "{kind: \"BoxCast\", min: " + zero + ", max: " + max + ", delta: " + delta + "}";
}
std::string sphere(const std::string& point, const std::string& radius) {
  return "{kind: \"Sphere\", point: " + point + ", radius_m: " + radius + "}";
}
std::string nearest(const std::string& rest) {
  return "{kind: \"Nearest\", point: " + zero + ", " + rest + "}";
}

TEST(DecodeQuery, FillsInTheDefaultsOfTheSchema) {
  const auto decoded = outcome(box(zero, east));
  const Query& query = std::get<Query>(decoded);
  EXPECT_EQ(query.limit, 1024u);
  EXPECT_EQ(query.filter, SearchFilter{});
  EXPECT_EQ(value<CastQuery>("{kind: \"Ray\", point: " + zero + ", delta: " + east + "}").max_t, 1);
  EXPECT_EQ(value<NearestQuery>("{kind: \"Nearest\", point: " + zero + "}").k, 1u);
}

TEST(DecodeQuery, ARayIsACastOfAPoint) {
  const auto query = value<CastQuery>(ray("{x: 1, y: 2, z: 3}", east, "7"));
  EXPECT_EQ(query.box, (Aabb{{1, 2, 3}, {1, 2, 3}}));
  EXPECT_EQ(query.delta, (Vec3{1, 0, 0}));
  EXPECT_EQ(query.max_t, 7);
}

TEST(DecodeQuery, AnAbsentDistanceLimitIsNone) {
  EXPECT_LT(value<NearestQuery>(nearest("k: 3")).max_distance_m, 0);
  EXPECT_EQ(value<NearestQuery>(nearest("k: 3, max_distance_m: 0")).max_distance_m, 0);
  EXPECT_EQ(value<NearestQuery>(nearest("k: 3, max_distance_m: 2.5")).max_distance_m, 2.5);
}

TEST(DecodeQuery, MissingFieldsAreNamed) {
  const struct {
    std::string query;
    const char* field;
  } cases[] = {
      {"{kind: \"Box\", max: " + east + "}", "min"},
      {"{kind: \"Box\", min: " + zero + "}", "max"},
      {"{kind: \"Sphere\", radius_m: 1}", "point"},
      {"{kind: \"Ray\", delta: " + east + "}", "point"},
      {"{kind: \"Ray\", point: " + zero + "}", "delta"},
      {"{kind: \"BoxCast\", max: " + zero + ", delta: " + east + "}", "min"},
      {"{kind: \"BoxCast\", min: " + zero + ", delta: " + east + "}", "max"},
      {"{kind: \"BoxCast\", min: " + zero + ", max: " + east + "}", "delta"},
      {"{kind: \"Nearest\"}", "point"},
      {"{kind: \"Contacts\"}", "entity"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(code(c.query), ErrorCode::MissingField) << c.query;
    const auto decoded = outcome(c.query);
    EXPECT_THAT(std::get<Error>(decoded).text, HasSubstr(c.field)) << c.query;
  }
}

TEST(DecodeQuery, UnknownKindsAreRefusedWithTheirRequestNumber) {
  for (int kind : {0, 12, 13, 255}) {
    const auto result = decode_client_message(
        test::client_frame("Query", "{request: 12, kind: " + std::to_string(kind) + "}"), world);
    const auto& message = std::get<QueryMessage>(result.value());
    EXPECT_EQ(message.request, 12u);
    EXPECT_EQ(std::get<Error>(message.outcome).code, ErrorCode::InvalidQuery);
  }
}

TEST(DecodeQuery, NumbersThatAreNoneAreRefusedInEveryPlace) {
  for (const std::string bad : {"nan", "inf", "-inf"}) {
    const std::string v = "{x: 0, y: 0, z: " + bad + "}";
    for (const std::string& query :
         {box(v, east), box(zero, v), sphere(v, "1"), sphere(zero, bad), ray(v, east, "1"),
          ray(zero, v, "1"), ray(zero, east, bad), cast(v, east), cast(east, v),
          std::string("{kind: \"Nearest\", point: " + v + "}"), nearest("max_distance_m: " + bad)})
      EXPECT_EQ(code(query), ErrorCode::InvalidNumber) << query;
  }
}

TEST(DecodeQuery, NegativeSizesAreRefused) {
  EXPECT_EQ(code(sphere(zero, "0")), ErrorCode::None);
  EXPECT_EQ(code(sphere(zero, "-0.5")), ErrorCode::InvalidNumber);
  EXPECT_EQ(code(ray(zero, east, "0")), ErrorCode::None);
  EXPECT_EQ(code(ray(zero, east, "-1")), ErrorCode::InvalidNumber);
  EXPECT_EQ(code(nearest("max_distance_m: -1")), ErrorCode::InvalidNumber);
}

TEST(DecodeQuery, InvertedBoxesAreRefused) {
  EXPECT_EQ(code(box(east, zero)), ErrorCode::InvalidBox);
  EXPECT_EQ(code(box(zero, zero)), ErrorCode::None);
  EXPECT_EQ(code(cast("{x: 0, y: -1, z: 0}", east)), ErrorCode::InvalidBox);
}

TEST(DecodeQuery, ARayNeedsADirection) {
  EXPECT_EQ(code(ray(zero, zero, "1")), ErrorCode::InvalidQuery);
  EXPECT_EQ(code(ray(zero, "{x: -0.0, y: 0, z: -0.0}", "1")), ErrorCode::InvalidQuery);
  EXPECT_EQ(code(cast(zero, zero)), ErrorCode::InvalidQuery);  // a box without size is a ray
  EXPECT_EQ(code(cast("{x: 1, y: 1, z: 1}", zero)), ErrorCode::None);
}

TEST(DecodeQuery, CountsHaveTheirRanges) {
  EXPECT_EQ(code(nearest("k: 0")), ErrorCode::None);
  EXPECT_EQ(code(nearest("k: 8192")), ErrorCode::None);
  EXPECT_EQ(code(nearest("k: 8193")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(nearest("k: 4294967295")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(nearest("limit: 0")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(nearest("limit: 8192")), ErrorCode::None);
  EXPECT_EQ(code(nearest("limit: 8193")), ErrorCode::LimitExceeded);
}

const std::string ball = "shape: {kind: \"Sphere\", radius_m: 1}";

std::string overlap(const std::string& rest) {
  return "{kind: \"Overlap\", point: " + zero + ", " + rest + "}";
}
std::string shape_cast(const std::string& rest) {
  return "{kind: \"ShapeCast\", point: " + zero + ", delta: " + east + ", " + rest + "}";
}
/// The sides of a box of size 2, the last of them as given.
std::string frustum(const std::string& last) {
  return "{kind: \"Frustum\", planes: ["
         "{normal: {x: 1, y: 0, z: 0}, offset_m: 1}, {normal: {x: -1, y: 0, z: 0}, offset_m: 1},"
         "{normal: {x: 0, y: 1, z: 0}, offset_m: 1}, {normal: {x: 0, y: -1, z: 0}, offset_m: 1},"
         "{normal: {x: 0, y: 0, z: 1}, offset_m: 1}" +
         last + "]}";
}

TEST(DecodeQuery, ShapesToAskWithAreRead) {
  const auto solid = value<OverlapQuery>(
      overlap("shape: {kind: \"Box\", box_min: {x: 0, y: 0, z: 0}, box_max: {x: 2, y: 4, z: 6}}"));
  EXPECT_EQ(solid.shape.kind, PrimitiveKind::Box);
  EXPECT_EQ(solid.shape.half_extent_m, (Vec3{1, 2, 3}));
  EXPECT_EQ(solid.shape.offset, (Pose{{1, 2, 3}, {}}));
  EXPECT_EQ(solid.pose, Pose{});
  const auto moved = value<ShapeCastQuery>(shape_cast(ball + ", max_t: 4"));
  EXPECT_EQ(moved.shape.radius_m, 1);
  EXPECT_EQ(moved.delta, (Vec3{1, 0, 0}));
  EXPECT_EQ(moved.max_t, 4);
}

TEST(DecodeQuery, ShapesThatCannotBeAskedWithAreRefused) {
  const std::string hull =
      "shape: {kind: \"Hull\", points: [{x: 1, y: 0, z: 0}, {x: 0, y: 1, z: 0}, {x: 0, y: 0, z: "
      "1}, {x: 0, y: 0, z: 0}]}";
  EXPECT_EQ(code(overlap(hull)), ErrorCode::None);
  EXPECT_EQ(code(shape_cast(hull)), ErrorCode::InvalidShape);
  for (const char* kind : {"\"Mesh\"", "\"Compound\"", "6", "255"}) {
    EXPECT_EQ(code(overlap(std::string("shape: {kind: ") + kind + "}")), ErrorCode::InvalidShape);
    EXPECT_EQ(code(shape_cast(std::string("shape: {kind: ") + kind + "}")),
              ErrorCode::InvalidShape);
  }
  EXPECT_EQ(code(overlap("limit: 5")), ErrorCode::MissingField);
  EXPECT_EQ(code("{kind: \"Overlap\", " + ball + "}"), ErrorCode::MissingField);
  EXPECT_EQ(code("{kind: \"ShapeCast\", point: " + zero + ", " + ball + "}"),
            ErrorCode::MissingField);
  EXPECT_EQ(code(overlap("shape: {kind: \"Sphere\", radius_m: -1}")), ErrorCode::InvalidShape);
  EXPECT_EQ(code(overlap(ball + ", rotation: {x: 0, y: 0, z: 0, w: 0}")), ErrorCode::InvalidNumber);
  // A ball without size that does not move has no direction.
  EXPECT_EQ(code("{kind: \"ShapeCast\", delta: " + zero + ", point: " + zero +
                 ", shape: {kind: \"Sphere\"}}"),
            ErrorCode::InvalidQuery);
  EXPECT_EQ(code(shape_cast(ball + ", max_t: 1e30")), ErrorCode::LimitExceeded);
}

TEST(DecodeQuery, AFrustumHasSixPlanesThatBoundAVolume) {
  EXPECT_EQ(code(frustum(", {normal: {x: 0, y: 0, z: -1}, offset_m: 1}")), ErrorCode::None);
  EXPECT_EQ(code("{kind: \"Frustum\"}"), ErrorCode::MissingField);
  EXPECT_EQ(code(frustum("")), ErrorCode::InvalidQuery);
  EXPECT_EQ(
      code(frustum(", {normal: {x: 0, y: 0, z: -1}, offset_m: 1}, {normal: {x: 0, y: 0, z: -1}, "
                   "offset_m: 1}")),
      ErrorCode::InvalidQuery);
  EXPECT_EQ(code(frustum(", {normal: {x: 0, y: 0, z: 1}, offset_m: 2}")), ErrorCode::InvalidShape);
  EXPECT_EQ(code(frustum(", {normal: {x: 0, y: 0, z: -1}, offset_m: -2}")),
            ErrorCode::InvalidShape);  // behind the one in front
  EXPECT_EQ(code(frustum(", {normal: {x: 0, y: 0, z: 0}, offset_m: 1}")), ErrorCode::InvalidShape);
}

TEST(DecodeQuery, NumbersThatAreNoneAreRefusedInShapesAndPages) {
  for (const std::string bad : {"nan", "inf", "-inf"}) {
    const std::string v = "{x: 0, y: 0, z: " + bad + "}";
    const std::string q = "{x: 0, y: 0, z: " + bad + ", w: 1}";
    for (const std::string& query :
         {overlap("shape: {kind: \"Sphere\", radius_m: " + bad + "}"),
          overlap(ball + ", rotation: " + q),
          overlap("shape: {kind: \"Capsule\", rotation: " + q + "}"),
          "{kind: \"Overlap\", point: " + v + ", " + ball + "}",
          "{kind: \"ShapeCast\", point: " + zero + ", delta: " + v + ", " + ball + "}",
          shape_cast(ball + ", max_t: " + bad),
          frustum(", {normal: {x: 0, y: 0, z: -1}, offset_m: " + bad + "}"),
          frustum(", {normal: " + v + ", offset_m: 1}"),
          nearest("after_id: 1, after_value: " + bad)})
      EXPECT_EQ(code(query), ErrorCode::InvalidNumber) << query;
  }
  EXPECT_EQ(code(nearest("after_id: 1, after_value: -1")), ErrorCode::InvalidNumber);
}

TEST(DecodeQuery, APageBeginsBehindAHitOrAtTheFront) {
  const auto first = std::get<Query>(outcome(nearest("after_value: 3")));
  EXPECT_FALSE(first.after.has_value());
  EXPECT_FALSE(first.exact);
  const auto next = std::get<Query>(outcome(nearest("after_value: 3, after_id: 9, exact: true")));
  ASSERT_TRUE(next.after.has_value());
  EXPECT_EQ(next.after->value, 3);
  EXPECT_EQ(next.after->id.raw(), 9u);
  EXPECT_TRUE(next.exact);
}

TEST(DecodeQuery, QueriesMayReachBeyondTheWorldButNotForever) {
  EXPECT_EQ(code(box("{x: -17592186044416, y: -17592186044416, z: -17592186044416}",
                     "{x: 17592186044416, y: 17592186044416, z: 17592186044416}")),
            ErrorCode::None);
  EXPECT_EQ(code(box("{x: -2e13, y: 0, z: 0}", zero)), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(sphere(zero, "17592186044416")), ErrorCode::None);
  EXPECT_EQ(code(sphere(zero, "2e13")), ErrorCode::LimitExceeded);
  EXPECT_EQ(code(ray(zero, east, "1e13")), ErrorCode::None);
  EXPECT_EQ(code(ray(zero, east, "1e30")), ErrorCode::LimitExceeded);  // its end would overflow
  EXPECT_EQ(code(ray(zero, "{x: 1e13, y: 0, z: 0}", "1e300")), ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace vicinity::wire
