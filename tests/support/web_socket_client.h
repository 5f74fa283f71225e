// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The client's side of the WebSocket protocol (RFC 6455) over a plain socket, by hand: what a test
// wants to break can be broken, and no code is shared with the server. Its key is the one of the
// RFC's example, whose answer is known.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "support/raw_socket.h"

namespace vicinity::test {

inline constexpr const char* example_key = "dGhlIHNhbXBsZSBub25jZQ==";
inline constexpr const char* example_accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

enum class Opcode : std::uint8_t {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10
};

struct WebSocketFrame {
  Opcode opcode = Opcode::Binary;
  bool last = true;
  Bytes payload;
  /// Of a close frame; 0 when it has none.
  int close_code() const {
    if (opcode != Opcode::Close || payload.size() < 2) return 0;
    return payload[0] << 8 | payload[1];
  }
};

struct FrameOptions {
  Opcode opcode = Opcode::Binary;
  bool last = true;
  bool masked = true;
  std::uint8_t reserved_bits = 0;  ///< 0x10, 0x20, 0x40
  /// Announced instead of the payload's true length.
  std::optional<std::uint64_t> announced = std::nullopt;
};

inline Bytes web_socket_frame(std::span<const std::uint8_t> payload,
                              const FrameOptions& options = {}) {
  constexpr std::uint8_t mask[4] = {0x37, 0xFA, 0x21, 0x3D};
  const auto flags = static_cast<std::uint8_t>(options.reserved_bits | (options.last ? 0x80 : 0));
  const auto mask_bit = static_cast<std::uint8_t>(options.masked ? 0x80 : 0);
  const std::uint64_t size = options.announced.value_or(payload.size());
  Bytes out{static_cast<std::uint8_t>(flags | static_cast<std::uint8_t>(options.opcode))};
  int size_bytes = 0;
  if (size < 126) {
    out.push_back(static_cast<std::uint8_t>(mask_bit | size));
  } else {
    size_bytes = size < 65536 ? 2 : 8;
    out.push_back(static_cast<std::uint8_t>(mask_bit | (size_bytes == 2 ? 126 : 127)));
  }
  for (int i = size_bytes - 1; i >= 0; --i) out.push_back(static_cast<std::uint8_t>(size >> 8 * i));
  if (options.masked) out.insert(out.end(), mask, mask + 4);
  for (std::size_t i = 0; i < payload.size(); ++i)
    out.push_back(options.masked ? static_cast<std::uint8_t>(payload[i] ^ mask[i % 4])
                                 : payload[i]);
  return out;
}

/// A request that a server must accept; `headers` are whole lines.
inline std::string upgrade_request(const std::string& headers = {}) {
  return "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " +
         std::string(example_key) + "\r\n" + headers + "\r\n";
}

class WebSocketClient {
 public:
  explicit WebSocketClient(std::uint16_t port, int receive_buffer_bytes = 0)
      : socket_(RawSocket::connected(port, receive_buffer_bytes)) {}

  /// One that is past the upgrade.
  static WebSocketClient upgraded(std::uint16_t port, int receive_buffer_bytes = 0) {
    WebSocketClient client(port, receive_buffer_bytes);
    client.write(upgrade_request());
    client.read_response();
    return client;
  }

  RawSocket& socket() { return socket_; }
  bool write(std::string_view text) {
    return socket_.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
  /// Header of an HTTP response, with the empty line; what there was when the stream ended.
  std::string read_response() {
    std::string header;
    while (!header.ends_with("\r\n\r\n")) {
      const auto byte = socket_.read_bytes(1);
      if (!byte) break;
      header += static_cast<char>(byte->front());
    }
    return header;
  }

  bool send(std::span<const std::uint8_t> payload, const FrameOptions& options = {}) {
    return socket_.write(web_socket_frame(payload, options));
  }
  bool send_text(std::string_view text, const FrameOptions& options = {}) {
    return send({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, options);
  }

  /// The next frame; nothing at the end of the stream, or when it is one that no server may send.
  std::optional<WebSocketFrame> read(Milliseconds limit = patience) {
    const auto head = socket_.read_bytes(2, limit);
    if (!head || ((*head)[0] & 0x70) != 0 || ((*head)[1] & 0x80) != 0) return std::nullopt;
    std::uint64_t size = (*head)[1];
    if (size >= 126) {
      const auto more = socket_.read_bytes(size == 126 ? 2 : 8, limit);
      if (!more) return std::nullopt;
      size = 0;
      for (const std::uint8_t byte : *more) size = size << 8 | byte;
    }
    auto payload = socket_.read_bytes(size, limit);
    if (!payload) return std::nullopt;
    return WebSocketFrame{static_cast<Opcode>((*head)[0] & 0x0F), ((*head)[0] & 0x80) != 0,
                          std::move(*payload)};
  }
  /// Payload of the next frame when it is a whole binary message.
  std::optional<Bytes> read_message(Milliseconds limit = patience) {
    auto frame = read(limit);
    if (!frame || frame->opcode != Opcode::Binary || !frame->last) return std::nullopt;
    return std::move(frame->payload);
  }
  /// Code of the next frame when it is a close frame, which is answered; 0 when it is none.
  int read_close() {
    const auto frame = read();
    if (!frame || frame->opcode != Opcode::Close) return 0;
    send(frame->payload, {.opcode = Opcode::Close});
    return frame->close_code();
  }

 private:
  RawSocket socket_;
};

}  // namespace vicinity::test
