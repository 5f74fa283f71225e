// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Decides what the server leaves out when its ticks take too long, one stage after the other, and
// when it takes it up again. Never contacts, never enters and leaves. Pure: time is an input.
//
//      busy > 85 % for half a second ──► one stage more ──► ...
//      busy < 60 % for the patience  ──► one stage less; the patience doubles when a stage that was
//                                        given up has to come back soon, so that the server does
//                                        not swing to and fro

#include <cstdint>
#include <string_view>

namespace vicinity {

/// What the server leaves out; each stage includes those before it.
enum class Shedding : std::uint8_t {
  None = 0,
  OuterRings = 1,  ///< updates of outer rings come at half their rate
  Queries = 2,     ///< queries are refused beyond a small number per tick
  Sessions = 3,    ///< new sessions are refused
};

/// "none", "outer_rings", "queries", "sessions".
std::string_view to_string(Shedding shedding);

class LoadGovernor {
 public:
  explicit LoadGovernor(std::uint32_t tick_rate_hz);

  /// After every tick: how long it kept the tick thread busy, sending included, and how many ticks
  /// were skipped before it. Returns what is left out from now on.
  Shedding note(std::int64_t busy_ns, std::uint64_t skipped);
  Shedding shedding() const { return shedding_; }

 private:
  Shedding note_one(double busy);
  void escalate();
  void relax();
  void forgive();

  const double tick_ns_;
  const std::uint32_t half_second_ticks_;
  Shedding shedding_ = Shedding::None;
  double load_ = 0;  ///< part of the time that is busy, smoothed over about half a second
  std::uint32_t high_ticks_ = 0;
  std::uint32_t low_ticks_ = 0;
  std::uint32_t patience_;         ///< ticks
  std::uint64_t since_relax_ = 0;  ///< ticks
  bool gave_up_ = false;           ///< a stage, and none came back since
};

}  // namespace vicinity
