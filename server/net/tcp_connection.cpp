// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tcp_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity::net {
namespace {

/// One read. Large enough for most frames; untouched (hence without memory) for silent peers.
constexpr std::size_t read_buffer_bytes = 16 * 1024;
/// Frames are delivered for about this long before other connections get their turn.
constexpr std::chrono::milliseconds turn_time(1);
constexpr std::chrono::milliseconds drain_time(limits::drain_deadline_ms);

std::string peer_name(const StrandSocket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "unknown";
  const std::string address = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + address + "]:" + port : address + ":" + port;
}

CloseCause slow_consumer(std::size_t outbox_bytes_max) {
  return {ErrorCode::SlowConsumer,
          "the client did not read fast enough: its outbox of " + std::to_string(outbox_bytes_max) +
              " bytes is full; read faster, use smaller areas or raise outbox_bytes_max"};
}

}  // namespace

TcpConnection::TcpConnection(const ConnectionContext& context, std::uint64_t id,
                             StrandSocket socket)
    : context_(context),
      id_(id),
      socket_(std::move(socket)),
      peer_(peer_name(socket_)),
      timer_(socket_.get_executor()),
      reader_(limits::frame_bytes_before_hello_max),
      read_buffer_(new std::uint8_t[read_buffer_bytes]),
      opened_at_(Clock::now()),
      received_at_(opened_at_),
      close_deadline_(opened_at_),
      outbox_(context.settings.outbox_bytes_max) {
  boost::system::error_code ignored;  // neither option decides about correctness
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (context.settings.send_buffer_bytes > 0) {
    const auto bytes = static_cast<int>(context.settings.send_buffer_bytes);
    socket_.set_option(boost::asio::socket_base::send_buffer_size(bytes), ignored);
  }
}

void TcpConnection::start() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->finished_) return;
    self->announced_ = true;
    self->context_.handler.on_open(self);
    self->watch_deadline();
    self->read_some();
  });
}

void TcpConnection::cut() {
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->begin_closing({ErrorCode::ServerStopping, "cut when the server stopped"},
                        std::vector<std::uint8_t>{});
    self->finish();
  });
}

// --- Any thread ------------------------------------------------------------------------------

bool TcpConnection::send(std::span<const std::uint8_t> frames) {
  bool start_writing = false;
  bool overflow = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing()) return false;
    if (outbox_.push(frames)) {
      start_writing = !std::exchange(writing_, true);
    } else {
      overflow = true;
    }
  }
  if (overflow) {
    begin_closing(slow_consumer(outbox_.bytes_max()), std::nullopt);
    return false;
  }
  if (start_writing) {
    boost::asio::post(socket_.get_executor(), [self = shared_from_this()] { self->write_some(); });
  }
  return true;
}

void TcpConnection::close(CloseCause cause) { begin_closing(std::move(cause), std::nullopt); }

void TcpConnection::close(CloseCause cause, std::vector<std::uint8_t> farewell) {
  begin_closing(std::move(cause), std::move(farewell));
}

void TcpConnection::begin_closing(CloseCause cause,
                                  std::optional<std::vector<std::uint8_t>> farewell) {
  {
    const std::lock_guard lock(mutex_);
    if (closing()) return;
    cause_ = std::move(cause);
    closing_.store(true, std::memory_order_release);
  }
  boost::asio::post(socket_.get_executor(),
                    [self = shared_from_this(), last = std::move(farewell)]() mutable {
                      self->enter_closing(std::move(last));
                    });
}

std::size_t TcpConnection::outbox_bytes() const {
  const std::lock_guard lock(mutex_);
  return outbox_.bytes();
}

bool TcpConnection::congested() const { return outbox_bytes() > outbox_.bytes_max() / 2; }

// --- On the strand ---------------------------------------------------------------------------

void TcpConnection::authenticated() {
  authenticated_ = true;
  reader_.set_body_bytes_max(limits::client_frame_bytes_max);
  watch_deadline();
}

void TcpConnection::enter_closing(std::optional<std::vector<std::uint8_t>> farewell) {
  if (finished_ || farewell_done_) return;
  if (!farewell) farewell = context_.handler.farewell(cause_);
  bool start_writing = false;
  {
    const std::lock_guard lock(mutex_);
    // A peer that does not read would never see the farewell behind all that waits for it.
    if (cause_.code == ErrorCode::SlowConsumer) outbox_.drop_waiting();
    outbox_.push_farewell(*farewell);
    start_writing = !std::exchange(writing_, true);
  }
  if (cause_.code == ErrorCode::SlowConsumer) ++context_.counters.slow_consumers;
  farewell_done_ = true;
  close_deadline_ = Clock::now() + drain_time;
  watch_deadline();
  if (!reading_ && !input_ended_) read_some();  // what was not delivered is thrown away
  if (start_writing) write_some();
}

