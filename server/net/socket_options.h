// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What both engines do to sockets before bytes flow: listen, set options, name the peer. Net room.

#include <boost/asio/ip/tcp.hpp>
#include <string>

#include "base/error.h"
#include "net/server_socket.h"

namespace vicinity::net {

/// Pause after accept() failed. It fails for as long as the process has no free descriptor; trying
/// on at full speed would only burn a core.
inline constexpr std::chrono::milliseconds accept_retry_time(100);

/// Binds and listens; waits for a port that is taken as long as the settings say. None, or what the
/// system said and about which address.
Error listen_on(boost::asio::ip::tcp::acceptor& acceptor, const SocketSettings& settings);

/// Options of an accepted socket. None of them decides about correctness, so failures are ignored.
void set_options(int socket, const SocketSettings& settings);

/// "127.0.0.1:51234", "[::1]:51234" or "unknown".
std::string peer_name(int socket);

}  // namespace vicinity::net
