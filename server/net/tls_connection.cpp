// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tls_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <memory>
#include <string>
#include <utility>

#include "net/socket_options.h"

namespace vicinity::net {
namespace {

using boost::asio::ip::tcp;
using Outcome = TlsStep::Outcome;

std::shared_ptr<TlsConnection> self_of(ConnectionCore& connection) {
  return std::static_pointer_cast<TlsConnection>(connection.shared_from_this());
}

}  // namespace

TlsConnection::TlsConnection(const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                             tcp::socket socket)
    : ConnectionCore(context, loop, id, peer_name(socket.native_handle())), asio_loop_(loop) {
  set_options(socket.native_handle(), context.settings);
  boost::system::error_code ignored;  // then the handshake reports it
  socket.non_blocking(true, ignored);
  channel_.emplace(std::move(socket), *context.settings.tls);
}

// --- Reading ---------------------------------------------------------------------------------

void TlsConnection::start_reading() {
  reading_ = true;
  wait_to_read(tcp::socket::wait_read);
}

void TlsConnection::wait_to_read(tcp::socket::wait_type what) {
  if (std::exchange(wait_pending_, true)) return;
  channel_->socket.async_wait(what, [self = self_of(*this)](const boost::system::error_code&) {
    self->wait_pending_ = false;
    self->on_ready();
  });
}

void TlsConnection::on_ready() {
  if (finished() || !reading_) return;
  if (!channel_->tls.established()) return shake_hands();
  closing() ? throw_away() : read_record();
}

void TlsConnection::shake_hands() {
  const TlsStep step = channel_->tls.handshake();
  switch (step.outcome) {
    case Outcome::Done: break;
    case Outcome::WantsRead: return wait_to_read(tcp::socket::wait_read);
    case Outcome::WantsWrite: return wait_to_read(tcp::socket::wait_write);
    case Outcome::Ended: return end_reading_with("it ended within the handshake of TLS");
    case Outcome::Failed: return end_reading_with(channel_->tls.fault());
  }
  wait_to_read(tcp::socket::wait_read);
  if (std::exchange(write_waits_, false)) on_written(0);
}

void TlsConnection::read_record() {
  const auto buffer = asio_loop_.read_buffer();
  const TlsStep step = channel_->tls.read(buffer);
  switch (step.outcome) {
    case Outcome::Done: on_bytes(buffer.first(step.size_bytes)); break;
    case Outcome::WantsRead: break;
    case Outcome::WantsWrite: return wait_to_read(tcp::socket::wait_write);
    case Outcome::Ended: return end_reading_with({});
    case Outcome::Failed: return end_reading_with(channel_->tls.fault());
  }
  if (reading_ && !finished()) start_reading();
}

/// Whatever the records say: only the peer's end matters. What is still written needs no answers.
void TlsConnection::throw_away() {
  boost::system::error_code error;
  const auto buffer = asio_loop_.read_buffer();
  count_bytes_in(
      channel_->socket.read_some(boost::asio::buffer(buffer.data(), buffer.size()), error));
  if (error && !is_temporary(error))
    return end_reading_with(error == boost::asio::error::eof ? std::string() : error.message());
  if (reading_) start_reading();
}

void TlsConnection::end_reading_with(const std::string& reason) {
  reading_ = false;
  on_read_end(reason);
}

// --- Writing ---------------------------------------------------------------------------------

std::optional<std::size_t> TlsConnection::write(const Chunks& chunks) {
  if (!channel_->tls.established()) {
    write_waits_ = true;  // a farewell too: the end of the handshake may be on its way
    return std::nullopt;
  }
  // One chunk at a time: what OpenSSL could not get rid of must come again, so it has to be in
  // flight or the rest of a chunk that has been sent in part. Both stay, whatever is dropped.
  const auto chunk = chunks.front();
  std::size_t written = 0;
  TlsStep step{Outcome::Done};
  while (step.outcome == Outcome::Done && written < chunk.size()) {
    step = channel_->tls.write(chunk.subspan(written));
    written += step.size_bytes;
  }
  if (written > 0) return written;
  if (step.outcome == Outcome::WantsRead || step.outcome == Outcome::WantsWrite) {
    channel_->socket.async_wait(
        step.outcome == Outcome::WantsRead ? tcp::socket::wait_read : tcp::socket::wait_write,
        [self = self_of(*this)](const boost::system::error_code&) { self->on_written(0); });
  } else {
    loop().post(
        [self = self_of(*this), text = channel_->tls.fault()] { self->on_write_error(text); });
  }
  return std::nullopt;
}

void TlsConnection::shut_sending() {
  channel_->tls.shut();
  boost::system::error_code ignored;
  channel_->socket.shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

void TlsConnection::close_socket() { channel_.reset(); }

}  // namespace vicinity::net
