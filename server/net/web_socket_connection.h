// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A connection whose frames travel as WebSocket messages. Boost.Beast, which knows the protocol,
// is included by the .cpp alone. Net room.

#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <memory>

#include "net/asio_loop.h"
#include "net/connection_core.h"
#include "net/web_socket_origins.h"

namespace vicinity::net {

/// `socket` belongs to the context of `loop`. Pages of other than these origins are refused.
std::shared_ptr<ConnectionCore> make_web_socket_connection(
    const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
    boost::asio::ip::tcp::socket socket, std::shared_ptr<const WebSocketOrigins> origins);

}  // namespace vicinity::net
