// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Door 1: the only way into the tick room. Net threads push, the tick thread drains once per tick.
// Bounded in total and per session; a push that does not fit is refused as a whole, so that the
// commands of one frame are always in one tick or nowhere.

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "world/command.h"

namespace vicinity {

class CommandQueue {
 public:
  explicit CommandQueue(std::size_t total_max = limits::queued_commands_max,
                        std::size_t per_session_max = limits::queued_commands_per_session_max);

  /// Any net thread. Takes all commands of one frame (one session) or none: false = QueueFull.
  /// OpenSession, CloseSession and DespawnOwned are always taken. They stay bounded although nobody
  /// may drain: the end of a session whose first opening still waits takes back both, and what the
  /// session sent, when nothing of it could outlive the session. Only an authority that spends room
  /// on commands leaves something behind, and a player whose entities are kept.
  [[nodiscard]] bool push(SessionId session, std::vector<Command> commands);

  /// Tick thread. Everything that arrived so far, ordered by (session, sequence); equal sequences
  /// keep their order of arrival. Never blocks longer than a push.
  std::vector<Command> drain();

  /// Commands waiting, for metrics.
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  struct Waiting {
    std::vector<Command> commands;  ///< in order of arrival
    std::size_t from_client = 0;    ///< those that the server did not make
    bool begins = false;            ///< the session's very first opening is among them
  };

  bool has_room(SessionId session, std::size_t from_client) const;

  std::map<SessionId, Waiting> waiting_;  ///< no empty entries
  std::size_t total_ = 0;
  std::size_t total_max_;
  std::size_t per_session_max_;
};

}  // namespace vicinity
