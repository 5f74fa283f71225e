// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Areas of every kind, relevance and visibility: what is filled in, and what is refused with which
// words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/limits.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::wire {
namespace {

using testing::HasSubstr;

constexpr DecodeLimits world{4096};

std::variant<CommandBody, Error> outcome(const std::string& command) {
  const auto result = decode_client_message(
      test::client_frame("Commands", "{first_sequence: 1, commands: [" + command + "]}"), world);
  if (!result.ok()) return result.error();
  return std::get<CommandsMessage>(result.value()).commands.at(0).outcome;
}

/// Code None for what is accepted.
Error refusal(const std::string& command) {
  const auto decoded = outcome(command);
  const Error* error = std::get_if<Error>(&decoded);
  return error ? *error : Error{};
}

void expect_refused(const std::string& command, ErrorCode code, const std::string& text) {
  const Error error = refusal(command);
  EXPECT_EQ(error.code, code) << command << ": " << error.text;
  EXPECT_THAT(error.text, HasSubstr(text)) << command;
}
void expect_accepted(const std::string& command) {
  const Error error = refusal(command);
  EXPECT_EQ(error.code, ErrorCode::None) << command << ": " << error.text;
}

template <class Command>
Command value(const std::string& command) {
  const auto decoded = outcome(command);
  if (const Error* error = std::get_if<Error>(&decoded)) {
    ADD_FAILURE() << command << ": " << error->text;
    return {};
  }
  return std::get<Command>(std::get<CommandBody>(decoded));
}

/// A fixed area.
std::string area(const std::string& spec) {
  return "{kind: \"AddArea\", area: 1, spec: {centre: {x: 0, y: 0, z: 0}, " + spec + "}}";
}
std::string attached(const std::string& spec) {
  return "{kind: \"AddArea\", area: 1, spec: {anchor: 4294967297, " + spec + "}}";
}
AreaSpec spec_of(const std::string& command) { return value<AddAreaCommand>(command).spec; }

const std::string cylinder = "kind: \"Cylinder\", radius_m: 4, half_height_m: 9";
const std::string oriented_box = "kind: \"OrientedBox\", half_extent_m: {x: 3, y: 2, z: 5}";
const std::string cone = "kind: \"Cone\", range_m: 40, half_angle_rad: 0.5";
const std::string frustum =
    "kind: \"Frustum\", near_m: 1, range_m: 60, half_angle_rad: 0.5, half_angle_up_rad: 0.25";
/// From above, x to the right and z down: right, top, left, bottom.
const std::string diamond = "outline: [{x: 4, z: 0}, {x: 0, z: -3}, {x: -4, z: 0}, {x: 0, z: 3}]";
const std::string prism = "kind: \"Prism\", half_height_m: 20, " + diamond;

std::string prism_over(const std::string& points) {
  return area("kind: \"Prism\", half_height_m: 20, outline: [" + points + "]");
}

// --- Values ------------------------------------------------------------------------------------

TEST(DecodeArea, AnAreaOfAllDefaultsIsASphere) {
  AreaSpec expected;
  EXPECT_EQ(spec_of(area("enter_radius_m: 0")), expected);
}

TEST(DecodeArea, EveryKindHasItsSizes) {
  const AreaSpec upright = spec_of(area(cylinder + ", leave_margin_m: 0.5"));
  EXPECT_EQ(upright.kind, AreaKind::Cylinder);
  EXPECT_EQ(upright.radius_m, 4);
  EXPECT_EQ(upright.half_height_m, 9);
  EXPECT_EQ(upright.leave_margin_m, 0.5);

  const AreaSpec turned =
      spec_of(area(oriented_box + ", rotation: {x: 0, y: 0, z: 3, w: 4}, leave_margin_m: 0"));
  EXPECT_EQ(turned.kind, AreaKind::OrientedBox);
  EXPECT_EQ(turned.half_extent_m, (Vec3{3, 2, 5}));
  EXPECT_EQ(turned.rotation, (Quat{0, 0, 0.6, 0.8})) << "brought to length 1";
  EXPECT_EQ(turned.leave_margin_m, 0);

  const AreaSpec view = spec_of(area(frustum));
  EXPECT_EQ(view.kind, AreaKind::Frustum);
  EXPECT_EQ(view.near_m, 1);
  EXPECT_EQ(view.range_m, 60);
  EXPECT_EQ(view.half_angle_rad, 0.5);
  EXPECT_EQ(view.half_angle_up_rad, 0.25);
  EXPECT_EQ(view.rotation, Quat{});

  const AreaSpec over = spec_of(area(prism));
  EXPECT_EQ(over.kind, AreaKind::Prism);
  EXPECT_EQ(over.half_height_m, 20);
  EXPECT_EQ(over.outline, (std::vector<OutlinePoint>{{4, 0}, {0, -3}, {-4, 0}, {0, 3}}));
}

TEST(DecodeArea, FieldsOfOtherKindsAreIgnored) {
  const AreaSpec view = spec_of(area(cone + ", near_m: -5, radius_m: nan, " + diamond +
                                     ", enter_radius_m: -1, half_angle_up_rad: 7"));
  EXPECT_EQ(view.near_m, 0);
  EXPECT_EQ(view.radius_m, 0);
  EXPECT_EQ(view.enter_radius_m, 0);
  EXPECT_EQ(view.half_angle_up_rad, 0);
  EXPECT_TRUE(view.outline.empty());
  expect_accepted(area(cylinder + ", rotation: {x: 0, y: 0, z: 0, w: 0}"));
}

TEST(DecodeArea, AnAbsentMarginIsATenthOfTheSmallestSize) {
  EXPECT_DOUBLE_EQ(spec_of(area(cylinder)).leave_margin_m, 0.4);
  EXPECT_DOUBLE_EQ(spec_of(area(oriented_box)).leave_margin_m, 0.2);
  EXPECT_DOUBLE_EQ(spec_of(area(cone)).leave_margin_m, 4);
  EXPECT_DOUBLE_EQ(spec_of(area(frustum)).leave_margin_m, 6);
  EXPECT_DOUBLE_EQ(spec_of(area(prism)).leave_margin_m, 0.3) << "half the width along z is 3";
  EXPECT_DOUBLE_EQ(spec_of(area("kind: \"Prism\", half_height_m: 1, " + diamond)).leave_margin_m,
                   0.1);
}

TEST(DecodeArea, RingsCapAndSuspensionAreRead) {
  const AreaSpec spec =
      spec_of(area("rings: [{distance_m: 0, interval_ticks: 1}, {distance_m: 10.5, "
                   "interval_ticks: 1200}], nearest_max: 1048576, suspend: true"));
  EXPECT_EQ(spec.rings, (std::vector<Ring>{{0, 1}, {10.5, 1200}}));
  EXPECT_EQ(spec.nearest_max, 1'048'576u);
  EXPECT_TRUE(spec.suspend);
}

TEST(DecodeArea, AnAttachedAreaMayTakeTheHeading) {
  EXPECT_EQ(spec_of(attached(cone + ", follow: \"PositionAndHeading\"")).follow,
            AreaFollow::PositionAndHeading);
  EXPECT_EQ(spec_of(attached(cone)).follow, AreaFollow::Position);
}

TEST(DecodeArea, ChangedAreasAreReadAlike) {
  const std::string changed =
      "{kind: \"ChangeArea\", area: 1, spec: {centre: {x: 0, y: 0, z: 0}, " + prism + "}}";
  EXPECT_EQ(value<ChangeAreaCommand>(changed).spec, spec_of(area(prism)));
}

// --- Refusals ----------------------------------------------------------------------------------

TEST(DecodeArea, MissingSizesAreNamed) {
  expect_refused(area("kind: \"OrientedBox\""), ErrorCode::MissingField, "spec.half_extent_m");
  expect_refused(area("kind: \"Prism\""), ErrorCode::MissingField, "spec.outline");
  expect_refused("{kind: \"AddArea\", spec: {" + cone + "}}", ErrorCode::MissingField,
                 "spec.centre");
}

TEST(DecodeArea, SizesBelowZeroAndBeyondTheLimitAreRefused) {
  const struct {
    std::string before;  ///< the value comes behind it
    std::string after;
    const char* field;
  } cases[] = {
      {"kind: \"Cylinder\", half_height_m: 1, radius_m: ", "", "spec.radius_m"},
      {"kind: \"Cylinder\", radius_m: 1, half_height_m: ", "", "spec.half_height_m"},
      {"kind: \"OrientedBox\", half_extent_m: {x: 1, y: 1, z: ", "}", "spec.half_extent_m.z"},
      {"kind: \"Cone\", half_angle_rad: 1, range_m: ", "", "spec.range_m"},
      {"kind: \"Frustum\", range_m: 9, half_angle_rad: 1, half_angle_up_rad: 1, near_m: ", "",
       "spec.near_m"},
      {"kind: \"Prism\", " + diamond + ", half_height_m: ", "", "spec.half_height_m"},
      {cylinder + ", leave_margin_m: ", "", "spec.leave_margin_m"},
      {"rings: [{interval_ticks: 1, distance_m: ", "}]", "distance_m of a ring"},
  };
  for (const auto& c : cases) {
    expect_refused(area(c.before + "-0.001" + c.after), ErrorCode::InvalidNumber, c.field);
    expect_refused(area(c.before + "nan" + c.after), ErrorCode::InvalidNumber, c.field);
    expect_refused(area(c.before + "inf" + c.after), ErrorCode::InvalidNumber, c.field);
    expect_refused(area(c.before + "2e13" + c.after), ErrorCode::LimitExceeded, c.field);
    expect_refused(area(c.before + "2e13" + c.after), ErrorCode::LimitExceeded, "1.75922e+13");
  }
}

TEST(DecodeArea, AnglesAreAboveZeroAndBelowAQuarterTurn) {
  const struct {
    std::string before;
    const char* field;
  } cases[] = {
      {"kind: \"Cone\", range_m: 1, half_angle_rad: ", "spec.half_angle_rad"},
      {"kind: \"Frustum\", range_m: 1, half_angle_up_rad: 1, half_angle_rad: ",
       "spec.half_angle_rad"},
      {"kind: \"Frustum\", range_m: 1, half_angle_rad: 1, half_angle_up_rad: ",
       "spec.half_angle_up_rad"},
  };
  for (const auto& c : cases) {
    expect_accepted(area(c.before + "1.5707963"));
    expect_accepted(area(c.before + "1e-9"));
    expect_refused(area(c.before + "0"), ErrorCode::InvalidArea, c.field);
    expect_refused(area(c.before + "-1"), ErrorCode::InvalidArea, c.field);
    expect_refused(area(c.before + "1.5707963267948966"), ErrorCode::InvalidArea, "below pi/2");
    expect_refused(area(c.before + "3.2"), ErrorCode::InvalidArea, c.field);
    expect_refused(area(c.before + "nan"), ErrorCode::InvalidNumber, c.field);
    expect_refused(area(c.before + "inf"), ErrorCode::InvalidNumber, c.field);
  }
}

TEST(DecodeArea, TheRangeIsBeyondTheNearEnd) {
  const std::string view = "kind: \"Frustum\", half_angle_rad: 1, half_angle_up_rad: 1, ";
  expect_accepted(area(view + "near_m: 0, range_m: 0.001"));
  expect_refused(area(view + "near_m: 5, range_m: 5"), ErrorCode::InvalidArea, "spec.range_m");
  expect_refused(area(view + "near_m: 5, range_m: 4"), ErrorCode::InvalidArea, "spec.near_m");
  expect_refused(area("kind: \"Cone\", half_angle_rad: 1"), ErrorCode::InvalidArea, "spec.range_m");
}

TEST(DecodeArea, RotationsHaveALength) {
  for (const std::string& kind : {oriented_box, cone, frustum, prism}) {
    expect_accepted(area(kind + ", rotation: {x: 0, y: 1e-30, z: 0, w: 0}"));
    expect_refused(area(kind + ", rotation: {x: 0, y: 0, z: 0, w: 0}"), ErrorCode::InvalidNumber,
                   "spec.rotation");
    expect_refused(area(kind + ", rotation: {x: 0, y: nan, z: 0, w: 1}"), ErrorCode::InvalidNumber,
                   "spec.rotation.y");
  }
}

TEST(DecodeArea, APrismIsTurnedAboutTheYAxisOnly) {
  expect_accepted(area(prism + ", rotation: {x: 0, y: 3, z: 0, w: 4}"));
  expect_accepted(area(prism + ", rotation: {x: 1e-12, y: 3, z: -1e-12, w: 4}"));
  for (const char* bad : {"{x: 1, y: 0, z: 0, w: 1}", "{x: 0, y: 1, z: 1e-6, w: 1}",
                          "{x: 0.00001, y: 0, z: 0, w: 1}"})
    expect_refused(area(prism + ", rotation: " + bad), ErrorCode::InvalidArea, "spec.rotation");
}

TEST(DecodeArea, OutlinesAreCounterClockwiseAsSeenFromAbove) {
  // y points at the one who looks down, x to the right, z therefore down. Turning from x towards -z
  // is turning about y by the right hand, which is counter-clockwise from there.
  expect_accepted(prism_over("{x: 1, z: 0}, {x: 0, z: -1}, {x: -1, z: 0}"));
  expect_accepted(prism_over("{x: 0, z: -1}, {x: -1, z: 0}, {x: 1, z: 0}"));
  expect_refused(prism_over("{x: -1, z: 0}, {x: 0, z: -1}, {x: 1, z: 0}"), ErrorCode::InvalidArea,
                 "counter-clockwise");
  // Far from the position the same holds.
  expect_accepted(prism_over("{x: 1e9, z: 0}, {x: 999999999, z: -1}, {x: 999999998, z: 0}"));
}

TEST(DecodeArea, OutlinesThatAreNotConvexOrFlatAreRefused) {
  const char* bad[] = {
      "{x: 0, z: 0}, {x: 0, z: 0}, {x: 0, z: 0}",                    // a point
      "{x: 1, z: 0}, {x: 0, z: -1}, {x: -1, z: 0}, {x: -1, z: 0}",   // one twice
      "{x: 0, z: 0}, {x: 1, z: 0}, {x: 2, z: 0}",                    // a line
      "{x: 2, z: 0}, {x: 0, z: -2}, {x: -2, z: 0}, {x: 0, z: 0}",    // three in a line
      "{x: 2, z: 0}, {x: 0, z: -2}, {x: -2, z: 0}, {x: 0, z: -1}",   // a notch
      "{x: 1, z: 1}, {x: -1, z: -1}, {x: 1, z: -1}, {x: -1, z: 1}",  // a bow
      ("{x: 1, z: 0}, {x: -0.81, z: -0.59}, {x: 0.31, z: 0.95}, {x: 0.31, z: -0.95}, "
       "{x: -0.81, z: 0.59}"),                                      // a pentagram
      "{x: 1e-200, z: 0}, {x: 0, z: -1e-200}, {x: -1e-200, z: 0}",  // too small
      "{x: 1e6, z: 0}, {x: 0, z: -1e-6}, {x: -1e6, z: 0}",          // too thin
  };
  for (const char* points : bad)
    expect_refused(prism_over(points), ErrorCode::InvalidArea, "spec.outline");
}

TEST(DecodeArea, OutlinesHaveThreeToSixteenPoints) {
  const auto regular = [](int count) {
    std::string points;
    for (int i = 0; i < count; ++i) {
      const double angle_rad = 2 * std::numbers::pi * i / count;
      points += (i == 0 ? "{x: " : ", {x: ") + std::to_string(std::cos(angle_rad)) +
                ", z: " + std::to_string(-std::sin(angle_rad)) + "}";
    }
    return prism_over(points);
  };
  expect_refused(prism_over(""), ErrorCode::LimitExceeded, "3 to 16");
  expect_refused(regular(2), ErrorCode::LimitExceeded, "3 to 16");
  for (int count = 3; count <= 16; ++count) expect_accepted(regular(count));
  expect_refused(regular(17), ErrorCode::LimitExceeded, "spec.outline");
  expect_refused(prism_over("{x: 1, z: 0}, {x: 0, z: nan}, {x: -1, z: 0}"),
                 ErrorCode::InvalidNumber, "spec.outline");
  expect_refused(prism_over("{x: 2e13, z: 0}, {x: 0, z: -1}, {x: -1, z: 0}"),
                 ErrorCode::LimitExceeded, "spec.outline");
}

TEST(DecodeArea, RingsAscendAndHaveIntervals) {
  const auto with = [](const std::string& rings) { return area("rings: [" + rings + "]"); };
  const auto ring = [](const std::string& distance, const std::string& interval) {
    return "{distance_m: " + distance + ", interval_ticks: " + interval + "}";
  };
  expect_accepted(with(""));
  expect_accepted(with(ring("1", "1") + ", " + ring("2", "2") + ", " + ring("3", "3") + ", " +
                       ring("4", "1200")));
  expect_refused(with(ring("1", "1") + ", " + ring("2", "2") + ", " + ring("3", "3") + ", " +
                      ring("4", "4") + ", " + ring("5", "5")),
                 ErrorCode::LimitExceeded, "spec.rings");
  expect_refused(with(ring("1", "0")), ErrorCode::LimitExceeded, "1 to 1200");
  expect_refused(with(ring("1", "1201")), ErrorCode::LimitExceeded, "interval_ticks");
  expect_refused(with(ring("1", "1") + ", " + ring("1", "2")), ErrorCode::InvalidArea, "ascending");
  expect_refused(with(ring("2", "1") + ", " + ring("1", "2")), ErrorCode::InvalidArea,
                 "distance_m of a ring");
}

TEST(DecodeArea, UnknownKindsAndFollowsAreRefused) {
  for (int kind = 7; kind < 256; ++kind)
    expect_refused(area("kind: " + std::to_string(kind)), ErrorCode::InvalidArea, "spec.kind");
  expect_refused(attached("follow: 2"), ErrorCode::InvalidArea, "spec.follow");
  expect_refused(area("follow: \"PositionAndHeading\""), ErrorCode::InvalidArea, "spec.follow");
}

TEST(DecodeArea, TheCapIsWhatASessionMaySee) {
  expect_accepted(area("nearest_max: 1048576"));
  expect_refused(area("nearest_max: 1048577"), ErrorCode::LimitExceeded, "spec.nearest_max");
}

// --- Relevance and visibility --------------------------------------------------------------------

std::string set_relevance(const std::string& relevance) {
  return "{kind: \"SetRelevance\", entity: 1, relevance: {" + relevance + "}}";
}
std::string spawn(const std::string& relevance) {
  return "{kind: \"Spawn\", position: {x: 0, y: 0, z: 0}, shape: {kind: \"Sphere\"}, relevance: {" +
         relevance + "}}";
}

TEST(DecodeRelevance, IsReadOnSpawnsAndChanges) {
  const std::string all = "always: true, boost: 255, seen_from_enter_m: 5, seen_from_leave_m: 7";
  EXPECT_EQ(value<SetRelevanceCommand>(set_relevance(all)).relevance, (Relevance{true, 255, 5, 7}));
  EXPECT_EQ(value<SpawnCommand>(spawn(all)).relevance, (Relevance{true, 255, 5, 7}));
  EXPECT_EQ(value<SetRelevanceCommand>(set_relevance("")).relevance, Relevance{});
  const Relevance filled =
      value<SetRelevanceCommand>(set_relevance("seen_from_enter_m: 50")).relevance;
  EXPECT_DOUBLE_EQ(filled.seen_from_leave_m, 55);
  const Relevance widest =
      value<SetRelevanceCommand>(set_relevance("seen_from_enter_m: 17592186044416")).relevance;
  EXPECT_EQ(widest.seen_from_leave_m, limits::area_size_m);
}

TEST(DecodeRelevance, WrongDistancesAreRefused) {
  for (const auto& command : {set_relevance, spawn}) {
    for (const char* bad : {"nan", "inf", "-1"}) {
      expect_refused(command("seen_from_enter_m: " + std::string(bad)), ErrorCode::InvalidNumber,
                     "relevance.seen_from_enter_m");
      expect_refused(command("seen_from_leave_m: " + std::string(bad)), ErrorCode::InvalidNumber,
                     "relevance.seen_from_leave_m");
    }
    expect_refused(command("seen_from_enter_m: 2e13"), ErrorCode::LimitExceeded,
                   "relevance.seen_from_enter_m");
    expect_refused(command("seen_from_enter_m: 2, seen_from_leave_m: 1.5"),
                   ErrorCode::InvalidNumber, "at least seen_from_enter_m, 2 m");
  }
  expect_refused("{kind: \"SetRelevance\", entity: 1}", ErrorCode::MissingField, "relevance");
  expect_refused("{kind: \"SetRelevance\", relevance: {}}", ErrorCode::MissingField, "entity");
}

TEST(DecodeVisibility, IsReadAndUnknownValuesAreRefused) {
  const auto read = value<SetVisibilityCommand>(
      "{kind: \"SetVisibility\", observer: 9, spawned_by: 3, visibility: \"Never\"}");
  EXPECT_EQ(read.observer.value, 9u);
  EXPECT_EQ(read.entity, (EntityRef{{}, 3}));
  EXPECT_EQ(read.visibility, Visibility::Never);
  expect_refused("{kind: \"SetVisibility\", observer: 9}", ErrorCode::MissingField, "entity");
  expect_refused("{kind: \"SetVisibility\", entity: 1, visibility: 3}", ErrorCode::InvalidNumber,
                 "visibility");
}

TEST(DecodeAttach, FollowingTheVisibilityOfTheParentIsAsked) {
  const std::string attach = "{kind: \"Attach\", entity: 1, parent: 2";
  EXPECT_FALSE(value<AttachCommand>(attach + "}").follow_visibility);
  EXPECT_TRUE(value<AttachCommand>(attach + ", follow_visibility: true}").follow_visibility);
}

}  // namespace
}  // namespace vicinity::wire
