// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A session that looks at more than it may: what of its views is kept is the same for observers
// that went the quick way, whatever their lanes are and in which order they came to be.

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "budget_model.h"
#include "interest/interest.h"
#include "support/test_world.h"

namespace vicinity {
namespace {

constexpr SessionId session{7};
constexpr double half_size_m = 16;
constexpr std::uint32_t entity_count = 1000;
constexpr std::uint32_t tide_count = 100;
constexpr double radius_m[] = {0.5, 4, 4, 1, 4, 0.5, 4, 4, 1, 4, 0.5, 4, 1, 4, 0.5, 4};
constexpr std::uint32_t observer_count = std::size(radius_m);
constexpr std::uint32_t first_other = tide_count + observer_count;  ///< of no tide, and no anchor
constexpr bool is_small(std::uint32_t i) { return radius_m[i] <= 1; }

/// What went on, in ticks or, where it says so, in events.
struct Seen {
  int cut_short = 0;
  int cut_short_and_quick = 0;
  int whole = 0;
  int taken_back = 0;         ///< some that went the quick way
  int began_within = 0;       ///< the turns, within an observer; and some were taken back
  int came_back = 0;          ///< the turns, to the first areas of that one
  int no_room = 0;            ///< for some in view; and some were taken back
  int suspended_leaves = 0;   ///< events of those taken back
  int disabled_leaves = 0;    ///< the same
  int only_shapes = 0;        ///< reach areas of those taken back; centres do not
  int quick_other = 0;        ///< the other session alone was not cut short, and went the quick way
  int taken_back_beside = 0;  ///< some, while the other session was not cut short
};

struct Kind {
  std::string name;
  /// Between what the areas look at while the tide is out, and while it is in. An equal share is a
  /// few groups of lanes: enough for the small areas most of the time.
  std::uint64_t candidates_max = 0;
  std::uint64_t candidates_short = 0;        ///< or so many less than while the tide is in
  std::vector<int Seen::*> situations = {};  ///< that it is about
  std::uint32_t areas_min = 1;               ///< of an observer
  std::uint32_t areas_max = 1;
  std::uint64_t visible_max = limits::visible_per_session_max;
  bool suspends = false;
  bool by_centre = false;  ///< areas count centres, and a few shapes are large
  bool disables = false;
  bool has_other_session = false;
};

std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  // About 520 candidates while the tide is out, and 1300 while it is in.
  kinds.push_back({.name = "OneAreaEach", .candidates_max = 800});
  kinds.push_back({.name = "SeveralAreasEach",
                   .candidates_max = 2400,
                   .situations = {&Seen::began_within},
                   .areas_min = 2,
                   .areas_max = 4});
  kinds.push_back({.name = "NearlyEnoughForSeveralAreas",
                   .candidates_short = 250,  // an area or two
                   .situations = {&Seen::began_within, &Seen::came_back},
                   .areas_min = 2,
                   .areas_max = 4});
  kinds.push_back({.name = "SuspendingAndWithoutRoom",
                   .candidates_max = 1200,
                   .situations = {&Seen::no_room, &Seen::suspended_leaves},
                   .areas_max = 2,
                   .visible_max = 110 * observer_count,
                   .suspends = true});
  kinds.push_back({.name = "CentresOfLargeShapes",
                   .candidates_max = 2700,
                   .situations = {&Seen::only_shapes},
                   .areas_min = 2,
                   .areas_max = 4,
                   .by_centre = true});
  kinds.push_back({.name = "Disabled",
                   .candidates_max = 2400,
                   .situations = {&Seen::disabled_leaves, &Seen::began_within},
                   .areas_min = 2,
                   .areas_max = 4,
                   .disables = true});
  kinds.push_back({.name = "TwoSessions",
                   .candidates_max = 800,
                   .situations = {&Seen::quick_other, &Seen::taken_back_beside},
                   .has_other_session = true});
  kinds.push_back({.name = "AllOfThem",
                   .candidates_max = 2064,
                   .situations = {&Seen::no_room, &Seen::began_within, &Seen::taken_back_beside},
                   .areas_max = 4,
                   .visible_max = 150 * observer_count,
                   .suspends = true,
                   .by_centre = true,
                   .disables = true,
                   .has_other_session = true});
  return kinds;
}

std::vector<std::uint8_t> saved(const Interest& interest) {
  ArchiveWriter out;
  interest.save(out);
  return out.take();
}

/// A world of which some entities jump about, and some come and go together. Small areas follow
/// anchors that seldom stay where they are, so that there is something to tell in every tick.
class Tide {
 public:
  Tide(const Kind& kind, std::uint64_t seed, int worker_count)
      : world(IndexSettings{.kind = IndexKind::Rows, .block_size = 7}, {}, worker_count),
        other_session(seed % 2 == 0 ? 9 : 5),
        kind_(kind),
        prng_(seed) {
    for (std::uint32_t i = 0; i < entity_count; ++i)
      ids_.push_back(world.spawn(shape(i), place(half_size_m)));
    for (std::uint32_t i = 0; i < observer_count; ++i)
      centres_.push_back(place(is_small(i) ? 12 : 3));
    for (std::uint32_t i = 0; i < observer_count; ++i) plan_areas(i);
    if (kind_.has_other_session) plan_other_session();
  }

