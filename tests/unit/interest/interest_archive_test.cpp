// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Interest that was saved and loaded while its bounds bite: who waits, and whose turn it is, goes
// on.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "base/prng.h"
#include "interest/interest.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

constexpr SessionId session{7};
constexpr double world_half_size_m = 1000;

std::vector<std::uint8_t> saved(const Interest& interest) {
  ArchiveWriter out;
  interest.save(out);
  return out.take();
}

std::unique_ptr<Interest> loaded(const std::vector<std::uint8_t>& bytes, const Snapshot& snapshot,
                                 const InterestSettings& settings) {
  auto interest = std::make_unique<Interest>(settings);
  const std::vector<QuarantinedEntity> none;
  ArchiveReader in(bytes);
  interest->load(in, RestoredEntities(snapshot, none), world_half_size_m);
  EXPECT_TRUE(in.done());
  return interest;
}

void expect_same(const std::vector<ObserverEvents>& a, const std::vector<ObserverEvents>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].observer, b[i].observer);
    EXPECT_EQ(a[i].enters, b[i].enters);
    EXPECT_EQ(a[i].visible_count, b[i].visible_count);
    EXPECT_TRUE(std::ranges::equal(a[i].leaves, b[i].leaves, [](const Leave& x, const Leave& y) {
      return x.id == y.id && x.reason == y.reason;
    }));
  }
}

/// Crowds that come and go around three observers of one session.
class CrowdedWorld {
 public:
  explicit CrowdedWorld(std::uint64_t seed) : prng_(seed) {}

  Vec3 place() { return {prng_.between(-8, 8), 0, prng_.between(-8, 8)}; }
  void step() {
    for (std::uint64_t i = prng_.below(6); i > 0; --i) ids_.push_back(world.spawn_point(place()));
    for (std::uint64_t i = prng_.below(5); i > 0 && !ids_.empty(); --i) {
      const std::size_t at = prng_.below(ids_.size());
      world.table().despawn(ids_[at], DespawnReason::Command);
      ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (const EntityId id : ids_)
      if (prng_.chance(0.3)) world.table().teleport(id, place());
    world.step();
  }

  test::TestWorld world;

 private:
  Prng prng_;
  std::vector<EntityId> ids_;
};

void add_areas(Interest& interest) {
  for (std::uint32_t i = 1; i <= 3; ++i) {
    for (std::uint32_t part = 0; part < 2; ++part) {
      AreaSpec spec;
      spec.centre = {i * 3.0 - 6, 0, part * 4.0};
      spec.enter_radius_m = 5;
      spec.leave_radius_m = 6;
      const AddAreaCommand command{ObserverId{i}, AreaId{10 * i + part}, spec};
      ASSERT_EQ(interest.add_area(session, command, {}), ErrorCode::None);
    }
  }
}

/// Saves in tick 10 and compares the ticks after it. How many of those had truncated views.
int compare_with(const InterestSettings& settings, std::uint64_t seed) {
  CrowdedWorld crowd(seed);
  test::TestWorld& world = crowd.world;
  Interest original(settings);
  std::unique_ptr<Interest> restored;
  add_areas(original);
  std::vector<ObserverEvents> expected;
  std::vector<ObserverEvents> events;
  int truncated = 0;
  for (int tick = 1; tick <= 25; ++tick) {
    crowd.step();
    const Snapshot& snapshot = *world.snapshot();
    original.update(snapshot, world.changed(), *world.index(), world.workers(), expected);
    if (restored != nullptr) {
      std::vector<std::uint32_t> all(snapshot.slot_count());
      std::iota(all.begin(), all.end(), 0u);
      restored->update(snapshot, tick == 11 ? all : world.changed(), *world.index(),
                       world.workers(), events);
      expect_same(events, expected);
      EXPECT_EQ(saved(*restored), saved(original));
      EXPECT_EQ(restored->views_truncated(), original.views_truncated());
      EXPECT_EQ(restored->visible_count(), original.visible_count());
      truncated += original.views_truncated() > 0 ? 1 : 0;
    }
    if (tick == 10) restored = loaded(saved(original), snapshot, settings);
  }
  return truncated;
}

TEST(InterestArchive, WhoWaitsForRoomInAViewGoesOnWaiting) {
  int truncated = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    truncated += compare_with({.visible_max = 12}, seed);
    truncated += compare_with({.visible_max = 12, .uses_masks = false}, seed);
  }
  EXPECT_GT(truncated, 20);
}

TEST(InterestArchive, AreasThatWereNotSearchedHaveTheirTurnFirst) {
  int truncated = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    truncated += compare_with({.candidates_max = 10}, seed);
    truncated += compare_with({.candidates_max = 10, .uses_masks = false}, seed);
  }
  EXPECT_GT(truncated, 20);
}

}  // namespace
}  // namespace vicinity
