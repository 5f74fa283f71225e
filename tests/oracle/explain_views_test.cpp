// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// What explain_view() says of every observer and entity of random worlds, against the views that
// clients keep from what they are told, and the rules of the model.

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "oracle/interest_views_world.h"
#include "oracle/seeds.h"
#include "query/explain_text.h"
#include "tick/explain_view.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t seeds = 60;
constexpr int ticks_per_world = 30;

struct Tally {
  std::map<ViewStage, std::size_t> stages;
  std::map<ViewHold, std::size_t> holds;
  std::size_t open = 0;  ///< not decided by the model
};

using Views = std::map<ViewsModel::Name, std::set<EntityId>>;

void follow(const ViewsWorld& world, Views& views) {
  for (const ObserverEvents& told : world.events()) {
    std::set<EntityId>& view = views[{told.session, told.observer}];
    if (told.dropped) view.clear();
    for (const Leave& leave : told.leaves) view.erase(leave.id);
    for (const std::uint32_t slot : told.enters) view.insert(world.snapshot().id[slot]);
  }
}

const Follower* follower_of(const Snapshot& snapshot, std::uint32_t slot) {
  for (const Follower& follower : snapshot.followers)
    if (follower.slot == slot) return &follower;
  return nullptr;
}

/// Why an entity that is not in view is not, by the model; nothing where it leaves that open.
std::optional<ViewStage> expected(const ModelObserver& observer, bool is_owned,
                                  const Snapshot& snapshot, EntityId id) {
  if (!snapshot.contains(id)) return ViewStage::Gone;
  const std::uint32_t slot = id.index();
  if (!snapshot.filter[slot].enabled) return ViewStage::Disabled;
  if (follower_of(snapshot, slot) != nullptr) return ViewStage::Follower;
  const auto visibility = observer.visibilities.find(id);
  if (visibility != observer.visibilities.end() && visibility->second == Visibility::Never)
    return ViewStage::Visibility;
  if (is_owned || visibility != observer.visibilities.end()) return ViewStage::Limit;
  bool is_any_looking = false;
  bool is_any_reaching = false;
  bool is_any_taking_all = false;
  for (const auto& [area_id, area] : observer.areas) {
    if (!area.takes(snapshot, slot)) continue;
    is_any_looking = true;
    const Answer answer = area.inside(snapshot, slot, false);
    if (answer == Answer::Open) return std::nullopt;
    if (answer == Answer::No) continue;
    is_any_reaching = true;
    is_any_taking_all = is_any_taking_all || area.spec.nearest_max == 0;
  }
  if (!is_any_looking) return ViewStage::Filter;
  if (!is_any_reaching) return ViewStage::Area;
  return is_any_taking_all ? ViewStage::Limit : ViewStage::Nearest;
}

/// By a player, and not left out as the anchor of an area.
bool is_shown_to_owner(const ViewsModel& model, const ViewsModel::Name& name,
                       const ModelObserver& observer, const Snapshot& snapshot, EntityId id) {
  if (!snapshot.contains(id) || snapshot.owner[id.index()] != name.first) return false;
  for (const auto& [area_id, area] : observer.areas)
    if (area.anchor == id && !area.spec.include_anchor) return false;
  return model.players.contains(name.first);
}

void check_hold(const ViewExplanation& view, const ModelObserver& observer,
                const Snapshot& snapshot) {
  const std::uint32_t slot = view.entity.index();
  EXPECT_EQ(view.hold == ViewHold::Parent, follower_of(snapshot, slot) != nullptr);
  const auto visibility = observer.visibilities.find(view.entity);
  const bool is_always =
      visibility != observer.visibilities.end() && visibility->second == Visibility::Always;
  if (view.hold == ViewHold::Visibility) {
    EXPECT_TRUE(is_always);
  }
  if (view.hold == ViewHold::Owner) {
    EXPECT_EQ(snapshot.owner[slot], view.session);
  }
  if (view.hold == ViewHold::Dwell || view.hold == ViewHold::Hysteresis) {
    EXPECT_LT(view.entered, snapshot.tick);
  }
}

