// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// When ticks are due in timer mode. Pure: the time is an argument, so that tests need no waiting;
// whoever owns the timer asks here what to do. Not thread-safe.
//
//      slot        1       2       3       4       5       6       7
//      deadline  --|-------|-------|-------|-------|-------|-------|-->  start + slot / rate
//                 run            stall .................... ^ now
//                                skip 2, 3     run 4, 5, 6 back to back, then wait for 7
//
// Deadlines are computed from the slot number and never from the last deadline, so nothing drifts.

#include <cstdint>

namespace vicinity {

/// What to do at one moment.
struct TickDecision {
  bool run = false;           ///< run one tick now, then ask again
  std::uint64_t skipped = 0;  ///< slots given up by this decision; they never become ticks
};

class TickClock {
 public:
  /// `start_ns`: any monotonic time in nanoseconds, 0 or later; slot 1 is due one period after it.
  /// `tick_rate_hz`: limits::tick_rate_hz_min and up.
  TickClock(std::int64_t start_ns, std::uint32_t tick_rate_hz);

  /// When to ask again at the latest; in the past while ticks are overdue.
  std::int64_t next_deadline_ns() const { return deadline_ns(slots_done_ + 1); }

  /// Takes the next slot if it is due at `now_ns`. Of overdue slots, one and
  /// limits::catch_up_ticks_max more are kept, the older ones are skipped. A clock that went
  /// backwards makes nothing due.
  TickDecision take(std::int64_t now_ns);

  /// Slots skipped so far.
  std::uint64_t skipped_count() const { return skipped_count_; }

 private:
  std::int64_t deadline_ns(std::uint64_t slot) const;
  /// The newest slot whose deadline is not after `now_ns`.
  std::uint64_t newest_due(std::int64_t now_ns) const;

  std::int64_t start_ns_;
  std::uint64_t tick_rate_hz_;
  std::uint64_t slots_done_ = 0;  ///< run or skipped
  std::uint64_t skipped_count_ = 0;
};

}  // namespace vicinity
