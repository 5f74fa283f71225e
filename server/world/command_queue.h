// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Door 1: the only way into the tick room. Net threads push, the tick thread drains once per tick.
// Bounded in total and per session, by number and by bytes; a push that does not fit is refused as
// a whole, so that the commands of one frame are always in one tick or nowhere.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "world/command.h"

namespace vicinity {

/// How much may wait at door 1, of all sessions together or of one.
struct QueueRoom {
  std::size_t count = 0;
  std::uint64_t bytes = 0;  ///< as world/command_size.h counts them
};

class CommandQueue {
 public:
  explicit CommandQueue(QueueRoom total = {limits::queued_commands_max, limits::queued_bytes_max},
                        QueueRoom per_session = {limits::queued_commands_per_session_max,
                                                 limits::queued_bytes_per_session_max});
  /// Bytes as usual.
  CommandQueue(std::size_t total_max, std::size_t per_session_max)
      : CommandQueue(QueueRoom{total_max, limits::queued_bytes_max},
                     QueueRoom{per_session_max, limits::queued_bytes_per_session_max}) {}

  /// Any net thread. Takes all commands of one frame (one session) or none: false = QueueFull.
  /// O(commands and parts of their shapes), the latter before the lock.
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
    QueueRoom from_client;          ///< taken by those that the server did not make
    bool begins = false;            ///< the session's very first opening is among them
  };

  bool has_room(SessionId session, const QueueRoom& wanted) const;

  std::map<SessionId, Waiting> waiting_;  ///< no empty entries
  QueueRoom taken_;                       ///< all commands count; bytes are those from clients
  QueueRoom total_max_;
  QueueRoom per_session_max_;
};

}  // namespace vicinity
