// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Holds one session to one rate: what passes it is refused, and who goes on all the same is closed.
//
//      within the rate, bursts of rate_burst_s ──► Within
//      beyond                                  ──► Refused, and taken from the tolerance
//      the tolerance is used up                ──► Flooding
//
// The tolerance is rate_tolerance_s of the rate and comes back at a tenth of it, so that who sends
// twice as much as allowed is closed after some eleven seconds, and who sends ten times as much
// after little more than one. A value; the owner locks. O(1).

#include <algorithm>
#include <cstdint>

#include "base/limits.h"
#include "base/token_bucket.h"

namespace vicinity::access {

enum class Passage : std::uint8_t { Within = 0, Refused = 1, Flooding = 2 };

class FloodMeter {
 public:
  using Clock = TokenBucket::Clock;

  /// Rate 0: everything is within. `burst_min`: the least that may come at once.
  explicit FloodMeter(double rate_per_s, double burst_min = 1)
      : bounded_(rate_per_s > 0),
        allowance_(rate_per_s, std::max(burst_min, rate_per_s * limits::rate_burst_s)),
        tolerance_(rate_per_s / 10, std::max(burst_min, rate_per_s * limits::rate_tolerance_s)) {}

  Passage take(double amount, Clock::time_point now) {
    if (!bounded_ || allowance_.take(amount, now)) return Passage::Within;
    return refuse(amount, now);
  }

  /// For what has a price that is known only afterwards: admitted while anything is left, then
  /// charge() it. A refusal takes `refusal_amount` of the tolerance.
  Passage admit(double refusal_amount, Clock::time_point now) {
    if (!bounded_ || allowance_.holds_some(now)) return Passage::Within;
    return refuse(refusal_amount, now);
  }
  /// Whether admit() would say Within; takes nothing.
  bool has_some(Clock::time_point now) { return !bounded_ || allowance_.holds_some(now); }
  void charge(double amount, Clock::time_point now) { allowance_.charge(amount, now); }

  /// Whether nothing is used up.
  bool is_rested(Clock::time_point now) {
    return !bounded_ || (allowance_.is_full(now) && tolerance_.is_full(now));
  }
  /// Goes on where another one of the same rate stands, if that has used up more.
  void inherit(const FloodMeter& of_before, Clock::time_point now) {
    if (!bounded_ || !of_before.bounded_) return;
    allowance_.lower_to(of_before.allowance_, now);
    tolerance_.lower_to(of_before.tolerance_, now);
  }

 private:
  Passage refuse(double amount, Clock::time_point now) {
    return tolerance_.take(amount, now) ? Passage::Refused : Passage::Flooding;
  }

  bool bounded_;
  TokenBucket allowance_;
  TokenBucket tolerance_;
};

}  // namespace vicinity::access
