// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Every rule of what observers see, against the model in random worlds, tick by tick.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "oracle/interest_views_world.h"
#include "oracle/seeds.h"

namespace vicinity::oracle {
namespace {

constexpr std::uint64_t shard_count = 4;
constexpr std::uint64_t seeds_per_shard = 100;
constexpr int ticks_per_world = 30;

struct Tally {
  std::size_t looks = 0;
  std::size_t open = 0;  ///< not decided by the model
  std::size_t enters = 0;
  std::size_t suspended = 0;
  std::map<LeaveReason, std::size_t> leaves;
};

using Views = std::map<ViewsModel::Name, std::set<EntityId>>;

/// The views as a client keeps them, from what it is told.
void follow(const ViewsWorld& world, Views& views) {
  const std::vector<ObserverEvents>& events = world.events();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const ObserverEvents& told = events[i];
    const ViewsModel::Name name{told.session, told.observer};
    if (i > 0) {
      EXPECT_LT(std::pair(events[i - 1].session, events[i - 1].observer), name);
    }
    EXPECT_EQ(told.dropped, world.dropped().contains(name));
    if (told.dropped) views[name].clear();
    for (std::size_t k = 1; k < told.leaves.size(); ++k)
      EXPECT_LT(told.leaves[k - 1].id, told.leaves[k].id);
    EXPECT_TRUE(std::is_sorted(told.enters.begin(), told.enters.end()));
    for (const Leave& leave : told.leaves) EXPECT_EQ(views[name].erase(leave.id), 1u);
    for (const std::uint32_t slot : told.enters)
      EXPECT_TRUE(views[name].insert(world.snapshot().id[slot]).second);
    EXPECT_TRUE(told.dropped || told.visible_count == views[name].size());
  }
}

void compare(const ModelNews& news, const ObserverEvents& told, const Snapshot& snapshot,
             Tally& tally) {
  std::vector<EntityId> entered;
  for (const std::uint32_t slot : told.enters) entered.push_back(snapshot.id[slot]);
  EXPECT_EQ(entered, news.enters);
  std::vector<EntityId> left, expected;
  for (const Leave& leave : told.leaves) left.push_back(leave.id);
  for (const auto& [id, leave] : news.leaves) expected.push_back(id);
  ASSERT_EQ(left, expected);
  for (const Leave& leave : told.leaves) {
    const ModelLeave& wanted = news.leaves.at(leave.id);
    EXPECT_EQ(leave.reason, wanted.reason) << leave.id.raw();
    EXPECT_EQ(leave.suspended, wanted.suspended.value_or(leave.suspended));
    ++tally.leaves[leave.reason];
    tally.suspended += leave.suspended ? 1 : 0;
  }
  tally.enters += entered.size();
}

/// What was all but touching is taken from the server.
std::map<EntityId, Seen> adopt(const ModelNews& news, const ModelObserver& observer,
                               const std::set<EntityId>& view, Tick now) {
  std::map<EntityId, Seen> out;
  for (const EntityId id : view) {
    const auto was = observer.view.find(id);
    const auto wanted = news.view.find(id);
    out[id] = {was == observer.view.end() ? now : was->second.entered, std::nullopt};
    if (wanted != news.view.end() && !news.is_open) out[id].suspends = wanted->second.suspends;
  }
  return out;
}

void check_tick(ViewsWorld& world, Views& views, Tally& tally) {
  follow(world, views);
  const Snapshot& snapshot = world.snapshot();
  std::map<ViewsModel::Name, ObserverEvents> events;
  for (const ObserverEvents& told : world.events()) events[{told.session, told.observer}] = told;
  std::vector<ViewsModel::Name> names;
  for (const auto& [name, observer] : world.model().observers) names.push_back(name);
  std::uint64_t visible = 0;
  for (const ViewsModel::Name& name : names) {
    SCOPED_TRACE("session " + std::to_string(name.first.value) + " observer " +
                 std::to_string(name.second.value));
    const ModelNews news = world.model().look(name, snapshot);
    ++tally.looks;
    if (news.is_open) {
      ++tally.open;
    } else {
      compare(news, events[name], snapshot, tally);
    }
    visible += views[name].size();
    world.model().settle(name, news.is_open ? adopt(news, world.model().observers.at(name),
                                                    views[name], snapshot.tick)
                                            : news.view);
  }
  EXPECT_EQ(world.interest().visible_count(), visible);
  for (const ViewsModel::Name& name : world.dropped()) EXPECT_TRUE(events.contains(name));
}

void run_world(std::uint64_t seed, Tally& tally) {
  ViewsWorld world(seed);
  Views views;
  for (int tick = 0; tick < ticks_per_world && !testing::Test::HasFailure(); ++tick) {
    SCOPED_TRACE("tick " + std::to_string(tick + 1));
    ASSERT_TRUE(world.step());
    std::erase_if(views,
                  [&](const auto& view) { return !world.model().observers.contains(view.first); });
    check_tick(world, views, tally);
  }
}

class InterestViews : public testing::TestWithParam<std::uint64_t> {};

TEST_P(InterestViews, FollowEveryRule) {
  Tally tally;
  for_each_seed(GetParam(), seeds_per_shard, [&](std::uint64_t seed) { run_world(seed, tally); });
  if (HasFailure() || std::getenv("VICINITY_SEED") != nullptr) return;
  EXPECT_EQ(tally.leaves.size(), 8u) << "a reason for leaving that never occurred";
  EXPECT_GT(tally.enters, seeds_per_shard);
  EXPECT_GT(tally.suspended, 0u);
  EXPECT_LT(tally.open, tally.looks / 4) << "the model decides too little";
}

INSTANTIATE_TEST_SUITE_P(Seeds, InterestViews, testing::Range<std::uint64_t>(0, shard_count));

}  // namespace
}  // namespace vicinity::oracle
