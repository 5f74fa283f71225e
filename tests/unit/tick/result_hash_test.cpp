// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/result_hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>
#include <vector>

#include "base/prng.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

/// Everything the hash covers, with two entities and one event of each kind.
struct TickData {
  Snapshot snapshot;
  std::vector<OpenContact> open;
  ContactEvents contacts;
  std::vector<ObserverEvents> observers;
  SessionTable sessions;
};

TickData sample() {
  test::TestWorld world;
  const EntityId a = world.spawn_box({{0, 0, 0}, {1, 1, 1}});
  const EntityId b = world.spawn_box({{0, 0, 0}, {2, 1, 1}});
  world.step();
  TickData data;
  data.snapshot = *world.snapshot();
  data.snapshot.despawned.push_back(
      {EntityId(9, 1), SessionId{4}, DespawnReason::Command, 0, SessionId{4}});
  data.open.push_back({a, b, 1, false});
  const EventContact contact = describe(data.open[0], data.snapshot);
  data.contacts.ends.push_back({contact, EndReason::Separated});
  data.contacts.begins.push_back({contact, 0.5});
  data.contacts.passed.push_back({contact, EndReason::PassedThrough});
  data.contacts.stays.push_back({contact});
  data.observers.push_back(
      {SessionId{1}, ObserverId{2}, {{EntityId(7, 1), LeaveReason::Disabled, 0}}, {0}, 2});
  data.sessions[SessionId{1}].results.push_back({6, ErrorCode::None, EntityId(3, 1)});
  data.sessions[SessionId{2}];
  return data;
}

std::uint64_t hash_of(const TickData& data, int worker_count = 1) {
  Workers workers(worker_count);
  std::vector<std::uint32_t> slots(data.snapshot.slot_count());
  std::iota(slots.begin(), slots.end(), 0u);
  EntityHash entities;
  entities.update(data.snapshot, slots, workers);
  return result_hash(data.snapshot, entities, OpenContacts(data.open), data.contacts,
                     data.observers, data.sessions);
}

TEST(ResultHash, IsTheSameForTheSameDataAndAnyWorkers) {
  TickData data = sample();
  const std::uint64_t hash = hash_of(data);
  EXPECT_EQ(hash, hash_of(sample()));
  EXPECT_EQ(hash, hash_of(data, 3));
}

TEST(ResultHash, MinusZeroIsZero) {
  TickData data = sample();
  data.snapshot.position[0] = {0.0, 0, 0};
  const std::uint64_t hash = hash_of(data);
  data.snapshot.position[0] = {-0.0, 0, 0};
  EXPECT_EQ(hash, hash_of(data));
}

/// Each change must give a hash of its own.
void expect_each_counts(const std::vector<std::function<void(TickData&)>>& changes) {
  std::set<std::uint64_t> hashes{hash_of(sample())};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TickData data = sample();
    changes[i](data);
    EXPECT_TRUE(hashes.insert(hash_of(data)).second) << "change " << i << " made no difference";
  }
}

