// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The time that the answers to all sessions together may take, so that many who stay within their
// own rates do not take the net threads from everybody's frames. Whoever asks when it is used up is
// refused; a part is kept for authorities, who are refused last:
//
//      full ─────────── for everybody ─────────── reserve ── for authorities ── 0 ── for nobody
//
// Any thread; O(1).

#include <chrono>
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
        reserve_us_(us_per_s * limits::rate_burst_s * limits::query_reserve_share),
        bucket_(us_per_s, us_per_s * limits::rate_burst_s) {}

  bool admits(bool is_authority, Clock::time_point now) {
    if (!bounded_) return true;
    const std::lock_guard lock(mutex_);
    return bucket_.holds_more_than(is_authority ? 0 : reserve_us_, now);
  }
  /// What an answer took, known only afterwards.
  void charge(std::chrono::microseconds cost, Clock::time_point now) {
    if (!bounded_) return;
    const std::lock_guard lock(mutex_);
    bucket_.charge(static_cast<double>(cost.count()), now);
  }

 private:
  const bool bounded_;
  const double reserve_us_;
  std::mutex mutex_;  ///< guards bucket_
  TokenBucket bucket_;
};

}  // namespace vicinity::access
