// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Entities that hang on others.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "world/entity_table.h"

namespace vicinity {
namespace {

constexpr double quarter = 1.57079632679489661923;

class World {
 public:
  World() : table(EntityTableSettings{.world_half_size_m = 1000}) { table.begin_tick(1); }
  EntityId spawn(Vec3 position, Vec3 velocity = {}, Vec3 angular_velocity = {}) {
    const SpawnCommand command{position, velocity, Shape::sphere(0.5), {}, 0, {}, angular_velocity};
    return table.spawn(SessionId{1}, command).value();
  }
  ErrorCode attach(EntityId child, EntityId parent, std::optional<Pose> relative = {},
                   OnParentEnd on_end = OnParentEnd::Detach) {
    return table.attach(child, parent, relative, on_end);
  }
  void end_tick() {
    table.advance(1, workers);
    table.freeze(1, workers, snapshot);
    // What is not named as changed stays as it was.
    Snapshot fresh;
    table.freeze(1, workers, fresh);
    for (std::uint32_t slot = 0; slot < fresh.slot_count(); ++slot) {
      EXPECT_EQ(snapshot.id[slot], fresh.id[slot]);
      if (!fresh.is_alive(slot)) continue;
      EXPECT_EQ(snapshot.position[slot], fresh.position[slot]);
      EXPECT_EQ(snapshot.tight_box[slot], fresh.tight_box[slot]);
      EXPECT_EQ(snapshot.start_box[slot], fresh.start_box[slot]);
      EXPECT_EQ(snapshot.motion[slot], fresh.motion[slot]);
      EXPECT_EQ(snapshot.path(slot).start, fresh.path(slot).start);
      EXPECT_EQ(snapshot.pose(slot), fresh.pose(slot));
      EXPECT_EQ(snapshot.swing(slot) == nullptr, fresh.swing(slot) == nullptr);
    }
    changed.assign(table.changed().begin(), table.changed().end());
    table.begin_tick(snapshot.tick + 1);
  }
  bool is_changed(EntityId id) {
    return std::find(changed.begin(), changed.end(), id.index()) != changed.end();
  }
  Vec3 position(EntityId id) const { return snapshot.position.at(id.index()); }
  Motion motion(EntityId id) const { return snapshot.motion.at(id.index()); }

  Workers workers{1};
  EntityTable table;
  Snapshot snapshot;
  std::vector<std::uint32_t> changed;  ///< of the last tick
};

void expect_near(Vec3 value, Vec3 expected, double error = 1e-9) {
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(value[axis], expected[axis], error) << axis;
}

TEST(Attachment, FollowsAsTheTwoStood) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0}, {2, 0, 0});
  const EntityId child = world.spawn({0, 3, 0});
  world.end_tick();
  EXPECT_EQ(world.attach(child, parent), ErrorCode::None);
  for (int tick = 1; tick <= 4; ++tick) {
    world.end_tick();
    EXPECT_EQ(world.position(child), (Vec3{2.0 * tick, 3, 0}));
    EXPECT_EQ(world.motion(child), Motion::Path);
    EXPECT_EQ(world.snapshot.path(child.index()).start.position, (Vec3{2.0 * (tick - 1), 3, 0}));
  }
  ASSERT_TRUE(world.table.attachment_of(child).has_value());
  EXPECT_EQ(world.table.attachment_of(child)->parent, parent);
  EXPECT_EQ(world.table.attachment_of(child)->relative, (Pose{{0, 3, 0}, {}}));
  EXPECT_FALSE(world.table.attachment_of(parent).has_value());
}

TEST(Attachment, JumpsToARelativePoseThatIsGiven) {
  World world;
  const EntityId parent = world.spawn({10, 0, 0});
  const EntityId child = world.spawn({-50, 0, 0});
  world.end_tick();
  EXPECT_EQ(world.attach(child, parent, Pose{{0, 1, 0}, {}}), ErrorCode::None);
  world.end_tick();
  EXPECT_EQ(world.position(child), (Vec3{10, 1, 0}));
  EXPECT_EQ(world.motion(child), Motion::None);
  EXPECT_EQ(world.snapshot.changed[child.index()].teleported, world.snapshot.tick);
  EXPECT_EQ(world.snapshot.start_box[child.index()], world.snapshot.tight_box[child.index()]);
}

