// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The net room: listener, connections and their outboxes (door 2). Bytes only: nothing here knows
// what a frame means. The owner gets frames through ConnectionHandler and answers by send().
//
//   socket -> FrameReader -> handler.on_frame(connection, body)         on the net threads
//   any thread -> Connection::send(bytes) -> bounded outbox -> socket   writes are coalesced
//
// A connection belongs to one net thread, so its callbacks never run concurrently. A client that
// does not read fills its outbox, is closed with SlowConsumer and delays nobody; one that asks for
// much work is served in short turns between the others.
//
// How peers that are gone without a word are found: what was sent to them is not acknowledged, and
// the kernel ends the connection after user_timeout_ms; to whom nothing is sent, the idle timeout
// applies, since clients ping; and who never said hello is ended by the handshake deadline.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/limits.h"
#include "base/result.h"

namespace vicinity::net {

class AddressLimits;
class TlsContext;

/// Gives connections their numbers: 1, 2, 3, ... Any thread.
class ConnectionIds {
 public:
  std::uint64_t next() { return last_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::atomic<std::uint64_t> last_{0};
};

/// What moves the bytes. Both behave the same; io_uring costs less per frame.
enum class Engine {
  Auto,    ///< io_uring where the kernel, the sandbox and the build allow it, else epoll
  Epoll,   ///< Boost.Asio
  IoUring  ///< Linux 6.1 or newer; open() fails where it is not to be had
};

struct SocketSettings {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  ///< 0 = any free port
  int thread_count = 1;    ///< connections are spread over the net threads
  Engine engine = Engine::Auto;
  std::uint32_t connection_count_max = 4096;  ///< authenticated ones
  /// Connections that are not authenticated yet. One more, and the oldest of them is closed with
  /// HandshakeTimeout: who connects and says nothing keeps nobody out.
  std::uint32_t unauthenticated_count_max = 256;
  std::size_t outbox_bytes_max = limits::outbox_bytes_default;
  std::uint32_t handshake_deadline_ms = 5'000;  ///< from accept; no byte prolongs it
  std::uint32_t idle_timeout_ms = 30'000;
  std::uint32_t send_buffer_bytes = 0;  ///< kernel's send buffer per connection; 0 = its default
  std::size_t frame_mark_bytes = 1;     ///< see Connection::wants_frame
  /// What the kernel takes ahead of what the network takes (TCP_NOTSENT_LOWAT); the rest waits in
  /// the outbox, where wants_frame() sees it. 0 = as much as fits into the send buffer.
  std::uint32_t notsent_lowat_bytes = 16 * 1024;
  /// Time for what was sent to be acknowledged, and for a peer that reads nothing to make room for
  /// what waits (TCP_USER_TIMEOUT); then the connection is lost. 0 = the kernel's patience.
  std::uint32_t user_timeout_ms = 10'000;
  /// How long open() waits for a port that is taken. A process that was killed may hold its port
  /// for a moment longer than it lives: the kernel ends its io_uring requests behind it.
  std::uint32_t port_patience_ms = 0;
  /// Called once, from within open(), when it begins to wait; with what the system said.
  std::function<void(const Error&)> on_port_wait;
  /// Shared by all sockets of which a handler sees connections; null = one of its own.
  std::shared_ptr<ConnectionIds> ids;
  /// Shared by all sockets that an address is counted over; null = addresses have no bounds.
  /// Whoever passes one is closed with RateLimited.
  std::shared_ptr<AddressLimits> addresses;
  /// Null = plain TCP. With TLS the engine is epoll, and open() fails for IoUring. The handshake
  /// deadline and the cap of the unauthenticated hold for the handshake of TLS as well; who does
  /// not finish it is told nothing at its end.
  std::shared_ptr<TlsContext> tls;
};

/// Why a connection ended.
struct CloseCause {
  ErrorCode code = ErrorCode::None;  ///< None: the peer closed or asked for it
  std::string text;
};

class Connection {
 public:
  virtual ~Connection() = default;

  /// Unique among all sockets that share SocketSettings::ids; > 0.
  virtual std::uint64_t id() const = 0;
  virtual std::string peer() const = 0;  ///< "127.0.0.1:51234", for logs

  /// Any thread. Queues a copy of complete frames. Returns false when the connection is closing, or
  /// when the outbox would pass its limit: then the connection is closed with SlowConsumer and
  /// nothing of `frames` is sent. Never blocks.
  virtual bool send(std::span<const std::uint8_t> frames) = 0;