TEST(ResultHash, EveryFieldOfTheSnapshotCounts) {
  expect_each_counts({
      [](TickData& d) { d.snapshot.tick = 5; },
      [](TickData& d) { d.snapshot.dt_s = 5; },
      [](TickData& d) { d.snapshot.id[1] = EntityId(1, 2); },
      [](TickData& d) { d.snapshot.position[1].z = 5; },
      [](TickData& d) { d.snapshot.velocity[1].y = 5; },
      [](TickData& d) { d.snapshot.tight_box[1].max.x = 5; },
      [](TickData& d) { d.snapshot.start_box[1].min.x = -5; },
      [](TickData& d) { d.snapshot.motion[1] = Motion::Path; },
      [](TickData& d) { d.snapshot.shape[1].kind = ShapeKind::Sphere; },
      [](TickData& d) { d.snapshot.shape[1].radius_m = 5; },
      [](TickData& d) { d.snapshot.shape[1].half_height_m = 5; },
      [](TickData& d) { d.snapshot.shape[1].offset.x = 5; },
      [](TickData& d) { d.snapshot.shape[1].box_min.x = -5; },
      [](TickData& d) { d.snapshot.shape[1].box_max.x = 5; },
      [](TickData& d) { d.snapshot.filter[1].category = 5; },
      [](TickData& d) { d.snapshot.filter[1].mask = 5; },
      [](TickData& d) { d.snapshot.filter[1].group = -5; },
      [](TickData& d) { d.snapshot.filter[1].instance = 5; },
      [](TickData& d) { d.snapshot.filter[1].sensor = true; },
      [](TickData& d) { d.snapshot.filter[1].is_static = true; },
      [](TickData& d) { d.snapshot.filter[1].enabled = false; },
      [](TickData& d) { d.snapshot.user_data[1] = 5; },
      [](TickData& d) { d.snapshot.owner[1] = SessionId{5}; },
      [](TickData& d) { d.snapshot.changed[1].spawned = 5; },
      [](TickData& d) { d.snapshot.changed[1].pose = 5; },
      [](TickData& d) { d.snapshot.changed[1].teleported = 5; },
      [](TickData& d) { d.snapshot.changed[1].shape = 5; },
      [](TickData& d) { d.snapshot.changed[1].filter = 5; },
      [](TickData& d) { d.snapshot.changed[1].enabled = 5; },
      [](TickData& d) { d.snapshot.changed[1].user_data = 5; },
  });
}

TEST(ResultHash, EveryFieldOfTheEventsAndOutcomesCounts) {
  expect_each_counts({
      [](TickData& d) { d.snapshot.despawned[0].id = EntityId(5, 5); },
      [](TickData& d) { d.snapshot.despawned[0].owner = SessionId{5}; },
      [](TickData& d) { d.snapshot.despawned[0].reason = DespawnReason::LeftWorld; },
      [](TickData& d) { d.snapshot.despawned[0].user_data = 5; },
      [](TickData& d) { d.snapshot.despawned[0].by = SessionId{5}; },
      [](TickData& d) { d.open[0].a = EntityId(5, 5); },
      [](TickData& d) { d.open[0].b = EntityId(5, 5); },
      [](TickData& d) { d.open[0].begin_tick = 5; },
      [](TickData& d) { d.open[0].sensor = true; },
      [](TickData& d) { d.open.clear(); },
      [](TickData& d) { d.contacts.ends[0].reason = EndReason::Teleported; },
      [](TickData& d) { d.contacts.ends[0].contact.a = EntityId(5, 5); },
      [](TickData& d) { d.contacts.ends[0].contact.b = EntityId(5, 5); },
      [](TickData& d) { d.contacts.ends[0].contact.begin_tick = 5; },
      [](TickData& d) { d.contacts.ends[0].contact.user_data_a = 5; },
      [](TickData& d) { d.contacts.ends[0].contact.user_data_b = 5; },
      [](TickData& d) { d.contacts.ends[0].contact.owner_a = SessionId{5}; },
      [](TickData& d) { d.contacts.ends[0].contact.owner_b = SessionId{5}; },
      [](TickData& d) { d.contacts.ends[0].contact.sensor = true; },
      [](TickData& d) { d.contacts.begins[0].toi = 0.25; },
      [](TickData& d) { d.contacts.begins.clear(); },
      [](TickData& d) { d.contacts.passed[0].reason = EndReason::Separated; },
      [](TickData& d) { d.contacts.passed.clear(); },
      [](TickData& d) { d.contacts.begins[0].capped = true; },
      [](TickData& d) { d.contacts.stays[0].contact.begin_tick = 5; },
      [](TickData& d) { d.contacts.stays.clear(); },
      [](TickData& d) { d.observers[0].session = SessionId{5}; },
      [](TickData& d) { d.observers[0].observer = ObserverId{5}; },
      [](TickData& d) { d.observers[0].leaves[0].id = EntityId(5, 5); },
      [](TickData& d) { d.observers[0].leaves[0].reason = LeaveReason::OutOfRange; },
      [](TickData& d) { d.observers[0].leaves[0].user_data = 5; },
      [](TickData& d) { d.observers[0].enters = {1}; },
      [](TickData& d) { d.observers[0].visible_count = 5; },
      [](TickData& d) { d.observers.clear(); },
      [](TickData& d) { d.sessions.at({1}).results[0].sequence = 5; },
      [](TickData& d) { d.sessions.at({1}).results[0].code = ErrorCode::NotOwner; },
      [](TickData& d) { d.sessions.at({1}).results[0].entity = EntityId(5, 5); },
      [](TickData& d) { d.sessions.at({1}).results.clear(); },
      [](TickData& d) { std::swap(d.sessions.at({1}).results, d.sessions.at({2}).results); },
  });
}

