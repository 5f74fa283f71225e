// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "support/snapshot_builder.h"

namespace vicinity {
namespace {

using test::box_at;
using test::SnapshotBuilder;

using PairList = std::vector<SlotPair>;

IndexSettings settings_of(IndexKind kind, double row_size_m = 0) {
  IndexSettings settings;
  settings.kind = kind;
  settings.row_size_m = row_size_m;
  return settings;
}

/// An index of a world that has had one tick, version 7.
class Built {
 public:
  Built(const IndexSettings& settings, const SnapshotBuilder& world, Workers& workers)
      : bounds_(world.bounds()),
        filters_(world.share()->filter),
        moved_(world.all_slots()),
        index_(make_index(settings)) {
    index_->update(input(), workers);
  }
  Index& index() { return *index_; }
  IndexInput input() const { return {7, bounds_, filters_, moved_}; }
  /// Pairs in the order of the blocks, and the flag.
  std::pair<PairList, bool> cut_pairs(Workers& workers) {
    CandidatePairs candidates;
    index_->find_pairs(input(), workers, candidates);
    PairList joined;
    candidates.blocks.join_into(joined);
    return {joined, candidates.truncated};
  }

 private:
  Bounds bounds_;
  std::vector<Filter> filters_;
  std::vector<std::uint32_t> moved_;
  std::unique_ptr<Index> index_;
};

/// What every kind of index must do.
class AnyIndex : public testing::TestWithParam<IndexSettings> {
 protected:
  Built build(const SnapshotBuilder& world) { return build(world, GetParam()); }
  Built build(const SnapshotBuilder& world, const IndexSettings& settings) {
    return {settings, world, workers};
  }
  PairList pairs(const SnapshotBuilder& world) {
    auto [found, truncated] = build(world).cut_pairs(workers);
    EXPECT_FALSE(truncated);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end()) << "a pair came twice";
    return found;
  }
  std::vector<std::uint32_t> found_in(const SnapshotBuilder& world, const Aabb32& box) {
    std::vector<std::uint32_t> slots;
    build(world).index().view()->find_in_box(box, slots);
    return slots;
  }

  Workers workers{2};
};

TEST_P(AnyIndex, SaysWhatItIs) {
  Built built = build(SnapshotBuilder());
  EXPECT_EQ(built.index().kind(), GetParam().kind);
  EXPECT_EQ(built.index().view()->version(), 7u);
  const IndexKind now = built.index().view()->kind();
  EXPECT_NE(now, IndexKind::Auto);
  EXPECT_EQ(now == IndexKind::BruteForce, GetParam().kind == IndexKind::BruteForce);
}

TEST_P(AnyIndex, OfAnEmptyWorldFindsNothing) {
  EXPECT_TRUE(pairs(SnapshotBuilder()).empty());
  EXPECT_TRUE(found_in(SnapshotBuilder(), {{-1e9f, -1e9f, -1e9f}, {1e9f, 1e9f, 1e9f}}).empty());
}

TEST_P(AnyIndex, BeforeItsFirstTickFindsNothing) {
  const auto index = make_index(GetParam());
  std::vector<std::uint32_t> slots;
  index->view()->find_in_box({{-1e9f, -1e9f, -1e9f}, {1e9f, 1e9f, 1e9f}}, slots);
  EXPECT_TRUE(slots.empty());
  EXPECT_EQ(index->view()->version(), 0u);
  EXPECT_TRUE(index->woken_pairs().empty());
  EXPECT_FALSE(index->at_rest(0));
}

TEST_P(AnyIndex, PassesOverSlotsWithoutAnEntity) {
  SnapshotBuilder world;
  world.add_hole();
  world.add(box_at(0, 0, 0));
  for (int i = 0; i < 70; ++i) world.add_hole();
  world.add(box_at(0.5, 0, 0));
  world.add_hole();
  EXPECT_EQ(pairs(world), (PairList{{1, 72}}));
  EXPECT_EQ(found_in(world, {{-1, -1, -1}, {1, 1, 1}}), (std::vector<std::uint32_t>{1, 72}));
}

TEST_P(AnyIndex, ReportsPairAcrossRowBorders) {
  SnapshotBuilder world;
  world.add({{-0.25, -0.25, -0.25}, {0.25, 0.25, 0.25}});
  world.add({{0.125, 0.125, 0.125}, {1, 1, 1}});
  world.add({{-1, -1, -1}, {-0.125, -0.125, -0.125}});
  EXPECT_EQ(pairs(world), (PairList{{0, 1}, {0, 2}}));
}

TEST_P(AnyIndex, ReportsAPairOfManySharedRowsOnce) {
  SnapshotBuilder world;
  world.add({{-3.5, -3.5, -3.5}, {3.5, 3.5, 3.5}});
  world.add({{-2.5, -2.5, -2.5}, {4.5, 4.5, 4.5}});
  EXPECT_EQ(pairs(world), (PairList{{0, 1}}));
}

TEST_P(AnyIndex, BoxesExactlyOnRowBordersOnlyTouch) {
  SnapshotBuilder world;
  for (int x = -2; x < 2; ++x) {
    for (int y = -2; y < 2; ++y) {
      for (int z = -2; z < 2; ++z) world.add(box_at(x, y, z));
    }
  }
  EXPECT_TRUE(pairs(world).empty());
}

TEST_P(AnyIndex, PointsPairOnlyWithWhatTheyAreInside) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0, 2));
  world.add(box_at(1, 1, 1, 0));  // inside
  world.add(box_at(2, 1, 1, 0));  // on the face
  world.add(box_at(1, 1, 1, 0));  // in the same place as another point
  EXPECT_EQ(pairs(world), (PairList{{0, 1}, {0, 3}}));
}