  /// Any thread. Whether offer() would be taken: no frame that was offered waits for its moment,
  /// and what waits in the outbox is less than SocketSettings::frame_mark_bytes.
  virtual bool wants_frame() const = 0;
  /// Any thread. Hands over one state frame, to be sent at `due`; earlier when send() is called
  /// before that, so that the order of calls is the order on the wire. False when the connection
  /// is closing. One that does not want a frame takes it all the same, as send() would.
  virtual bool offer(std::vector<std::uint8_t> frame,
                     std::chrono::steady_clock::time_point due) = 0;

  /// Any thread. Queues the farewell behind what waits (SlowConsumer: instead of what waits),
  /// flushes within the drain deadline and closes; on_close reports `cause`. Later calls do
  /// nothing. Without `farewell` the handler is asked for the one that belongs to `cause`.
  virtual void close(CloseCause cause) = 0;
  virtual void close(CloseCause cause, std::vector<std::uint8_t> farewell) = 0;
  /// Any thread. The end has begun: nothing more can be sent.
  virtual bool closing() const = 0;

  /// From within on_frame: the hello was accepted. Lifts the frame limit to the one of
  /// authenticated clients and ends the handshake deadline. False when all connection_count_max
  /// places are taken, which on_refused is told, or when the connection is closing: the caller
  /// rejects it with ServerFull. Once true, always true.
  [[nodiscard]] virtual bool authenticated() = 0;

  /// Any thread. Bytes that wait for the peer, an offered frame included.
  virtual std::size_t outbox_bytes() const = 0;
};

/// The owner's side. Callbacks come from net threads; for one connection never concurrently.
class ConnectionHandler {
 public:
  virtual ~ConnectionHandler() = default;
  virtual void on_open(const std::shared_ptr<Connection>& connection) = 0;
  /// One frame body, valid during the call.
  virtual void on_frame(const std::shared_ptr<Connection>& connection,
                        std::span<const std::uint8_t> body) = 0;
  /// The last frames for a peer. From any net thread.
  virtual std::vector<std::uint8_t> farewell(const CloseCause& cause) = 0;
  /// Exactly once for each on_open, after the last on_frame.
  virtual void on_close(const std::shared_ptr<Connection>& connection, const CloseCause& cause) = 0;
  /// One that got no place: over connection_count_max (ServerFull, from within authenticated()), or
  /// the system could not accept it (Internal). Never two calls at a time.
  virtual void on_refused(const CloseCause& cause) = 0;
};

/// How long after their moment frames left: those within each of the bounds, and all.
struct FrameLateness {
  static constexpr std::array<std::uint32_t, 8> bounds_us = {500,    1'000,  2'500,  5'000,
                                                             10'000, 25'000, 50'000, 99'750};
  std::array<std::uint64_t, bounds_us.size()> within{};  ///< each includes those before it
  std::uint64_t count = 0;
  std::uint64_t sum_us = 0;
};

struct SocketStats {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;        ///< over connection_count_max
  std::uint64_t evicted = 0;        ///< oldest of too many unauthenticated ones
  std::uint64_t turned_away = 0;    ///< by SocketSettings::addresses
  std::uint64_t accept_errors = 0;  ///< of the system, such as too many open files
  std::uint64_t open = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t frames_offered = 0;
  std::uint64_t frames_sent = 0;  ///< of the offered ones: counted when the outbox is empty again
  std::uint64_t slow_consumers = 0;
  /// Upper end of how long after their moment 99 of 100 frames left, microseconds, in steps of 250;
  /// 0 = no frame.
  std::uint64_t frame_lateness_p99_us = 0;
  FrameLateness lateness;
};

/// Of two listeners of one server. Of the lateness only the worse p99 is kept, not how it is
/// spread.
SocketStats sum(const SocketStats& a, const SocketStats& b);

class ServerSocket {
 public:
  /// Binds and listens, within port_patience_ms; the error text names address, port and the
  /// system's reason, or why the engine that was asked for cannot be had.
  static Result<std::unique_ptr<ServerSocket>, Error> open(const SocketSettings& settings,
                                                           ConnectionHandler& handler);
  virtual ~ServerSocket() = default;

  virtual std::uint16_t port() const = 0;
  virtual std::string_view engine() const = 0;  ///< "epoll" or "io_uring"
  /// Why this engine, for the log: "asked for", or what Auto found.
  virtual std::string_view engine_reason() const = 0;
  /// Starts the net threads. `handler` must outlive the socket.
  virtual void start() = 0;
  /// No new connections from now on.
  virtual void stop_accepting() = 0;
  /// Waits until every connection is closed, at most `deadline_ms`, then cuts the rest and joins
  /// the threads. All on_close calls have returned afterwards.
  virtual void stop(std::uint32_t deadline_ms) = 0;
  virtual SocketStats stats() const = 0;
};

}  // namespace vicinity::net
