// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The listener over Boost.Asio and its net threads. Net room.

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "net/asio_loop.h"
#include "net/server_core.h"

namespace vicinity::net {

class AsioServer final : public ServerCore {
 public:
  AsioServer(const SocketSettings& settings, ConnectionHandler& handler);
  ~AsioServer() override;

  /// None, or what the system said and about which address.
  Error listen();

  std::string_view engine() const override { return "epoll"; }

 private:
  void begin_accepting() override;
  void end_accepting() override;
  NetLoop& loop(std::size_t index) override { return *loops_.at(index); }

  void accept_next();
  void on_accept(const boost::system::error_code& error, boost::asio::ip::tcp::socket socket);

  std::vector<std::unique_ptr<AsioLoop>> loops_;
  boost::asio::ip::tcp::acceptor acceptor_;  ///< on the first loop's thread, once that runs
  std::size_t accepting_loop_ = 0;           ///< of which the next connection will be
};

}  // namespace vicinity::net
