// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The WebSocket carrier, with TLS (wss) or without: a listener of its own for clients that cannot
// open TCP connections, such as those in browsers. One binary message is one frame body, without
// the length prefix; all else is as over TCP, and the owner sees the same Connection. Net room.
//
//      TCP         | length | body | length | body |
//      WebSocket   [ message: body ][ message: body ]
//
// The handshake deadline runs from accept, so it covers the HTTP upgrade and the hello. The last
// frame for a peer goes as a message like all others; behind it comes a close frame, whose code is
// 1000 when there was no error, else 4000 + ErrorCode. Who breaks the WebSocket protocol itself
// gets a close frame only, who fails the upgrade an HTTP response.

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/result.h"
#include "net/server_socket.h"

namespace vicinity::net {

struct WebSocketSettings : SocketSettings {
  /// Origins, such as https://example.org, whose pages may connect, separated by commas; `*` is
  /// all of them. Requests without an Origin come from no browser and are always let in.
  std::string origins;
};

/// Code of the close frame that tells a peer of `error`.
constexpr std::uint16_t web_socket_close_code(ErrorCode error) {
  if (error == ErrorCode::None) return 1000;
  return static_cast<std::uint16_t>(4000 + static_cast<std::uint16_t>(error));
}

/// Binds and listens; the error text names address, port and the system's reason. `handler`
/// outlives the socket. SocketSettings::engine is not looked at: it is epoll. To show both
/// carriers to one handler, give their settings the same SocketSettings::ids; on_refused may then
/// be called by both at the same time.
Result<std::unique_ptr<ServerSocket>, Error> open_web_socket(const WebSocketSettings& settings,
                                                             ConnectionHandler& handler);

}  // namespace vicinity::net
