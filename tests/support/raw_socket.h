// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A plain blocking TCP socket to loopback for tests that speak to the server byte by byte. It knows
// the length prefix and nothing else, and shares no code with either side. Every wait has a limit.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace vicinity::test {

using Bytes = std::vector<std::uint8_t>;
using Milliseconds = std::chrono::milliseconds;
inline constexpr Milliseconds patience{10'000};

/// Prefix and body.
inline Bytes framed(std::span<const std::uint8_t> body) {
  const auto size = static_cast<std::uint32_t>(body.size());
  Bytes frame{static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size >> 8),
              static_cast<std::uint8_t>(size >> 16), static_cast<std::uint8_t>(size >> 24)};
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

/// What a RawSocket speaks instead of plain bytes; the socket below does not block. Results as of
/// send() and recv(): -1 with EAGAIN when the other side has to act first.
class SocketLayer {
 public:
  virtual ~SocketLayer() = default;
  virtual ssize_t send(const std::uint8_t* data, std::size_t size) = 0;
  virtual ssize_t receive(std::uint8_t* data, std::size_t size) = 0;
  virtual bool has_pending() const = 0;  ///< bytes that were read from the system already
  virtual void shutdown_write() = 0;
};

/// Makes the layer of every socket that connects, and null where that fails; absent: plain bytes.
using NewSocketLayer = std::function<std::unique_ptr<SocketLayer>(int fd)>;
inline NewSocketLayer& new_socket_layer() {
  static NewSocketLayer make;
  return make;
}

class RawSocket {
 public:
  /// A socket that is not connected yet. A small receive buffer makes a slow reader of it.
  explicit RawSocket(int receive_buffer_bytes = 0) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer_bytes > 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
  }
  RawSocket(RawSocket&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        layer_(std::move(other.layer_)),
        input_(std::move(other.input_)),
        ended_(other.ended_) {}
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;
  RawSocket& operator=(RawSocket&&) = delete;
  ~RawSocket() { close(); }

  static RawSocket connected(std::uint16_t port, int receive_buffer_bytes = 0) {
    RawSocket socket(receive_buffer_bytes);
    socket.connect(port);
    return socket;
  }

  bool connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return false;
    if (!new_socket_layer()) return true;
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
    layer_ = new_socket_layer()(fd_);
    ended_ = layer_ == nullptr;
    return !ended_;
  }

  /// False when the peer is gone or takes nothing for `limit`.
  bool write(std::span<const std::uint8_t> bytes, Milliseconds limit = patience) {
    while (!bytes.empty()) {
      if (!ready(POLLOUT, limit)) return false;
      if (ended_ && !layer_ && new_socket_layer()) return false;
      const auto sent = layer_
                            ? layer_->send(bytes.data(), bytes.size())
                            : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) continue;
      if (sent <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// Body of the next frame; nothing at the end of the stream or after `limit` of silence.
  std::optional<Bytes> read_frame(Milliseconds limit = patience) {
    if (!fill(4, limit)) return std::nullopt;
    const std::size_t size = static_cast<std::size_t>(input_[0]) | std::size_t{input_[1]} << 8 |
                             std::size_t{input_[2]} << 16 | std::size_t{input_[3]} << 24;
    if (!fill(4 + size, limit)) return std::nullopt;
    const auto end = input_.begin() + static_cast<std::ptrdiff_t>(4 + size);
    Bytes body(input_.begin() + 4, end);
    input_.erase(input_.begin(), end);
    return body;
  }

  /// The next bytes, exactly so many; nothing at the end of the stream or after `limit` of silence.
  std::optional<Bytes> read_bytes(std::size_t size, Milliseconds limit = patience) {
    if (!fill(size, limit)) return std::nullopt;
    const auto end = input_.begin() + static_cast<std::ptrdiff_t>(size);
    Bytes bytes(input_.begin(), end);
    input_.erase(input_.begin(), end);
    return bytes;
  }

  /// True when the peer closed (in order or by reset) within `limit`; what arrives is thrown away.
  bool wait_for_end(Milliseconds limit = patience) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < end) {
      if (receive(Milliseconds(50)) == Received::End) return true;
      input_.clear();
    }
    return false;
  }

  /// The peer has closed, and all that came before has been read from the system.
  bool ended() const { return ended_; }

  void shutdown_write() {
    if (layer_) layer_->shutdown_write();
    ::shutdown(fd_, SHUT_WR);
  }
  /// Ends the connection with a reset instead of in order.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() {
    layer_.reset();
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  enum class Received { Some, Nothing, End };

  bool ready(short events, Milliseconds limit) const {
    pollfd entry{fd_, events, 0};
    return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
  }
  Received receive(Milliseconds limit) {
    const bool waiting = layer_ && layer_->has_pending();
    if (!waiting && !ready(POLLIN, limit)) return Received::Nothing;
    std::uint8_t buffer[64 * 1024];
    const auto size =
        layer_ ? layer_->receive(buffer, sizeof buffer) : ::recv(fd_, buffer, sizeof buffer, 0);
    if (size < 0 && layer_ && errno == EAGAIN) return receive(limit);  // a part of a record
    if (size <= 0) {
      ended_ = true;
      return Received::End;
    }
    input_.insert(input_.end(), buffer, buffer + size);
    return Received::Some;
  }
  bool fill(std::size_t size, Milliseconds limit) {
    while (input_.size() < size)
      if (receive(limit) != Received::Some) return false;
    return true;
  }

  int fd_;
  std::unique_ptr<SocketLayer> layer_;
  Bytes input_;
  bool ended_ = false;
};

}  // namespace vicinity::test
