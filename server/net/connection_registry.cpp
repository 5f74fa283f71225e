// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/connection_registry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/limits.h"
#include "net/address_limits.h"

namespace vicinity::net {

ConnectionRegistry::ConnectionRegistry(const SocketSettings& settings, ConnectionHandler& handler,
                                       SocketCounters& counters)
    : settings_(settings),
      handler_(handler),
      counters_(counters),
      ids_(settings.ids ? settings.ids : std::make_shared<ConnectionIds>()) {}

bool ConnectionRegistry::accepting() const {
  const std::lock_guard lock(mutex_);
  return accepting_;
}

void ConnectionRegistry::stop_accepting() {
  const std::lock_guard lock(mutex_);
  accepting_ = false;
}

void ConnectionRegistry::add(const std::shared_ptr<ConnectionCore>& connection) {
  const std::lock_guard lock(mutex_);
  if (!accepting_) return;  // its socket closes with it
  ++counters_.accepted;
  if (!admit(connection)) return;
  connections_.emplace(connection->id(), connection);
  connection->start();
  unauthenticated_.insert(connection->id());
  if (unauthenticated_.size() > settings_.unauthenticated_count_max) evict_oldest();
}

bool ConnectionRegistry::admit(const std::shared_ptr<ConnectionCore>& connection) {
  if (!settings_.addresses) return true;
  const auto verdict = settings_.addresses->admit(connection->peer(), AddressLimits::Clock::now());
  if (verdict == AddressLimits::Verdict::Admitted) return true;
  ++counters_.turned_away;
  if (settings_.tls || turned_away_.size() >= limits::refusals_max) return false;
  turned_away_.insert(connection->id());
  connections_.emplace(connection->id(), connection);
  connection->start_closing(
      {ErrorCode::RateLimited, verdict == AddressLimits::Verdict::TooMany
                                   ? "too many connections from this address"
                                   : "too many new connections from this address; wait a moment"});
  return false;
}

void ConnectionRegistry::evict_oldest() {
  const std::uint64_t id = *unauthenticated_.begin();
  unauthenticated_.erase(unauthenticated_.begin());
  ++counters_.evicted;
  const auto& connection = connections_.at(id);
  CloseCause cause{ErrorCode::HandshakeTimeout,
                   "more than " + std::to_string(settings_.unauthenticated_count_max) +
                       " connections without a hello; this one waited longest. Say hello at once"};
  // Who is closing already has had time for its farewell.
  if (connection->closing() || evicted_.size() >= limits::refusals_max)
    return connection->cut(std::move(cause));
  evicted_.insert(id);
  connection->close(std::move(cause));
}

bool ConnectionRegistry::authenticate(std::uint64_t id) {
  {
    const std::lock_guard lock(mutex_);
    if (!unauthenticated_.contains(id)) return false;  // evicted in this moment
    if (authenticated_.size() < settings_.connection_count_max || cut_oldest_closing()) {
      unauthenticated_.erase(id);
      authenticated_.insert(id);
      return true;
    }
    ++counters_.refused;
  }
  refuse(
      {ErrorCode::ServerFull, "all " + std::to_string(settings_.connection_count_max) +
                                  " places are taken; try again later or raise session_count_max"});
  return false;
}

/// Who was refused, or has ended, takes no place from those who come: without its session it only
/// waits for its peer to close.
bool ConnectionRegistry::cut_oldest_closing() {
  const auto oldest =
      std::find_if(authenticated_.begin(), authenticated_.end(),
                   [this](std::uint64_t id) { return connections_.at(id)->closing(); });
  if (oldest == authenticated_.end()) return false;
  connections_.at(*oldest)->cut({ErrorCode::ServerFull, "cut for the place that it still had"});
  authenticated_.erase(oldest);
  return true;
}

void ConnectionRegistry::forget(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (turned_away_.erase(id) == 0 && settings_.addresses)
    settings_.addresses->release(connections_.at(id)->peer());
  connections_.erase(id);
  unauthenticated_.erase(id);
  evicted_.erase(id);
  authenticated_.erase(id);
  if (connections_.empty()) all_closed_.notify_all();
}

void ConnectionRegistry::accept_failed(const std::string& reason) {
  ++counters_.accept_errors;
  refuse({ErrorCode::Internal, reason});
}

void ConnectionRegistry::refuse(const CloseCause& cause) {
  const std::lock_guard lock(refusal_mutex_);
  handler_.on_refused(cause);
}

void ConnectionRegistry::wait_for_end(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  const auto none_left = [this] { return connections_.empty(); };
  all_closed_.wait_for(lock, limit, none_left);
  for (const auto& [id, connection] : connections_)
    connection->cut({ErrorCode::ServerStopping, "cut when the server stopped"});
  all_closed_.wait(lock, none_left);
}

std::size_t ConnectionRegistry::open_count() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

}  // namespace vicinity::net
