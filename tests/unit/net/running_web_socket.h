// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A listening WebSocket with its threads, for one test, and what its clients read as text.

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "net/web_socket_server.h"
#include "recording_handler.h"
#include "support/web_socket_client.h"

namespace vicinity::net {

struct RunningWebSocket {
  RunningWebSocket(const WebSocketSettings& settings, ConnectionHandler& handler) {
    auto opened = open_web_socket(settings, handler);
    CHECK(opened.ok());
    socket = std::move(opened.value());
    socket->start();
  }
  test::WebSocketClient client() const { return test::WebSocketClient::upgraded(socket->port()); }
  std::uint16_t port() const { return socket->port(); }
  std::unique_ptr<ServerSocket> socket;
};

/// The next message as text, "<none>" when what comes is none.
inline std::string read_text(test::WebSocketClient& client) {
  const auto body = client.read_message();
  return body ? text_of(*body) : "<none>";
}

inline int close_code(ErrorCode code) { return web_socket_close_code(code); }

inline const auto authenticate_all = [](const RecordingHandler::Link& link, const std::string&) {
  (void)link->authenticated();
};

}  // namespace vicinity::net
