// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One session with a Vicinity server, asynchronous, on an io_context of the caller. Not
// thread-safe: use it, and run the io_context, from one thread (or one strand). Handlers run on
// that thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "client/frame.h"
#include "query/query_types.h"
#include "world/command.h"

namespace boost::asio {
class io_context;
}

namespace vicinity::client {

/// What is remembered of a session to go on with it over another connection; opaque.
class SessionState;

struct ConnectOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::string client_name = "vicinity-client";
  std::string token;  ///< a JSON web token, where the server asks for one; at most 1024 bytes
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  bool contact_details = false;  ///< begins come with point, normal, penetration and poses
  std::string subject;           ///< who the client is, for take-over; at most 64 bytes
  /// Welcome::resume_token of the session to go on with; empty: a new session. connect() with a
  /// SessionState fills this and the next one itself.
  std::string resume_token;
  Tick resume_tick = 0;  ///< last tick of which a frame was received whole; 0 = none
  /// Resolution of positions of what moves, metres: a power of two from 2^-12 to 1; 0 = the
  /// server's default.
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;  ///< of frames, at most; 0 = the server's setting
  /// TLS 1.2 or newer. The server must have a certificate for tls_server_name (empty: for `host`)
  /// that leads to one of tls_ca_file (PEM; empty: to one that the system trusts).
  bool tls = false;
  std::string tls_ca_file;
  std::string tls_server_name;
  /// Connect, TLS and hello together, milliseconds.
  std::uint32_t connect_timeout_ms = 5'000;
  /// Pings keep the session alive and carry the server's clock; 0 = none.
  std::uint32_t ping_interval_ms = 1'000;
  /// Closes the connection when nothing at all arrived for so long in spite of pings. Counted in
  /// pings, so that time in which the io_context does not run is not held against the server.
  std::uint32_t silence_timeout_ms = 15'000;
  /// Encoded bytes that may wait for a server that does not read. Whatever grows them beyond it
  /// closes the connection; on_closed follows.
  std::size_t outgoing_bytes_max = 64u * 1024 * 1024;
};

struct Welcome {
  SessionId session;
  Role role = Role::Observer;
  bool manual_ticks = false;
  std::uint32_t tick_rate_hz = 0;
  Tick tick = 0;
  std::string server_version;
  std::uint64_t server_time_us = 0;
  std::uint32_t client_frame_bytes_max = 0;
  std::uint32_t commands_per_frame_max = 0;
  std::uint32_t query_hits_max = 0;
  std::uint32_t entities_per_player_max = 0;
  double world_half_size_m = 0;
  /// For the hello of the next connection, should this one break.
  std::string resume_token;
  bool resumed = false;  ///< the session of before: areas, subscriptions, entities are there
  /// Resumed: all that is in view, and open contacts, come anew.
  bool view_reset = false;
  /// Resumed: of the last command that the server received; what came later is lost.
  std::uint64_t last_sequence = 0;
  std::uint32_t grace_ms = 0;        ///< the session is kept so long without a connection; 0 = not
  double position_resolution_m = 0;  ///< of moved positions
  std::uint32_t budget_bytes_per_s = 0;  ///< of frames at most; 0 = as many as the link takes
};

/// Outcome of one command: an acknowledgement (code None) or a refusal.
struct CommandOutcome {
  std::uint64_t sequence = 0;
  Tick tick = 0;    ///< tick of the batch; 0 when refused before any tick
  EntityId entity;  ///< named or made by the command
  Error error;
  /// false: the answer was lost with a connection or a session, error says how; whether the command
  /// was applied is not known. Of a Client only.
  bool answered = true;
  bool ok() const { return answered && error.code == ErrorCode::None; }
};
struct StepOutcome {
  std::uint64_t sequence = 0;
  Tick tick = 0;
  std::uint64_t result_hash = 0;
  Error error;
  bool answered = true;  ///< as in CommandOutcome
  bool ok() const { return answered && error.code == ErrorCode::None; }
};
struct QueryOutcome {
  std::uint64_t request = 0;
  QueryAnswer answer;
  Error error;
  bool answered = true;  ///< as in CommandOutcome
  bool ok() const { return answered && error.code == ErrorCode::None; }
};
struct PongInfo {
  std::uint64_t nonce = 0;
  std::uint64_t round_trip_us = 0;
  std::uint64_t server_time_us = 0;
  Tick tick = 0;
};

