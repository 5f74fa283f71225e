// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// The part of the truth check that is about contacts.

#include <gtest/gtest.h>

#include <cmath>

#include "unit/client-sim/truth_check_fixture.h"

namespace vicinity::sim::truth_check_test {
namespace {

client::ContactBeginEvent begin(Tick tick) { return {own, other, tick, 0, 0, 1, false}; }
client::ContactEndEvent end(Tick begin_tick) {
  return {own, other, begin_tick, 0, 0, EndReason::Separated, false};
}

/// The other overlaps the bot at x = 0.5 and is only in view at x = 5.
class TruthCheckContactTest : public TruthCheckTest {
 protected:
  client::TickFrame at(Tick number, double x) {
    return number == 1 ? enter_frame(1, entity(other, x)) : move_frame(number, other, x);
  }
};

TEST_F(TruthCheckContactTest, ARightPairOfEventsHasNoFault) {
  client::TickFrame first = at(1, 0.5);
  first.contact_begins.push_back(begin(1));
  tick(first, 0.5);
  client::TickFrame second = at(2, 5);
  second.contact_ends.push_back(end(1));
  tick(second, 5);
  client::TickFrame third = at(3, 6);
  third.contact_begins.push_back(begin(3));
  third.contact_passed.push_back(end(3));
  tick(third, 6);
  EXPECT_EQ(stats.contact_errors, 0u);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
  EXPECT_EQ(stats.contact_begins, 2u);
  EXPECT_EQ(stats.contact_ends, 2u);
}

TEST_F(TruthCheckContactTest, ASecondBeginIsAnError) {
  for (Tick number = 1; number <= 2; ++number) {
    client::TickFrame seen = at(number, 0.5);
    seen.contact_begins.push_back(begin(number));
    tick(seen, 0.5);
  }
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, AnEndWithoutBeginIsAnError) {
  client::TickFrame seen = at(1, 5);
  seen.contact_ends.push_back(end(1));
  tick(seen, 5);
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, AnEndOfAnotherBeginIsAnError) {
  client::TickFrame first = at(1, 0.5);
  first.contact_begins.push_back(begin(1));
  tick(first, 0.5);
  client::TickFrame second = at(2, 5);
  second.contact_ends.push_back(end(2));
  tick(second, 5);
  EXPECT_EQ(stats.contact_errors, 1u);
  EXPECT_EQ(stats.wrong_contacts, 1u);  // the first one is still open
}

TEST_F(TruthCheckContactTest, AnAbsentBeginIsAWrongContact) {
  tick(at(1, 0.5), 0.5);
  EXPECT_EQ(stats.wrong_contacts, 1u);
  EXPECT_EQ(stats.wrong_views, 1u);
}

TEST_F(TruthCheckContactTest, BoxesThatOnlyTouchAreNoContact) {
  tick(at(1, 1), 1);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  client::TickFrame seen = at(2, 1);
  seen.contact_begins.push_back(begin(2));
  tick(seen, 1);
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, RoundShapesMeetByTheirShapesAndNotByTheirBoxes) {
  client::EntityView ball = entity(other, 0.9);  // a corner of the bot's box is 0.57 away
  ball.shape_kind = ShapeKind::Sphere;
  ball.position = {0.9, 0.9, 0};
  check.add_truth(truth(1, {entity(own, 0), ball}));
  check.add_frame(bot, enter_frame(1, ball), 0);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  ball.position = {0.8, 0.8, 0};  // and now 0.42
  client::TickFrame seen = frame(2);
  seen.changed.push_back(ball);
  seen.changed.back().observer = observer;
  check.add_truth(truth(2, {entity(own, 0), ball}));
  check.add_frame(bot, seen, 0);
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, ShapesThatTheirBoxDoesNotTellAreLookedUp) {
  const Quat eighth{0, 0, std::sin(0.39269908169872414), std::cos(0.39269908169872414)};
  const Shape diamond = Shape::of_parts({box_primitive({0.5, 0.5, 0.5}, {{}, eighth})});
  client::EntityView turned = entity(other, 0);
  turned.position = {1.1, 0.9, 0};  // only the corner of its box reaches the bot's
  turned.local_box = diamond.compound->local;
  const auto add = [&](Tick at, const ShapeOf& shape_of) {
    check.add_truth(truth(at, {entity(own, 0), turned}, shape_of));
    check.add_frame(bot, at == 1 ? enter_frame(1, turned) : frame(at), 0);
  };
  add(1, [&](std::uint64_t user_data) { return user_data == other.raw() ? &diamond : nullptr; });
  EXPECT_EQ(stats.wrong_contacts, 0u);
  add(2, {});  // as a box that is not turned it would overlap
  EXPECT_EQ(stats.wrong_contacts, 1u);
  add(3, [](std::uint64_t) { return std::nullopt; });  // somewhere in its box
  EXPECT_EQ(stats.wrong_contacts, 1u);
}

TEST_F(TruthCheckContactTest, PairsThatTheFilterRefusesAreNoContact) {
  client::EntityView ghost = entity(other, 0.5);
  ghost.filter.mask = 0;
  check.add_truth(truth(1, {entity(own, 0), ghost}));
  check.add_frame(bot, enter_frame(1, ghost), 0);
  EXPECT_EQ(stats.wrong_contacts, 0u);
  EXPECT_EQ(stats.wrong_views, 0u);
}

}  // namespace
}  // namespace vicinity::sim::truth_check_test
