// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A peer on loopback that sends any bytes, in pieces, ends its half and takes what is answered
// until the other half ends as well. Nothing here has a time limit: a server that does not come to
// an end is what the fuzzer's own limit is for.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"

namespace vicinity::fuzz {

using BytesView = std::span<const std::uint8_t>;

/// The alarms of libFuzzer interrupt system calls.
template <class Call>
ssize_t retried(Call call) {
  ssize_t result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

inline int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(socket >= 0);
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // From another address each time: the ports of one would soon all wait for late segments.
  static std::uint32_t count = 0;
  sockaddr_in from{};
  from.sin_family = AF_INET;
  from.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++count % 0xFF'0000u);
  CHECK(::bind(socket, reinterpret_cast<const sockaddr*>(&from), sizeof from) == 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  int result = ::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  if (result != 0 && errno == EINTR) {  // it goes on by itself
    pollfd connected{socket, POLLOUT, 0};
    retried([&] { return ::poll(&connected, 1, -1); });
    socklen_t size = sizeof result;
    CHECK(::getsockopt(socket, SOL_SOCKET, SO_ERROR, &result, &size) == 0);
  }
  CHECK(result == 0);
  return socket;
}

inline void send_pieces(int socket, BytesView bytes, std::size_t piece_bytes) {
  const std::size_t step = piece_bytes == 0 ? std::max<std::size_t>(bytes.size(), 1) : piece_bytes;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(step, bytes.size()));
    const ssize_t sent =
        retried([&] { return ::send(socket, piece.data(), piece.size(), MSG_NOSIGNAL); });
    if (sent <= 0) return;  // the server has ended it already
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
}

/// False at the end of the stream.
inline bool receive(int socket, std::string& answer) {
  char buffer[4096];
  const ssize_t size = retried([&] { return ::recv(socket, buffer, sizeof buffer, 0); });
  if (size > 0) answer.append(buffer, static_cast<std::size_t>(size));
  return size > 0;
}

/// What the server on this port of 127.0.0.1 answers. `opening`, when there is one, goes first and
/// is waited for until a header came back. `piece_bytes`: 0 = all at once.
inline std::string exchange(std::uint16_t port, std::string_view opening, BytesView bytes,
                            std::size_t piece_bytes) {
  const int socket = connect_to(port);
  std::string answer;
  if (!opening.empty()) {
    send_pieces(socket, {reinterpret_cast<const std::uint8_t*>(opening.data()), opening.size()}, 0);
    while (answer.find("\r\n\r\n") == std::string::npos && receive(socket, answer)) continue;
  }
  send_pieces(socket, bytes, piece_bytes);
  ::shutdown(socket, SHUT_WR);
  while (receive(socket, answer)) continue;
  ::close(socket);
  return answer;
}

}  // namespace vicinity::fuzz
