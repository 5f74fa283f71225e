// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/address_limits.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include "base/check.h"

namespace vicinity::net {
namespace {

namespace ip = boost::asio::ip;

/// Of "127.0.0.1:51234" or "[::1]:51234"; an IPv4 address in the clothes of IPv6 is one.
std::optional<ip::address> address_of(std::string_view peer) {
  std::string_view host = peer.substr(0, peer.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const ip::address address = ip::make_address(std::string(host), error);
  if (error) return std::nullopt;
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
  return address;
}

}  // namespace

std::optional<AddressKey> address_key(std::string_view peer, bool with_loopback) {
  const auto address = address_of(peer);
  if (!address || (address->is_loopback() && !with_loopback)) return std::nullopt;
  AddressKey key{};
  if (address->is_v4()) {
    const auto bytes = address->to_v4().to_bytes();
    key[0] = 4;
    std::copy(bytes.begin(), bytes.end(), key.begin() + 1);
  } else {
    const auto bytes = address->to_v6().to_bytes();
    key[0] = 6;
    std::copy(bytes.begin(), bytes.begin() + 8, key.begin() + 1);
  }
  return key;
}

AddressLimits::Entry& AddressLimits::entry_of(const Key& key) {
  const auto found = entries_.find(key);
  if (found != entries_.end()) {
    Entry& entry = found->second;
    if (entry.silent) silent_.erase(*entry.silent);
    entry.silent.reset();
    return entry;
  }
  const double rate = settings_.connects_per_s;
  // As many as it may open in a burst, one at least.
  const TokenBucket connects(rate, std::max(1.0, rate * limits::rate_burst_s));
  return entries_.emplace(key, Entry{0, connects, std::nullopt}).first->second;
}

void AddressLimits::fall_silent(const Key& key, Entry& entry) {
  entry.silent = silent_.insert(silent_.end(), key);
  if (silent_.size() <= settings_.silent_max) return;
  entries_.erase(silent_.front());
  silent_.pop_front();
}

AddressLimits::Verdict AddressLimits::admit(std::string_view peer, Clock::time_point now) {
  const auto key = key_of(peer);
  if (!key) return Verdict::Admitted;
  const std::lock_guard lock(mutex_);
  Entry& entry = entry_of(*key);
  Verdict verdict = Verdict::Admitted;
  if (settings_.connections_max > 0 && entry.connections >= settings_.connections_max) {
    verdict = Verdict::TooMany;
    ++stats_.too_many;
  } else if (settings_.connects_per_s > 0 && !entry.connects.take(1, now)) {
    verdict = Verdict::TooFast;
    ++stats_.too_fast;
  } else {
    ++entry.connections;
  }
  if (entry.connections == 0) fall_silent(*key, entry);
  return verdict;
}

void AddressLimits::release(std::string_view peer) {
  const auto key = key_of(peer);
  if (!key) return;
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(*key);
  CHECK(found != entries_.end() && found->second.connections > 0);
  if (--found->second.connections == 0) fall_silent(*key, found->second);
}

AddressStats AddressLimits::stats() const {
  const std::lock_guard lock(mutex_);
  AddressStats stats = stats_;
  stats.remembered = entries_.size();
  return stats;
}

}  // namespace vicinity::net
