// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "world/command_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "world/command_size.h"

namespace vicinity {
namespace {

static_assert(sizeof(Command) <= limits::plain_command_bytes);

/// Session commands are made by the server and must never be lost, whatever a client has queued.
bool made_by_server(const Command& command) {
  return std::holds_alternative<OpenSessionCommand>(command.body) ||
         std::holds_alternative<CloseSessionCommand>(command.body) ||
         std::holds_alternative<DespawnOwnedCommand>(command.body) ||
         std::holds_alternative<RestartCommand>(command.body);
}

/// Says the same as the last one that waits. Without this a client that comes and goes while nobody
/// drains would fill memory.
bool repeats_last(const std::vector<Command>& waiting, const std::vector<Command>& commands) {
  return commands.size() == 1 && !waiting.empty() &&
         std::holds_alternative<DespawnOwnedCommand>(commands.front().body) &&
         std::holds_alternative<DespawnOwnedCommand>(waiting.back().body);
}

/// A client that began anew before a tick saw that it did so before, or that there is such a
/// session: the first of the two is made to say what the second says.
bool renews_opening(std::vector<Command>& waiting, const std::vector<Command>& commands) {
  const auto* again = std::get_if<OpenSessionCommand>(&commands.front().body);
  if (commands.size() != 1 || again == nullptr) return false;
  for (Command& command : waiting) {
    auto* open = std::get_if<OpenSessionCommand>(&command.body);
    if (open == nullptr) continue;
    *open = *again;
    return true;
  }
  return false;
}

/// Not the opening of one whose client begins its view anew: that one tick or other knows already.
bool is_first_opening(const Command& command) {
  const auto* open = std::get_if<OpenSessionCommand>(&command.body);
  return open != nullptr && open->view_number == 0;
}

/// For the commands that the server did not make itself. What it makes is never in the frame of a
/// client, so that bytes are those of all or of none.
QueueRoom room_for(const std::vector<Command>& commands) {
  const auto from_client = static_cast<std::size_t>(
      std::count_if(commands.begin(), commands.end(),
                    [](const Command& command) { return !made_by_server(command); }));
  return {from_client, from_client > 0 ? size_bytes(commands) : 0};
}

/// Compared as differences, so that no sum can overflow. Server commands may have carried the total
/// past its limit.
bool fits(const QueueRoom& wanted, const QueueRoom& taken, const QueueRoom& room) {
  return taken.count <= room.count && wanted.count <= room.count - taken.count &&
         taken.bytes <= room.bytes && wanted.bytes <= room.bytes - taken.bytes;
}

/// The end of a session that no tick has seen yet, and of which nothing would last: areas and a
/// player's entities end with it (but for those that are kept), only what an authority commanded
/// stays.
bool leaves_no_trace(const std::vector<Command>& waiting, std::size_t from_client,
                     const CloseSessionCommand& close) {
  if (close.keep_entities && from_client > 0) return false;
  for (const Command& command : waiting) {
    const auto* open = std::get_if<OpenSessionCommand>(&command.body);
    if (open != nullptr) return open->role != Role::Authority || from_client == 0;
  }
  return false;
}

}  // namespace

CommandQueue::CommandQueue(QueueRoom total, QueueRoom per_session)
    : total_max_(total), per_session_max_(per_session) {}

bool CommandQueue::has_room(SessionId session, const QueueRoom& wanted) const {
  if (!fits(wanted, taken_, total_max_)) return false;
  const auto found = waiting_.find(session);
  const QueueRoom of_session = found == waiting_.end() ? QueueRoom{} : found->second.from_client;
  return fits(wanted, of_session, per_session_max_);
}

bool CommandQueue::push(SessionId session, std::vector<Command> commands) {
  for (const Command& command : commands) DCHECK(command.session == session);
  if (commands.empty()) return true;
  const QueueRoom wanted = room_for(commands);
  const auto* close = std::get_if<CloseSessionCommand>(&commands.back().body);
  const std::lock_guard lock(mutex_);
  if (wanted.count > 0 && !has_room(session, wanted)) return false;
  const auto entry = waiting_.try_emplace(session).first;
  Waiting& waiting = entry->second;
  waiting.begins = waiting.begins || is_first_opening(commands.front());
  if (repeats_last(waiting.commands, commands)) return true;
  if (renews_opening(waiting.commands, commands)) return true;
  if (close != nullptr && waiting.begins &&
      leaves_no_trace(waiting.commands, waiting.from_client.count, *close)) {
    taken_.count -= waiting.commands.size();
    taken_.bytes -= waiting.from_client.bytes;
    waiting_.erase(entry);
    return true;
  }
  waiting.from_client.count += wanted.count;
  waiting.from_client.bytes += wanted.bytes;
  taken_.count += commands.size();
  taken_.bytes += wanted.bytes;
  waiting.commands.insert(waiting.commands.end(), std::make_move_iterator(commands.begin()),
                          std::make_move_iterator(commands.end()));
  return true;
}

std::vector<Command> CommandQueue::drain() {
  std::map<SessionId, Waiting> taken;
  std::vector<Command> drained;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(waiting_);
    drained.reserve(std::exchange(taken_, {}).count);
  }
  for (auto& [session, waiting] : taken) {
    std::stable_sort(waiting.commands.begin(), waiting.commands.end(),
                     [](const Command& a, const Command& b) { return a.sequence < b.sequence; });
    drained.insert(drained.end(), std::make_move_iterator(waiting.commands.begin()),
                   std::make_move_iterator(waiting.commands.end()));
    waiting = {};  // not all of it twice in memory
  }
  return drained;
}

std::size_t CommandQueue::size() const {
  const std::lock_guard lock(mutex_);
  return taken_.count;
}

}  // namespace vicinity