  std::size_t area_count() const { return plans_.size(); }
  ErrorCode add_area(Interest& interest, std::size_t i) const {
    return interest.add_area(plans_[i].session, plans_[i].command, plans_[i].anchor);
  }
  void step(int tick) {
    for (std::uint32_t i = 0; tick % 6 == 0 && i < tide_count; ++i)
      world.table().teleport(ids_[i], tick % 12 == 0 ? Vec3{500, 0, 0} : place(2));
    // The others so seldom that lanes last for some ticks.
    for (std::uint32_t i = 0; i < observer_count; ++i)
      if (is_small(i) && prng_.chance(0.5))
        world.table().teleport(anchor(i), centres_[i] + place(1.5));
    world.table().teleport(any_other(), place(half_size_m));
    if (kind_.disables) disable_others();
    world.step();
  }

  test::TestWorld world;
  const SessionId other_session;

 private:
  struct Plan {
    SessionId session;
    AddAreaCommand command;
    EntityId anchor;
  };

  Vec3 place(double half_m) {
    const double x = prng_.between(-half_m, half_m);
    return {x, 0, prng_.between(-half_m, half_m)};
  }
  /// Three are large: each makes a group of lanes as large as it is.
  Shape shape(std::uint32_t i) const {
    if (!kind_.by_centre || i < first_other || i % 256 != 0) return Shape::sphere(0);
    return i % 512 == 0 ? Shape::sphere(8) : Shape::box({10, 1, 4});
  }
  EntityId anchor(std::uint32_t i) const { return ids_[tide_count + i]; }
  EntityId any_other() { return ids_[first_other + prng_.below(entity_count - first_other)]; }
  void disable_others() {
    for (const EntityId id : disabled_)
      world.table().set_filter(id, test::patch(&FilterPatch::enabled, true));
    disabled_.clear();
    for (int i = 0; i < 120; ++i) {
      disabled_.push_back(any_other());
      world.table().set_filter(disabled_.back(), test::patch(&FilterPatch::enabled, false));
    }
  }
  AreaSpec sphere(std::uint32_t i, const Vec3& centre) const {
    AreaSpec spec;
    spec.reach = kind_.by_centre ? Reach::Centre : Reach::Shape;
    spec.centre = centre;
    spec.enter_radius_m = radius_m[i];
    spec.leave_radius_m = 1.2 * radius_m[i];
    spec.suspend = kind_.suspends;
    return spec;
  }
  void plan(SessionId of, AddAreaCommand command, EntityId anchor) {
    if (anchor) command.spec.anchor = {anchor, 0};
    plans_.push_back({of, std::move(command), anchor});
  }
  /// The areas of an observer overlap. They go by their ids, which are not in the order of
  /// observers.
  void plan_areas(std::uint32_t i) {
    std::uint32_t count = kind_.areas_min;
    if (kind_.areas_max > count)
      count += static_cast<std::uint32_t>(prng_.below(kind_.areas_max - count + 1));
    for (std::uint32_t k = 0; k < count; ++k) {
      const Vec3 offset = k == 0 ? Vec3{} : place(is_small(i) ? 1 : 2);
      AreaSpec spec = sphere(i, is_small(i) ? offset : centres_[i] + offset);
      // Some do not suspend all they see, and never go the quick way.
      if (i % 8 == 0 && k > 0) spec.suspend = false;
      plan(session, {ObserverId{i}, AreaId{100 * k + i}, spec},
           is_small(i) ? anchor(i) : EntityId{});
    }
  }
  /// It looks at the same entities as the first one, and always at less than it may.
  void plan_other_session() {
    for (std::uint32_t i = 0; i < observer_count; ++i) {
      if (i % 4 != 1 && !is_small(i)) continue;
      const AreaSpec spec = sphere(i, is_small(i) ? place(1) : place(3));
      plan(other_session, {ObserverId{i}, AreaId{i}, spec}, is_small(i) ? anchor(i) : EntityId{});
    }
  }

