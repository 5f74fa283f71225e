// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One accepted connection, whatever engine moves its bytes: frames in, bounded outbox out,
// deadlines, orderly end. An engine derives from it and supplies the socket. Net room.
//
//      open ──authenticated()──► open, longer frames, idle timeout instead of handshake deadline
//        │ close(), peer's end, broken framing, deadline, full outbox
//        ▼
//      closing   writes what is left, then shuts the sending side and throws away what arrives
//        │       until the peer closes too: closing with unread input would make the kernel reset
//        │       the connection and destroy the farewell on its way. Of a peer that sends on, so
//        │       much is thrown away; the rest stays with the kernel, which slows the peer down
//        ▼  peer closed, error, or drain deadline
//      finished  socket closed, on_close was called
//
// While more than half of the outbox is in use no further request is read, so that a client that
// asks faster than it reads is slowed down by TCP; only what the server sends of itself can
// overflow the outbox. What was read is delivered in turns of about a millisecond, each a task of
// its own, so that requests that take long leave the net thread to other connections, too.
//
// An offered frame is kept aside until it is due, then goes through the outbox like all others:
//
//      offer() ──► kept frame ──due, send(), close(), next offer()──► outbox ──► socket

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/framing.h"
#include "net/net_loop.h"
#include "net/outbox.h"
#include "net/server_socket.h"

namespace vicinity::net {

class ConnectionRegistry;

/// Counters of one ServerSocket, written by all its connections.
struct SocketCounters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> evicted{0};
  std::atomic<std::uint64_t> turned_away{0};
  std::atomic<std::uint64_t> accept_errors{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> frames_offered{0};
  std::atomic<std::uint64_t> frames_sent{0};
  /// Frames by how long after their moment they left, in steps of lateness_step_us; the last one
  /// holds all later ones.
  static constexpr std::size_t lateness_steps = 400;
  static constexpr std::int64_t lateness_step_us = 250;
  std::array<std::atomic<std::uint64_t>, lateness_steps> lateness{};
  std::atomic<std::uint64_t> lateness_sum_us{0};
  void note_lateness(std::chrono::steady_clock::duration late) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(late).count();
    const auto step = static_cast<std::size_t>(std::max<std::int64_t>(us, 0) / lateness_step_us);
    lateness[std::min(step, lateness_steps - 1)].fetch_add(1, std::memory_order_relaxed);
    lateness_sum_us.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(us, 0)),
                              std::memory_order_relaxed);
  }
  std::atomic<std::uint64_t> slow_consumers{0};
};

/// What all connections of one ServerSocket share. Outlives them.
struct ConnectionContext {
  const SocketSettings& settings;
  ConnectionHandler& handler;
  SocketCounters& counters;
  ConnectionRegistry& registry;
};

class ConnectionCore : public Connection, public std::enable_shared_from_this<ConnectionCore> {
 public:
  using Clock = NetLoop::Clock;
  using TimePoint = NetLoop::TimePoint;
  using Bytes = std::vector<std::uint8_t>;
  using Chunks = std::vector<std::span<const std::uint8_t>>;

  /// Read and thrown away of a peer that sends on although the connection is closing: as much as
  /// the kernel may hold of what an honest one sent before it read the farewell. An engine may pass
  /// it by what it reads at once.
  static constexpr std::size_t thrown_away_bytes_max = 1024 * 1024;

  ConnectionCore(const ConnectionContext& context, NetLoop& loop, std::uint64_t id,
                 std::string peer);

  /// Any thread, once. Tells the handler and begins to read.
  void start();
  /// The same for one that closes from the beginning: nothing that the peer sends is decoded.
  void start_closing(CloseCause cause);
  /// Any thread. Ends the connection now, whatever waits; `cause` counts if it is the first one.
  void cut(CloseCause cause);
  /// Net thread. The moment of an offered frame, maybe one that is long gone.
  void send_due_frame(TimePoint now);

  std::uint64_t id() const final { return id_; }
  std::string peer() const final { return peer_; }
  bool send(std::span<const std::uint8_t> frames) final;
  bool wants_frame() const final;
  bool offer(Bytes frame, TimePoint due) final;
  void close(CloseCause cause) final;
  void close(CloseCause cause, Bytes farewell) final;
  bool closing() const final { return closing_.load(std::memory_order_acquire); }
  bool authenticated() final;
  std::size_t outbox_bytes() const final;

