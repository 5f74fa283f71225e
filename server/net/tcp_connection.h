// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One accepted TCP connection: frames in, bounded outbox out, deadlines, orderly end. Net room.
//
//      open ──authenticated()──► open, longer frames, idle timeout instead of handshake deadline
//        │ close(), peer's end, broken framing, deadline, full outbox
//        ▼
//      closing   writes what is left, then shuts the sending side and throws away what arrives
//        │       until the peer closes too: closing with unread input would make the kernel reset
//        │       the connection and destroy the farewell on its way
//        ▼  peer closed, error, or drain deadline
//      finished  socket closed, on_close was called
//
// While more than half of the outbox is in use no further request is read, so that a client that
// asks faster than it reads is slowed down by TCP; only what the server sends of itself can
// overflow the outbox. What was read is delivered in turns of about a millisecond, each a handler
// of its own, so that requests that take long leave the net threads to other connections, too.

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
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
#include "net/outbox.h"
#include "net/server_socket.h"

namespace vicinity::net {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using StrandSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;
using StrandTimer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Strand>;

/// Counters of one ServerSocket, written by all its connections.
struct SocketCounters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> accept_errors{0};
  std::atomic<std::uint64_t> bytes_in{0};
  std::atomic<std::uint64_t> bytes_out{0};
  std::atomic<std::uint64_t> slow_consumers{0};
};

/// What all connections of one ServerSocket share. Outlives them.
struct ConnectionContext {
  const SocketSettings& settings;
  ConnectionHandler& handler;
  SocketCounters& counters;
  /// Called once per connection, last of all, on its strand.
  std::function<void(std::uint64_t id)> finished;
};

class TcpConnection final : public Connection, public std::enable_shared_from_this<TcpConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  TcpConnection(const ConnectionContext& context, std::uint64_t id, StrandSocket socket);

  /// Tells the handler and begins to read. Without it the handler sees neither on_open nor
  /// on_close: a connection that is only told why it is refused is closed at once.
  void start();
  /// Any thread. Ends the connection now, whatever waits.
  void cut();

  std::uint64_t id() const override { return id_; }
  std::string peer() const override { return peer_; }
  bool send(std::span<const std::uint8_t> frames) override;
  bool wants_frame() const override { return outbox_bytes() < context_.settings.frame_mark_bytes; }
  bool offer(std::vector<std::uint8_t> frame, Clock::time_point) override { return send(frame); }
  void close(CloseCause cause) override;
  void close(CloseCause cause, std::vector<std::uint8_t> farewell) override;
  bool closing() const override { return closing_.load(std::memory_order_acquire); }
  void authenticated() override;
  std::size_t outbox_bytes() const override;

 private:
  // Any thread.
  /// Without `farewell` the handler is asked for one, on the strand.
  void begin_closing(CloseCause cause, std::optional<std::vector<std::uint8_t>> farewell);
  bool congested() const;

  // On the strand only.
  void enter_closing(std::optional<std::vector<std::uint8_t>> farewell);
  void finish();
  void read_some();
  void on_read(const boost::system::error_code& error, std::size_t size_bytes);
  void on_read_error(const boost::system::error_code& error);
  void deliver_frames();
  void deliver_frames_next_turn();
  void write_some();
  void on_written(const boost::system::error_code& error, std::size_t size_bytes);
  Clock::time_point deadline() const;
  void watch_deadline();
  void on_deadline();

  const ConnectionContext& context_;
  const std::uint64_t id_;
  StrandSocket socket_;
  std::string peer_;

  // Strand only.
  StrandTimer timer_;
  FrameReader reader_;
  std::unique_ptr<std::uint8_t[]> read_buffer_;
  std::span<const std::uint8_t> input_;  ///< part of read_buffer_ that is not delivered yet
  Clock::time_point opened_at_;
  Clock::time_point received_at_;  ///< last time bytes arrived, or work held up reading
  Clock::time_point close_deadline_;
  bool announced_ = false;  ///< on_open was called
  bool authenticated_ = false;
  bool turn_pending_ = false;   ///< more frames are delivered by a handler that is posted
  bool reading_ = false;        ///< a read is pending
  bool input_ended_ = false;    ///< the peer sends no more
  bool write_ended_ = false;    ///< everything was written and the sending side is shut
  bool farewell_done_ = false;  ///< the farewell is in the outbox
  bool finished_ = false;

  mutable std::mutex mutex_;  ///< guards the members below
  Outbox outbox_;
  bool writing_ = false;  ///< a write is pending or posted
  CloseCause cause_;      ///< written once, before closing_
  std::atomic<bool> closing_{false};
};

}  // namespace vicinity::net
