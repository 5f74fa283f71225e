// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/asio_server.h"

#include <utility>

#include "net/asio_connection.h"
#include "net/socket_options.h"
#include "net/tls_connection.h"

namespace vicinity::net {
namespace {

using boost::asio::ip::tcp;

std::vector<std::unique_ptr<AsioLoop>> make_loops(int count) {
  std::vector<std::unique_ptr<AsioLoop>> loops;
  for (int i = 0; i < count; ++i) loops.push_back(std::make_unique<AsioLoop>());
  return loops;
}

std::shared_ptr<ConnectionCore> make_frame_connection(const ConnectionContext& context,
                                                      AsioLoop& loop, std::uint64_t id,
                                                      tcp::socket socket) {
  if (context.settings.tls)
    return std::make_shared<TlsConnection>(context, loop, id, std::move(socket));
  return std::make_shared<AsioConnection>(context, loop, id, std::move(socket));
}

}  // namespace

AsioServer::AsioServer(const SocketSettings& settings, ConnectionHandler& handler)
    : AsioServer(settings, handler, make_frame_connection) {}

AsioServer::AsioServer(const SocketSettings& settings, ConnectionHandler& handler,
                       MakeConnection make_connection)
    : ServerCore(settings, handler),
      make_connection_(std::move(make_connection)),
      loops_(make_loops(settings.thread_count)),
      acceptor_(loops_.front()->io()) {}

AsioServer::~AsioServer() { stop(0); }

Error AsioServer::listen() {
  Error error = listen_on(acceptor_, settings_);
  if (error.code == ErrorCode::None) port_ = acceptor_.local_endpoint().port();
  return error;
}

void AsioServer::begin_accepting() {
  loops_.front()->post([this] { accept_next(); });
}

void AsioServer::end_accepting() {
  loops_.front()->post([this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
  });
}

void AsioServer::accept_next() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(loops_[accepting_loop_]->io(),
                         [this](const boost::system::error_code& error, tcp::socket socket) {
                           on_accept(error, std::move(socket));
                         });
}

void AsioServer::on_accept(const boost::system::error_code& error, tcp::socket socket) {
  if (!acceptor_.is_open()) return;
  if (error) {
    registry_.accept_failed(error.message());
    loops_.front()->set_alarm(NetLoop::Clock::now() + accept_retry_time, [this] { accept_next(); });
    return;
  }
  registry_.add(
      make_connection_(context_, *loops_[accepting_loop_], registry_.next_id(), std::move(socket)));
  accepting_loop_ = (accepting_loop_ + 1) % loops_.size();
  accept_next();
}

}  // namespace vicinity::net