void TcpConnection::finish() {
  if (std::exchange(finished_, true)) return;
  DCHECK(closing());
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (announced_) context_.handler.on_close(shared_from_this(), cause_);
  context_.finished(id_);
}

void TcpConnection::read_some() {
  DCHECK(!reading_);
  reading_ = true;
  socket_.async_read_some(
      boost::asio::buffer(read_buffer_.get(), read_buffer_bytes),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t size_bytes) {
        self->on_read(error, size_bytes);
      });
}

void TcpConnection::on_read(const boost::system::error_code& error, std::size_t size_bytes) {
  reading_ = false;
  if (finished_) return;
  if (error) return on_read_error(error);
  context_.counters.bytes_in += size_bytes;
  if (closing()) return read_some();  // thrown away
  received_at_ = Clock::now();
  input_ = {read_buffer_.get(), size_bytes};
  deliver_frames();
}

void TcpConnection::on_read_error(const boost::system::error_code& error) {
  input_ended_ = true;
  const bool end_of_stream = error == boost::asio::error::eof;
  begin_closing({ErrorCode::None, end_of_stream ? "the peer closed the connection"
                                                : "connection lost: " + error.message()},
                std::vector<std::uint8_t>{});
  // After an orderly end the peer may still read: what waits is flushed first.
  if (!end_of_stream || write_ended_) finish();
}

void TcpConnection::deliver_frames() {
  if (reading_ || turn_pending_ || finished_ || input_ended_) return;
  const auto turn_ends = Clock::now() + turn_time;
  while (!closing()) {
    if (congested()) return;  // on_written() goes on from here
    const auto body = reader_.next(input_);
    if (body) {
      context_.handler.on_frame(shared_from_this(), *body);
      if (Clock::now() >= turn_ends) return deliver_frames_next_turn();
      continue;
    }
    if (reader_.failed() == ErrorCode::None) break;
    begin_closing({reader_.failed(), reader_.failed() == ErrorCode::FrameTooLarge
                                         ? "the announced frame length is above the limit"
                                         : "a frame of length 0"},
                  std::nullopt);
  }
  read_some();
}

void TcpConnection::deliver_frames_next_turn() {
  turn_pending_ = true;
  boost::asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->turn_pending_ = false;
    self->deliver_frames();
  });
}

void TcpConnection::write_some() {
  if (finished_) return;
  std::vector<boost::asio::const_buffer> buffers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto chunk : outbox_.take_in_flight())
      buffers.emplace_back(chunk.data(), chunk.size());
    if (buffers.empty()) writing_ = false;
  }
  if (!buffers.empty()) {
    socket_.async_write_some(buffers, [self = shared_from_this()](
                                          const boost::system::error_code& error,
                                          std::size_t bytes) { self->on_written(error, bytes); });
    return;
  }
  if (!farewell_done_) return;
  boost::system::error_code ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
  write_ended_ = true;
  if (input_ended_) finish();
}

void TcpConnection::on_written(const boost::system::error_code& error, std::size_t size_bytes) {
  if (finished_) return;
  if (error) {
    begin_closing({ErrorCode::None, "connection lost: " + error.message()},
                  std::vector<std::uint8_t>{});
    return finish();
  }
  context_.counters.bytes_out += size_bytes;
  {
    const std::lock_guard lock(mutex_);
    outbox_.consume(size_bytes);
  }
  if (!closing()) deliver_frames();  // goes on when congestion held it up
  write_some();
}

TcpConnection::Clock::time_point TcpConnection::deadline() const {
  const SocketSettings& settings = context_.settings;
  if (farewell_done_) return close_deadline_;
  if (authenticated_) return received_at_ + std::chrono::milliseconds(settings.idle_timeout_ms);
  return opened_at_ + std::chrono::milliseconds(settings.handshake_deadline_ms);
}

void TcpConnection::watch_deadline() {
  timer_.expires_at(deadline());
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->on_deadline();
  });
}

void TcpConnection::on_deadline() {
  if (finished_) return;
  const auto now = Clock::now();
  if (now < deadline()) return watch_deadline();
  if (farewell_done_) return finish();
  if (!authenticated_) {
    const auto limit_ms = context_.settings.handshake_deadline_ms;
    return begin_closing(
        {ErrorCode::HandshakeTimeout, "no hello within " + std::to_string(limit_ms) + " ms"},
        std::nullopt);
  }
  if (congested()) return begin_closing(slow_consumer(outbox_.bytes_max()), std::nullopt);
  if (turn_pending_) {  // the silence is of our own making
    received_at_ = now;
    return watch_deadline();
  }
  begin_closing({ErrorCode::IdleTimeout, "nothing was received for " +
                                             std::to_string(context_.settings.idle_timeout_ms) +
                                             " ms; send a ping"},
                std::nullopt);
}

}  // namespace vicinity::net