TEST(ResultHash, EntitiesBeyondTheFirstBlockCount) {
  test::TestWorld world;
  for (int i = 0; i < 5000; ++i) world.spawn_point({1.0 * i, 0, 0});
  world.step();
  TickData data;
  data.snapshot = *world.snapshot();
  const std::uint64_t hash = hash_of(data);
  EXPECT_EQ(hash, hash_of(data, 8));
  for (const std::size_t slot : {0u, 2047u, 2048u, 4999u}) {
    TickData changed = data;
    changed.snapshot.user_data[slot] = 1;
    EXPECT_NE(hash, hash_of(changed)) << slot;
  }
}

TEST(EntityHash, OfTwoEntitiesThatSwapWhatTheyAreDiffers) {
  TickData data = sample();
  const std::uint64_t hash = hash_of(data);
  std::swap(data.snapshot.user_data[0], data.snapshot.user_data[1]);
  std::swap(data.snapshot.shape[0], data.snapshot.shape[1]);
  std::swap(data.snapshot.tight_box[0], data.snapshot.tight_box[1]);
  std::swap(data.snapshot.start_box[0], data.snapshot.start_box[1]);
  EXPECT_NE(hash, hash_of(data));
}

/// Kept from tick to tick, it is what it would be if made anew.
TEST(EntityHash, OfWhatChangedIsTheHashOfAll) {
  Prng prng(20262);
  test::TestWorld world(IndexKind::BruteForce, EntityTableSettings{.reuse_delay_ticks = 1});
  std::vector<EntityId> ids;
  EntityHash kept;
  std::set<std::uint64_t> digests;
  for (int tick = 0; tick < 200; ++tick) {
    ids.push_back(world.spawn_point({1.0 * tick, 0, 0}));
    for (int i = 0; i < 3; ++i) {
      const EntityId id = ids[prng.below(ids.size())];
      switch (prng.below(5)) {
        case 0: world.table().set_velocity(id, {prng.chance(0.5) ? 0 : prng.unit(), 0, 0}); break;
        case 1: world.table().teleport(id, {prng.unit(), 0, 0}); break;
        case 2: world.table().set_user_data(id, prng.below(3)); break;
        case 3: world.table().set_filter(id, {.enabled = prng.chance(0.5)}); break;
        case 4: world.table().despawn(id, DespawnReason::Command); break;
      }
    }
    world.step();
    kept.update(*world.snapshot(), world.changed(), world.workers());
    EntityHash fresh;
    std::vector<std::uint32_t> slots(world.snapshot()->slot_count());
    std::iota(slots.begin(), slots.end(), 0u);
    fresh.update(*world.snapshot(), slots, world.workers());
    ASSERT_EQ(kept.digest(), fresh.digest()) << "tick " << tick;
    digests.insert(kept.digest());
  }
  EXPECT_EQ(digests.size(), 200u);
}

}  // namespace
}  // namespace vicinity
