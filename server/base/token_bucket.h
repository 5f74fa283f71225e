// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A rate with room for bursts: what it holds grows with time up to a bound, and is taken from.
// A value; the owner locks. O(1).

#include <algorithm>
#include <chrono>

namespace vicinity {

class TokenBucket {
 public:
  using Clock = std::chrono::steady_clock;

  /// Full at first. `rate_per_s` > 0; `capacity` is the longest burst.
  TokenBucket(double rate_per_s, double capacity)
      : rate_per_s_(rate_per_s), capacity_(capacity), level_(capacity) {}

  /// True, and so much less is in it, when it holds so much.
  bool take(double amount, Clock::time_point now) {
    fill(now);
    if (level_ < amount) return false;
    level_ -= amount;
    return true;
  }
  /// What was used already, known only afterwards: may go below 0.
  void charge(double amount, Clock::time_point now) {
    fill(now);
    level_ -= amount;
  }
  bool holds_some(Clock::time_point now) {
    fill(now);
    return level_ > 0;
  }
  /// Holds no more than the other one does, whose rate and capacity are the same.
  void lower_to(TokenBucket other, Clock::time_point now) {
    fill(now);
    other.fill(now);
    level_ = std::min(level_, other.level_);
  }
  bool is_full(Clock::time_point now) {
    fill(now);
    return level_ >= capacity_;
  }

 private:
  void fill(Clock::time_point now) {
    if (now <= filled_at_) return;  // also at the first call: full already
    const std::chrono::duration<double> passed = now - filled_at_;
    filled_at_ = now;
    level_ = std::min(capacity_, level_ + rate_per_s_ * passed.count());
  }

  double rate_per_s_;
  double capacity_;
  double level_;
  Clock::time_point filled_at_{};
};

}  // namespace vicinity
