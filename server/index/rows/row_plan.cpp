// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/rows/row_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

// Measured on a 2-core AVX-512 machine (tests/bench), nanoseconds. Ratios matter, not values.
constexpr double registration_ns = 9;
constexpr double vector_test_ns = 3;
constexpr double tests_per_vector = 16;
constexpr double cell_ns = 0.8;
/// An entity in the list is tested against everything near its line.
constexpr double listed_ns = 200;

/// Below this a sweep costs nothing worth saving.
constexpr std::uint64_t few_entities = 64;
/// What part of what was measured of the kind that is not chosen is left after each look.
constexpr double forget_factor = 0.9;
constexpr double clumping_min = 0.1;
constexpr double clumping_max = 1000;
/// A new plan must promise to cost less than this part of the present one.
constexpr double change_below = 0.8;
/// An axis across that is narrower than so many typical boxes gets a single row.
constexpr double flat_boxes = 6;
/// When nearly all centres are strewn over so many times what three quarters of them take up, the
/// rows are made for those three quarters.
constexpr double far_strewn = 8;
/// Cells that a level may have per entity.
constexpr double cells_per_entity_max = 4;
constexpr double cells_free = 1024;

/// What is known of one axis.
struct AxisSpan {
  double low = 0;     ///< most centres lie in [low, low + width]
  double width = 0;   ///< metres
  double extent = 0;  ///< of the median box
  bool has_outliers = false;
};

double extent_of(const Aabb32& box, int axis) {
  return static_cast<double>(box.max[axis]) - box.min[axis];
}

/// The shortest interval that holds three quarters of sorted centres: where it begins, its length.
std::pair<double, double> densest(const std::vector<double>& centres) {
  const std::size_t held = centres.size() - centres.size() / 4;
  std::pair<double, double> best{centres[0], INFINITY};
  for (std::size_t i = 0; i + held <= centres.size(); ++i) {
    const double length = centres[i + held - 1] - centres[i];
    if (length < best.second) best = {centres[i], length};
  }
  return best;
}

AxisSpan measure_axis(std::span<const Aabb32> boxes, int axis) {
  std::vector<double> centres;
  std::vector<double> extents;
  for (const Aabb32& box : boxes) {
    centres.push_back((static_cast<double>(box.min[axis]) + box.max[axis]) * 0.5);
    extents.push_back(extent_of(box, axis));
  }
  std::sort(centres.begin(), centres.end());
  std::sort(extents.begin(), extents.end());
  const std::size_t last = boxes.size() - 1;
  const std::size_t trimmed = boxes.size() / 50;
  AxisSpan span;
  span.extent = std::max(extents[boxes.size() / 2], 1e-6);
  double low = centres[trimmed];
  double kept = centres[last - trimmed] - low;
  if (const auto [core_low, core] = densest(centres); kept > far_strewn * core + span.extent) {
    low = core_low;  // a town, and a few who are very far from it
    kept = core;
  }
  span.width = kept * 1.05 + span.extent;
  span.low = low - kept * 0.025 - span.extent * 0.5;
  const double beyond = 0.2 * span.width;
  span.has_outliers =
      centres[0] < span.low - beyond || centres[last] > span.low + span.width + beyond;
  return span;
}

struct World {
  AxisSpan axis[3];
  int along = 0;
  int across[2] = {1, 2};
  double clumping = 1;
};

World measure_world(std::span<const Aabb32> boxes) {
  World world;
  for (int axis = 0; axis < 3; ++axis) world.axis[axis] = measure_axis(boxes, axis);
  for (int axis = 1; axis < 3; ++axis) {
    if (world.axis[axis].width > world.axis[world.along].width) world.along = axis;
  }
  world.across[0] = world.along == 0 ? 1 : 0;
  world.across[1] = world.along == 2 ? 1 : 2;
  return world;
}

/// Sizes of a level, metres. An infinite row size means a single row.
struct Sizes {
  double row[2] = {INFINITY, INFINITY};
  double cell = 1;
};

double row_count(const World& world, const Sizes& sizes, int i) {
  return std::isinf(sizes.row[i])
             ? 1
             : std::floor(world.axis[world.across[i]].width / sizes.row[i]) + 1;
}
double cell_count_along(const World& world, const Sizes& sizes) {
  return std::floor(world.axis[world.along].width / sizes.cell) + 1;
}
double extent_max(double row_size) { return (rows_touched_max - 1) * row_size; }

bool fits(const World& world, const Sizes& sizes, const Aabb32& box) {
  for (int i = 0; i < 2; ++i) {
    if (extent_of(box, world.across[i]) > extent_max(sizes.row[i])) return false;
  }
  return true;
}

/// What the rows of a level do with a sample, whatever its cells.
struct RowLoad {
  double registrations = 0;  ///< per entity that fits
  double along = 0;          ///< metres of registrations per entity that fits
  double listed = 0;         ///< part of the entities that do not fit
};

