// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What the tick thread last knew of a session's stream, for operators. The tick thread writes, any
// thread reads; values of different moments may stand side by side.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "stream/session_stream.h"

namespace vicinity::app {

/// An observer of a session, by the numbers that its client gave it and its areas.
struct ListedObserver {
  ObserverId id;
  std::vector<AreaId> areas;
  std::uint64_t visible = 0;  ///< entities
};

struct SessionGauges {
  std::atomic<StreamHealth> health{StreamHealth::Ok};
  std::atomic<std::uint32_t> observers{0};
  std::atomic<std::uint64_t> visible{0};            ///< entities, all observers together
  std::atomic<std::uint64_t> frames{0};             ///< since the start of the session
  std::atomic<std::uint64_t> frame_bytes{0};        ///< the same
  std::atomic<std::uint64_t> frame_bytes_per_s{0};  ///< in the last whole second of ticks

  /// Tick thread, every tick. `second_ends`: once per second of ticks.
  void note(const SessionStream& stream, bool second_ends) {
    health.store(stream.health(), std::memory_order_relaxed);
    observers.store(static_cast<std::uint32_t>(stream.view_count()), std::memory_order_relaxed);
    visible.store(stream.record_count(), std::memory_order_relaxed);
    if (!second_ends) return;
    const std::uint64_t now = frame_bytes.load(std::memory_order_relaxed);
    frame_bytes_per_s.store(now - bytes_a_second_ago_, std::memory_order_relaxed);
    bytes_a_second_ago_ = now;
  }
  /// Tick thread, about once a second.
  void note_observers(std::vector<ListedObserver> observers_now) {
    const std::lock_guard lock(mutex_);
    listed_ = std::move(observers_now);
  }
  /// Those with the smallest numbers, with limits::listed_areas_max areas together.
  std::vector<ListedObserver> listed_observers() const {
    const std::lock_guard lock(mutex_);
    return listed_;
  }
  /// Tick thread, for every frame.
  void note_frame(std::uint64_t size_bytes) {
    frames.fetch_add(1, std::memory_order_relaxed);
    frame_bytes.fetch_add(size_bytes, std::memory_order_relaxed);
  }

 private:
  std::uint64_t bytes_a_second_ago_ = 0;  ///< tick thread
  mutable std::mutex mutex_;              ///< guards listed_
  std::vector<ListedObserver> listed_;
};

}  // namespace vicinity::app
