// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// When a snapshot is due, counted in ticks: whole numbers, so that it is as exact after years as on
// the first day. A value; one thread.

#include <algorithm>
#include <cstdint>

#include "base/ids.h"

namespace vicinity::store {

class SnapshotSchedule {
 public:
  /// `last`: tick of the newest snapshot, or the tick at which the count begins.
  SnapshotSchedule(std::uint64_t interval_s, std::uint32_t tick_rate_hz, Tick last)
      : interval_ticks_(interval_s * tick_rate_hz), last_(last) {}

  /// Whether one is due after this tick. An interval of 0 is never over.
  bool is_due(Tick tick) const { return interval_ticks_ > 0 && tick - last_ >= interval_ticks_; }
  /// One was taken. Ticks that it came late do not move the next one.
  void taken(Tick tick) { last_ += (tick - last_) / interval_ticks_ * interval_ticks_; }
  /// One could not be written: the next is due after a tenth of the interval, and not before so
  /// many ticks, because each has the tick thread copy the world.
  void given_up(Tick tick) {
    constexpr std::uint64_t pause_ticks_min = 200;
    const std::uint64_t pause_ticks = std::max(interval_ticks_ / 10, pause_ticks_min);
    if (pause_ticks < interval_ticks_) last_ = tick + pause_ticks - interval_ticks_;
  }

 private:
  std::uint64_t interval_ticks_;
  Tick last_;
};

}  // namespace vicinity::store
