// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The server's clock as a client knows it: of the last pings, the one with the shortest round trip
// is believed, for its answer can be off by half of that at most. Pure; times come from outside.
// All times in microseconds; local times are of one monotonic clock of the caller.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/ids.h"

namespace vicinity::client {

class ServerClock {
 public:
  /// A ping that was sent and answered at these local times; the answer said server_time_us.
  void add_sample(std::int64_t sent_us, std::int64_t received_us, std::int64_t server_time_us);
  /// A tick began at this time of the server.
  void add_tick(Tick tick, std::int64_t server_time_us);
  void set_tick_rate_hz(std::uint32_t rate_hz) { tick_rate_hz_ = rate_hz; }
  /// Forgets all: for another server.
  void clear() { *this = {}; }

  bool is_known() const { return count_ > 0; }
  /// local_us itself while nothing is known.
  std::int64_t server_time_us(std::int64_t local_us) const { return local_us + offset_us_; }
  /// Ticks, with the fraction of the one under way. 0 while no tick is known.
  double tick_at(std::int64_t local_us) const;
  /// Of the sample that is believed.
  std::int64_t round_trip_us() const { return round_trip_us_; }

 private:
  struct Sample {
    std::int64_t round_trip_us = 0;
    std::int64_t offset_us = 0;
  };
  static constexpr std::size_t sample_count_max = 32;  // clocks drift: old samples must go

  std::array<Sample, sample_count_max> samples_{};
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::int64_t offset_us_ = 0;
  std::int64_t round_trip_us_ = 0;
  std::uint32_t tick_rate_hz_ = 0;
  Tick tick_ = 0;
  std::int64_t tick_time_us_ = 0;
};

}  // namespace vicinity::client
