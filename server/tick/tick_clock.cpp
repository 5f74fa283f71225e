// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/tick_clock.h"

#include "base/check.h"
#include "base/limits.h"

namespace vicinity {
namespace {
constexpr std::uint64_t ns_per_s = 1'000'000'000;
}  // namespace

TickClock::TickClock(std::int64_t start_ns, std::uint32_t tick_rate_hz)
    : start_ns_(start_ns), tick_rate_hz_(tick_rate_hz) {
  CHECK(start_ns >= 0);
  CHECK(tick_rate_hz >= limits::tick_rate_hz_min);
}

// Seconds and the rest apart: slot * ns_per_s would overflow after some years.
std::int64_t TickClock::deadline_ns(std::uint64_t slot) const {
  const std::uint64_t since_start =
      slot / tick_rate_hz_ * ns_per_s + slot % tick_rate_hz_ * ns_per_s / tick_rate_hz_;
  return start_ns_ + static_cast<std::int64_t>(since_start);
}

std::uint64_t TickClock::newest_due(std::int64_t now_ns) const {
  if (now_ns < start_ns_) return 0;
  const auto since_start = static_cast<std::uint64_t>(now_ns - start_ns_);
  // Deadlines are rounded down to whole nanoseconds, so the estimate may be one slot too low.
  const std::uint64_t estimate =
      since_start / ns_per_s * tick_rate_hz_ + since_start % ns_per_s * tick_rate_hz_ / ns_per_s;
  return deadline_ns(estimate + 1) <= now_ns ? estimate + 1 : estimate;
}

TickDecision TickClock::take(std::int64_t now_ns) {
  const std::uint64_t newest = newest_due(now_ns);
  if (newest <= slots_done_) return {};
  TickDecision decision{true, 0};
  const std::uint64_t overdue = newest - slots_done_;
  if (overdue > 1 + std::uint64_t{limits::catch_up_ticks_max})
    decision.skipped = overdue - 1 - limits::catch_up_ticks_max;
  slots_done_ += decision.skipped + 1;
  skipped_count_ += decision.skipped;
  return decision;
}

}  // namespace vicinity