TEST(Attachment, SwingsOnAnArcWhenItsParentTurns) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0}, {}, {0, quarter, 0});
  const EntityId child = world.spawn({4, 0, 0});
  world.end_tick();
  world.attach(child, parent);
  world.end_tick();
  expect_near(world.position(child), {0, 0, -4});  // about y, x goes to -z
  const Swing* swing = world.snapshot.swing(child.index());
  ASSERT_NE(swing, nullptr);
  const Pose half_way = compose(pose_at(swing->root, 0.5), swing->in_root);
  expect_near(half_way.position, {std::sqrt(8), 0, -std::sqrt(8)});
  expect_near(rotate(world.snapshot.pose(child.index()).rotation, {1, 0, 0}), {0, 0, -1});
}

TEST(Attachment, StandsStillWithItsParentAndCostsNothingThen) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0}, {2, 0, 0});
  const EntityId child = world.spawn({0, 3, 0});
  world.attach(child, parent);
  world.end_tick();
  world.end_tick();
  world.table.set_velocity(parent, {});
  world.end_tick();  // from a path to a stop: the start box changes once more
  EXPECT_TRUE(world.is_changed(child));
  EXPECT_EQ(world.motion(child), Motion::None);
  EXPECT_EQ(world.snapshot.swing(child.index()), nullptr);
  world.end_tick();
  EXPECT_FALSE(world.is_changed(child));
  EXPECT_FALSE(world.is_changed(parent));
}

TEST(Attachment, IsTeleportedWithItsParent) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0});
  const EntityId child = world.spawn({1, 0, 0});
  world.end_tick();
  world.attach(child, parent);
  world.end_tick();
  world.table.teleport(parent, {100, 0, 0}, from_rotation_vector({0, quarter, 0}));
  world.end_tick();
  expect_near(world.position(child), {100, 0, -1});
  EXPECT_EQ(world.motion(child), Motion::None);
  EXPECT_EQ(world.snapshot.changed[child.index()].teleported, world.snapshot.tick);
}

TEST(Attachment, ChainsFollowTheirRoot) {
  World world;
  const EntityId root = world.spawn({0, 0, 0}, {1, 0, 0}, {0, quarter, 0});
  const EntityId arm = world.spawn({2, 0, 0});
  const EntityId hand = world.spawn({3, 0, 0});
  world.end_tick();
  // The hand first: depth decides who is placed first, not the order of commands or slots.
  EXPECT_EQ(world.attach(hand, arm), ErrorCode::None);
  EXPECT_EQ(world.attach(arm, root), ErrorCode::None);
  world.end_tick();
  expect_near(world.position(arm), {1, 0, -2});
  expect_near(world.position(hand), {1, 0, -3});
  world.end_tick();
  expect_near(world.position(hand), {2 - 3, 0, 0});
  EXPECT_NE(world.snapshot.swing(hand.index()), nullptr);
}

TEST(Attachment, RefusesToMoveByItself) {
  World world;
  const EntityId parent = world.spawn({});
  const EntityId child = world.spawn({1, 0, 0});
  world.attach(child, parent);
  EXPECT_EQ(world.table.set_velocity(child, {1, 0, 0}), ErrorCode::Attached);
  EXPECT_EQ(world.table.move_to(child, {}, false), ErrorCode::Attached);
  EXPECT_EQ(world.table.teleport(child, {}), ErrorCode::Attached);
  FilterPatch patch;
  patch.is_static = true;
  EXPECT_EQ(world.table.set_filter(child, patch), ErrorCode::StaticMotion);
  EXPECT_EQ(world.table.detach(parent), ErrorCode::NotAttached);
}

TEST(Attachment, StaysWhereItIsWhenDetached) {
  World world;
  const EntityId parent = world.spawn({}, {1, 0, 0}, {0, quarter, 0});
  const EntityId child = world.spawn({2, 0, 0});
  world.attach(child, parent);
  world.end_tick();
  world.end_tick();
  const Pose pose = world.snapshot.pose(child.index());
  EXPECT_EQ(world.table.detach(child), ErrorCode::None);
  EXPECT_EQ(world.table.detach(child), ErrorCode::NotAttached);
  for (int tick = 0; tick < 3; ++tick) {
    world.end_tick();
    EXPECT_EQ(world.snapshot.pose(child.index()), pose);
    EXPECT_EQ(world.motion(child), Motion::None);
  }
  EXPECT_FALSE(world.table.attachment_of(child).has_value());
  EXPECT_EQ(world.table.set_velocity(child, {1, 0, 0}), ErrorCode::None);
}

