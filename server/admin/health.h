// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether the tick thread does its work, judged by what TickTelemetry shows of it. Pure: time is an
// input.

#include <cstdint>
#include <string>

#include "admin/tick_telemetry.h"

namespace vicinity::admin {

/// A tick that has not ended after so long is stuck, and so is a timer that starts none.
inline constexpr std::int64_t stuck_after_ns = 10'000'000'000;
/// Ticks that are this late make the server not ready; nobody should be sent to it.
inline constexpr std::int64_t late_after_ns = 2'000'000'000;

/// How ticks come about.
struct TickPace {
  bool by_timer = true;        ///< else only when a client asks for one
  std::int64_t period_ns = 0;  ///< of the timer
};

/// Empty, or what is wrong, when the tick thread has been silent for longer than `patience_ns`
/// beyond what is usual.
std::string why_silent(const TickPulse& pulse, const TickPace& pace, std::int64_t patience_ns);

}  // namespace vicinity::admin
