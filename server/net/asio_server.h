// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The listener over Boost.Asio and its net threads. Net room.

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "net/asio_loop.h"
#include "net/server_core.h"

namespace vicinity::net {

class AsioServer final : public ServerCore {
 public:
  /// Makes the connection of an accepted socket, which belongs to the context of the loop.
  using MakeConnection = std::function<std::shared_ptr<ConnectionCore>(
      const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
      boost::asio::ip::tcp::socket socket)>;

  /// Connections of length-prefixed frames.
  AsioServer(const SocketSettings& settings, ConnectionHandler& handler);
  AsioServer(const SocketSettings& settings, ConnectionHandler& handler,
             MakeConnection make_connection);
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

  const MakeConnection make_connection_;
  std::vector<std::unique_ptr<AsioLoop>> loops_;
  boost::asio::ip::tcp::acceptor acceptor_;  ///< on the first loop's thread, once that runs
  std::size_t accepting_loop_ = 0;           ///< of which the next connection will be
};

}  // namespace vicinity::net