/// They share what the session may see.
std::uint64_t observers_of(ViewsWorld& world, SessionId session) {
  std::uint64_t count = 0;
  for (const auto& [name, observer] : world.model().observers) count += name.first == session;
  return count;
}

void check(ViewsWorld& world, const ViewsModel::Name& name, const ModelObserver& observer,
           const std::set<EntityId>& seen, EntityId id, Tally& tally) {
  SCOPED_TRACE("session " + std::to_string(name.first.value) + " observer " +
               std::to_string(name.second.value) + " entity " + std::to_string(id.index()));
  const Snapshot& snapshot = world.snapshot();
  const ViewExplanation view =
      explain_view(world.interest(), snapshot, {name.first, name.second, id});
  EXPECT_EQ(view.in_view, seen.contains(id));
  EXPECT_EQ(view.visible_count, seen.size());
  if (snapshot.contains(id)) {
    EXPECT_EQ(view.areas.size(), observer.areas.size());
  }
  if (view.in_view) {
    EXPECT_EQ(view.stage, ViewStage::None);
    EXPECT_NE(view.hold, ViewHold::None);
    EXPECT_LE(view.entered, snapshot.tick);
    check_hold(view, observer, snapshot);
    ++tally.holds[view.hold];
  } else if (const auto stage =
                 expected(observer, is_shown_to_owner(world.model(), name, observer, snapshot, id),
                          snapshot, id)) {
    // A view that is full may lack even those that are nearest.
    const bool is_full = seen.size() >= world.model().visible_max / observers_of(world, name.first);
    if (view.stage != ViewStage::Limit || *stage != ViewStage::Nearest) {
      EXPECT_EQ(to_string(view.stage), to_string(*stage));
    }
    EXPECT_TRUE(view.stage != ViewStage::Limit || is_full);
  } else {
    ++tally.open;
    return;
  }
  ++tally.stages[view.stage];
}

void run_world(std::uint64_t seed, Tally& tally) {
  ViewsWorld world(seed);
  Views views;
  std::set<EntityId> known;
  for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick) {
    SCOPED_TRACE("tick " + std::to_string(tick + 1));
    ASSERT_TRUE(world.step());
    std::erase_if(views,
                  [&](const auto& view) { return !world.model().observers.contains(view.first); });
    follow(world, views);
    for (const EntityId id : world.snapshot().id)
      if (id) known.insert(id);
    for (auto& [name, observer] : world.model().observers) {
      const ModelNews news = world.model().look(name, world.snapshot());  // places the areas
      for (const EntityId id : known) check(world, name, observer, views[name], id, tally);
      std::map<EntityId, Seen> view;
      for (const EntityId id : views[name]) {
        const auto was = observer.view.find(id);
        view[id] = {was == observer.view.end() ? world.snapshot().tick : was->second.entered, {}};
      }
      world.model().settle(name, std::move(view));
    }
    const ViewExplanation nobody =
        explain_view(world.interest(), world.snapshot(), {SessionId{99}, {}, EntityId(0, 1)});
    EXPECT_EQ(nobody.stage, ViewStage::NoObserver);
  }
}

TEST(ExplainView, AgreesWithTheModelAboutEveryObserverAndEntity) {
  Tally tally;
  for_each_seed(0, seeds, [&](std::uint64_t seed) { run_world(seed, tally); });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  for (const ViewStage stage : {ViewStage::None, ViewStage::Gone, ViewStage::Disabled,
                                ViewStage::Follower, ViewStage::Visibility, ViewStage::Filter,
                                ViewStage::Area, ViewStage::Nearest, ViewStage::Limit})
    EXPECT_GT(tally.stages[stage], 0u) << to_string(stage) << " was never reached";
  for (int i = 1; i <= static_cast<int>(ViewHold::Dwell); ++i) {
    const auto hold = static_cast<ViewHold>(i);
    EXPECT_GT(tally.holds[hold], 0u) << to_string(hold) << " never held anything";
  }
}

}  // namespace
}  // namespace vicinity::oracle
