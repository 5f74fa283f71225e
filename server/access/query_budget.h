// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The time that the answers to all sessions together may take, so that many who stay within their
// own rates do not take the net threads from everybody's frames. Whoever asks when it is used up is
// refused; a part is kept for authorities, who are refused last: nothing that others ask is charged
// to it.
//
// Any thread; O(1).

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/limits.h"
#include "base/token_bucket.h"

namespace vicinity::access {

class QueryBudget {
 public:
  using Clock = TokenBucket::Clock;

  /// Microseconds per second; 0: no bound.
  explicit QueryBudget(double us_per_s)
      : bounded_(us_per_s > 0),
        shared_(bucket(us_per_s * (1 - limits::query_reserve_share))),
        reserve_(bucket(us_per_s * limits::query_reserve_share)),
        charge_max_us_(us_per_s * limits::rate_tolerance_s) {}

  bool admits(bool is_authority, Clock::time_point now) {
    if (!bounded_) return true;
    const std::lock_guard lock(mutex_);
    return shared_.holds_some(now) || (is_authority && reserve_.holds_some(now));
  }
  /// What an answer took, known only afterwards. Not more than comes back in rate_tolerance_s: a
  /// process that was stopped meanwhile has not worked all that time.
  void charge(std::chrono::microseconds cost, bool is_authority, Clock::time_point now) {
    charged_us_.fetch_add(static_cast<std::uint64_t>(cost.count()), std::memory_order_relaxed);
    if (!bounded_) return;
    const double cost_us = std::min(static_cast<double>(cost.count()), charge_max_us_);
    const std::lock_guard lock(mutex_);
    (is_authority && !shared_.holds_some(now) ? reserve_ : shared_).charge(cost_us, now);
  }
  /// All that was charged so far, microseconds, whatever the bound.
  std::uint64_t charged_us() const { return charged_us_.load(std::memory_order_relaxed); }

 private:
  static TokenBucket bucket(double us_per_s) { return {us_per_s, us_per_s * limits::rate_burst_s}; }

  const bool bounded_;
  std::mutex mutex_;  ///< guards the members below
  TokenBucket shared_;
  TokenBucket reserve_;
  const double charge_max_us_;
  std::atomic<std::uint64_t> charged_us_{0};
};

}  // namespace vicinity::access
