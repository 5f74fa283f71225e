// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A server of many connections, one after the other, that answers from a script with messages
// written as JSON. What it received is decoded by the server's own decoder. Lives on an io_context
// of the test, which runs it between the turns of the client.

#include <array>
#include <boost/asio.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/framing.h"
#include "base/limits.h"
#include "support/json_frame.h"
#include "wire/decode.h"

namespace vicinity::client {

class SessionServer {
 public:
  using Bytes = std::vector<std::uint8_t>;
  /// `connection` counts from 0.
  using Script = std::function<void(std::size_t connection, const wire::ClientMessage&)>;

  explicit SessionServer(Script script)
      : script_(std::move(script)), acceptor_(io_, {boost::asio::ip::address_v4::loopback(), 0}) {
    accept();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  void poll() { io_.poll(); }
  std::size_t connection_count() const { return connections_.size(); }

  /// Sends one message, as JSON, on the newest connection.
  void send(const std::string& type, const std::string& content) {
    const Bytes body =
        test::server_schema().body("{body_type: '" + type + "', body: {" + content + "}}");
    Bytes bytes;
    append_frame(body, bytes);
    boost::system::error_code ignored;
    boost::asio::write(connections_.back()->socket, boost::asio::buffer(bytes), ignored);
  }
  void welcome(const std::string& more = "") {
    send("Welcome",
         "protocol: 3, session: 1, role: 'Authority', tick_rate_hz: 20, position_resolution_m: "
         "0.5, resume_token: 'token" +
             std::to_string(connections_.size()) +
             "', limits: {client_frame_bytes_max: 65536, server_frame_bytes_max: 1048576, "
             "commands_per_frame_max: 1024}" +
             (more.empty() ? "" : ", " + more));
  }
  void hang_up() { connections_.back()->socket.close(); }

  std::vector<wire::HelloMessage> hellos;
  /// Sequences of all commands, in the order of their arrival.
  std::vector<std::uint64_t> sequences;
  /// Queries and steps.
  std::size_t question_count = 0;

 private:
  struct Peer {
    explicit Peer(boost::asio::io_context& io) : socket(io) {}
    boost::asio::ip::tcp::socket socket;
    std::array<std::uint8_t, 4096> input{};
    FrameReader reader{limits::client_frame_bytes_max};
  };

  void accept() {
    auto peer = std::make_shared<Peer>(io_);
    acceptor_.async_accept(peer->socket, [this, peer](const boost::system::error_code& code) {
      if (code) return;
      connections_.push_back(peer);
      read(peer, connections_.size() - 1);
      accept();
    });
  }
  void read(const std::shared_ptr<Peer>& peer, std::size_t number) {
    peer->socket.async_read_some(
        boost::asio::buffer(peer->input), [this, peer, number](const auto& code, std::size_t n) {
          if (code) return;
          std::span<const std::uint8_t> bytes(peer->input.data(), n);
          while (const auto body = peer->reader.next(bytes)) {
            auto message = wire::decode_client_message(*body, {limits::world_half_size_m});
            if (!message) continue;
            note(message.value());
            script_(number, message.value());
          }
          if (peer->socket.is_open()) read(peer, number);
        });
  }
  void note(const wire::ClientMessage& message) {
    if (const auto* hello = std::get_if<wire::HelloMessage>(&message)) hellos.push_back(*hello);
    if (const auto* commands = std::get_if<wire::CommandsMessage>(&message))
      for (const auto& command : commands->commands) sequences.push_back(command.sequence);
    if (std::holds_alternative<wire::QueryMessage>(message) ||
        std::holds_alternative<wire::StepMessage>(message))
      ++question_count;
  }

  Script script_;
  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::vector<std::shared_ptr<Peer>> connections_;
};

}  // namespace vicinity::client
