// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A connection whose bytes Boost.Asio moves. It waits until the socket is ready and then reads into
// the buffer of its net thread, or writes, without blocking. Net room.

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <optional>

#include "net/asio_loop.h"
#include "net/connection_core.h"

namespace vicinity::net {

class AsioConnection final : public ConnectionCore {
 public:
  /// `socket` belongs to the context of `loop`.
  AsioConnection(const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                 boost::asio::ip::tcp::socket socket);

 private:
  void start_reading() override;
  void pause_reading() override { reading_ = false; }
  std::optional<std::size_t> write(const Chunks& chunks) override;
  void shut_sending() override;
  void close_socket() override;

  void on_readable();

  AsioLoop& asio_loop_;
  /// Gone with close_socket(): who still holds the connection then does not need the loop for it.
  std::optional<boost::asio::ip::tcp::socket> socket_;
  bool reading_ = false;       ///< bytes are wanted
  bool wait_pending_ = false;  ///< for the socket to be readable
};

}  // namespace vicinity::net
