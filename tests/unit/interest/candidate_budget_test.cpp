// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A session that looks at more than it may: what of its views is kept is the same for observers
// that went the quick way, whatever their lanes are and in which order they came to be.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/prng.h"
#include "interest/interest.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

constexpr SessionId session{7};
constexpr double half_size_m = 16;
constexpr std::uint32_t entity_count = 1000;
constexpr std::uint32_t tide_count = 100;
/// Between what the areas look at while the tide is out, about 520, and while it is in, 1200. An
/// equal share, 50, is three groups of lanes: enough for the small areas most of the time.
constexpr std::uint64_t candidates_max = 800;
constexpr double radius_m[] = {0.5, 4, 4, 1, 4, 0.5, 4, 4, 1, 4, 0.5, 4, 1, 4, 0.5, 4};
constexpr std::uint32_t observer_count = std::size(radius_m);
constexpr bool is_small(std::uint32_t i) { return radius_m[i] <= 1; }

std::vector<std::uint8_t> saved(const Interest& interest) {
  ArchiveWriter out;
  interest.save(out);
  return out.take();
}

/// A world of which some entities jump about, and some come and go together. Small areas follow
/// anchors that seldom stay where they are, so that there is something to tell in every tick.
class Tide {
 public:
  Tide(std::uint64_t seed, int worker_count)
      : world(IndexSettings{.kind = IndexKind::Rows, .block_size = 7}, {}, worker_count),
        prng_(seed) {
    for (std::uint32_t i = 0; i < entity_count; ++i)
      ids_.push_back(world.spawn_point(place(half_size_m)));
    for (std::uint32_t i = 0; i < observer_count; ++i)
      centres_.push_back(place(is_small(i) ? 12 : 3));
  }

  Vec3 place(double half_m) {
    const double x = prng_.between(-half_m, half_m);
    return {x, 0, prng_.between(-half_m, half_m)};
  }
  ErrorCode add_area(Interest& interest, std::uint32_t i) const {
    AreaSpec spec;
    spec.centre = centres_[i];
    spec.enter_radius_m = radius_m[i];
    spec.leave_radius_m = 1.2 * radius_m[i];
    if (!is_small(i)) return interest.add_area(session, {ObserverId{i}, AreaId{i}, spec}, {});
    spec.anchor = {anchor(i), 0};
    spec.centre = {};
    return interest.add_area(session, {ObserverId{i}, AreaId{i}, spec}, anchor(i));
  }
  void step(int tick) {
    for (std::uint32_t i = 0; tick % 6 == 0 && i < tide_count; ++i)
      world.table().teleport(ids_[i], tick % 12 == 0 ? Vec3{500, 0, 0} : place(2));
    // The others so seldom that lanes last for some ticks.
    for (std::uint32_t i = 0; i < observer_count; ++i)
      if (is_small(i) && prng_.chance(0.5))
        world.table().teleport(anchor(i), centres_[i] + place(1.5));
    constexpr std::uint32_t first = tide_count + observer_count;
    const std::uint64_t which = first + prng_.below(entity_count - first);
    world.table().teleport(ids_[which], place(half_size_m));
    world.step();
  }

  test::TestWorld world;

 private:
  EntityId anchor(std::uint32_t i) const { return ids_[tide_count + i]; }

  Prng prng_;
  std::vector<EntityId> ids_;
  std::vector<Vec3> centres_;
};

/// One of several that look at the same world.
struct Watcher {
  explicit Watcher(bool uses_masks)
      : interest({.candidates_max = candidates_max, .uses_masks = uses_masks}) {}

  Interest interest;
  std::vector<ObserverEvents> events;

  void update(const test::TestWorld& world, std::span<const std::uint32_t> changed,
              Workers& workers) {
    interest.update(*world.snapshot(), changed, *world.index(), workers, events);
  }
};

void expect_same(const Watcher& a, const Watcher& b) {
  ASSERT_EQ(a.interest.views_truncated(), b.interest.views_truncated());
  ASSERT_EQ(a.interest.visible_count(), b.interest.visible_count());
  ASSERT_EQ(saved(a.interest), saved(b.interest));
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    ASSERT_EQ(a.events[i].observer, b.events[i].observer);
    ASSERT_EQ(a.events[i].enters, b.events[i].enters);
    ASSERT_EQ(a.events[i].visible_count, b.events[i].visible_count);
    ASSERT_TRUE(std::ranges::equal(
        a.events[i].leaves, b.events[i].leaves,
        [](const Leave& x, const Leave& y) { return x.id == y.id && x.reason == y.reason; }));
  }
}

/// Observers that went the quick way in the last update.
int quick_count(const Interest& interest) {
  const auto& observers = *interest.observers_of(session);
  return static_cast<int>(std::count_if(observers.begin(), observers.end(), [](const auto& entry) {
    return entry.second.masks.is_valid;
  }));
}

struct Seen {
  int cut_short = 0;
  int cut_short_and_quick = 0;
  int whole = 0;
} seen;

void compare(std::uint64_t seed) {
  Tide tide(seed, seed % 2 == 0 ? 1 : 8);
  test::TestWorld& world = tide.world;
  Watcher by_index(false);
  std::vector<std::unique_ptr<Watcher>> others;
  for (int i = 0; i < 2; ++i) others.push_back(std::make_unique<Watcher>(true));
  for (std::uint32_t i = 0; i < observer_count; ++i) {
    ASSERT_EQ(tide.add_area(by_index.interest, i), ErrorCode::None);
    ASSERT_EQ(tide.add_area(others[0]->interest, i), ErrorCode::None);
    ASSERT_EQ(tide.add_area(others[1]->interest, observer_count - 1 - i), ErrorCode::None);
  }
  std::size_t loaded = others.size();  // from here on, since the last tick
  for (int tick = 0; tick < 36; ++tick) {
    tide.step(tick);
    std::vector<std::uint32_t> all(world.snapshot()->slot_count());
    std::iota(all.begin(), all.end(), 0u);
    by_index.update(world, world.changed(), world.workers());
    for (std::size_t i = 0; i < others.size(); ++i) {
      SCOPED_TRACE("tick " + std::to_string(tick) + ", watcher " + std::to_string(i));
      const bool is_new = i >= loaded;
      others[i]->update(world, is_new ? std::span<const std::uint32_t>(all) : world.changed(),
                        world.workers());
      ASSERT_NO_FATAL_FAILURE(expect_same(*others[i], by_index));
    }
    const bool is_cut = by_index.interest.views_truncated() > 0;
    ++(is_cut ? seen.cut_short : seen.whole);
    if (is_cut && quick_count(others[0]->interest) > 0) ++seen.cut_short_and_quick;
    loaded = others.size();
    if (tick % 9 != 7) continue;
    const std::vector<std::uint8_t> bytes = saved(by_index.interest);
    const std::vector<QuarantinedEntity> none;
    ArchiveReader in(bytes);
    others.push_back(std::make_unique<Watcher>(true));
    others.back()->interest.load(in, RestoredEntities(*world.snapshot(), none), 1000);
    ASSERT_TRUE(in.done());
  }
}

TEST(CandidateBudget, IsSpentTheSameWhoeverGoesTheQuickWay) {
  seen = {};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(compare(seed));
  }
  EXPECT_GT(seen.cut_short, 20);
  EXPECT_GT(seen.cut_short_and_quick, 10);
  EXPECT_GT(seen.whole, 20);
}

}  // namespace
}  // namespace vicinity
