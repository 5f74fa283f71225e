// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One accepted connection that answers from a script: what the client sends is decoded by the
// server's own decoder and handed to a function, which returns the bytes to answer with. Lives on
// the io_context of the test, so that nothing in a test waits for a thread.

#include <array>
#include <boost/asio.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/framing.h"
#include "base/limits.h"
#include "wire/decode.h"
#include "wire/encode.h"

namespace vicinity::client {

using Bytes = std::vector<std::uint8_t>;

inline Bytes welcome_bytes(Role role = Role::Authority) {
  wire::WelcomeInfo info;
  info.session = {3};
  info.role = role;
  info.tick_mode = wire::TickMode::Manual;
  info.tick = 7;
  info.server_version = "0.1.0";
  info.world_half_size_m = 1000;
  Bytes out;
  wire::encode_welcome(info, out);
  return out;
}

class ScriptedServer {
 public:
  /// Answer to one message; `hang_up` closes the connection behind it.
  struct Answer {
    Bytes bytes;
    bool hang_up = false;
  };
  using Script = std::function<Answer(const wire::ClientMessage&)>;

  ScriptedServer(boost::asio::io_context& io, Script script)
      : script_(std::move(script)),
        acceptor_(io, {boost::asio::ip::address_v4::loopback(), 0}),
        socket_(io) {
    acceptor_.async_accept(socket_, [this, alive = alive()](const boost::system::error_code& code) {
      if (!alive.expired() && !code) read();
    });
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const std::vector<wire::ClientMessage>& received() const { return received_; }
  bool peer_gone() const { return peer_gone_; }
  void send(const Bytes& bytes) { boost::asio::write(socket_, boost::asio::buffer(bytes)); }

  template <class Message>
  std::size_t count() const {
    std::size_t found = 0;
    for (const auto& message : received_) found += std::holds_alternative<Message>(message) ? 1 : 0;
    return found;
  }

 private:
  void read() {
    const auto on_read = [this, alive = alive()](const auto& code, std::size_t n) {
      if (alive.expired()) return;
      peer_gone_ = static_cast<bool>(code);
      if (code) return;
      std::span<const std::uint8_t> bytes(input_.data(), n);
      while (const auto body = reader_.next(bytes)) {
        auto message = wire::decode_client_message(*body, {limits::world_half_size_m});
        received_.push_back(std::move(message.value()));
        const Answer answer = script_(received_.back());
        send(answer.bytes);
        if (answer.hang_up) return socket_.close();
      }
      read();
    };
    socket_.async_read_some(boost::asio::buffer(input_), on_read);
  }
  /// Handlers outlive this object when a test replaces its server; they ask before they touch it.
  std::weak_ptr<bool> alive() const { return alive_; }

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  Script script_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ip::tcp::socket socket_;
  std::array<std::uint8_t, 4096> input_{};
  FrameReader reader_{limits::client_frame_bytes_max};
  std::vector<wire::ClientMessage> received_;
  bool peer_gone_ = false;
};

}  // namespace vicinity::client