  Kind kind_;
  Prng prng_;
  std::vector<EntityId> ids_;
  std::vector<Vec3> centres_;
  std::vector<Plan> plans_;
  std::vector<EntityId> disabled_;
};

/// One of several that look at the same world.
class Watcher {
 public:
  Watcher(const Kind& kind, std::uint64_t candidates_max, bool uses_masks)
      : interest({.visible_max = kind.visible_max,
                  .candidates_max = candidates_max,
                  .uses_masks = uses_masks,
                  .on_step = [this](std::string_view step) { note(step); }}) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void update(const test::TestWorld& world, std::span<const std::uint32_t> changed,
              Workers& workers) {
    interest.update(*world.snapshot(), changed, *world.index(), workers, events);
  }

  using Name = std::pair<SessionId, ObserverId>;
  Interest interest;
  std::vector<ObserverEvents> events;
  std::set<Name> quick;       ///< went the quick way in the last update
  std::set<Name> taken_back;  ///< did so at first

 private:
  std::set<Name> valid_ones() const {
    std::set<Name> out;
    for (const SessionId of : {SessionId{5}, session, SessionId{9}}) {
      const auto* observers = interest.observers_of(of);
      if (observers == nullptr) continue;
      for (const auto& [id, observer] : *observers)
        if (observer.masks.is_valid) out.emplace(of, id);
    }
    return out;
  }
  /// Between "views" and "news" some of those that went the quick way are taken back.
  void note(std::string_view step) {
    if (step == "views") taken_back = valid_ones();
    if (step != "news") return;
    quick = valid_ones();
    for (const Name& name : quick) taken_back.erase(name);
  }
};

void expect_same(const Watcher& a, const Watcher& b) {
  ASSERT_EQ(a.interest.views_truncated(), b.interest.views_truncated());
  ASSERT_EQ(a.interest.visible_count(), b.interest.visible_count());
  ASSERT_EQ(saved(a.interest), saved(b.interest));
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    ASSERT_EQ(a.events[i].session, b.events[i].session);
    ASSERT_EQ(a.events[i].observer, b.events[i].observer);
    ASSERT_EQ(a.events[i].enters, b.events[i].enters);
    ASSERT_EQ(a.events[i].visible_count, b.events[i].visible_count);
    ASSERT_TRUE(std::ranges::equal(
        a.events[i].leaves, b.events[i].leaves, [](const Leave& x, const Leave& y) {
          return x.id == y.id && x.reason == y.reason && x.suspended == y.suspended;
        }));
  }
}

