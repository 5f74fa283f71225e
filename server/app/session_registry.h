// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Who is connected: the link between connections (net room) and sessions (tick room). A session has
// the number of its connection. Net threads add and remove; the tick driver looks up whom to send a
// tick to.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/ids.h"
#include "net/server_socket.h"
#include "world/command.h"

namespace vicinity::app {

struct Session {
  explicit Session(std::shared_ptr<net::Connection> of) : id{of->id()}, connection(std::move(of)) {}

  const SessionId id;
  const std::shared_ptr<net::Connection> connection;

  // Only callbacks of the connection touch these; they never run concurrently.
  bool welcomed = false;  ///< the hello was accepted; before that there is no role
  Role role = Role::Observer;
  std::string client_name;
  std::uint64_t last_sequence = 0;  ///< of commands; 0 = none yet
};

class SessionRegistry {
 public:
  std::shared_ptr<Session> add(const std::shared_ptr<net::Connection>& connection);
  void remove(SessionId id);
  /// Null when the session has ended.
  std::shared_ptr<Session> find(SessionId id) const;
  /// Every session, welcomed or not, by ascending id.
  std::vector<std::shared_ptr<Session>> all() const;

 private:
  mutable std::mutex mutex_;
  std::map<SessionId, std::shared_ptr<Session>> sessions_;
};

}  // namespace vicinity::app