TEST_P(AnyIndex, EqualBoxesPair) {
  SnapshotBuilder world;
  for (int i = 0; i < 4; ++i) world.add(box_at(-7, 3, 5));
  EXPECT_EQ(pairs(world).size(), 6u);
}

TEST_P(AnyIndex, FarPositionsNeitherWrapNorMiss) {
  SnapshotBuilder world;
  const double far = 8796093022208.0 - 4096;
  for (const double x : {-far, 0.0, far}) {
    for (const double z : {-far, far}) {
      world.add(box_at(x, 0, z, 2048));
      world.add(box_at(x + 1024, 0, z + 1024, 2048));
    }
  }
  PairList expected;
  for (std::uint32_t slot = 0; slot < 12; slot += 2) expected.push_back({slot, slot + 1});
  EXPECT_EQ(pairs(world), expected);
}

TEST_P(AnyIndex, TinyInsideHugeAndHugeAcrossHuge) {
  SnapshotBuilder world;
  world.add({{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}});
  world.add({{0, 0, 0}, {0.001, 0.001, 0.001}});
  world.add({{-1e12, -0.5, -1e12}, {1e12, 0.5, 1e12}});  // a plate
  world.add({{5, 100, 5}, {6, 101, 6}});
  EXPECT_EQ(pairs(world), (PairList{{0, 1}, {0, 2}, {0, 3}, {1, 2}}));
}

TEST_P(AnyIndex, AsksTheFilters) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0), {.category = 1, .mask = 2});
  world.add(box_at(0, 0, 0), {.category = 2, .mask = 1});
  world.add(box_at(0, 0, 0), {.category = 4, .mask = 1});
  EXPECT_EQ(pairs(world), (PairList{{0, 1}}));
}

TEST_P(AnyIndex, WhatTakesNoPartInPairsIsStillFoundByABox) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0), {.mask = 0});
  world.add(box_at(0, 0, 0), {.enabled = false});
  world.add(box_at(0, 0, 0));
  world.add({{-1e9, -1e9, -1e9}, {1e9, 1e9, 1e9}}, {.mask = 0});
  EXPECT_TRUE(pairs(world).empty());
  EXPECT_EQ(found_in(world, {{0, 0, 0}, {1, 1, 1}}), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST_P(AnyIndex, BoundsOfPathsPairAlthoughNeitherEndOverlaps) {
  SnapshotBuilder world;
  world.add_moved(box_at(-50, 0, 0), box_at(50, 0, 0));
  world.add(box_at(0, 0, 0));
  EXPECT_EQ(pairs(world), (PairList{{0, 1}}));
}

TEST_P(AnyIndex, FindInBoxIsClosedAscendingAndAppends) {
  SnapshotBuilder world;
  for (int x = 4; x >= -4; --x) world.add(box_at(x, 0, 0));
  std::vector<std::uint32_t> slots{99};
  // Boxes at x = 2, 1 and 0 share a corner.
  build(world).index().view()->find_in_box({{1, 1, 1}, {2, 2, 2}}, slots);
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{99, 2, 3, 4}));
}

