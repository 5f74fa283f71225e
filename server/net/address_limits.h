// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// How many connections one address may have, and how often it may open another. Shared by all
// sockets of a server. Net room; any thread.
//
//   address ──► { connections now, bucket of connects }
//      with a connection: kept; there are no more of these than connections
//      without one:       kept for its bucket, in the order in which they fell silent, at most
//                         limits::silent_addresses_max; the longest silent one is forgotten
//
// An IPv6 address counts by its first 64 bits: who has one has them all. Cost: the logarithm of
// what is remembered.

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/token_bucket.h"

namespace vicinity::net {

struct AddressLimitSettings {
  std::uint32_t connections_max = 0;  ///< at the same time; 0 = no bound
  std::uint32_t connects_per_s = 0;   ///< 0 = no bound
  bool loopback = false;              ///< whether addresses of this machine are bounded, too
  std::size_t silent_max = limits::silent_addresses_max;
};

struct AddressStats {
  std::uint64_t too_many = 0;  ///< connections turned away
  std::uint64_t too_fast = 0;
  std::size_t remembered = 0;  ///< addresses, now
};

/// An address as limits go by it: version, then 4 bytes of IPv4 or the first 8 of IPv6.
using AddressKey = std::array<std::uint8_t, 9>;
/// `peer`: as Connection::peer(). None for what is no address, and for those of this machine unless
/// `with_loopback`.
std::optional<AddressKey> address_key(std::string_view peer, bool with_loopback);

class AddressLimits {
 public:
  using Clock = TokenBucket::Clock;
  enum class Verdict : std::uint8_t { Admitted = 0, TooMany = 1, TooFast = 2 };

  explicit AddressLimits(const AddressLimitSettings& settings) : settings_(settings) {}

  /// A connection comes. `peer`: as Connection::peer(); what is no address is admitted.
  Verdict admit(std::string_view peer, Clock::time_point now);
  /// One that was admitted has gone.
  void release(std::string_view peer);
  AddressStats stats() const;

 private:
  using Key = AddressKey;
  struct Entry {
    std::uint32_t connections = 0;
    TokenBucket connects;
    std::optional<std::list<Key>::iterator> silent;  ///< while there is no connection
  };
  std::optional<Key> key_of(std::string_view peer) const {
    return address_key(peer, settings_.loopback);
  }
  Entry& entry_of(const Key& key);
  void fall_silent(const Key& key, Entry& entry);

  const AddressLimitSettings settings_;
  mutable std::mutex mutex_;  ///< guards the members below
  std::map<Key, Entry> entries_;
  std::list<Key> silent_;  ///< the longest silent one in front
  AddressStats stats_;
};

}  // namespace vicinity::net
