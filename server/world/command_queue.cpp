// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/command_queue.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace vicinity {
namespace {

/// Session commands are made by the server and must never be lost, whatever a client has queued.
bool made_by_server(const Command& command) {
  return std::holds_alternative<OpenSessionCommand>(command.body) ||
         std::holds_alternative<CloseSessionCommand>(command.body);
}

}  // namespace

CommandQueue::CommandQueue(std::size_t total_max, std::size_t per_session_max)
    : total_max_(total_max), per_session_max_(per_session_max) {}

bool CommandQueue::push(SessionId session, std::vector<Command> commands) {
  const auto from_client = static_cast<std::size_t>(
      std::count_if(commands.begin(), commands.end(),
                    [](const Command& command) { return !made_by_server(command); }));
  const std::lock_guard lock(mutex_);
  std::size_t& of_session = waiting_per_session_[session];
  // Compared as differences, so that no sum can overflow. Server commands may have carried the
  // total past its limit.
  if (from_client > 0) {
    if (waiting_.size() > total_max_ || from_client > total_max_ - waiting_.size()) return false;
    if (of_session > per_session_max_ || from_client > per_session_max_ - of_session) return false;
  }
  of_session += from_client;
  for (const Command& command : commands) DCHECK(command.session == session);
  waiting_.insert(waiting_.end(), std::make_move_iterator(commands.begin()),
                  std::make_move_iterator(commands.end()));
  return true;
}

std::vector<Command> CommandQueue::drain() {
  std::vector<Command> drained;
  {
    const std::lock_guard lock(mutex_);
    drained.swap(waiting_);
    waiting_per_session_.clear();
  }
  std::stable_sort(drained.begin(), drained.end(), [](const Command& a, const Command& b) {
    return a.session != b.session ? a.session < b.session : a.sequence < b.sequence;
  });
  return drained;
}

std::size_t CommandQueue::size() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace vicinity
