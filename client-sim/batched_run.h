// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Runs an io_context for thousands of connections. One that waits anew for each of them wakes up
// once per message; this one, when there is much to do, lets it gather for up to a millisecond.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <thread>

namespace vicinity::sim {

/// Like io.run(): returns when it is stopped, or has no work left.
inline void run_in_batches(boost::asio::io_context& io) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds batch_time(1000);
  /// Handlers in one batch time, below which nobody is made to wait.
  constexpr std::size_t busy_count = 16;
  while (true) {
    std::size_t count = io.run_one();
    if (count == 0) return;
    const auto begin = Clock::now();
    count += io.poll();
    if (io.stopped()) return;
    const auto left = begin + batch_time - Clock::now();
    if (count >= busy_count && left.count() > 0) std::this_thread::sleep_for(left);
  }
}

}  // namespace vicinity::sim
