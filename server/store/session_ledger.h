// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The sessions of a world as a journal knows them: folded from what goes into each tick. The server
// keeps one while it runs, for its snapshots; a start builds the same one from the records. One
// thread at a time.

#include <map>
#include <span>
#include <vector>

#include "store/record.h"

namespace vicinity::store {

class SessionLedger {
 public:
  SessionLedger() = default;
  SessionLedger(const std::vector<SessionRecord>& sessions, std::uint64_t last_id);

  /// One tick: who was welcomed, and what was commanded. O(commands).
  void apply(std::span<const SessionRecord> welcomed, std::span<const Command> commands);

  /// By ascending id, those included whose opening has not been in a tick.
  std::vector<SessionRecord> sessions() const;
  /// Only those that are open in the world. One without a token was never noted as welcomed: it
  /// ended before it could be.
  std::vector<SessionRecord> open_sessions() const;
  /// The highest id that was ever given.
  std::uint64_t last_id() const { return last_id_; }

 private:
  using Sessions = std::map<SessionId, SessionRecord>;
  Sessions::iterator open_unknown(SessionId id, const OpenSessionCommand& open);

  Sessions sessions_;
  std::uint64_t last_id_ = 0;
};

}  // namespace vicinity::store
