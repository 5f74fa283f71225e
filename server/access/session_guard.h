// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What one session is held to while it lives: the caps of its token, its rates, and the moment at
// which its token ends. It outlives connections with the session, so that who comes back finds its
// rates as it left them. Any thread; O(1) but for the areas, of which there are few.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>

#include "access/flood_meter.h"
#include "access/token.h"
#include "base/ids.h"
#include "base/limits.h"

namespace vicinity::access {

/// Per second; 0: no bound.
struct SessionRates {
  double commands = 0;
  double bytes_in = 0;
  double query_us = 0;  ///< time that the server spends on answers and hulls, microseconds
};

/// What a session has used up of its rates; a value.
struct SessionMeters {
  FloodMeter commands;
  FloodMeter bytes_in;
  FloodMeter query_us;

  void inherit(const SessionMeters& of_before, FloodMeter::Clock::time_point now) {
    commands.inherit(of_before.commands, now);
    bytes_in.inherit(of_before.bytes_in, now);
    query_us.inherit(of_before.query_us, now);
  }
  bool are_rested(FloodMeter::Clock::time_point now) {
    return commands.is_rested(now) && bytes_in.is_rested(now) && query_us.is_rested(now);
  }
};

class SessionGuard {
 public:
  using Clock = FloodMeter::Clock;
  static constexpr std::int64_t never_s = std::numeric_limits<std::int64_t>::max();

  explicit SessionGuard(const SessionRates& rates, const Caps& token_caps = {},
                        std::int64_t token_ends_at_s = never_s)
      : caps(token_caps),
        ends_at_s(token_ends_at_s),
        meters_{
            FloodMeter(rates.commands, limits::commands_per_frame_max),
            FloodMeter(rates.bytes_in, limits::client_frame_bytes_max + limits::frame_prefix_bytes),
            FloodMeter(rates.query_us)},
        query_us_(rates.query_us) {}

  const Caps caps;
  /// First second, since 1970, at which the session has no valid token any more. Resumed with a new
  /// token it has the end of that one.
  std::atomic<std::int64_t> ends_at_s;

  Passage command(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    return meters_.commands.take(1, now);
  }
  Passage message(std::size_t size_bytes, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    return meters_.bytes_in.take(static_cast<double>(size_bytes), now);
  }
  /// Of a thousand refused queries in ten seconds the last one is Flooding.
  Passage query(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    return meters_.query_us.admit(query_us_ * limits::rate_tolerance_s / 1000, now);
  }
  bool has_query_time(Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    return meters_.query_us.has_some(now);
  }
  void charge_query(std::chrono::microseconds cost, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    // Not for longer than others are borne with: a process that was stopped has not worked so long.
    const double most_us = std::max(1.0, query_us_ * limits::rate_tolerance_s);
    meters_.query_us.charge(std::clamp(static_cast<double>(cost.count()), 1.0, most_us), now);
  }

  SessionMeters meters() const {
    const std::lock_guard lock(mutex_);
    return meters_;
  }
  /// Of the same client's session of before.
  void inherit(const SessionMeters& of_before, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    meters_.inherit(of_before, now);
  }

  // The areas that the session may have: those that it added, whether the tick took them or not,
  // without those that it removed.
  /// False when Caps::areas_max are there already.
  bool add_area(AreaId area) {
    const std::lock_guard lock(mutex_);
    if (!caps.areas_max || areas_.contains(area)) return true;
    if (areas_.size() >= *caps.areas_max) return false;
    areas_.insert(area);
    return true;
  }
  void remove_area(AreaId area) {
    const std::lock_guard lock(mutex_);
    areas_.erase(area);
  }
  std::set<AreaId> areas() const {
    const std::lock_guard lock(mutex_);
    return areas_;
  }
  /// Commands were not taken: what they removed is still there, what they added is not.
  void restore_areas(const std::set<AreaId>& areas) {
    const std::lock_guard lock(mutex_);
    areas_ = areas;
  }
  /// Areas that the session has from before.
  void keep_areas(const std::set<AreaId>& areas) {
    const std::lock_guard lock(mutex_);
    areas_.insert(areas.begin(), areas.end());
  }

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  SessionMeters meters_;
  const double query_us_;
  std::set<AreaId> areas_;
};

}  // namespace vicinity::access