std::uint64_t candidates_while_the_tide_is_in(const Kind& kind, std::uint64_t seed) {
  Tide tide(kind, seed, 1);
  test::TestWorld& world = tide.world;
  Interest interest;
  std::vector<ObserverEvents> events;
  for (std::size_t i = 0; i < tide.area_count(); ++i)
    EXPECT_EQ(tide.add_area(interest, i), ErrorCode::None);
  for (int tick = 0; tick <= 6; ++tick) {
    tide.step(tick);
    interest.update(*world.snapshot(), world.changed(), *world.index(), world.workers(), events);
  }
  std::uint64_t count = 0;
  for (const ObserverId observer : interest.observer_ids(session))
    for (const InterestArea& area : interest.areas_of(session, observer))
      count += test::candidates_of(area, *world.snapshot()).size();
  return count;
}

std::uint64_t candidates_max(const Kind& kind, std::uint64_t seed) {
  if (kind.candidates_short == 0) return kind.candidates_max;
  return candidates_while_the_tide_is_in(kind, seed) - kind.candidates_short;
}

/// The same world, looked at by one without masks and by several with them.
class Comparison {
 public:
  Comparison(const Kind& kind, std::uint64_t seed)
      : kind_(kind),
        candidates_max_(candidates_max(kind, seed)),
        tide_(kind, seed, seed % 2 == 0 ? 1 : 8),
        by_index_(kind, candidates_max_, false),
        model_(session, candidates_max_),
        other_model_(tide_.other_session, candidates_max_) {}

  void run(Seen& seen);

 private:
  void add_areas();
  void add_restored();
  void note(Seen& seen);
  void note_taken_back(const Watcher& watcher, Seen& seen) const;
  int count_only_shapes(const Watcher::Name& name) const;

  const Kind& kind_;
  std::uint64_t candidates_max_;
  Tide tide_;
  Watcher by_index_;
  test::BudgetModel model_;
  test::BudgetModel other_model_;
  std::vector<std::unique_ptr<Watcher>> others_;
};

void Comparison::add_areas() {
  const std::size_t count = tide_.area_count();
  for (int i = 0; i < 2; ++i)
    others_.push_back(std::make_unique<Watcher>(kind_, candidates_max_, true));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(tide_.add_area(by_index_.interest, i), ErrorCode::None);
    ASSERT_EQ(tide_.add_area(others_[0]->interest, i), ErrorCode::None);
    ASSERT_EQ(tide_.add_area(others_[1]->interest, count - 1 - i), ErrorCode::None);
  }
}

void Comparison::add_restored() {
  const std::vector<std::uint8_t> bytes = saved(by_index_.interest);
  const std::vector<QuarantinedEntity> none;
  ArchiveReader in(bytes);
  others_.push_back(std::make_unique<Watcher>(kind_, candidates_max_, true));
  others_.back()->interest.load(in, RestoredEntities(*tide_.world.snapshot(), none), 1000);
  ASSERT_TRUE(in.done());
}

void Comparison::run(Seen& seen) {
  ASSERT_NO_FATAL_FAILURE(add_areas());
  test::TestWorld& world = tide_.world;
  std::size_t loaded = others_.size();  // from here on, since the last tick
  for (int tick = 0; tick < 36; ++tick) {
    tide_.step(tick);
    std::vector<std::uint32_t> all(world.snapshot()->slot_count());
    std::iota(all.begin(), all.end(), 0u);
    by_index_.update(world, world.changed(), world.workers());
    for (std::size_t i = 0; i < others_.size(); ++i) {
      SCOPED_TRACE("tick " + std::to_string(tick) + ", watcher " + std::to_string(i));
      const bool is_new = i >= loaded;
      others_[i]->update(world, is_new ? std::span<const std::uint32_t>(all) : world.changed(),
                         world.workers());
      ASSERT_NO_FATAL_FAILURE(expect_same(*others_[i], by_index_));
    }
    ASSERT_NO_FATAL_FAILURE(note(seen));
    loaded = others_.size();
    if (tick % 9 != 7) continue;
    ASSERT_NO_FATAL_FAILURE(add_restored());
  }
}