RowLoad measure_load(std::span<const Aabb32> boxes, const World& world, const Sizes& sizes) {
  RowLoad load;
  double fitting = 0;
  for (const Aabb32& box : boxes) {
    if (!fits(world, sizes, box)) continue;
    double rows = 1;
    for (int i = 0; i < 2; ++i) rows *= 1 + extent_of(box, world.across[i]) / sizes.row[i];
    fitting += 1;
    load.registrations += rows;
    load.along += rows * extent_of(box, world.along);
  }
  load.listed = 1 - fitting / static_cast<double>(boxes.size());
  if (fitting > 0) {
    load.registrations /= fitting;
    load.along /= fitting;
  }
  return load;
}

/// Boxes to be compared, per entity, when all are spread evenly.
double expected_tests(const World& world, const Sizes& sizes, const RowLoad& load,
                      double entities) {
  const double rows = row_count(world, sizes, 0) * row_count(world, sizes, 1);
  const double per_metre = entities / (rows * world.axis[world.along].width);
  return per_metre * load.along + per_metre * load.registrations * sizes.cell;
}

/// Nanoseconds per entity.
double expected_cost(const World& world, const Sizes& sizes, const RowLoad& load, double entities) {
  const double rows = row_count(world, sizes, 0) * row_count(world, sizes, 1);
  const double tests = world.clumping * expected_tests(world, sizes, load, entities);
  const double vectors = 1 + tests / tests_per_vector;
  const double cells = rows * cell_count_along(world, sizes);
  return load.registrations * (registration_ns + vector_test_ns * vectors) +
         cells / entities * cell_ns + load.listed * listed_ns;
}

double cells_max(double entities) { return cells_per_entity_max * entities + cells_free; }

/// Tries cell sizes for given rows and keeps the best.
double choose_cell(const World& world, const RowLoad& load, double entities, Sizes& sizes) {
  const AxisSpan& along = world.axis[world.along];
  const double rows = row_count(world, sizes, 0) * row_count(world, sizes, 1);
  double best = INFINITY;
  Sizes tried = sizes;
  tried.cell = std::max(along.extent * 0.5, along.width * rows / cells_max(entities));
  for (;; tried.cell *= 1.4) {
    const double cost = expected_cost(world, tried, load, entities);
    if (cost < best) {
      best = cost;
      sizes.cell = tried.cell;
    }
    if (tried.cell > along.width) return best;
  }
}

/// Sizes of the rows that cost least, and their cost.
std::pair<Sizes, double> choose_rows(std::span<const Aabb32> boxes, const World& world,
                                     double entities, double row_size_min) {
  Sizes best;
  double best_cost = INFINITY;
  for (double factor = 1; factor < 300; factor *= 1.25) {
    Sizes sizes;
    bool any_rows = false;
    for (int i = 0; i < 2; ++i) {
      const AxisSpan& axis = world.axis[world.across[i]];
      if (axis.width < flat_boxes * axis.extent) continue;
      sizes.row[i] = std::max(factor * axis.extent, row_size_min);
      any_rows = true;
    }
    if (!any_rows) break;
    if (row_count(world, sizes, 0) * row_count(world, sizes, 1) > cells_max(entities)) continue;
    const double cost = choose_cell(world, measure_load(boxes, world, sizes), entities, sizes);
    if (cost < best_cost) {
      best_cost = cost;
      best = sizes;
    }
  }
  return {best, best_cost};
}

/// Rows of a table that does not wrap. A number below this is rounded by less than half a row.
constexpr double plain_rows_max = 1 << 22;
/// Numbers of a table that wraps lie within this. Up to here they are even at the worst, so that a
/// box of rows_touched_max - 1 rows never touches more than rows_touched_max + 1.
constexpr double wrapped_number_max = 1 << 25;

/// A table of at most `count_max` rows (a power of two); it wraps where the world is longer or has
/// outliers. Then its origin is that of the world: a difference would be rounded once more.
RowAxis make_axis(const AxisSpan& span, int axis, double row_size, double count_max) {
  RowAxis out;
  out.axis = axis;
  if (std::isinf(row_size)) return out;
  const double count = std::floor(span.width / row_size) + 1;
  count_max = std::min(count_max, plain_rows_max);
  out.inverse_size = static_cast<float>(1 / row_size);
  out.count = static_cast<std::uint32_t>(std::min(count, count_max));
  if (span.has_outliers || count > count_max) {
    out.count = std::max(std::bit_ceil(out.count), wrapped_rows_min);
    out.mask = out.count - 1;
    out.low = static_cast<float>(-wrapped_number_max);
    out.high = static_cast<float>(wrapped_number_max);
  } else {
    out.origin = static_cast<float>(span.low);
    out.high = static_cast<float>(out.count - 1);
  }
  return out;
}

