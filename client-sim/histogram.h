// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Latencies as counts in log-linear buckets: bounded memory however long the run, percentiles
// within a relative error of 10^-digits, and two of them can be added up. Not thread-safe.
//
//   with 2 digits, width = 256:
//   value   0 .. 255     one bucket per value
//           256 .. 511   128 buckets of 2
//           512 .. 1023  128 buckets of 4     and so on, doubling

#include <cstdint>
#include <optional>
#include <vector>

namespace vicinity::sim {

class Histogram {
 public:
  static constexpr int digits_min = 1;
  static constexpr int digits_max = 4;
  /// Latencies above about 13 days count as that.
  static constexpr std::uint64_t value_us_max = std::uint64_t{1} << 40;

  Histogram() : Histogram(2) {}
  explicit Histogram(int significant_digits);

  /// Microseconds. Values below 0 count as 0: two clocks are compared with an estimated offset.
  void add(std::int64_t value_us, std::uint64_t times = 1);
  /// The samples of the other too. With other digits its values are rounded up first.
  void merge(const Histogram& other);

  int significant_digits() const { return digits_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t max_us() const { return max_us_; }  ///< exact; 0 without samples
  double sum_us() const { return sum_us_; }
  /// Smallest value that at least `fraction` (0..1) of the samples do not exceed, rounded up to its
  /// bucket's end, but never above the largest sample; nothing without samples.
  std::optional<std::uint64_t> percentile_us(double fraction) const;

  /// By ascending value; trailing buckets may be absent.
  const std::vector<std::uint64_t>& buckets() const { return buckets_; }
  /// Smallest and largest value of a bucket.
  std::uint64_t bucket_begin_us(std::size_t bucket) const;
  std::uint64_t bucket_end_us(std::size_t bucket) const;
  /// Number of buckets that values up to value_us_max can fall into.
  std::size_t bucket_count_max() const { return bucket_of(value_us_max) + 1; }

  /// What a report on file says. Nothing when it contradicts itself: a bucket that no value falls
  /// into, or a largest value that is not in the last bucket.
  static std::optional<Histogram> restore(int significant_digits,
                                          std::vector<std::uint64_t> buckets, std::uint64_t max_us,
                                          double sum_us);

 private:
  std::size_t bucket_of(std::uint64_t value_us) const;

  int digits_;
  int width_bits_;  ///< log2 of the number of values with a bucket of their own
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::uint64_t max_us_ = 0;
  double sum_us_ = 0;
};

}  // namespace vicinity::sim