void Comparison::note(Seen& seen) {
  const Snapshot& snapshot = *tide_.world.snapshot();
  const auto turn = model_.next(by_index_.interest, snapshot);
  const auto other_turn = other_model_.next(by_index_.interest, snapshot);
  const std::uint32_t truncated = by_index_.interest.views_truncated();
  const std::uint32_t cut_short = turn.cut_short + other_turn.cut_short;
  const bool has_room = kind_.visible_max == limits::visible_per_session_max;
  ASSERT_EQ(other_turn.cut_short, 0u);
  ASSERT_GE(truncated, cut_short);
  ASSERT_TRUE(!has_room || truncated == cut_short) << truncated << " and not " << cut_short;
  const Watcher& watcher = *others_[0];
  const bool is_back = !watcher.taken_back.empty();
  const auto is_other = [this](const Watcher::Name& name) {
    return name.first == tide_.other_session;
  };
  ASSERT_TRUE(turn.cut_short > 0 || !is_back);
  ASSERT_TRUE(std::ranges::none_of(watcher.taken_back, is_other));
  ++(cut_short > 0 ? seen.cut_short : seen.whole);
  seen.cut_short_and_quick += cut_short > 0 && !watcher.quick.empty();
  seen.taken_back += is_back;
  seen.began_within += turn.began_within && is_back;
  seen.came_back += turn.came_back;
  seen.no_room += truncated > cut_short && is_back;
  if (kind_.has_other_session) {
    seen.quick_other += cut_short > 0 && std::ranges::any_of(watcher.quick, is_other);
    seen.taken_back_beside += is_back;
  }
  note_taken_back(watcher, seen);
}

void Comparison::note_taken_back(const Watcher& watcher, Seen& seen) const {
  for (const ObserverEvents& events : watcher.events) {
    if (!watcher.taken_back.contains({events.session, events.observer})) continue;
    for (const Leave& leave : events.leaves) {
      seen.suspended_leaves += leave.suspended;
      seen.disabled_leaves += leave.reason == LeaveReason::Disabled;
    }
  }
  if (!kind_.by_centre) return;
  for (const Watcher::Name& name : watcher.taken_back) seen.only_shapes += count_only_shapes(name);
}

int Comparison::count_only_shapes(const Watcher::Name& name) const {
  const Snapshot& snapshot = *tide_.world.snapshot();
  std::ptrdiff_t count = 0;
  for (const InterestArea& area : by_index_.interest.areas_of(name.first, name.second)) {
    const auto candidates = test::candidates_of(area, snapshot);
    count += std::ranges::count_if(candidates, [&](std::uint32_t slot) {
      return distance_m(area, snapshot, slot) > 2 * area.spec.leave_radius_m;
    });
  }
  return static_cast<int>(count);
}

class CandidateBudget : public testing::TestWithParam<Kind> {};

TEST_P(CandidateBudget, IsSpentTheSameWhoeverGoesTheQuickWay) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_NO_FATAL_FAILURE(Comparison(GetParam(), seed).run(seen));
  }
  EXPECT_GT(seen.cut_short, 20);
  EXPECT_GT(seen.cut_short_and_quick, 10);
  EXPECT_GT(seen.whole, 20);
  EXPECT_GT(seen.taken_back, 5);
  for (std::size_t i = 0; i < GetParam().situations.size(); ++i)
    EXPECT_GT(seen.*GetParam().situations[i], 5) << "situation " << i;
}

INSTANTIATE_TEST_SUITE_P(Of, CandidateBudget, testing::ValuesIn(all_kinds()),
                         [](const auto& kind) { return kind.param.name; });

}  // namespace
}  // namespace vicinity
