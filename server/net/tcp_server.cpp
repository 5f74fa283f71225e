// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tcp_server.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/limits.h"

namespace vicinity::net {
namespace {

/// Pause after accept() failed. It fails for as long as the process has no free descriptor; trying
/// on at full speed would only burn a core.
constexpr std::chrono::milliseconds accept_retry_time(100);

}  // namespace

Result<std::unique_ptr<ServerSocket>, Error> ServerSocket::open(const SocketSettings& settings,
                                                                ConnectionHandler& handler) {
  auto server = std::make_unique<TcpServer>(settings, handler);
  Error error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<ServerSocket>(std::move(server));
}

TcpServer::TcpServer(const SocketSettings& settings, ConnectionHandler& handler)
    : settings_(settings),
      context_{settings_, handler, counters_, [this](std::uint64_t id) { forget(id); }},
      io_(settings.thread_count),
      work_(boost::asio::make_work_guard(io_)),
      acceptor_(boost::asio::make_strand(io_)),
      retry_timer_(acceptor_.get_executor()) {
  CHECK(settings.thread_count > 0);
}

TcpServer::~TcpServer() { stop(0); }

Error TcpServer::listen() {
  using boost::asio::ip::tcp;
  const std::string name = settings_.address + " port " + std::to_string(settings_.port);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(settings_.address, error);
  const tcp::endpoint endpoint(address, settings_.port);
  if (!error) acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(boost::asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) return {ErrorCode::Internal, "cannot listen on " + name + ": " + error.message()};
  return {};
}

void TcpServer::start() {
  CHECK(threads_.empty());
  boost::asio::post(acceptor_.get_executor(), [this] { accept_next(); });
  for (int i = 0; i < settings_.thread_count; ++i) threads_.emplace_back([this] { io_.run(); });
}

void TcpServer::stop_accepting() {
  {
    const std::lock_guard lock(mutex_);
    accepting_ = false;
  }
  if (threads_.empty()) return;
  boost::asio::post(acceptor_.get_executor(), [this] {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    retry_timer_.cancel();
  });
}

void TcpServer::stop(std::uint32_t deadline_ms) {
  stop_accepting();
  if (threads_.empty()) return;
  {
    std::unique_lock lock(mutex_);
    const auto none_left = [this] { return connections_.empty() && refusals_.empty(); };
    all_closed_.wait_for(lock, std::chrono::milliseconds(deadline_ms), none_left);
    for (const auto& [id, connection] : connections_) connection->cut();
    for (const auto& [id, connection] : refusals_) connection->cut();
    all_closed_.wait(lock, none_left);
  }
  work_.reset();  // nothing is pending any more, so the threads run out of work
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

SocketStats TcpServer::stats() const {
  SocketStats stats;
  stats.accepted = counters_.accepted;
  stats.refused = counters_.refused;
  stats.accept_errors = counters_.accept_errors;
  stats.bytes_in = counters_.bytes_in;
  stats.bytes_out = counters_.bytes_out;
  stats.slow_consumers = counters_.slow_consumers;
  const std::lock_guard lock(mutex_);
  stats.open = connections_.size();
  return stats;
}

void TcpServer::accept_next() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(boost::asio::make_strand(io_),
                         [this](const boost::system::error_code& error, StrandSocket socket) {
                           on_accept(error, std::move(socket));
                         });
}

void TcpServer::on_accept(const boost::system::error_code& error, StrandSocket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    admit(std::move(socket));
    return accept_next();
  }
  ++counters_.accept_errors;
  context_.handler.on_refused({ErrorCode::Internal, error.message()});
  retry_timer_.expires_after(accept_retry_time);
  retry_timer_.async_wait([this](const boost::system::error_code&) { accept_next(); });
}

void TcpServer::admit(StrandSocket socket) {
  {
    const std::lock_guard lock(mutex_);
    if (!accepting_) return;  // the socket closes itself
    const std::uint64_t id = ++last_id_;
    if (connections_.size() < settings_.connection_count_max) {
      ++counters_.accepted;
      const auto connection = std::make_shared<TcpConnection>(context_, id, std::move(socket));
      connections_.emplace(id, connection);
      return connection->start();
    }
    ++counters_.refused;
    if (refusals_.size() < limits::refusals_max) {
      const auto connection = std::make_shared<TcpConnection>(context_, id, std::move(socket));
      refusals_.emplace(id, connection);
      connection->close(server_full());
    }
  }
  context_.handler.on_refused(server_full());
}

CloseCause TcpServer::server_full() const {
  return {ErrorCode::ServerFull,
          "all " + std::to_string(settings_.connection_count_max) +
              " places are taken; try again later or raise session_count_max"};
}

void TcpServer::forget(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  connections_.erase(id);
  refusals_.erase(id);
  if (connections_.empty() && refusals_.empty()) all_closed_.notify_all();
}

}  // namespace vicinity::net
