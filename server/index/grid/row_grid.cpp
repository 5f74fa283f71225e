// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/grid/row_grid.h"

#include <array>
#include <vector>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t sample_size_max = 128;
/// Candidates for the row size are powers of two, so that coordinates divide exactly: 1 mm to 2^43.
constexpr int size_exponent_min = -10;
constexpr int size_exponent_max = 43;
/// Cost of one registration (made, sorted, visited) in units of one box test.
constexpr double registration_cost = 20;
/// Box searches like narrow rows, the pair search mostly does not mind wide ones: rows are made as
/// narrow as this factor on the least cost allows, but no narrower than for so many entries each.
constexpr double cost_tolerance = 1.25;
constexpr double entries_per_row = 4;

struct Sample {
  std::vector<Aabb32> boxes;
  double row_count = 0;          ///< rows that the sample stands for
  double spread[3] = {0, 0, 0};  ///< metres over which most centres are strewn
  double median_extent[3] = {0, 0, 0};
};

double extent(const Aabb32& box, int axis) {
  return static_cast<double>(box.max[axis]) - box.min[axis];
}

/// Twice the distance between the quartiles: the range of a uniform crowd, and blind to the few
/// that are far away. When half of all are in one place, the range without the outer twentieths.
double spread_of(std::vector<double>& centres) {
  std::sort(centres.begin(), centres.end());
  const std::size_t count = centres.size();
  const double quartiles = centres[count * 3 / 4] - centres[count / 4];
  if (quartiles > 0) return 2 * quartiles;
  return centres[count - 1 - count / 20] - centres[count / 20];
}

Sample take_sample(const Bounds& bounds) {
  Sample sample;
  const std::size_t rows = bounds.row_count();
  const std::size_t size = std::min(rows, sample_size_max);
  sample.row_count = static_cast<double>(rows);
  for (std::size_t i = 0; i < size; ++i) {
    sample.boxes.push_back(bounds.at(static_cast<std::uint32_t>(i * rows / size)));
  }
  std::vector<double> centres(size);
  std::vector<double> extents(size);
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < size; ++i) {
      const Aabb32& box = sample.boxes[i];
      centres[i] = (static_cast<double>(box.min[axis]) + box.max[axis]) * 0.5;
      extents[i] = extent(box, axis);
    }
    sample.spread[axis] = spread_of(centres);
    std::sort(extents.begin(), extents.end());
    sample.median_extent[axis] = extents[size / 2];
  }
  return sample;
}

/// Metres that the entities take up on an axis, for densities.
double width(const Sample& sample, int axis) {
  return std::max(sample.spread[axis], sample.median_extent[axis]);
}

/// Expected box tests per entity with rows of `size` metres.
double expected_cost(const Sample& sample, const RowGrid& grid, double size) {
  double rows_touched = 0;
  double along = 0;
  double huge = 0;
  for (const Aabb32& box : sample.boxes) {
    const double first = extent(box, grid.across[0]) / size;
    const double second = extent(box, grid.across[1]) / size;
    if (std::max(first, second) > static_cast<double>(rows_touched_max - 1)) {
      huge += 1;
    } else {
      rows_touched += (1 + first) * (1 + second);
      along += extent(box, grid.along);
    }
  }
  const auto count = static_cast<double>(sample.boxes.size());
  const double registered = std::max(count - huge, 1.0);
  // Part of all registrations that share a row, and part of that row which one box scans.
  double share = 1;
  for (int axis : grid.across) {
    if (size < width(sample, axis)) share *= size / width(sample, axis);
  }
  const double length = width(sample, grid.along);
  const double scanned = length > 0 ? std::min(1.0, along / registered / length) : 1.0;
  const double per_entity = rows_touched / count;
  const double huge_part = huge / count;
  return per_entity * registration_cost +
         per_entity * per_entity * share * scanned * sample.row_count +
         huge_part * sample.row_count;
}

double choose_row_size(const Sample& sample, const RowGrid& grid) {
  std::array<double, size_exponent_max - size_exponent_min + 1> costs;
  auto size_of = [](std::size_t i) {
    return std::ldexp(1.0, static_cast<int>(i) + size_exponent_min);
  };
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i] = expected_cost(sample, grid, size_of(i));
  const auto best =
      static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  const double across = width(sample, grid.across[0]) * width(sample, grid.across[1]);
  const double narrowest = std::sqrt(entries_per_row * across / sample.row_count);
  for (std::size_t i = 0; i < best; ++i) {
    if (size_of(i) >= narrowest && costs[i] <= cost_tolerance * costs[best]) return size_of(i);
  }
  return size_of(best);
}

}  // namespace

RowGrid choose_row_grid(const IndexSettings& settings, const Bounds& bounds) {
  CHECK(std::isfinite(settings.row_size_m) && settings.row_size_m >= 0);
  RowGrid grid;
  if (settings.row_size_m > 0) grid.row_size_m = settings.row_size_m;
  if (bounds.row_count() == 0) return grid;
  const Sample sample = take_sample(bounds);
  for (int axis = 1; axis < 3; ++axis) {
    if (sample.spread[axis] > sample.spread[grid.along]) grid.along = axis;
  }
  grid.across[0] = grid.along == 0 ? 1 : 0;
  grid.across[1] = grid.along == 2 ? 1 : 2;
  if (settings.row_size_m == 0) grid.row_size_m = choose_row_size(sample, grid);
  return grid;
}

}  // namespace vicinity
