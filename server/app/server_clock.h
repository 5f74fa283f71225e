// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The server's monotonic clock, as clients see it: microseconds since the process began to serve.
// Any thread.

#include <chrono>
#include <cstdint>

namespace vicinity::app {

class ServerClock {
 public:
  using Clock = std::chrono::steady_clock;

  std::int64_t now_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count();
  }
  std::uint64_t now_us() const { return static_cast<std::uint64_t>(now_ns()) / 1000; }
  /// The moment of a reading, for waits.
  Clock::time_point moment(std::int64_t ns) const { return start_ + std::chrono::nanoseconds(ns); }

 private:
  Clock::time_point start_ = Clock::now();
};

}  // namespace vicinity::app
