// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/server_socket.h"

#include <algorithm>
#include <utility>

#include "net/asio_server.h"
#ifdef VICINITY_IO_URING
#include "net/uring_server.h"
#endif

namespace vicinity::net {
namespace {

using OpenResult = Result<std::unique_ptr<ServerSocket>, Error>;

OpenResult open_epoll(const SocketSettings& settings, ConnectionHandler& handler,
                      const Error& no_uring = {}) {
  auto server = std::make_unique<AsioServer>(settings, handler);
  if (no_uring.code != ErrorCode::None) server->set_engine_reason(no_uring.text);
  Error error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<ServerSocket>(std::move(server));
}

#ifdef VICINITY_IO_URING
OpenResult open_uring(const SocketSettings& settings, ConnectionHandler& handler) {
  auto server = std::make_unique<UringServer>(settings, handler);
  Error error = server->set_up();
  if (error.code != ErrorCode::None) {
    if (settings.engine == Engine::Auto) return open_epoll(settings, handler, error);
    return error;
  }
  if (settings.engine == Engine::Auto) server->set_engine_reason("the kernel allows it");
  error = server->listen();
  if (error.code != ErrorCode::None) return error;
  return std::unique_ptr<ServerSocket>(std::move(server));
}
#else
OpenResult open_uring(const SocketSettings& settings, ConnectionHandler& handler) {
  const Error error{ErrorCode::Internal, "io_uring is not to be had: built without liburing"};
  if (settings.engine == Engine::Auto) return open_epoll(settings, handler, error);
  return error;
}
#endif

}  // namespace

SocketStats sum(const SocketStats& a, const SocketStats& b) {
  SocketStats out;
  out.accepted = a.accepted + b.accepted;
  out.refused = a.refused + b.refused;
  out.evicted = a.evicted + b.evicted;
  out.turned_away = a.turned_away + b.turned_away;
  out.accept_errors = a.accept_errors + b.accept_errors;
  out.open = a.open + b.open;
  out.bytes_in = a.bytes_in + b.bytes_in;
  out.bytes_out = a.bytes_out + b.bytes_out;
  out.frames_offered = a.frames_offered + b.frames_offered;
  out.frames_sent = a.frames_sent + b.frames_sent;
  out.slow_consumers = a.slow_consumers + b.slow_consumers;
  out.frame_lateness_p99_us = std::max(a.frame_lateness_p99_us, b.frame_lateness_p99_us);
  return out;
}

OpenResult ServerSocket::open(const SocketSettings& settings, ConnectionHandler& handler) {
  if (settings.tls && settings.engine == Engine::IoUring)
    return Error{ErrorCode::Internal, "io_uring is not to be had with TLS; take auto or epoll"};
  if (settings.tls && settings.engine == Engine::Auto)
    return open_epoll(settings, handler, {ErrorCode::Internal, "the only one for TLS"});
  return settings.engine == Engine::Epoll ? open_epoll(settings, handler)
                                          : open_uring(settings, handler);
}

}  // namespace vicinity::net