TEST(Attachment, IsDetachedOrEndsWithItsParent) {
  World world;
  const EntityId parent = world.spawn({}, {1, 0, 0});
  const EntityId stays = world.spawn({1, 0, 0});
  const EntityId ends = world.spawn({2, 0, 0});
  const EntityId below = world.spawn({3, 0, 0});
  world.attach(stays, parent);
  world.attach(ends, parent, {}, OnParentEnd::Despawn);
  world.attach(below, ends, {}, OnParentEnd::Despawn);
  world.end_tick();
  world.end_tick();
  const Vec3 there = world.position(stays);
  world.table.despawn(parent, DespawnReason::Command, SessionId{1});
  world.end_tick();
  EXPECT_EQ(world.snapshot.entity_count, 1u);
  EXPECT_EQ(world.position(stays), there);
  ASSERT_EQ(world.snapshot.despawned.size(), 3u);
  EXPECT_EQ(world.snapshot.despawned[0].reason, DespawnReason::Command);
  EXPECT_EQ(world.snapshot.despawned[1].id, ends);
  EXPECT_EQ(world.snapshot.despawned[1].reason, DespawnReason::ParentEnded);
  EXPECT_EQ(world.snapshot.despawned[2].id, below);
  world.end_tick();
  EXPECT_EQ(world.position(stays), there);
}

TEST(Attachment, OfAParentThatLeavesTheWorldEndsOrStays) {
  World world;
  const EntityId parent = world.spawn({998, 0, 0}, {1, 0, 0});
  const EntityId stays = world.spawn({990, 0, 0});
  const EntityId ends = world.spawn({980, 0, 0});
  world.attach(stays, parent);
  world.attach(ends, parent, {}, OnParentEnd::Despawn);
  for (int tick = 0; tick < 4; ++tick) world.end_tick();
  EXPECT_EQ(world.snapshot.entity_count, 1u);
  EXPECT_TRUE(world.snapshot.contains(stays));
  const Vec3 there = world.position(stays);
  world.end_tick();
  EXPECT_EQ(world.position(stays), there);
  EXPECT_EQ(world.motion(stays), Motion::None);
}

TEST(Attachment, ThatIsCarriedOutOfTheWorldEndsAndItsOwnChildStays) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0}, {1, 0, 0});
  const EntityId child = world.spawn({998, 0, 0});
  const EntityId below = world.spawn({900, 0, 0});
  world.attach(child, parent);
  world.attach(below, child);
  for (int tick = 0; tick < 4; ++tick) world.end_tick();
  EXPECT_TRUE(world.snapshot.contains(parent));
  EXPECT_FALSE(world.snapshot.contains(child));
  EXPECT_TRUE(world.snapshot.contains(below));
  const Vec3 there = world.position(below);
  world.end_tick();
  EXPECT_EQ(world.position(below), there);
}

// Where the two were when the tick began counts, so the order of commands does not matter, and
// nobody goes where it never was.
TEST(Attachment, TakesTheTwoAsTheyStoodBeforeTheMovesOfTheTick) {
  for (const bool parent_first : {true, false}) {
    World world;
    const EntityId parent = world.spawn({0, 0, 0});
    const EntityId child = world.spawn({100, 3, 0});
    world.end_tick();
    if (parent_first) world.table.move_to(parent, {50, 0, 0}, false);
    world.attach(child, parent);
    if (!parent_first) world.table.move_to(parent, {50, 0, 0}, false);
    world.end_tick();
    EXPECT_EQ(world.position(child), (Vec3{150, 3, 0}));
    EXPECT_EQ(world.snapshot.path(child.index()).start.position, (Vec3{100, 3, 0}));
  }
}

TEST(Attachment, GivesUpThePathOfTheChild) {
  World world;
  const EntityId parent = world.spawn({0, 0, 0});
  const EntityId child = world.spawn({1, 0, 0});
  world.end_tick();
  world.table.move_to(child, {80, 0, 0}, true);
  world.attach(child, parent);
  world.end_tick();
  EXPECT_EQ(world.position(child), (Vec3{1, 0, 0}));
  EXPECT_EQ(world.motion(child), Motion::None);
  EXPECT_NE(world.snapshot.changed[child.index()].teleported, world.snapshot.tick);
}

TEST(Attachment, IsTeleportedByAParentThatJumpsInTheSameTick) {
  for (const bool moves_on : {false, true}) {
    World world;
    const EntityId parent = world.spawn({0, 0, 0});
    const EntityId child = world.spawn({1, 0, 0});
    const EntityId old_child = world.spawn({2, 0, 0});
    world.attach(old_child, parent);
    world.end_tick();
    world.attach(child, parent);
    world.table.teleport(parent, {100, 0, 0});
    if (moves_on) world.table.move_to(parent, {110, 0, 0}, false);
    world.end_tick();
    for (const EntityId id : {child, old_child}) {
      EXPECT_EQ(world.snapshot.changed[id.index()].teleported, world.snapshot.tick);
      EXPECT_EQ(world.motion(id), moves_on ? Motion::Path : Motion::None);
    }
    EXPECT_EQ(world.position(child).x, moves_on ? 111 : 101);
  }
}

