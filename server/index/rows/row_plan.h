// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Chooses axes, levels, row and cell sizes from a sample of the boxes. The sample
// says how large the boxes are and how far they are spread; how they clump together is measured, by
// how many boxes the last search had to compare. The choice decides what a tick costs and never
// what it finds. It does not depend on the kernel either, so that a search that stops at the pair
// budget keeps the same pairs on every machine. Pure; any room.

#include <cstdint>
#include <span>
#include <vector>

#include "base/aabb.h"
#include "base/prng.h"
#include "index/index.h"
#include "index/rows/row_grid.h"

namespace vicinity {

/// What a plan is made from: boxes picked evenly, and for how many entities they stand.
struct PlanSample {
  std::vector<Aabb32> boxes;
  std::uint64_t entity_count = 0;
  /// What the present plan led to in the last tick, in its first level; 0 = not known.
  std::uint64_t registrations = 0;
  std::uint64_t tests = 0;  ///< boxes that the search compared
};
inline constexpr std::size_t plan_sample_max = 256;

/// Rank, below `count`, of the one that stands for part `i` of `parts` equal parts (parts <=
/// count): anywhere in its part, since worlds are often made in a rhythm (player, sword, player,
/// sword).
constexpr std::uint64_t sample_rank(std::uint64_t i, std::uint64_t parts, std::uint64_t count) {
  return i * count / parts + Prng(i).below(count / parts);
}

/// One level: its grid, and the largest box that may be registered in it.
struct LevelPlan {
  RowGrid grid;
  float extent_max[3] = {0, 0, 0};  ///< metres, by axis; touches at most rows_touched_max rows
  double expected_cost_ns = 0;      ///< per entity
};
inline constexpr std::size_t row_levels_max = index_levels_max;

/// By what factor more boxes are compared than if all were spread evenly.
struct Clumping {
  double rows = 1;   ///< in the first level of rows
  double sweep = 1;  ///< in the list
};

struct RowPlan {
  std::vector<LevelPlan> levels;  ///< fine to coarse; may be empty
  /// A single row for what fits no level (and, for a sweep, for everything).
  RowGrid list;
  IndexKind chosen = IndexKind::Sweep;
  PlanReason reason = PlanReason::Empty;
  std::uint64_t entity_count = 0;  ///< it was made for
  double rows_cost_ns = 0;         ///< expected, per entity, with the clumping
  double sweep_cost_ns = 0;
  Clumping clumping;
};

/// Deterministic: depends on the arguments only. O(sample * log + steps of the search).
RowPlan make_row_plan(const IndexSettings& settings, const PlanSample& sample,
                      Clumping clumping = {});

/// Whether the world has left what the plan was made for: far more or fewer entities, or many
/// outside its table.
bool is_stale(const RowPlan& plan, const PlanSample& sample);

/// Takes over what was measured (sample.tests), then replaces `present` by a new plan if it is
/// stale or expected to cost so much more that a change pays; true if so. Otherwise it stays, with
/// the reason Hysteresis where the other kind would be a little cheaper.
bool settle_row_plan(const IndexSettings& settings, const PlanSample& sample, RowPlan& present);

}  // namespace vicinity
