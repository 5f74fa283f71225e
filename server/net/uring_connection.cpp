// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/uring_connection.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "net/socket_options.h"

namespace vicinity::net {
namespace {

/// Ends of a request after which it is made again.
bool is_temporary(int error) {
  return error == ENOBUFS || error == ECANCELED || error == EINTR || error == EAGAIN;
}

}  // namespace

UringConnection::UringConnection(const ConnectionContext& context, UringLoop& loop,
                                 std::uint64_t id, int socket)
    : ConnectionCore(context, loop, id, peer_name(socket)), uring_loop_(loop), socket_{socket, -1} {
  set_options(socket, context.settings);
  receive_.completed = [this](int result, std::span<const std::uint8_t> bytes) {
    on_received(result, bytes);
  };
  send_.completed = [this](int result, std::span<const std::uint8_t>) { on_sent(result); };
}

UringConnection::~UringConnection() {
  if (socket_.descriptor >= 0) ::close(socket_.descriptor);  // it was never started
}

void UringConnection::start_reading() {
  reading_ = true;
  if (!std::exchange(is_added_, true)) socket_ = uring_loop_.add_file(socket_.descriptor);
  if (!receive_.pending) uring_loop_.receive(socket_, receive_, shared_from_this());
}

void UringConnection::on_received(int result, std::span<const std::uint8_t> bytes) {
  if (!receive_.pending) cancelling_ = false;
  if (finished()) return;
  if (!bytes.empty()) {
    on_bytes(bytes);
  } else if (result >= 0 || !is_temporary(-result)) {
    reading_ = false;
    return on_read_end(result >= 0 ? std::string() : std::system_category().message(-result));
  }
  if (finished()) return;
  if (reading_ && !receive_.pending) start_reading();
  if (!reading_ && receive_.pending && !std::exchange(cancelling_, true))
    uring_loop_.cancel(receive_);
}

std::optional<std::size_t> UringConnection::write(const Chunks& chunks) {
  vectors_.clear();
  for (const auto chunk : chunks)
    vectors_.push_back({const_cast<std::uint8_t*>(chunk.data()), chunk.size()});
  message_.msg_iov = vectors_.data();
  message_.msg_iovlen = vectors_.size();
  uring_loop_.send(socket_, message_, send_, shared_from_this());
  return std::nullopt;
}

void UringConnection::on_sent(int result) {
  if (result >= 0) return on_written(static_cast<std::size_t>(result));
  if (is_temporary(-result)) return on_written(0);  // another attempt, unless it is finished
  on_write_error(std::system_category().message(-result));
}

void UringConnection::shut_sending() { (void)::shutdown(socket_.descriptor, SHUT_WR); }

void UringConnection::close_socket() {
  // Requests hold the file: closing alone ends none of them.
  (void)::shutdown(socket_.descriptor, SHUT_RDWR);
  if (receive_.pending) uring_loop_.cancel(receive_);
  if (send_.pending) uring_loop_.cancel(send_);
  uring_loop_.close(std::exchange(socket_, {}));
}

}  // namespace vicinity::net
