// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Bounds what a WebSocket brings besides messages: the protocol lets a peer send pings, pongs and
// empty fragments without end, and no message limit and no rate of a session sees them. For
// web_socket_connection.cpp alone. Net room; a value.
//
//      bytes of the wire ──arrived()──► excess ──carried(), end_message()──► metered as frames
//      control frames ──add_control_frame()──►│
//                                            └──time──► forgotten, at excess_bytes_per_s
//
// What is read ahead is excess until its message carries it, so that a frame of the longest kind
// has to fit besides the allowance.

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace vicinity::net {

class WebSocketMeter {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Excess that may come at once: the headers of a message of 64 KiB in fragments of eight bytes,
  /// or some two hundred control frames. Browsers send none of their own accord, libraries one in
  /// some seconds.
  static constexpr double excess_bytes_max = 64 * 1024;
  static constexpr double excess_bytes_per_s = 16 * 1024;
  /// A control frame counts as so many bytes more: a ping costs a pong. So no more than about 60 a
  /// second may come.
  static constexpr double control_frame_bytes = 256;
  /// Header of a frame of a client at most, with its mask.
  static constexpr std::size_t header_bytes_max = 14;

  /// Bytes were read, whatever they are.
  void arrived(std::size_t size_bytes, TimePoint now) {
    if (now > seen_at_) {
      const std::chrono::duration<double> passed = now - seen_at_;
      seen_at_ = now;  // the first time nothing is there to be forgotten
      excess_bytes_ = std::max(0.0, excess_bytes_ - excess_bytes_per_s * passed.count());
    }
    excess_bytes_ += static_cast<double>(size_bytes);
  }
  void add_control_frame() { excess_bytes_ += control_frame_bytes; }
  /// So many of them are of a message, which has its own limits.
  void carried(std::size_t size_bytes) {
    excess_bytes_ = std::max(0.0, excess_bytes_ - static_cast<double>(size_bytes));
  }
  void end_message() { carried(header_bytes_max); }

  bool is_exceeded(std::size_t frame_bytes_max) const {
    return excess_bytes_ > excess_bytes_max + static_cast<double>(frame_bytes_max);
  }

 private:
  double excess_bytes_ = 0;
  TimePoint seen_at_{};
};

}  // namespace vicinity::net
