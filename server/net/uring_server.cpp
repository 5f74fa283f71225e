// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/uring_server.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "net/socket_options.h"
#include "net/uring_connection.h"

namespace vicinity::net {

UringServer::UringServer(const SocketSettings& settings, ConnectionHandler& handler)
    : ServerCore(settings, handler) {
  accept_.completed = [this](int result, std::span<const std::uint8_t>) { on_accept(result); };
}

UringServer::~UringServer() {
  stop(0);
  if (listener_ >= 0) ::close(listener_);
}

Error UringServer::set_up() {
  // Eight bytes per file and loop: room for all of them in each.
  const std::uint32_t files = settings_.connection_count_max + settings_.unauthenticated_count_max;
  for (int i = 0; i < settings_.thread_count; ++i) {
    auto loop = UringLoop::make(files);
    if (!loop.ok()) return loop.error();
    loops_.push_back(std::move(loop.value()));
  }
  return {};
}

Error UringServer::listen() {
  boost::asio::io_context io;
  boost::asio::ip::tcp::acceptor acceptor(io);
  Error error = listen_on(acceptor, settings_);
  if (error.code != ErrorCode::None) return error;
  port_ = acceptor.local_endpoint().port();
  listener_ = acceptor.release();
  return {};
}

void UringServer::begin_accepting() {
  loops_.front()->post([this] { accept(); });
}

void UringServer::end_accepting() {
  loops_.front()->post([this] {
    if (listener_ < 0) return;
    if (accept_.pending) loops_.front()->cancel(accept_);
    loops_.front()->close({std::exchange(listener_, -1), -1});
  });
}

void UringServer::accept() {
  if (listener_ >= 0) loops_.front()->accept(listener_, accept_);
}

void UringServer::on_accept(int result) {
  if (result >= 0) {
    registry_.add(std::make_shared<UringConnection>(context_, *loops_[next_loop_],
                                                    registry_.next_id(), result));
    next_loop_ = (next_loop_ + 1) % loops_.size();
  } else if (result != -ECANCELED && listener_ >= 0) {
    registry_.accept_failed(std::system_category().message(-result));
    loops_.front()->set_alarm(NetLoop::Clock::now() + accept_retry_time, [this] { accept(); });
    return;
  }
  if (!accept_.pending) accept();
}

}  // namespace vicinity::net
