// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The client library's high-level face: one session that survives broken connections, the world
// that it sees, and everything an application asks of the server. Built on client::Connection,
// which stays there for who wants the io_context.
//
// Threads. A Client belongs to one thread: every function is called there, and callbacks run there,
// within poll(). With own_thread the network runs on a thread of the Client's own, so that pings,
// answers to futures and reconnects do not wait for poll(); without, it runs within poll(). Either
// way the replica, the events and the callbacks change within poll() only, so that all may be read
// freely between two calls.
//
// Sessions. When a connection breaks the Client connects again, after a growing delay with jitter,
// and resumes the session: entities, areas and subscriptions are still there, and commands that the
// server did not receive are sent again. When the server has let go of the session a new one
// begins: everything of before is gone, commands without an answer end as not answered, and
// on_new_session is where the application spawns and adds areas (again).
//
// Nothing here throws. Callbacks must not throw either.
//
//   client::Client client(options);          // options.on_new_session adds the areas
//   client.connect();
//   for (;;) {                               // the application's loop
//     client.poll();
//     while (const auto event = client.next_event()) ...   // who came, left, touched
//     client.for_each([&](const client::EntityView& entity) {
//       draw(entity, client.pose(entity.id));
//     });
//   }

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "client/client_event.h"
#include "client/connection.h"
#include "client/frame.h"
#include "client/interpolator.h"
#include "client/reconnect.h"
#include "client/replica.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::client {

class Client;

struct ClientOptions {
  ConnectOptions connection;
  bool own_thread = false;
  ReconnectOptions reconnect;
  InterpolationOptions interpolation;
  /// Events that wait for next_event(); see EventQueue for what happens beyond. 0 = no events.
  std::size_t events_max = 65'536;
  /// Commands without an answer, those that wait for a connection too; more are not sent, and end
  /// as QueueFull.
  std::size_t commands_unanswered_max = 65'536;
  /// Entities that left as suspended and are kept as last seen (Replica::keep_suspended).
  std::size_t suspended_max = 0;
  /// A session began, the first one too: spawn and add areas here.
  std::function<void(Client&, const Welcome&)> on_new_session;
  /// A tick was applied: replica and pose() know it. What came, went, changed and moved in it, as
  /// lists; those of what moved (TickFrame::moved and the four behind it) are told here only, not
  /// as events. Several times in one poll() when several ticks have come; the frame is valid within
  /// the call.
  std::function<void(Client&, const TickFrame&)> on_tick;
};

/// Names an area of this client in one session. A plain value.
struct AreaHandle {
  AreaId area;
  ObserverId observer;
  std::uint64_t session_number = 0;  ///< counts the sessions of the client, from 1
};

struct ClientStats {
  std::int64_t round_trip_us = 0;      ///< of the last ping
  std::int64_t round_trip_min_us = 0;  ///< of the last pings
  /// From the beginning of the last tick at the server until it was applied here.
  std::int64_t update_age_us = 0;
  std::uint64_t bytes_in = 0;  ///< this and the next four: over all connections
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_in = 0;  ///< messages
  std::uint64_t connects = 0;   ///< connections that were welcomed
  std::uint64_t resumes = 0;    ///< of these: that went on with the session of before
  std::uint64_t ticks = 0;      ///< applied to the replica
  std::uint64_t events_dropped = 0;
  std::uint64_t violations = 0;  ///< of the server's promises, found by the replica
  std::size_t commands_unanswered = 0;
};

class Client {
 public:
  using CommandCallback = std::function<void(const CommandOutcome&)>;
  using QueryCallback = std::function<void(const QueryOutcome&)>;
  using StepCallback = std::function<void(const StepOutcome&)>;

  explicit Client(ClientOptions options) noexcept;
  /// Cuts the connection without goodbye. Callbacks that wait do not run; futures that wait break
  /// (std::future_errc::broken_promise).
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Begins; does nothing while the client is not Idle or Closed. How it goes is told by events and
  /// state().
  void connect() noexcept;
  /// Says goodbye and does not connect again. Closed a little later, see state().
  void close() noexcept;
  /// Brings everything up to date: call it once per turn of the application's loop. Never waits.
  void poll() noexcept;
  /// poll() again and again for this time, or until `done` says so; returns what `done` said last.
  bool poll_until(const std::function<bool()>& done, std::uint32_t timeout_ms) noexcept;

  ConnectionState state() const noexcept;
  /// Why the last connection ended.
  const Error& last_error() const noexcept;
  /// Of the present or last session.
  const Welcome& welcome() const noexcept;

  /// Commands, applied in one tick where they fit one frame (Connection::send). Returns the
  /// sequence of the first one. While there is no connection they wait for it. Refusals come as
  /// RefusalEvent.
  std::uint64_t send(std::vector<CommandBody> commands) noexcept;
  /// The same; the callback comes once for every command.
  std::uint64_t send(std::vector<CommandBody> commands, CommandCallback callback) noexcept;
  /// One command. The future is ready without poll() only with own_thread.
  std::future<CommandOutcome> request(CommandBody command) noexcept;
  /// The sequence that the next command will get (for EntityRef::spawned_by).
  std::uint64_t next_sequence() const noexcept;

  /// Adds an area to an observer; the callback, if any, tells how it went. Areas end with the
  /// session.
  AreaHandle add_area(AreaSpec spec, ObserverId observer = {},
                      CommandCallback callback = {}) noexcept;
  /// A handle of a session that has ended is refused: UnknownArea.
  void change_area(const AreaHandle& handle, AreaSpec spec, CommandCallback callback = {}) noexcept;
  void remove_area(const AreaHandle& handle, CommandCallback callback = {}) noexcept;

  /// Queries are not repeated: without a connection they end as not answered.
  void query(const Query& query, QueryCallback callback) noexcept;
  std::future<QueryOutcome> query(const Query& query) noexcept;
  /// Manual tick mode, authority.
  void step(std::uint32_t count, StepCallback callback) noexcept;
  std::future<StepOutcome> step(std::uint32_t count = 1) noexcept;

  /// The oldest event not taken yet.
  std::optional<ClientEvent> next_event() noexcept;

  /// What the session sees.
  const Replica& replica() const noexcept;
  /// Nothing when the observer does not see it.
  std::optional<EntityView> find(EntityId id, ObserverId observer = {}) const noexcept;
  /// Calls visit(const EntityView&) for all that the observer sees, by ascending id. The entity is
  /// put together for the call: copy what is to stay.
  template <class Visit>
  void for_each(Visit visit, ObserverId observer = {}) const {
    for (const EntityView& entity : replica().view(observer)) visit(entity);
  }
  /// Frees the memory of an entity kept as suspended.
  void forget_suspended(EntityId id, ObserverId observer = {}) noexcept;

  /// Where to draw an entity now (see Interpolator); nothing for what the observer does not see.
  std::optional<Pose> pose(EntityId id, ObserverId observer = {}) const noexcept;
  /// The same at a moment of local_time_us().
  std::optional<Pose> pose_at(EntityId id, std::int64_t local_us,
                              ObserverId observer = {}) const noexcept;

  /// The local monotonic clock that the next two are asked by, microseconds.
  static std::int64_t local_time_us() noexcept;
  /// The server's monotonic clock, estimated from pings; local_us before the first answer.
  std::int64_t server_time_us(std::int64_t local_us) const noexcept;
  /// Tick of the server with its fraction; 0 before the first frame.
  double tick_at(std::int64_t local_us) const noexcept;

  ClientStats stats() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vicinity::client
