// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What an operator decides about streams. Values.

#include <cstddef>
#include <cstdint>

#include "base/limits.h"

namespace vicinity {

struct StreamSettings {
  /// Of positions in moves, metres; a power of two.
  double position_resolution_m = 1.0 / 256;
  /// Bytes of frames per second for one player or observer; 0 = as many as the link takes.
  std::uint64_t budget_bytes_per_s = 1u << 20;
  /// For all sessions together; 0 = as many as the links take.
  std::uint64_t egress_bytes_per_s = 0;
  std::uint32_t tick_rate_hz = 20;
  /// An update that waits for longer than this goes before all others.
  std::uint32_t update_max_age_ms = 1'000;
  /// A session whose connection takes nothing for so long ends, however many ticks that is.
  std::uint32_t slow_consumer_ms = 10'000;
  /// Reliable events (results, contacts, losses) that may wait for one session.
  std::size_t pending_events_max = 65'536;
  /// Whether a session may be resumed: then what was told is kept until it is acknowledged.
  bool resumable = true;
  /// Bytes of one frame for players and observers, and for authorities.
  std::size_t frame_bytes_max = limits::stream_frame_bytes_default;
  std::size_t authority_frame_bytes_max = limits::authority_frame_bytes_max;
};

}  // namespace vicinity
