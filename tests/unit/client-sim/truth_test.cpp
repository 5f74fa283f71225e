// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/truth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/prng.h"

namespace vicinity::sim {
namespace {

constexpr ObserverId observer{1};

client::EntityView entity(std::uint32_t index, Vec3 position = {}) {
  client::EntityView view;
  view.id = EntityId{index, 1};
  view.observer = observer;
  view.position = position;
  view.local_box = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  return view;
}

// --- What a view is built from -----------------------------------------------------------------

TEST(View, IsSortedAndFollowsItsFrames) {
  View view(observer);
  client::TickFrame first;
  first.tick = 1;
  first.enters = {entity(5), entity(2), entity(9)};
  EXPECT_EQ(view.apply(first).count(), 0u);
  client::TickFrame second;
  second.tick = 2;
  second.leaves = {{EntityId{5, 1}, observer}};
  second.enters = {entity(3)};
  second.moved = {{EntityId{9, 1}, observer, 0, {1, 2, 3}}};
  second.velocities = {{EntityId{9, 1}, observer, 0, {4, 5, 6}}};
  second.turned = {{EntityId{9, 1}, observer, 0, {0, 0, 0.6, 0.8}}};
  second.spins = {{EntityId{9, 1}, observer, 0, {7, 8, 9}}};
  EXPECT_EQ(view.apply(second).count(), 0u);
  std::vector<std::uint32_t> ids;
  for (const Seen& seen : view.seen()) ids.push_back(seen.entity.id.index());
  EXPECT_EQ(ids, (std::vector<std::uint32_t>{2, 3, 9}));
  const client::EntityView& moved = view.find(EntityId{9, 1})->entity;
  EXPECT_EQ(moved.position, (Vec3{1, 2, 3}));
  EXPECT_EQ(moved.velocity, (Vec3{4, 5, 6}));
  EXPECT_EQ(moved.rotation, (Quat{0, 0, 0.6, 0.8}));
  EXPECT_EQ(moved.angular_velocity, (Vec3{7, 8, 9}));
  EXPECT_EQ(view.find(EntityId{9, 1})->updated_tick, 2u);
  EXPECT_EQ(view.find(EntityId{2, 1})->updated_tick, 1u);
  EXPECT_EQ(view.find(EntityId{5, 1}), nullptr);
  EXPECT_EQ(view.find(EntityId{9, 2}), nullptr);  // another incarnation
}

TEST(View, FaultsAreCountedByKind) {
  View view(observer);
  client::TickFrame frame;
  frame.enters = {entity(1), entity(1)};
  frame.leaves = {{EntityId{4, 1}, observer}};
  frame.changed = {entity(6)};
  frame.moved = {{EntityId{7, 1}, observer, 0, {}}, {EntityId{1, 1}, ObserverId{2}, 0, {}}};
  const ViewFaults faults = view.apply(frame);
  EXPECT_EQ(faults.duplicate_enters, 1u);
  EXPECT_EQ(faults.ghost_leaves, 1u);
  EXPECT_EQ(faults.ghost_updates, 3u);
  EXPECT_FALSE(faults.sentences.empty());
  EXPECT_EQ(view.seen().size(), 1u);
}

TEST(View, MayLeaveAndEnterInOneFrame) {
  View view(observer);
  client::TickFrame frame;
  frame.enters = {entity(1)};
  view.apply(frame);
  frame.leaves = {{EntityId{1, 1}, observer}};
  EXPECT_EQ(view.apply(frame).count(), 0u);
  EXPECT_EQ(view.seen().size(), 1u);
}

// --- How exactly things are known ---------------------------------------------------------------

TEST(Precision, ExactMeansEqual) {
  const Precision exact;
  EXPECT_TRUE(exact.same_position({1, 2, 3}, {1, 2, 3}));
  EXPECT_FALSE(exact.same_position({1, 2, 3}, {1, 2, std::nextafter(3, 4)}));
  EXPECT_FALSE(exact.same_velocity({0, 0, 0}, {0, 1e-9, 0}));
  EXPECT_TRUE(exact.same_rotation({0, 0, 0.6, 0.8}, {0, 0, -0.6, -0.8}));
  EXPECT_FALSE(exact.same_rotation({0, 0, 0.6, 0.8}, {0, 0, 0.8, 0.6}));
  EXPECT_EQ(exact.box_m(entity(1)), 0);
}

TEST(Precision, PositionsMayDifferByTheResolution) {
  const Precision rounded(0.25);
  EXPECT_TRUE(rounded.same_position({0, 0, 0}, {0.25, -0.25, 0}));
  EXPECT_FALSE(rounded.same_position({0, 0, 0}, {0, 0.26, 0}));
}

TEST(Precision, VelocitiesMayDifferByTheLastPlaceOfBinary16) {
  const Precision rounded(1.0 / 256);
  // Between 2 and 4 a unit of the last place is 2^-9; rounding moves by half of it.
  EXPECT_TRUE(rounded.same_velocity({3, 0, 0}, {3 + 0x1p-10, 0, 0}));
  EXPECT_FALSE(rounded.same_velocity({3, 0, 0}, {3.01, 0, 0}));
  EXPECT_FALSE(rounded.same_velocity({0, 0, 0}, {0, 0.001, 0}));
}

TEST(Precision, RotationsOfTenBitsAreTheSame) {
  const Precision rounded(1.0 / 256);
  Prng prng(5);
  for (int i = 0; i < 1'000; ++i) {
    Vec3 turn{prng.between(-3, 3), prng.between(-3, 3), prng.between(-3, 3)};
    const Quat exact = from_rotation_vector(turn);
    double parts[4] = {exact.x, exact.y, exact.z, exact.w};
    const auto largest = static_cast<std::size_t>(
        std::max_element(parts, parts + 4,
                         [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        parts);
    const double sign = parts[largest] < 0 ? -1 : 1;
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      if (k == largest) continue;
      const double v = std::round((sign * parts[k] * std::sqrt(2.0) + 1) / 2 * 1023);
      parts[k] = (v / 1023 * 2 - 1) / std::sqrt(2.0);
      sum += parts[k] * parts[k];
    }
    parts[largest] = std::sqrt(std::max(0.0, 1 - sum));
    EXPECT_TRUE(rounded.same_rotation(exact, {parts[0], parts[1], parts[2], parts[3]}));
  }
  EXPECT_FALSE(rounded.same_rotation({}, from_rotation_vector({0, 0.03, 0})));
}

// --- The truth of a tick -------------------------------------------------------------------------

TEST(Truth, RowsNearAreAllThatReachIn) {
  Prng prng(8);
  View view;
  client::TickFrame all;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    client::EntityView e =
        entity(i, {prng.between(-100, 100), prng.between(-5, 5), prng.between(-100, 100)});
    e.observer = {};
    const double half_m = i % 50 == 0 ? 20 : 0.5;
    e.local_box = {{-half_m, -half_m, -half_m}, {half_m, half_m, half_m}};
    all.enters.push_back(e);
  }
  view.apply(all);
  TruthTick truth;
  make_truth(1, 0, {&view, 1}, {}, truth);
  std::vector<std::size_t> rows;
  for (int i = 0; i < 50; ++i) {
    const Vec3 point{prng.between(-120, 120), 0, prng.between(-120, 120)};
    const double distance_m = prng.between(0, 30);
    truth.rows_near(point, distance_m, rows);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    for (std::size_t row = 0; row < truth.boxes.size(); ++row) {
      const Aabb& box = truth.boxes[row];
      const Vec3 nearest{std::clamp(point.x, box.min.x, box.max.x),
                         std::clamp(point.y, box.min.y, box.max.y),
                         std::clamp(point.z, box.min.z, box.max.z)};
      if (length(nearest - point) <= distance_m) {
        EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row));
      }
    }
    EXPECT_LT(rows.size(), truth.boxes.size());
  }
}

TEST(Truth, UsedMemoryTellsTheNewTickOnly) {
  View view;
  client::TickFrame all;
  for (std::uint32_t i = 0; i < 300; ++i) {
    client::EntityView e = entity(i, {static_cast<double>(i), 0, 0});
    e.observer = {};
    all.enters.push_back(e);
  }
  view.apply(all);
  TruthTick truth;
  make_truth(1, 0, {&view, 1}, {}, truth);
  std::vector<std::size_t> rows;
  truth.rows_near({}, 2, rows);
  for (Seen& seen : view.seen()) seen.entity.position.x += 1'000;
  make_truth(2, 50'000, {&view, 1}, {}, truth);
  EXPECT_EQ(truth.tick, 2u);
  EXPECT_EQ(truth.entities.size(), 300u);
  truth.rows_near({}, 2, rows);
  EXPECT_TRUE(rows.empty());
  EXPECT_EQ(truth.row_of(EntityId{7, 1}), 7u);
  EXPECT_EQ(truth.row_of(EntityId{7, 2}), std::nullopt);
}

}  // namespace
}  // namespace vicinity::sim