/// What is known of the end of a connection beside its Error.
struct CloseDetails {
  bool rejected = false;             ///< the server did not accept the hello
  bool by_server = false;            ///< the server told the reason (Reject or Closing)
  std::uint32_t retry_after_ms = 0;  ///< the server's advice; 0 = none
};

/// All optional. `on_closed` comes exactly once after connect(), whatever happened, and never from
/// within a call of the connection; no handler runs after it.
struct Handlers {
  std::function<void(const Welcome&)> on_welcome;
  /// The frame belongs to the connection and is used again for the next tick.
  std::function<void(const TickFrame&)> on_frame;
  std::function<void(const CommandOutcome&)> on_command;
  std::function<void(const StepOutcome&)> on_step;
  std::function<void(const QueryOutcome&)> on_query;
  std::function<void(const PongInfo&)> on_pong;
  /// The observer has lost its last area, and with it its view; before the frame of that tick.
  std::function<void(const ObserverId&)> on_observer_dropped = {};
  /// Code and text of the server's Reject or Closing, or of the local failure (ErrorCode::None with
  /// a text: connection refused, reset, silent server, too much to send, closed by close()).
  std::function<void(const Error&)> on_closed;
};

struct TrafficStats {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_in = 0;
};

class Connection {
 public:
  /// `io` must outlive the connection.
  Connection(boost::asio::io_context& io, Handlers handlers);
  /// Cuts the connection without goodbye; no handler runs afterwards.
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Once: a connection is one session, and the next one is a new Connection.
  void connect(const ConnectOptions& options);
  /// The same, going on with the session of an earlier connection where the server allows it
  /// (Welcome.resumed): fills the resume fields of the options from it. Null: a new session.
  void connect(const ConnectOptions& options, std::shared_ptr<SessionState> session);
  /// For the next connection, once this one is closed. Before on_welcome: what connect() got.
  std::shared_ptr<SessionState> session() const;

  /// Sends commands, cut into frames within the server's limits, and returns the sequence of the
  /// first one (they are consecutive; 1 for the first of a session). Commands of one call share a
  /// tick unless the call needs more than one frame; a spawn and what names it right behind it by
  /// spawned_by always stay in one frame. Only after on_welcome; once the connection is closed this
  /// and the calls below do nothing. Never blocks: bytes wait up to outgoing_bytes_max.
  std::uint64_t send(const std::vector<CommandBody>& commands);
  /// The same with sequences of the caller's choice, which must be above all of the session so far,
  /// or those of commands that a resumed session did not receive (Welcome.last_sequence).
  void send(std::uint64_t first_sequence, const std::vector<CommandBody>& commands);
  /// The sequence that the next command will get (for EntityRef::spawned_by).
  std::uint64_t next_sequence() const;
  /// Manual tick mode, authority. Returns the step's sequence.
  std::uint64_t step(std::uint32_t count = 1);
  /// Returns the request number that on_query repeats.
  std::uint64_t query(const Query& query);
  void ping();
  /// Says goodbye, flushes and closes; on_closed follows, after what the server sent before it.
  void close();

  /// false: leaves what the server sends unread, so that it sends less; the server's silence is not
  /// held against it meanwhile. It may end the session as a slow consumer.
  void set_reading(bool reading);

  bool is_open() const;
  TrafficStats traffic() const;
  /// In on_closed and afterwards.
  CloseDetails close_details() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace vicinity::client
