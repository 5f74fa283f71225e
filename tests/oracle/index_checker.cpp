// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/index_checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace vicinity::oracle {

IndexSettings random_index_settings(Prng& prng) {
  constexpr IndexKind kinds[] = {IndexKind::Rows, IndexKind::Rows,  IndexKind::Rows,
                                 IndexKind::Auto, IndexKind::Sweep, IndexKind::BruteForce};
  constexpr IndexKernel kernels[] = {IndexKernel::Auto, IndexKernel::Scalar, IndexKernel::Avx2,
                                     IndexKernel::Avx512};
  constexpr double row_sizes_m[] = {0, 0, 0, 1, 0.003, 0.25, 40, 3e6};
  constexpr std::uint32_t block_sizes[] = {1, 7, 2048};
  IndexSettings settings;
  settings.kind = kinds[prng.below(6)];
  settings.row_size_m = row_sizes_m[prng.below(8)];
  settings.block_size = block_sizes[prng.below(3)];
  const IndexKernel kernel = kernels[prng.below(4)];
  if (is_supported(kernel)) settings.kernel = kernel;
  settings.rest_after_ticks = static_cast<std::uint32_t>(prng.below(4));
  settings.rest_eagerly = prng.chance(0.6);
  settings.demote_after_ticks = static_cast<std::uint32_t>(prng.below(4));
  return settings;
}

std::string to_string(const IndexSettings& settings) {
  return std::string(to_string(settings.kind)) + " row " + std::to_string(settings.row_size_m) +
         " kernel " + std::string(to_string(settings.kernel)) + " block " +
         std::to_string(settings.block_size) + " rest " +
         std::to_string(settings.rest_after_ticks) + (settings.rest_eagerly ? " eager" : "") +
         " demote " + std::to_string(settings.demote_after_ticks) + " budget " +
         std::to_string(settings.candidate_pairs_max);
}

std::size_t count_wrong(const HeldView& held, const Aabb32& box) {
  std::vector<std::uint32_t> found;
  held.view->find_in_box(box, found);
  const std::vector<std::uint32_t> expected = all_in_box(*held.bounds, box);
  if (found == expected) return 0;
  std::vector<std::uint32_t> sorted = found;
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> wrong;
  std::ranges::set_symmetric_difference(sorted, expected, std::back_inserter(wrong));
  return std::max<std::size_t>(wrong.size(), 1);  // at least the order is wrong
}

IndexChecker::IndexChecker(const IndexSettings& settings)
    : settings_(settings), index_(make_index(settings)) {}

void IndexChecker::check(const BoxWorld& world, const PairList& expected, Workers& workers) {
  const IndexInput input = world.input(known_.size());
  index_->update(input, workers);
  index_->find_pairs(input, workers, candidates_);
  reported_.clear();
  candidates_.blocks.join_into(reported_);
  is_truncated_ = candidates_.truncated;
  views_.push_back({index_->view(), std::make_shared<const Bounds>(world.bounds())});
  if (views_.size() > views_held) views_.pop_front();
  check_rest(world);
  check_stats(world);
  check_pairs(expected);
}

void IndexChecker::check_pairs(const PairList& expected) {
  PairList woken;
  std::ranges::copy_if(resting_, std::back_inserter(woken),
                       [&](SlotPair pair) { return !both_rest(pair); });
  const auto told = index_->woken_pairs();
  EXPECT_EQ(PairList(told.begin(), told.end()), woken);
  woken_ += woken.size();

  PairList now = reported_;
  for (const SlotPair pair : now) ASSERT_FALSE(both_rest(pair)) << pair.a << " " << pair.b;
  std::ranges::copy_if(known_, std::back_inserter(now),
                       [&](SlotPair pair) { return both_rest(pair); });
  std::ranges::sort(now);
  ASSERT_EQ(std::ranges::adjacent_find(now), now.end()) << "a pair came twice";
  if (is_truncated_) {
    EXPECT_EQ(reported_.size(), settings_.candidate_pairs_max);
    EXPECT_LT(now.size(), expected.size());
    EXPECT_TRUE(std::ranges::includes(expected, now));
  } else {
    EXPECT_LE(reported_.size(), settings_.candidate_pairs_max);
    EXPECT_EQ(now, expected);
  }
  known_ = std::move(now);
  resting_.clear();
  std::ranges::copy_if(known_, std::back_inserter(resting_),
                       [&](SlotPair pair) { return both_rest(pair); });
  // Whatever the budget, what persists is complete.
  PairList expected_resting;
  std::ranges::copy_if(expected, std::back_inserter(expected_resting),
                       [&](SlotPair pair) { return both_rest(pair); });
  EXPECT_EQ(resting_, expected_resting);
  persisted_ += resting_.size();
}

/// Who rests has not changed for long enough.
void IndexChecker::check_rest(const BoxWorld& world) const {
  for (std::uint32_t slot = 0; slot < world.bounds().size(); ++slot) {
    if (!index_->at_rest(slot)) continue;
    const Bound& bound = world.bounds()[slot];
    ASSERT_TRUE(bound.is_alive()) << slot;
    const std::uint32_t age = stamp_of(world.version()) - bound.stamp;
    const bool is_static = (bound.flags & bound_static) != 0;
    ASSERT_NE(settings_.rest_after_ticks, 0u);
    ASSERT_GE(age, is_static ? 1u : settings_.rest_after_ticks) << slot;
  }
}

void IndexChecker::check_stats(const BoxWorld& world) const {
  const IndexView& view = *index_->view();
  EXPECT_EQ(view.version(), world.version());
  const IndexStats& stats = view.stats();
  std::uint64_t resting = 0;
  std::uint64_t statics = 0;
  for (std::uint32_t slot = 0; slot < world.bounds().size(); ++slot) {
    if (!index_->at_rest(slot)) continue;
    const bool is_static = (world.bounds()[slot].flags & bound_static) != 0;
    ++(is_static ? statics : resting);
  }
  EXPECT_EQ(stats.resting, resting);
  EXPECT_EQ(stats.statics, statics);
  EXPECT_EQ(stats.moving + resting + statics, world.alive_count());
  if (settings_.kind != IndexKind::BruteForce) {
    EXPECT_GE(stats.registrations, world.alive_count());
    EXPECT_GT(stats.size_bytes, 0u);
  }
}

void IndexChecker::check_views(BoxWorld& world, std::size_t boxes) {
  for (const HeldView& held : views_) {
    for (std::size_t i = 0; i < boxes; ++i) {
      ASSERT_EQ(count_wrong(held, world.random_search_box()), 0u)
          << "view " << held.view->version() << " of " << world.version();
    }
  }
}

}  // namespace vicinity::oracle
