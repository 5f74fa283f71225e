// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "base/check.h"

namespace vicinity::sim {
namespace {

constexpr std::uint64_t linear_end = 128;
constexpr std::size_t buckets_per_doubling = 64;

std::size_t bucket_of(std::uint64_t value) {
  if (value < linear_end) return static_cast<std::size_t>(value);
  const auto shift =
      static_cast<std::size_t>(std::bit_width(value)) - 7;  // value >> shift: 64..127
  return shift * buckets_per_doubling + static_cast<std::size_t>(value >> shift);
}

/// Largest value of the bucket.
std::uint64_t bucket_end(std::size_t bucket) {
  if (bucket < linear_end) return bucket;
  const std::size_t shift = bucket / buckets_per_doubling - 1;
  const std::uint64_t mantissa = bucket % buckets_per_doubling + buckets_per_doubling;
  return ((mantissa + 1) << shift) - 1;
}

}  // namespace

void Histogram::add(std::int64_t value_us) {
  const std::size_t bucket =
      bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(0, value_us)));
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  ++buckets_[bucket];
  ++count_;
}

std::optional<std::uint64_t> Histogram::percentile_us(double fraction) const {
  CHECK(fraction >= 0 && fraction <= 1);
  if (count_ == 0) return std::nullopt;
  const double wanted = std::max(1.0, std::ceil(fraction * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (static_cast<double>(seen) >= wanted) return bucket_end(bucket);
  }
  return bucket_end(buckets_.size() - 1);
}

}  // namespace vicinity::sim
