// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A histogram that one thread fills and any thread reads, without a lock on either side: what
// writes must never wait for who reads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace vicinity::admin {

/// A moment of a histogram, as Prometheus wants it.
struct HistogramReading {
  struct Bucket {
    double bound = 0;         ///< values up to this one, in the unit of the values
    std::uint64_t count = 0;  ///< each bucket includes those before it
  };
  std::vector<Bucket> buckets;  ///< ascending; what is above the last is in `count` only
  std::uint64_t count = 0;
  double sum = 0;
};

class Histogram {
 public:
  /// `bounds` ascending.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds.begin(), bounds.end()),
        counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds.size() + 1)) {}

  /// One thread. O(buckets).
  void observe(double value) {
    std::size_t bucket = 0;
    while (bucket < bounds_.size() && value > bounds_[bucket]) ++bucket;
    counts_[bucket].fetch_add(1, std::memory_order_relaxed);
    sum_.store(sum_.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }

  /// Any thread. A value that is observed meanwhile may be in `count` and not yet in `sum`.
  HistogramReading read() const {
    HistogramReading reading;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      reading.count += counts_[i].load(std::memory_order_relaxed);
      if (i < bounds_.size()) reading.buckets.push_back({bounds_[i], reading.count});
    }
    reading.sum = sum_.load(std::memory_order_relaxed);
    return reading;
  }

 private:
  const std::vector<double> bounds_;
  const std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;  ///< one more than bounds_
  std::atomic<double> sum_{0};
};

}  // namespace vicinity::admin
