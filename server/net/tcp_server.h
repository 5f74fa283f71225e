// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The listener and the net threads behind ServerSocket. Owns the io_context, all connections and
// the threads that run them. Net room.

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "net/server_socket.h"
#include "net/tcp_connection.h"

namespace vicinity::net {

class TcpServer final : public ServerSocket {
 public:
  TcpServer(const SocketSettings& settings, ConnectionHandler& handler);
  ~TcpServer() override;
  TcpServer(const TcpServer&) = delete;
  TcpServer& operator=(const TcpServer&) = delete;

  /// None, or what the system said and about which address.
  Error listen();

  std::uint16_t port() const override { return port_; }
  void start() override;
  void stop_accepting() override;
  void stop(std::uint32_t deadline_ms) override;
  SocketStats stats() const override;

 private:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, Strand>;

  void accept_next();
  void on_accept(const boost::system::error_code& error, StrandSocket socket);
  void admit(StrandSocket socket);
  CloseCause server_full() const;
  void forget(std::uint64_t id);

  const SocketSettings settings_;
  SocketCounters counters_;
  const ConnectionContext context_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Acceptor acceptor_;        ///< on a strand of its own
  StrandTimer retry_timer_;  ///< of the acceptor's strand
  std::uint16_t port_ = 0;
  std::vector<std::thread> threads_;

  mutable std::mutex mutex_;  ///< guards the members below
  std::condition_variable all_closed_;
  bool accepting_ = true;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::shared_ptr<TcpConnection>> connections_;
  std::map<std::uint64_t, std::shared_ptr<TcpConnection>> refusals_;  ///< saying farewell only
};

}  // namespace vicinity::net
