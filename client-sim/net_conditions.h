// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A network that is worse than loopback: what the user asked for, and when each piece of a stream
// arrives under it. All randomness comes from the seed. Pure: no sockets, no clock; any thread.
//
//   conditions = setting *("," setting)
//   setting    = "delay=" TIME | "jitter=" TIME | "bandwidth=" RATE | "cut-every=" TIME
//   TIME       = number ("us" | "ms" | "s" | "m")
//   RATE       = number ("bit" | "kbit" | "mbit")

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/prng.h"
#include "base/result.h"

namespace vicinity::sim {

struct NetConditions {
  std::int64_t delay_us = 0;   ///< one way
  std::int64_t jitter_us = 0;  ///< added to or taken from the delay, uniformly; at most the delay
  std::uint64_t bandwidth_bit_per_s = 0;  ///< each way; 0 = as fast as it gets
  std::int64_t cut_every_us = 0;          ///< mean time between cuts of a connection; 0 = never

  friend bool operator==(const NetConditions&, const NetConditions&) = default;
};

/// The error is a sentence for the user.
Result<NetConditions, std::string> parse_net_conditions(std::string_view text);

/// As parse_net_conditions reads it.
std::string to_string(const NetConditions& conditions);

/// One direction of one connection. A stream stays in order, so what is held up holds up what comes
/// behind it, as in TCP.
class LinkShaper {
 public:
  /// The same seed gives the same times.
  LinkShaper(const NetConditions& conditions, std::uint64_t seed);

  /// When the last of `size_bytes` that were sent at `sent_us` arrives; any monotonic clock. Never
  /// before what was sent earlier.
  std::int64_t arrival_us(std::int64_t sent_us, std::size_t size_bytes);
  /// Bytes that the direction can hold before the sender has to wait: what is under way at full
  /// rate, within sensible bounds.
  std::size_t window_bytes() const;

 private:
  NetConditions conditions_;
  Prng prng_;
  std::int64_t free_us_ = 0;     ///< when the sender's end has sent all there is
  std::int64_t arrived_us_ = 0;  ///< of what was sent last
};

/// Lives of successive connections of one bot: half to one and a half times `cut_every_us`, so that
/// bots do not fall in step. The same seed gives the same lives.
class CutSchedule {
 public:
  CutSchedule(std::int64_t cut_every_us, std::uint64_t seed)
      : cut_every_us_(cut_every_us), prng_(seed) {}
  /// Microseconds from the start of the next connection; 0 = it is not cut.
  std::int64_t next_life_us();

 private:
  std::int64_t cut_every_us_;
  Prng prng_;
};

}  // namespace vicinity::sim
