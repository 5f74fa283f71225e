// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/asio_connection.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <memory>
#include <span>
#include <utility>

#include "net/socket_options.h"

namespace vicinity::net {
namespace {

using boost::asio::ip::tcp;

std::shared_ptr<AsioConnection> self_of(ConnectionCore& connection) {
  return std::static_pointer_cast<AsioConnection>(connection.shared_from_this());
}

}  // namespace

AsioConnection::AsioConnection(const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                               tcp::socket socket)
    : ConnectionCore(context, loop, id, peer_name(socket.native_handle())),
      asio_loop_(loop),
      socket_(std::move(socket)) {
  set_options(socket_->native_handle(), context.settings);
  boost::system::error_code ignored;  // then reading reports it
  socket_->non_blocking(true, ignored);
}

void AsioConnection::start_reading() {
  reading_ = true;
  if (std::exchange(wait_pending_, true)) return;
  socket_->async_wait(tcp::socket::wait_read,
                      [self = self_of(*this)](const boost::system::error_code&) {
                        self->wait_pending_ = false;
                        self->on_readable();
                      });
}

void AsioConnection::on_readable() {
  if (finished() || !reading_) return;
  boost::system::error_code error;
  const auto buffer = asio_loop_.read_buffer();
  const std::size_t size =
      socket_->read_some(boost::asio::buffer(buffer.data(), buffer.size()), error);
  if (!error) {
    on_bytes(buffer.first(size));
  } else if (!is_temporary(error)) {
    reading_ = false;
    return on_read_end(error == boost::asio::error::eof ? std::string() : error.message());
  }
  if (reading_ && !finished()) start_reading();
}

std::optional<std::size_t> AsioConnection::write(const Chunks& chunks) {
  std::array<boost::asio::const_buffer, 64> buffers;
  std::size_t count = 0;
  for (const auto chunk : chunks) {
    if (count == buffers.size()) break;
    buffers[count++] = {chunk.data(), chunk.size()};
  }
  boost::system::error_code error;
  const std::size_t size =
      socket_->write_some(std::span<const boost::asio::const_buffer>(buffers.data(), count), error);
  if (!error) return size;
  if (is_temporary(error)) {
    socket_->async_wait(tcp::socket::wait_write,
                        [self = self_of(*this)](const boost::system::error_code&) {
                          self->on_written(0);  // another attempt, which meets the error if any
                        });
    return std::nullopt;
  }
  loop().post([self = self_of(*this), text = error.message()] { self->on_write_error(text); });
  return std::nullopt;
}

void AsioConnection::shut_sending() {
  boost::system::error_code ignored;
  socket_->shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

void AsioConnection::close_socket() { socket_.reset(); }

}  // namespace vicinity::net
