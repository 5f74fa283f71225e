// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// When to connect again after a connection has ended. Pure values; time comes from outside.

#include <cstdint>

#include "base/error.h"
#include "base/prng.h"
#include "client/connection.h"

namespace vicinity::client {

struct ReconnectOptions {
  bool enabled = true;
  std::uint32_t first_delay_ms = 250;  ///< doubles with every attempt that fails
  std::uint32_t delay_max_ms = 30'000;
  /// Part of every delay that is left to chance, 0 to 1, so that the clients of a server that
  /// restarts do not all come at once.
  double jitter = 0.5;
  std::uint32_t attempts_max = 0;  ///< in a row that fail; 0 = no limit
  std::uint64_t seed = 0;          ///< of the chance; 0 = of the system
};

/// Whether another attempt can succeed. Never after: VersionMismatch; TakenOver; WrongRole and
/// NotOwner; Unauthorized and TokenExpired (the token would be the same); BadFrame, FrameTooLarge
/// and HandshakeExpected (the two do not speak the same protocol). A Reject is final except for
/// ServerFull, ServerStopping, QueueFull, RateLimited, HandshakeTimeout, IdleTimeout, SlowConsumer,
/// Internal and ResumeRefused.
bool may_reconnect(ErrorCode code, const CloseDetails& details);

/// Exponential delays with jitter. One per client.
class Backoff {
 public:
  explicit Backoff(const ReconnectOptions& options);

  /// Whether another attempt is allowed.
  bool exhausted() const {
    return options_.attempts_max != 0 && attempts_ >= options_.attempts_max;
  }
  /// Before the next attempt: no less than the server's advice, which may be 0.
  std::uint32_t next_delay_ms(std::uint32_t retry_after_ms);
  /// After an attempt that succeeded.
  void reset() { attempts_ = 0; }
  std::uint32_t attempts() const { return attempts_; }

 private:
  ReconnectOptions options_;
  Prng prng_;
  std::uint32_t attempts_ = 0;
};

}  // namespace vicinity::client