RowGrid make_grid(const World& world, const Sizes& sizes, double entities) {
  RowGrid grid;
  const double cells = std::min(cells_max(entities), 0x1p26);
  double count_max[2] = {plain_rows_max, plain_rows_max};
  for (;;) {  // halve the longer table until all rows fit
    for (int i = 0; i < 2; ++i) {
      grid.across[i] =
          make_axis(world.axis[world.across[i]], world.across[i], sizes.row[i], count_max[i]);
    }
    const int longer = grid.across[0].count >= grid.across[1].count ? 0 : 1;
    const std::uint32_t count = grid.across[longer].count;
    if (static_cast<double>(grid.across[0].count) * grid.across[1].count <= cells ||
        count <= wrapped_rows_min) {
      break;
    }
    count_max[longer] = std::bit_floor(count - 1);
  }
  const AxisSpan& along = world.axis[world.along];
  const double rows = static_cast<double>(grid.across[0].count) * grid.across[1].count;
  const double cells_along =
      std::clamp(cell_count_along(world, sizes), 1.0, std::max(cells / rows, 1.0));
  grid.along = world.along;
  grid.along_origin = static_cast<float>(along.low);
  grid.along_inverse_size = static_cast<float>(1 / std::max(sizes.cell, along.width / cells_along));
  grid.along_cells = static_cast<std::uint32_t>(cells_along);
  return grid;
}

LevelPlan make_level(const World& world, const Sizes& sizes, double entities, double cost) {
  LevelPlan level;
  level.grid = make_grid(world, sizes, entities);
  double across_max = 0;
  for (int i = 0; i < 2; ++i) {
    // A little less than what touches one row more, whatever is rounded.
    const double extent = extent_max(sizes.row[i]) * 0.999;
    level.extent_max[world.across[i]] = static_cast<float>(extent);
    if (!std::isinf(extent)) across_max = std::max(across_max, extent);
  }
  level.extent_max[world.along] = static_cast<float>(8 * across_max);
  level.expected_cost_ns = cost;
  return level;
}

bool fits_in(const LevelPlan& level, const Aabb32& box) {
  for (int axis = 0; axis < 3; ++axis) {
    if (extent_of(box, axis) > level.extent_max[axis]) return false;
  }
  return true;
}

/// Level after level, each for those that were too large for the last.
void choose_levels(const IndexSettings& settings, const PlanSample& sample, RowPlan& plan) {
  std::vector<Aabb32> rest = sample.boxes;
  double row_size_min = 0;
  while (!rest.empty() && plan.levels.size() < row_levels_max) {
    const double entities = static_cast<double>(sample.entity_count) *
                            static_cast<double>(rest.size()) /
                            static_cast<double>(sample.boxes.size());
    // The last few are better off in the list, unless that is what they fill.
    if (!plan.levels.empty() && entities < few_entities) return;
    World world = measure_world(rest);
    if (plan.levels.empty()) world.clumping = plan.clumping.rows;
    auto [sizes, cost] = choose_rows(rest, world, entities, row_size_min);
    if (settings.row_size_m > 0) {
      const double size =
          settings.row_size_m * std::pow(8.0, static_cast<double>(plan.levels.size()));
      sizes.row[0] = sizes.row[1] = size;
      cost = choose_cell(world, measure_load(rest, world, sizes), entities, sizes);
    }
    if (std::isinf(cost)) return;
    plan.levels.push_back(make_level(world, sizes, entities, cost));
    const LevelPlan& level = plan.levels.back();
    std::erase_if(rest, [&](const Aabb32& box) { return fits_in(level, box); });
    for (const double size : sizes.row) {
      if (!std::isinf(size)) row_size_min = std::max(row_size_min, 2 * size);
    }
  }
}

void choose_list(const PlanSample& sample, RowPlan& plan) {
  World world = measure_world(sample.boxes);
  world.clumping = plan.clumping.sweep;
  Sizes sizes;
  const auto entities = static_cast<double>(sample.entity_count);
  plan.sweep_cost_ns =
      choose_cell(world, measure_load(sample.boxes, world, sizes), entities, sizes);
  plan.list = make_grid(world, sizes, entities);
}

}  // namespace

