// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Open-loop schedule: when each bot was meant to act, whatever the server and the network do. Bots
// take turns within the interval. What could not be done in time is done late, never left out, so
// that a pause shows in the latencies of everything that it held up. Pure: the clock is an input.

#include <cstdint>

namespace vicinity::sim {

class Pacer {
 public:
  /// `bots` turns per `interval_us`, from `start_us` on.
  Pacer(std::uint32_t bots, std::int64_t interval_us, std::int64_t start_us)
      : bots_(bots), interval_us_(interval_us), start_us_(start_us) {}

  struct Turn {
    std::uint32_t bot = 0;
    std::int64_t intended_us = 0;
  };
  /// Calls act(Turn) for every turn that is due and was not taken yet, in the order of their times.
  template <class Act>
  void take_due(std::int64_t now_us, const Act& act) {
    for (; time_of(next_) <= now_us; ++next_)
      act(Turn{static_cast<std::uint32_t>(next_ % static_cast<std::uint64_t>(bots_)),
               time_of(next_)});
  }
  std::int64_t next_us() const { return time_of(next_); }

 private:
  std::int64_t time_of(std::uint64_t turn) const {
    const auto round = static_cast<std::int64_t>(turn / static_cast<std::uint64_t>(bots_));
    const auto place = static_cast<std::int64_t>(turn % static_cast<std::uint64_t>(bots_));
    return start_us_ + round * interval_us_ + place * interval_us_ / bots_;
  }

  std::int64_t bots_;
  std::int64_t interval_us_;
  std::int64_t start_us_;
  std::uint64_t next_ = 0;
};

}  // namespace vicinity::sim
