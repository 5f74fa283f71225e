// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/server_socket.h"

#include <utility>

#include "net/asio_server.h"

namespace vicinity::net {

Result<std::unique_ptr<ServerSocket>, Error> ServerSocket::open(const SocketSettings& settings,
                                                                ConnectionHandler& handler) {
  if (settings.engine == Engine::IoUring)
    return Error{ErrorCode::Internal, "io_uring is not to be had: built without liburing"};
  auto server = std::make_unique<AsioServer>(settings, handler);
  Error error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<ServerSocket>(std::move(server));
}

}  // namespace vicinity::net
