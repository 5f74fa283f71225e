// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/load_governor.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

constexpr double high = 0.85;
constexpr double low = 0.6;
/// In half seconds.
constexpr std::uint32_t patience_min = 6;
constexpr std::uint32_t patience_max = 120;
/// A stage that comes back within so many times the patience was given up too soon.
constexpr std::uint64_t soon = 4;
/// And so many times the patience without leaving out anything are a long calm.
constexpr std::uint64_t calm = 8;

}  // namespace

std::string_view to_string(Shedding shedding) {
  switch (shedding) {
    case Shedding::None: return "none";
    case Shedding::OuterRings: return "outer_rings";
    case Shedding::Queries: return "queries";
    case Shedding::Sessions: return "sessions";
  }
  return "unknown";
}

LoadGovernor::LoadGovernor(std::uint32_t tick_rate_hz)
    : tick_ns_(1e9 / tick_rate_hz),
      half_second_ticks_(std::max(1u, tick_rate_hz / 2)),
      patience_(patience_min * half_second_ticks_) {
  CHECK(tick_rate_hz > 0);
}

Shedding LoadGovernor::note(std::int64_t busy_ns, std::uint64_t skipped) {
  // A tick that was skipped had no time at all. It counts like one that ran: half a second is as
  // long for a server that gets few of its ticks done.
  const auto lost = std::min<std::uint64_t>(skipped, half_second_ticks_);
  for (std::uint64_t i = 0; i < lost; ++i) note_one(1.0);
  return note_one(skipped > 0 ? 1.0 : std::min(1.0, static_cast<double>(busy_ns) / tick_ns_));
}

Shedding LoadGovernor::note_one(double busy) {
  load_ += (busy - load_) / half_second_ticks_;
  ++since_relax_;
  high_ticks_ = load_ > high ? high_ticks_ + 1 : 0;
  low_ticks_ = load_ < low ? low_ticks_ + 1 : 0;
  forgive();
  if (high_ticks_ >= half_second_ticks_ && shedding_ != Shedding::Sessions) escalate();
  if (low_ticks_ >= patience_ && shedding_ != Shedding::None) relax();
  return shedding_;
}

void LoadGovernor::escalate() {
  // Once for each stage given up: the stages that follow within one overload say nothing of it.
  if (std::exchange(gave_up_, false) && since_relax_ < soon * patience_)
    patience_ = std::min(2 * patience_, patience_max * half_second_ticks_);
  shedding_ = static_cast<Shedding>(static_cast<int>(shedding_) + 1);
  high_ticks_ = 0;
}

void LoadGovernor::relax() {
  shedding_ = static_cast<Shedding>(static_cast<int>(shedding_) - 1);
  since_relax_ = 0;
  low_ticks_ = 0;
  gave_up_ = true;
}

/// A long time in which nothing had to be left out halves the patience again.
void LoadGovernor::forgive() {
  if (shedding_ != Shedding::None || since_relax_ < calm * patience_) return;
  patience_ = std::max(patience_ / 2, patience_min * half_second_ticks_);
  since_relax_ = 0;
  gave_up_ = false;
}

}  // namespace vicinity
