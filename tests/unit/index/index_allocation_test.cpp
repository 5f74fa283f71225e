// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// A steady tick allocates nothing. Every allocation of this test binary is counted: operator new is
// replaced here.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "index/index.h"
#include "pairs/pair_tracker.h"
#include "support/count_allocations.h"
#include "unit/index/row_world.h"

namespace vicinity {
namespace {

/// Cubes that drift to and fro: as many pairs in one tick as in the next, about.
class Drifting {
 public:
  Drifting(const IndexSettings& settings, std::size_t count, std::size_t moving)
      : moving_(moving), index_(make_index(settings)), filters_(count) {
    Prng prng(1);
    bounds_ = test::bounds_of(test::random_cubes(prng, count, 40, 40, 40));
    moved_ = test::numbers_to(count);
  }

  void tick() {
    ++version_;
    for (const std::uint32_t slot : moved_) {
      Bound& bound = bounds_[slot];
      const float step = (slot + version_) % 16 < 8 ? 0.02f : -0.02f;
      for (int axis = 0; axis < 3; ++axis) bound.box.min[axis] += step, bound.box.max[axis] += step;
      bound.stamp = stamp_of(version_);
    }
    const IndexInput input{version_, bounds_, filters_, moved_, pairs_.pair_count()};
    index_->update(input, workers_);
    index_->find_pairs(input, workers_, candidates_);
    pairs_.update(candidates_, *index_, workers_);
    moved_.resize(moving_);  // the others move no more
  }
  const Index& index() const { return *index_; }
  const PairTracker& pairs() const { return pairs_; }

 private:
  std::size_t moving_;
  std::unique_ptr<Index> index_;
  Bounds bounds_;
  std::vector<Filter> filters_;
  std::vector<std::uint32_t> moved_;
  IndexVersion version_ = 0;
  CandidatePairs candidates_;
  PairTracker pairs_;
  Workers workers_{1};
};

/// Name, settings.
std::vector<std::pair<std::string, IndexSettings>> kinds() {
  std::vector<std::pair<std::string, IndexSettings>> all;
  for (const IndexKind kind : {IndexKind::Rows, IndexKind::Sweep, IndexKind::Auto}) {
    IndexSettings settings;
    settings.kind = kind;
    all.emplace_back(to_string(kind), settings);
    settings.block_size = 100;
    all.emplace_back(std::string(to_string(kind)) + ", many blocks", settings);
  }
  return all;
}

constexpr int warm_up_ticks = 80;  // less than a new look at the plan takes
constexpr int ticks = 40;

TEST(IndexAllocation, NoneInASteadyTickOfAMovingWorld) {
  for (const auto& [name, settings] : kinds()) {
    Drifting world(settings, 3'000, 3'000);
    for (int i = 0; i < warm_up_ticks; ++i) world.tick();
    ASSERT_GT(world.pairs().pair_count(), 100u);
    const std::size_t before = allocation_count;
    for (int i = 0; i < ticks; ++i) world.tick();
    EXPECT_EQ(allocation_count - before, 0u) << name;
  }
}

TEST(IndexAllocation, NoneInASteadyTickOfAWorldThatMostlyRests) {
  for (const auto& [name, settings] : kinds()) {
    Drifting world(settings, 3'000, 150);
    for (int i = 0; i < warm_up_ticks; ++i) world.tick();
    ASSERT_EQ(world.index().view()->stats().resting, 2'850u);
    const std::size_t before = allocation_count;
    for (int i = 0; i < ticks; ++i) world.tick();
    EXPECT_EQ(allocation_count - before, 0u) << name;
  }
}

TEST(IndexAllocation, AreCountedHere) {
  const std::size_t before = allocation_count;
  const std::vector<int> something(100);
  EXPECT_EQ(allocation_count - before, 1u);
}

}  // namespace
}  // namespace vicinity
