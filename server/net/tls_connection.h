// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A connection over TLS, whose socket Boost.Asio watches. As AsioConnection, with one phase more:
// until the handshake is done nothing can be told to the peer. Net room.
//
//      shaking hands ──► established ──► frames, as over TCP
//        │ deadline, eviction: the farewell, if the handshake is done within the drain deadline
//
// Once it closes, what arrives is thrown away as it came: nobody decrypts what has no meaning.

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <optional>
#include <utility>

#include "net/asio_loop.h"
#include "net/connection_core.h"
#include "net/tls_stream.h"

namespace vicinity::net {

class TlsConnection final : public ConnectionCore {
 public:
  /// `socket` belongs to the context of `loop`; the settings of `context` have a TlsContext.
  TlsConnection(const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                boost::asio::ip::tcp::socket socket);

 private:
  /// Gone with close_socket(): who still holds the connection then does not need the loop for it.
  struct Channel {
    Channel(boost::asio::ip::tcp::socket accepted, const TlsContext& context)
        : socket(std::move(accepted)), tls(context, socket.native_handle()) {}
    boost::asio::ip::tcp::socket socket;
    TlsStream tls;
  };

  void start_reading() override;
  void pause_reading() override { reading_ = false; }
  std::optional<std::size_t> write(const Chunks& chunks) override;
  void shut_sending() override;
  void close_socket() override;

  void wait_to_read(boost::asio::ip::tcp::socket::wait_type what);
  void on_ready();
  void shake_hands();
  void read_record();
  void throw_away();
  void end_reading_with(const std::string& reason);

  AsioLoop& asio_loop_;
  std::optional<Channel> channel_;
  bool reading_ = false;       ///< bytes are wanted
  bool wait_pending_ = false;  ///< for the socket, to go on reading or shaking hands
  bool write_waits_ = false;   ///< for the end of the handshake
};

}  // namespace vicinity::net
