// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What an application pulls from a Client, and the bounded queue that it comes from. Values; not
// thread-safe. That something moved is no event: see ClientOptions::on_tick.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "base/error.h"
#include "client/connection.h"
#include "client/frame.h"

namespace vicinity::client {

enum class ConnectionState : std::uint8_t {
  Idle,        ///< connect() was not called yet
  Connecting,  ///< the first time or again
  Open,
  Waiting,  ///< will connect again
  Closed,   ///< for good, until connect() is called again
};

struct EnterEvent {
  EntityView entity;
};
/// Shape, filter or user data changed; all of the entity as it is now.
struct ChangeEvent {
  EntityView entity;
};
struct LeaveEvent {
  EntityLeave leave;
};
/// The stream of the session goes better or worse than before.
struct HealthEvent {
  StreamHealth health = StreamHealth::Ok;
  Shedding shedding = Shedding::None;
  std::uint32_t enters_waiting = 0;
};
struct StateEvent {
  ConnectionState state = ConnectionState::Idle;
  Error reason;                   ///< Waiting, Closed: why the connection ended
  std::uint32_t retry_in_ms = 0;  ///< Waiting
};
/// The views are empty now, and so are the open contacts: of a new session, or because the server
/// tells all anew (resumed, but too much was missed).
struct ViewResetEvent {
  bool new_session = false;  ///< areas, subscriptions and entities of before are gone as well
};
/// The refusal of a command that was sent with neither a future nor a callback.
struct RefusalEvent {
  CommandOutcome outcome;
};
/// The queue was full: so many events, everything that waited, are gone. The replica is right.
struct EventsLostEvent {
  std::uint64_t count = 0;
};

using ClientEvent =
    std::variant<EnterEvent, ChangeEvent, LeaveEvent, ContactBeginEvent, ContactDetailEvent,
                 ContactEndEvent, ContactStayEvent, LostEntity, HealthEvent, StateEvent,
                 ViewResetEvent, RefusalEvent, EventsLostEvent>;

/// First in, first out. When full: one that comes throws out all that waits, for one
/// EventsLostEvent.
class EventQueue {
 public:
  /// 0: takes nothing.
  explicit EventQueue(std::size_t count_max) : count_max_(count_max) {}

  void push(ClientEvent event);
  std::optional<ClientEvent> pop();
  std::size_t size() const { return events_.size(); }
  /// Events thrown out so far.
  std::uint64_t dropped_count() const { return dropped_count_; }

 private:
  std::size_t count_max_;
  std::deque<ClientEvent> events_;
  std::uint64_t dropped_count_ = 0;
};

}  // namespace vicinity::client
