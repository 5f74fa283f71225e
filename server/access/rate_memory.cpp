// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "access/rate_memory.h"

namespace vicinity::access {

void RateMemory::remember(const std::string& who, SessionMeters meters, Clock::time_point now) {
  if (who.empty() || meters.are_rested(now)) return;
  const std::lock_guard lock(mutex_);
  forget_old(now);
  if (const auto known = entries_.find(who); known != entries_.end()) {
    meters.inherit(known->second.meters, now);
    forget(known);
  }
  const auto until = now + std::chrono::seconds(limits::rates_remembered_s);
  const auto place = by_time_.insert(by_time_.end(), who);
  entries_.emplace(who, Entry{meters, until, place});
  if (entries_.size() > count_max_) forget(entries_.find(by_time_.front()));
}

std::optional<SessionMeters> RateMemory::recall(const std::string& who, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  forget_old(now);
  const auto known = entries_.find(who);
  if (known == entries_.end()) return std::nullopt;
  return known->second.meters;
}

std::size_t RateMemory::count() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void RateMemory::forget(Entries::iterator entry) {
  by_time_.erase(entry->second.place);
  entries_.erase(entry);
}

/// All stay equally long, so those who left first are those whose time is over.
void RateMemory::forget_old(Clock::time_point now) {
  while (!by_time_.empty()) {
    const auto oldest = entries_.find(by_time_.front());
    if (oldest->second.until > now) return;
    forget(oldest);
  }
}

}  // namespace vicinity::access