 protected:
  // All of these on the net thread only.

  /// The engine calls on_bytes() or on_read_end() from now on. Does nothing when it does already.
  virtual void start_reading() = 0;
  /// The engine stops reading; a little that is on its way may still come.
  virtual void pause_reading() = 0;
  /// The same for good: of a closing connection enough was thrown away.
  virtual void stop_reading() { pause_reading(); }
  /// Gives the chunks to the kernel without blocking: bytes that it took at once, or nothing when
  /// on_written() or on_write_error() will tell later. `chunks` stays what it is until then.
  virtual std::optional<std::size_t> write(const Chunks& chunks) = 0;
  virtual void shut_sending() = 0;
  /// Gives the socket up. No further call reaches the engine.
  virtual void close_socket() = 0;

  /// Bytes of frames as they came. Where more than those comes, the engine does both by itself.
  void on_bytes(std::span<const std::uint8_t> bytes);
  /// Of a closing connection they are bytes that are thrown away; at a number of them it stops.
  void count_bytes_in(std::size_t size_bytes);
  void take_bytes(std::span<const std::uint8_t> bytes);
  /// The peer's end of stream, or with a text the error that ended reading.
  void on_read_end(std::string error);
  void on_written(std::size_t size_bytes);
  void on_write_error(const std::string& error);

  bool finished() const { return finished_; }
  /// The longest frame body that is taken at the moment.
  std::size_t frame_bytes_max() const;
  /// Why the connection ends, once closing().
  const CloseCause& cause() const { return cause_; }
  NetLoop& loop() { return loop_; }

 private:
  /// What holds up delivery of frames that were read.
  enum class Hold { None, NextTurn, Congestion };

  // Any thread.
  /// Without `farewell` the handler is asked for one, on the net thread.
  void begin_closing(CloseCause cause, std::optional<Bytes> farewell);
  void post_write();
  bool congested() const;
  void release_kept();  ///< with the lock held

  // Net thread only.
  void enter_closing(std::optional<Bytes> farewell);
  void finish();
  void deliver(std::span<const std::uint8_t> input);
  std::span<const std::uint8_t> deliver_turn(std::span<const std::uint8_t> input);
  void deliver_backlog();
  void end_reading();
  void write_some();
  bool take_chunks();
  void consume(std::size_t size_bytes);
  TimePoint deadline() const;
  void watch_deadline();
  void watch(TimePoint moment);
  bool is_second_look(TimePoint now);
  void on_deadline();

  const ConnectionContext& context_;
  NetLoop& loop_;
  const std::uint64_t id_;
  const std::string peer_;

  // Net thread only.
  FrameReader reader_;
  Bytes backlog_;  ///< was read and waits for a turn
  Chunks chunks_;  ///< in flight
  std::optional<NetLoop::Alarms::iterator> alarm_;
  std::optional<std::string> read_end_;  ///< reading ended with this; the backlog goes first
  const TimePoint opened_at_;
  TimePoint received_at_;  ///< last time bytes arrived, or work held up reading
  TimePoint close_deadline_;
  std::size_t thrown_away_bytes_ = 0;  ///< of the peer, while closing
  TimePoint looked_at_;                ///< when a deadline was found to be over
  int late_looks_ = 0;                 ///< since then, that came too late to say anything
  Hold hold_ = Hold::None;
  bool announced_ = false;  ///< on_open was called
  bool authenticated_ = false;
  bool input_ended_ = false;    ///< the peer sends no more
  bool write_ended_ = false;    ///< everything was written and the sending side is shut
  bool farewell_done_ = false;  ///< the farewell is in the outbox
  bool finished_ = false;

  mutable std::mutex mutex_;  ///< guards the members below
  Outbox outbox_;
  Bytes kept_frame_;  ///< offered and not due yet; empty = none
  TimePoint kept_due_;
  std::uint64_t frames_waiting_ = 0;  ///< offered ones that are in the outbox
  bool writing_ = false;              ///< a write is pending or posted
  CloseCause cause_;                  ///< written once, before closing_
  std::atomic<bool> closing_{false};
};

}  // namespace vicinity::net
