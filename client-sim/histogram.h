// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Latencies as counts in log-linear buckets: constant memory however long the run, percentiles
// within 1.6 % (one part in 64). Not thread-safe.
//
//   value   0 .. 127     one bucket per value
//           128 .. 255   64 buckets of 2
//           256 .. 511   64 buckets of 4      and so on, doubling

#include <cstdint>
#include <optional>
#include <vector>

namespace vicinity::sim {

class Histogram {
 public:
  /// Microseconds. Values below 0 count as 0: two clocks are compared with an estimated offset.
  void add(std::int64_t value_us);

  std::uint64_t count() const { return count_; }
  /// Smallest value that at least `fraction` (0..1) of the samples do not exceed, rounded up to its
  /// bucket's end; nothing without samples.
  std::optional<std::uint64_t> percentile_us(double fraction) const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
};

}  // namespace vicinity::sim