RowPlan make_row_plan(const IndexSettings& settings, const PlanSample& sample, Clumping clumping) {
  RowPlan plan;
  plan.clumping = clumping;
  plan.entity_count = sample.entity_count;
  if (sample.boxes.empty()) return plan;
  CHECK(sample.entity_count >= sample.boxes.size());
  choose_list(sample, plan);
  plan.reason = PlanReason::Forced;
  if (settings.kind == IndexKind::Sweep) return plan;
  if (settings.kind == IndexKind::Auto && sample.entity_count <= few_entities) {
    plan.reason = PlanReason::FewEntities;
    return plan;
  }
  choose_levels(settings, sample, plan);
  plan.rows_cost_ns = plan.levels.empty() ? INFINITY : plan.levels[0].expected_cost_ns;
  plan.chosen = IndexKind::Rows;
  if (settings.kind == IndexKind::Rows) return plan;
  plan.reason = PlanReason::CheaperAsRows;
  if (plan.sweep_cost_ns <= plan.rows_cost_ns) {
    plan.levels.clear();
    plan.chosen = IndexKind::Sweep;
    plan.reason = PlanReason::CheaperAsSweep;
  }
  return plan;
}

bool is_stale(const RowPlan& plan, const PlanSample& sample) {
  if (sample.boxes.empty()) return false;
  if (plan.reason == PlanReason::Empty) return true;
  if (sample.entity_count > 2 * plan.entity_count || plan.entity_count > 2 * sample.entity_count) {
    return true;
  }
  const RowGrid& grid = plan.levels.empty() ? plan.list : plan.levels[0].grid;
  std::size_t outside = 0;
  for (const Aabb32& box : sample.boxes) {
    const auto lies_outside = [&](int axis, double low, double inverse_size, double count) {
      const double centre = (static_cast<double>(box.min[axis]) + box.max[axis]) * 0.5;
      const double number = (centre - low) * inverse_size;
      return number < -0.1 * count || number > 1.1 * count;
    };
    bool is_outside =
        lies_outside(grid.along, grid.along_origin, grid.along_inverse_size, grid.along_cells);
    for (const RowAxis& axis : grid.across) {
      if (axis.wraps() || axis.inverse_size == 0) continue;
      is_outside |= lies_outside(axis.axis, axis.origin, axis.inverse_size, axis.count);
    }
    if (is_outside) ++outside;
  }
  return outside * 8 > sample.boxes.size();
}

namespace {

/// A plan that was made some time ago, seen with the world of today.
struct Review {
  Review(const RowPlan& plan, const PlanSample& sample)
      : world(measure_world(sample.boxes)), entities(static_cast<double>(sample.entity_count)) {
    const RowGrid& grid = plan.levels.empty() ? plan.list : plan.levels[0].grid;
    world.along = grid.along;
    sizes.cell = 1 / static_cast<double>(grid.along_inverse_size);
    for (int i = 0; i < 2; ++i) {
      world.across[i] = grid.across[i].axis;
      const auto inverse = static_cast<double>(grid.across[i].inverse_size);
      sizes.row[i] = inverse > 0 ? 1 / inverse : INFINITY;
    }
    load = measure_load(sample.boxes, world, sizes);
  }

  World world;
  double entities;
  Sizes sizes;
  RowLoad load;
};

/// Takes what was measured over into the plan that it was measured with. What is known of the other
/// kind is slowly forgotten, so that it is tried again some day.
void learn(const Review& review, const PlanSample& sample, RowPlan& plan) {
  const bool is_rows = plan.chosen == IndexKind::Rows;
  double& known = is_rows ? plan.clumping.rows : plan.clumping.sweep;
  double& other = is_rows ? plan.clumping.sweep : plan.clumping.rows;
  other = 1 + (other - 1) * forget_factor;
  const double expected = expected_tests(review.world, review.sizes, review.load, review.entities) /
                          review.load.registrations;
  if (sample.tests == 0 || sample.registrations == 0 || !(expected > 0)) return;
  const double measured =
      static_cast<double>(sample.tests) / static_cast<double>(sample.registrations);
  known = std::clamp(measured / expected, clumping_min, clumping_max);
}

}  // namespace

bool settle_row_plan(const IndexSettings& settings, const PlanSample& sample, RowPlan& present) {
  const bool was_empty = present.entity_count == 0;
  if (sample.boxes.empty()) {
    present = make_row_plan(settings, sample);
    return !was_empty;
  }
  double present_cost = INFINITY;
  if (!was_empty) {
    Review review(present, sample);
    if (review.load.registrations > 0) learn(review, sample, present);
    review.world.clumping = present.levels.empty() ? present.clumping.sweep : present.clumping.rows;
    present_cost = expected_cost(review.world, review.sizes, review.load, review.entities);
  }
  RowPlan fresh = make_row_plan(settings, sample, present.clumping);
  if (!is_stale(present, sample)) {
    const double fresh_cost =
        fresh.chosen == IndexKind::Rows ? fresh.rows_cost_ns : fresh.sweep_cost_ns;
    if (fresh_cost >= change_below * present_cost) {
      const bool is_other_kind = fresh.chosen != present.chosen;
      if (is_other_kind && settings.kind == IndexKind::Auto) {
        present.reason = PlanReason::Hysteresis;
      }
      return false;
    }
  }
  present = std::move(fresh);
  return true;
}

}  // namespace vicinity
