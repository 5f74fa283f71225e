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
  /// OpenSession and CloseSession are always taken; they are bounded by the session limit.
  [[nodiscard]] bool push(SessionId session, std::vector<Command> commands);

  /// Tick thread. Everything that arrived so far, ordered by (session, sequence); equal sequences
  /// keep their order of arrival. Never blocks longer than a push.
  std::vector<Command> drain();

  /// Commands waiting, for metrics.
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Command> waiting_;
  std::map<SessionId, std::size_t> waiting_per_session_;
  std::size_t total_max_;
  std::size_t per_session_max_;
};

}  // namespace vicinity
