// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "store/session_ledger.h"

#include <algorithm>
#include <utility>

namespace vicinity::store {

SessionLedger::SessionLedger(const std::vector<SessionRecord>& sessions, std::uint64_t last_id)
    : last_id_(last_id) {
  apply(sessions, {});
}

void SessionLedger::apply(std::span<const SessionRecord> welcomed,
                          std::span<const Command> commands) {
  for (const SessionRecord& session : welcomed) {
    last_id_ = std::max(last_id_, session.id.value);
    const auto [at, is_new] = sessions_.try_emplace(session.id, session);
    if (is_new) continue;
    // Its opening came first.
    const SessionRecord known = std::exchange(at->second, session);
    at->second.is_open = known.is_open;
    at->second.view_number = known.view_number;
    at->second.last_sequence = known.last_sequence;
  }
  auto at = sessions_.end();  // commands come by session
  for (const Command& command : commands) {
    if (at == sessions_.end() || at->first != command.session) at = sessions_.find(command.session);
    const auto* open = std::get_if<OpenSessionCommand>(&command.body);
    if (at == sessions_.end() && open != nullptr) at = open_unknown(command.session, *open);
    if (at == sessions_.end()) continue;
    SessionRecord& session = at->second;
    if (open != nullptr) {
      session.is_open = true;
      session.view_number = open->view_number;
    } else if (std::holds_alternative<CloseSessionCommand>(command.body)) {
      sessions_.erase(at);
      at = sessions_.end();
    } else {
      session.last_sequence = std::max(session.last_sequence, command.sequence);
    }
  }
}

SessionLedger::Sessions::iterator SessionLedger::open_unknown(SessionId id,
                                                              const OpenSessionCommand& open) {
  last_id_ = std::max(last_id_, id.value);
  SessionRecord session;
  session.id = id;
  session.role = open.role;
  session.contacts = open.contacts;
  session.contact_details = open.contact_details;
  return sessions_.emplace(id, std::move(session)).first;
}

std::vector<SessionRecord> SessionLedger::sessions() const {
  std::vector<SessionRecord> out;
  for (const auto& [id, session] : sessions_) out.push_back(session);
  return out;
}

std::vector<SessionRecord> SessionLedger::open_sessions() const {
  std::vector<SessionRecord> out = sessions();
  std::erase_if(out, [](const SessionRecord& session) { return !session.is_open; });
  return out;
}

}  // namespace vicinity::store
