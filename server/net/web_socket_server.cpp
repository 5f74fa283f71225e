// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_server.h"

#include <memory>
#include <utility>

#include "net/asio_server.h"
#include "net/web_socket_connection.h"
#include "net/web_socket_origins.h"

namespace vicinity::net {

Result<std::unique_ptr<ServerSocket>, Error> open_web_socket(const WebSocketSettings& settings,
                                                             ConnectionHandler& handler) {
  const auto origins = std::make_shared<const WebSocketOrigins>(settings.origins);
  auto server = std::make_unique<AsioServer>(
      settings, handler,
      [origins](const ConnectionContext& context, AsioLoop& loop, std::uint64_t id,
                boost::asio::ip::tcp::socket socket) {
        return make_web_socket_connection(context, loop, id, std::move(socket), origins);
      });
  server->set_engine_reason("the only one for WebSocket");
  Error error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<ServerSocket>(std::move(server));
}

}  // namespace vicinity::net
