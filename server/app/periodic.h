// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Calls a function again and again from a thread of its own, for what neither ticks nor messages
// would look at: in manual mode there may be neither for hours.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace vicinity::app {

class Periodic {
 public:
  Periodic() = default;
  ~Periodic() { stop(); }
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  /// Once. `task` must not throw, and not take long.
  void start(std::chrono::milliseconds interval, std::function<void()> task);
  /// Waits for the call that is under way; none comes afterwards.
  void stop();

 private:
  std::mutex mutex_;  ///< guards stopping_
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace vicinity::app
