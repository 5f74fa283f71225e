// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which enters and leaves a session was told lately, so that they can be taken back when the client
// says, after its connection broke, that it never got them. Bounded: beyond the bound the oldest
// are forgotten, and a resume from before them starts the view anew. Tick thread.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/ids.h"
#include "interest/observer_events.h"

namespace vicinity {

class ToldLog {
 public:
  struct Entry {
    Tick tick = 0;
    bool entered = false;  ///< else left
    ObserverId observer;
    Leave leave;  ///< of an enter, the id alone
  };

  explicit ToldLog(std::size_t entries_max) : entries_max_(entries_max) {}

  void add(const Entry& entry) {
    if (entries_.size() == entries_max_) {
      raise(entries_.front().tick);
      entries_.pop_front();
    }
    entries_.push_back(entry);
  }
  /// The client has everything up to this tick.
  void acknowledge(Tick tick) {
    while (!entries_.empty() && entries_.front().tick <= tick) entries_.pop_front();
    raise(tick);
  }
  /// The newest one after this tick, taken out; from the newest backwards.
  std::optional<Entry> take_back(Tick after) {
    if (entries_.empty() || entries_.back().tick <= after) return std::nullopt;
    const Entry entry = entries_.back();
    entries_.pop_back();
    return entry;
  }
  void clear() { entries_.clear(); }
  /// These observers (ascending) are gone, and the client forgets their views by itself.
  void forget_observers(std::span<const ObserverId> observers) {
    looked_at_ += entries_.size();
    std::erase_if(entries_, [&](const Entry& entry) {
      return std::binary_search(observers.begin(), observers.end(), entry.observer);
    });
  }
  /// What was told until this tick cannot be told again.
  void raise(Tick tick) {
    if (tick > resumable_from_) resumable_from_ = tick;
  }
  /// The earliest tick from which a view can go on.
  Tick resumable_from() const { return resumable_from_; }
  std::size_t size() const { return entries_.size(); }
  /// Entries gone over so far to forget observers.
  std::uint64_t looked_at() const { return looked_at_; }

 private:
  std::size_t entries_max_;
  std::deque<Entry> entries_;
  Tick resumable_from_ = 0;
  std::uint64_t looked_at_ = 0;
};

}  // namespace vicinity
