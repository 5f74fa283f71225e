// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "admin/health.h"

namespace vicinity::admin {
namespace {

std::string ms(std::int64_t ns) { return std::to_string(ns / 1'000'000) + " ms"; }

}  // namespace

std::string why_silent(const TickPulse& pulse, const TickPace& pace, std::int64_t patience_ns) {
  if (pulse.busy_since_ns != 0) {
    const std::int64_t busy_ns = pulse.now_ns - pulse.busy_since_ns;
    if (busy_ns > patience_ns) return "a tick has been running for " + ms(busy_ns);
    return "";
  }
  const std::int64_t quiet_ns = pulse.now_ns - pulse.last_end_ns;
  if (pace.by_timer && quiet_ns > patience_ns + pace.period_ns)
    return "no tick has run for " + ms(quiet_ns);
  return "";
}

}  // namespace vicinity::admin
