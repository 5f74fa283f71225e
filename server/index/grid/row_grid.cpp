// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "index/grid/row_grid.h"

#include <vector>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr std::size_t sample_size_max = 256;
/// Candidates for the row size are powers of two, so that coordinates divide exactly: 1 mm to 2^43.
constexpr int size_exponent_min = -10;
constexpr int size_exponent_max = 43;
/// Cost of one registration (made, sorted, visited) in units of one box test.
constexpr double registration_cost = 20;

struct Sample {
  std::vector<Aabb32> boxes;
  double row_count = 0;          ///< rows that the sample stands for
  double spread[3] = {0, 0, 0};  ///< metres over which most centres are strewn
  double mean_extent[3] = {0, 0, 0};
};

double extent(const Aabb32& box, int axis) {
  return static_cast<double>(box.max[axis]) - box.min[axis];
}

/// Twice the distance between the quartiles: the range of a uniform crowd, and blind to the few
/// that are far away. When half of all are in one place, the full range.
double spread_of(std::vector<double>& centres) {
  std::sort(centres.begin(), centres.end());
  const std::size_t count = centres.size();
  const double quartiles = centres[count * 3 / 4] - centres[count / 4];
  return quartiles > 0 ? 2 * quartiles : centres.back() - centres.front();
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
  for (int axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < size; ++i) {
      const Aabb32& box = sample.boxes[i];
      centres[i] = (static_cast<double>(box.min[axis]) + box.max[axis]) * 0.5;
      sample.mean_extent[axis] += extent(box, axis) / static_cast<double>(size);
    }
    sample.spread[axis] = spread_of(centres);
  }
  return sample;
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
    const double width = std::max(sample.spread[axis], sample.mean_extent[axis]);
    if (size < width) share *= size / width;
  }
  const double length = std::max(sample.spread[grid.along], sample.mean_extent[grid.along]);
  const double scanned = length > 0 ? std::min(1.0, along / registered / length) : 1.0;
  const double per_entity = rows_touched / count;
  const double huge_part = huge / count;
  return per_entity * registration_cost +
         per_entity * per_entity * share * scanned * sample.row_count +
         huge_part * sample.row_count;
}

double choose_row_size(const Sample& sample, const RowGrid& grid) {
  double best_size = std::ldexp(1.0, size_exponent_max);
  double best_cost = expected_cost(sample, grid, best_size);
  for (int exponent = size_exponent_max - 1; exponent >= size_exponent_min; --exponent) {
    const double size = std::ldexp(1.0, exponent);
    const double cost = expected_cost(sample, grid, size);
    // Smaller rows must pay clearly: fewer rows are cheaper for everybody else who walks them.
    if (cost >= best_cost * 0.95) continue;
    best_cost = cost;
    best_size = size;
  }
  return best_size;
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
