// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/reconnect.h"

#include <algorithm>
#include <random>

namespace vicinity::client {

bool may_reconnect(ErrorCode code, const CloseDetails& details) {
  switch (code) {
    case ErrorCode::VersionMismatch:
    case ErrorCode::TakenOver:
    case ErrorCode::WrongRole:
    case ErrorCode::NotOwner:
    case ErrorCode::BadFrame:
    case ErrorCode::FrameTooLarge:
    case ErrorCode::HandshakeExpected:
    case ErrorCode::Unauthorized:
    case ErrorCode::TokenExpired: return false;  // the same token would meet the same end
    case ErrorCode::ServerFull:
    case ErrorCode::RateLimited:
    case ErrorCode::ServerStopping:
    case ErrorCode::QueueFull:
    case ErrorCode::HandshakeTimeout:
    case ErrorCode::IdleTimeout:
    case ErrorCode::SlowConsumer:
    case ErrorCode::Internal:
    case ErrorCode::ResumeRefused: return true;
    default: return !details.rejected;
  }
}

Backoff::Backoff(const ReconnectOptions& options)
    : options_(options), prng_(options.seed != 0 ? options.seed : std::random_device{}()) {}

std::uint32_t Backoff::next_delay_ms(std::uint32_t retry_after_ms) {
  const std::uint32_t doublings = std::min(attempts_, 16u);
  ++attempts_;
  const double whole_ms = std::min(static_cast<double>(options_.first_delay_ms) * (1u << doublings),
                                   static_cast<double>(options_.delay_max_ms));
  const double jitter = std::clamp(options_.jitter, 0.0, 1.0);
  const double delay_ms = whole_ms * (1 - jitter * prng_.unit());
  // The advice is the same for all clients of the server; the jitter spreads them behind it.
  return retry_after_ms + static_cast<std::uint32_t>(std::min(
                              delay_ms, 4294967295.0 - static_cast<double>(retry_after_ms)));
}

}  // namespace vicinity::client
