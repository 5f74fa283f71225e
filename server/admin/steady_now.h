// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

#include <chrono>
#include <cstdint>

namespace vicinity::admin {

/// The monotonic clock of the system, by which everything in this module measures. Any thread.
inline std::int64_t steady_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace vicinity::admin
