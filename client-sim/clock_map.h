// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Translates the local monotonic clock into the server's, from pongs: the answer to the fastest
// ping was read about half a round trip before it arrived. The error is at most half that round
// trip. An estimate older than ten seconds gives way to the next pong, because two clocks drift.
// Not thread-safe.

#include <chrono>
#include <cstdint>

namespace vicinity::sim {

/// Microseconds of the local monotonic clock.
inline std::int64_t local_time_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

class ClockMap {
 public:
  void add_pong(std::int64_t received_local_us, std::uint64_t round_trip_us,
                std::uint64_t server_time_us) {
    const auto round_trip = static_cast<std::int64_t>(round_trip_us);
    const bool outdated = received_local_us - sampled_local_us_ > sample_life_us;
    if (known_ && !outdated && round_trip > round_trip_us_) return;
    known_ = true;
    round_trip_us_ = round_trip;
    sampled_local_us_ = received_local_us;
    offset_us_ = static_cast<std::int64_t>(server_time_us) - (received_local_us - round_trip / 2);
  }

  /// Nothing is known before the first pong.
  bool known() const { return known_; }
  std::int64_t to_server_us(std::int64_t local_us) const { return local_us + offset_us_; }

 private:
  static constexpr std::int64_t sample_life_us = 10'000'000;
  bool known_ = false;
  std::int64_t round_trip_us_ = 0;
  std::int64_t sampled_local_us_ = 0;
  std::int64_t offset_us_ = 0;
};

}  // namespace vicinity::sim
