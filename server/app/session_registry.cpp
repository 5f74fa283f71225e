// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "app/session_registry.h"

#include "base/check.h"

namespace vicinity::app {

std::shared_ptr<Session> SessionRegistry::add(const std::shared_ptr<net::Connection>& connection) {
  auto session = std::make_shared<Session>(connection);
  const std::lock_guard lock(mutex_);
  const bool added = sessions_.emplace(session->id, session).second;
  CHECK(added);
  return session;
}

void SessionRegistry::remove(SessionId id) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(id);
}

std::shared_ptr<Session> SessionRegistry::find(SessionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Session>> SessionRegistry::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Session>> sessions;
  sessions.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) sessions.push_back(session);
  return sessions;
}

}  // namespace vicinity::app
