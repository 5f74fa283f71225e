// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Judges the token of a hello by the keys that are in force. Any thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "access/token.h"
#include "access/token_keys.h"

namespace vicinity::access {

struct GatekeeperSettings {
  std::string keys;  ///< see TokenKeys::load; empty: no tokens, everybody is what they say
  TokenRules rules;
};

struct GatekeeperStats {
  std::uint64_t accepted = 0;
  std::uint64_t unauthorized = 0;
  std::uint64_t expired = 0;
};

class Gatekeeper {
 public:
  /// Without keys until reload().
  explicit Gatekeeper(GatekeeperSettings settings) : settings_(std::move(settings)) {}

  /// Whether tokens are asked for.
  bool enabled() const { return !settings_.keys.empty(); }
  /// Reads the keys anew. Not empty: why they cannot be had; those of before stay in force.
  std::string reload();

  /// By the clock of the system.
  Result<Grant, TokenFault> check(std::string_view token);
  GatekeeperStats stats() const;
  std::size_t key_count() const;

  /// Seconds since 1970, the clock of all tokens.
  static std::int64_t now_s();

 private:
  std::shared_ptr<const TokenKeys> keys() const;

  const GatekeeperSettings settings_;
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> unauthorized_{0};
  std::atomic<std::uint64_t> expired_{0};
  mutable std::mutex mutex_;  ///< guards keys_
  std::shared_ptr<const TokenKeys> keys_ = std::make_shared<const TokenKeys>();
};

}  // namespace vicinity::access
