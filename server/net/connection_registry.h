// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// All connections of one ServerSocket and the places they take. Net room; any thread.
//
//   accepted ──► unauthenticated, at most unauthenticated_count_max ──► authenticated, at most
//                   │ the oldest, when one more comes                   connection_count_max
//                   ▼
//                evicted: told HandshakeTimeout; of refusals_max at a time, the rest is cut
//
//   turned away by their address: told RateLimited, the same way; not over TLS, where telling would
//   cost a handshake
//
// So descriptors are bounded whatever comes: by the sum of the four.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "net/connection_core.h"
#include "net/server_socket.h"

namespace vicinity::net {

class ConnectionRegistry {
 public:
  ConnectionRegistry(const SocketSettings& settings, ConnectionHandler& handler,
                     SocketCounters& counters);

  std::uint64_t next_id() { return ids_->next(); }
  bool accepting() const;
  void stop_accepting();

  /// Starts a newcomer, unless nobody is accepted any more: then it is dropped.
  void add(const std::shared_ptr<ConnectionCore>& connection);
  /// See Connection::authenticated().
  bool authenticate(std::uint64_t id);
  /// Last of all, from the connection itself.
  void forget(std::uint64_t id);

  /// The system could not accept. Tells the handler.
  void accept_failed(const std::string& reason);

  /// Waits until no connection is left, cuts those that are there after `limit`, waits for them.
  void wait_for_end(std::chrono::milliseconds limit);
  std::size_t open_count() const;

 private:
  void refuse(const CloseCause& cause);
  void evict_oldest();  ///< with the lock held
  /// The same. False: it was not admitted by its address.
  bool admit(const std::shared_ptr<ConnectionCore>& connection);
  bool cut_oldest_closing();  ///< the same; false when there is none

  const SocketSettings& settings_;
  ConnectionHandler& handler_;
  SocketCounters& counters_;
  const std::shared_ptr<ConnectionIds> ids_;

  std::mutex refusal_mutex_;  ///< one call of on_refused at a time

  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable all_closed_;
  bool accepting_ = true;
  std::map<std::uint64_t, std::shared_ptr<ConnectionCore>> connections_;
  std::set<std::uint64_t> unauthenticated_;  ///< ids grow, so the oldest is the first
  std::set<std::uint64_t> evicted_;          ///< and not gone yet
  std::set<std::uint64_t> turned_away_;      ///< the same; at most refusals_max
  std::set<std::uint64_t> authenticated_;
};

}  // namespace vicinity::net
