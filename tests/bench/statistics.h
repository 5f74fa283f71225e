// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What a list of measurements comes to.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace vicinity::bench {

/// The smallest value that at least `share` (0 to 1) of all are not above (nearest rank). There
/// must be one.
inline double percentile(std::vector<double> values, double share) {
  CHECK(!values.empty());
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  const auto found = values.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(values.begin(), found, values.end());
  return *found;
}

/// The middle value, or the mean of the two in the middle. There must be one.
inline double median(std::vector<double> values) {
  CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

inline double mean(const std::vector<double>& values) {
  CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace vicinity::bench
