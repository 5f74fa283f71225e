// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/server_clock.h"

#include <algorithm>

namespace vicinity::client {

void ServerClock::add_sample(std::int64_t sent_us, std::int64_t received_us,
                             std::int64_t server_time_us) {
  if (received_us < sent_us) return;
  const std::int64_t round_trip_us = received_us - sent_us;
  samples_[next_] = {round_trip_us, server_time_us - (sent_us + round_trip_us / 2)};
  next_ = (next_ + 1) % sample_count_max;
  count_ = std::min(count_ + 1, sample_count_max);
  const auto best = std::min_element(
      samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(count_),
      [](const auto& a, const auto& b) { return a.round_trip_us < b.round_trip_us; });
  offset_us_ = best->offset_us;
  round_trip_us_ = best->round_trip_us;
}

void ServerClock::add_tick(Tick tick, std::int64_t server_time_us) {
  tick_ = tick;
  tick_time_us_ = server_time_us;
}

double ServerClock::tick_at(std::int64_t local_us) const {
  if (tick_ == 0) return 0;
  const auto since_us = static_cast<double>(server_time_us(local_us) - tick_time_us_);
  return std::max(0.0, static_cast<double>(tick_) + since_us * 1e-6 * tick_rate_hz_);
}

}  // namespace vicinity::client