TEST_P(AnyIndex, FindInBoxFindsAnEntityOfManyRowsOnce) {
  SnapshotBuilder world;
  world.add({{-3.5, -3.5, -3.5}, {3.5, 3.5, 3.5}});
  EXPECT_EQ(found_in(world, {{-2, -2, -2}, {2, 2, 2}}), (std::vector<std::uint32_t>{0}));
}

TEST_P(AnyIndex, FindInBoxOfTheWholeNumberRangeFindsAll) {
  SnapshotBuilder world;
  for (int i = 0; i < 50; ++i) world.add(box_at(i * 1e6, i * -1e5, i));
  const float most = std::numeric_limits<float>::max();
  EXPECT_EQ(found_in(world, {{-most, -most, -most}, {most, most, most}}).size(), 50u);
}

TEST_P(AnyIndex, APointSearchFindsWhatCoversThePoint) {
  SnapshotBuilder world;
  world.add(box_at(0, 0, 0));
  world.add(box_at(0.5, 0, 0));
  world.add(box_at(3, 0, 0));
  EXPECT_EQ(found_in(world, {{0.75f, 0.5f, 0.5f}, {0.75f, 0.5f, 0.5f}}),
            (std::vector<std::uint32_t>{0, 1}));
}

TEST_P(AnyIndex, KeepsTheSameSubsetUnderThePairBudgetForAnyWorkersAndBlocks) {
  SnapshotBuilder world;
  Prng prng(5);
  for (int i = 0; i < 300; ++i) world.add(box_at(prng.unit(), prng.unit(), prng.unit()));
  IndexSettings settings = GetParam();
  settings.candidate_pairs_max = 10'000;
  const auto [reference, truncated] = build(world, settings).cut_pairs(workers);
  EXPECT_TRUE(truncated);
  EXPECT_EQ(reference.size(), 10'000u);
  for (const std::uint32_t block_size : {1u, 13u, 256u}) {
    for (const int worker_count : {1, 3, 8}) {
      Workers other(worker_count);
      settings.block_size = block_size;
      EXPECT_EQ(build(world, settings).cut_pairs(other), std::pair(reference, true))
          << block_size << " " << worker_count;
    }
  }
}

TEST_P(AnyIndex, ABudgetOfExactlyTheTruePairsCutsNothing) {
  SnapshotBuilder world;
  for (int i = 0; i < 200; ++i) world.add(box_at(0, 0, 0));
  IndexSettings settings = GetParam();
  settings.block_size = 3;
  for (const std::uint64_t budget : {19'900u, 19'899u, 1u, 0u}) {
    settings.candidate_pairs_max = budget;
    const auto [found, truncated] = build(world, settings).cut_pairs(workers);
    EXPECT_EQ(found.size(), budget);
    EXPECT_EQ(truncated, budget < 19'900);
  }
}

TEST_P(AnyIndex, EverythingInOnePointStaysWithinTheBudgetsMemory) {
  SnapshotBuilder world;
  for (int i = 0; i < 5'000; ++i) world.add(box_at(0, 0, 0));  // 12.5 million true pairs
  IndexSettings settings = GetParam();
  settings.candidate_pairs_max = 100'000;
  Built built = build(world, settings);
  CandidatePairs candidates;
  built.index().find_pairs(built.input(), workers, candidates);
  EXPECT_TRUE(candidates.truncated);
  std::size_t capacity = 0;
  for (std::size_t i = 0; i < candidates.blocks.count(); ++i) {
    capacity += candidates.blocks.at(i).capacity();
  }
  // Some shares of the budget (a vector may have doubled beyond it), and the least share of each
  // block of a wave.
  EXPECT_LE(capacity, 2u * (4u * 100'000u + 256u * 4'096u));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AnyIndex,
    testing::Values(settings_of(IndexKind::BruteForce), settings_of(IndexKind::Rows),
                    settings_of(IndexKind::Rows, 1), settings_of(IndexKind::Rows, 0.001),
                    settings_of(IndexKind::Rows, 1e12), settings_of(IndexKind::Sweep),
                    settings_of(IndexKind::Auto)),
    [](const testing::TestParamInfo<IndexSettings>& each) {
      return std::string(to_string(each.param.kind)) + std::to_string(each.index);
    });

}  // namespace
}  // namespace vicinity