TEST(Attachment, NeverGoesRoundInACircle) {
  World world;
  std::vector<EntityId> chain;
  for (int i = 0; i < 4; ++i) chain.push_back(world.spawn({1.0 * i, 0, 0}));
  for (std::size_t i = 1; i < chain.size(); ++i) world.attach(chain[i], chain[i - 1]);
  EXPECT_EQ(world.attach(chain[0], chain[0]), ErrorCode::AttachmentCycle);
  EXPECT_EQ(world.attach(chain[0], chain[3]), ErrorCode::AttachmentCycle);
  EXPECT_EQ(world.attach(chain[1], chain[3]), ErrorCode::AttachmentCycle);
  EXPECT_EQ(world.attach(chain[3], chain[0]), ErrorCode::None);  // elsewhere on the same root
  world.end_tick();
  EXPECT_EQ(world.table.attachment_of(chain[3])->parent, chain[0]);
  EXPECT_FALSE(world.table.attachment_of(chain[0]).has_value());
}

TEST(Attachment, IsBoundedInDepthAndNumber) {
  World world;
  std::vector<EntityId> chain;
  for (std::uint32_t i = 0; i <= limits::attachment_depth_max + 1; ++i) {
    chain.push_back(world.spawn({1.0 * i, 0, 0}));
  }
  for (std::uint32_t i = 1; i <= limits::attachment_depth_max; ++i) {
    EXPECT_EQ(world.attach(chain[i], chain[i - 1]), ErrorCode::None);
  }
  EXPECT_EQ(world.attach(chain.back(), chain[limits::attachment_depth_max]),
            ErrorCode::LimitExceeded);
  // The whole of what hangs on it counts.
  const EntityId above = chain.back();
  EXPECT_EQ(world.attach(chain[0], above), ErrorCode::LimitExceeded);
  EXPECT_EQ(world.attach(chain[1], above), ErrorCode::None);
  for (std::uint32_t i = 0; i < limits::attached_per_entity_max - 1; ++i) {
    ASSERT_EQ(world.attach(world.spawn({}), above), ErrorCode::None);
  }
  EXPECT_EQ(world.attach(world.spawn({}), above), ErrorCode::LimitExceeded);
  EXPECT_EQ(world.attach(chain[1], above), ErrorCode::None);  // in another way, on the same one
}

TEST(Attachment, MayBeKeptFromHangingFarOut) {
  World world;
  const EntityId parent = world.spawn({});
  const EntityId near = world.spawn({3, 4, 0});
  const EntityId far = world.spawn({30, 40, 0});
  EXPECT_EQ(world.table.attach(near, parent, {}, OnParentEnd::Detach, 5), ErrorCode::None);
  EXPECT_EQ(world.table.attach(far, parent, {}, OnParentEnd::Detach, 49), ErrorCode::LimitExceeded);
  EXPECT_EQ(world.table.attach(far, parent, Pose{{0, 6, 0}, {}}, OnParentEnd::Detach, 5),
            ErrorCode::LimitExceeded);
  world.end_tick();
  EXPECT_EQ(world.position(far), (Vec3{30, 40, 0}));
}

TEST(Attachment, RefusesDeadOnesAndStaticChildren) {
  World world;
  const EntityId parent = world.spawn({});
  const EntityId gone = world.spawn({});
  world.end_tick();
  world.table.despawn(gone, DespawnReason::Command);
  EXPECT_EQ(world.attach(gone, parent), ErrorCode::StaleEntity);
  EXPECT_EQ(world.attach(parent, gone), ErrorCode::StaleEntity);
  EXPECT_EQ(world.attach(parent, EntityId(77, 1)), ErrorCode::UnknownEntity);
  Filter filter;
  filter.is_static = true;
  const SpawnCommand rock{{}, {}, Shape::sphere(1), filter, 0};
  const EntityId fixed = world.table.spawn(SessionId{1}, rock).value();
  EXPECT_EQ(world.attach(fixed, parent), ErrorCode::StaticMotion);
  EXPECT_EQ(world.attach(parent, fixed), ErrorCode::None);
}

}  // namespace
}  // namespace vicinity
