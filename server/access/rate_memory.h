// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What clients that left had used up of their rates, for a while: who was closed for flooding, and
// comes again, goes on where it was. By subject where tokens prove it, else by address.
//
//      session ends ──remember──► its meters, for rates_remembered_s ──recall──► those of the next
//
// Bounded: when there are too many, the one that left first is forgotten. Any thread; the logarithm
// of what is remembered.

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "access/session_guard.h"
#include "base/limits.h"

namespace vicinity::access {

class RateMemory {
 public:
  using Clock = FloodMeter::Clock;

  explicit RateMemory(std::size_t count_max = limits::remembered_rates_max)
      : count_max_(count_max) {}

  /// Of several sessions of one client what was used up most counts.
  void remember(const std::string& who, SessionMeters meters, Clock::time_point now);
  /// Nothing for who is not remembered.
  std::optional<SessionMeters> recall(const std::string& who, Clock::time_point now);
  std::size_t count() const;

 private:
  struct Entry {
    SessionMeters meters;
    Clock::time_point until;
    std::list<std::string>::iterator place;
  };
  using Entries = std::map<std::string, Entry>;
  void forget(Entries::iterator entry);
  void forget_old(Clock::time_point now);

  const std::size_t count_max_;
  mutable std::mutex mutex_;  ///< guards the members below
  Entries entries_;
  std::list<std::string> by_time_;  ///< who left first in front
};

}  // namespace vicinity::access
