// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/check.h"

namespace vicinity::sim {
namespace {

/// The half of the width is at least 10^digits, so a bucket is at most that part of its value.
int width_bits_of(int digits) {
  std::uint64_t half = 1;
  for (int i = 0; i < digits; ++i) half *= 10;
  return static_cast<int>(std::bit_width(2 * half - 1));
}

}  // namespace

Histogram::Histogram(int significant_digits)
    : digits_(significant_digits), width_bits_(width_bits_of(significant_digits)) {
  CHECK(significant_digits >= digits_min && significant_digits <= digits_max);
}

std::size_t Histogram::bucket_of(std::uint64_t value_us) const {
  if (value_us < std::uint64_t{1} << width_bits_) return static_cast<std::size_t>(value_us);
  const int shift = static_cast<int>(std::bit_width(value_us)) - width_bits_;
  const std::size_t per_doubling = std::size_t{1} << (width_bits_ - 1);
  return static_cast<std::size_t>(shift) * per_doubling +
         static_cast<std::size_t>(value_us >> shift);
}

std::uint64_t Histogram::bucket_begin_us(std::size_t bucket) const {
  if (bucket < std::size_t{1} << width_bits_) return bucket;
  const std::size_t per_doubling = std::size_t{1} << (width_bits_ - 1);
  const std::size_t shift = bucket / per_doubling - 1;
  return static_cast<std::uint64_t>(bucket % per_doubling + per_doubling) << shift;
}

std::uint64_t Histogram::bucket_end_us(std::size_t bucket) const {
  return bucket_begin_us(bucket + 1) - 1;
}

void Histogram::add(std::int64_t value_us, std::uint64_t times) {
  if (times == 0) return;
  const std::uint64_t value =
      std::min(value_us_max, static_cast<std::uint64_t>(std::max<std::int64_t>(0, value_us)));
  const std::size_t bucket = bucket_of(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  buckets_[bucket] += times;
  count_ += times;
  max_us_ = std::max(max_us_, value);
  sum_us_ += static_cast<double>(value) * static_cast<double>(times);
}

void Histogram::merge(const Histogram& other) {
  const double sum_us = sum_us_ + other.sum_us_;
  if (other.digits_ == digits_) {
    if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
    for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    max_us_ = std::max(max_us_, other.max_us_);
  } else {
    for (std::size_t i = 0; i < other.buckets_.size(); ++i)
      add(static_cast<std::int64_t>(std::min(other.bucket_end_us(i), other.max_us_)),
          other.buckets_[i]);
  }
  sum_us_ = sum_us;
}

std::optional<std::uint64_t> Histogram::percentile_us(double fraction) const {
  CHECK(fraction >= 0 && fraction <= 1);
  if (count_ == 0) return std::nullopt;
  const double wanted = std::max(1.0, std::ceil(fraction * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    seen += buckets_[bucket];
    if (static_cast<double>(seen) >= wanted) return std::min(bucket_end_us(bucket), max_us_);
  }
  return max_us_;
}

std::optional<Histogram> Histogram::restore(int significant_digits,
                                            std::vector<std::uint64_t> buckets,
                                            std::uint64_t max_us, double sum_us) {
  if (significant_digits < digits_min || significant_digits > digits_max) return std::nullopt;
  if (!std::isfinite(sum_us) || sum_us < 0 || max_us > value_us_max) return std::nullopt;
  Histogram out(significant_digits);
  while (!buckets.empty() && buckets.back() == 0) buckets.pop_back();
  const bool fits = buckets.empty() ? max_us == 0 : out.bucket_of(max_us) + 1 == buckets.size();
  if (!fits) return std::nullopt;
  for (const std::uint64_t count : buckets) {
    if (count > UINT64_MAX - out.count_) return std::nullopt;
    out.count_ += count;
  }
  out.buckets_ = std::move(buckets);
  out.max_us_ = max_us;
  out.sum_us_ = sum_us;
  return out;
}

}  // namespace vicinity::sim
