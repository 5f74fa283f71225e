// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

#include "cases/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"
#include "client/encode.h"

namespace vicinity::cases {

namespace {

constexpr int answer_deadline_ms = 30'000;
constexpr std::size_t receive_bytes = 64 * 1024;

}  // namespace

RawClient::RawClient() : reader_(limits::server_frame_bytes_max), received_(receive_bytes) {}

RawClient::~RawClient() {
  if (socket_ >= 0) close(socket_);
}

std::string RawClient::connect(std::uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return "cannot connect";
  // Every write is a segment of its own.
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  client::ConnectOptions options;
  options.client_name = "vicinity-cases";
  options.role = Role::Authority;
  std::vector<std::uint8_t> hello;
  client::encode_hello(options, hello);
  if (!write(hello)) return "cannot write the hello";
  const auto answer = read();
  if (!answer) return answer.error().text;
  return std::holds_alternative<client::Welcome>(answer.value()) ? "" : "no welcome";
}

bool RawClient::write(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

Error RawClient::receive() {
  pollfd waiting{socket_, POLLIN, 0};
  if (poll(&waiting, 1, answer_deadline_ms) != 1) return {ErrorCode::Internal, "no answer"};
  const ssize_t size = recv(socket_, received_.data(), received_.size(), 0);
  if (size <= 0) return {ErrorCode::Internal, "the server closed the connection"};
  unread_ = std::span(received_).first(static_cast<std::size_t>(size));
  return {};
}

Result<client::ServerMessage, Error> RawClient::read() {
  while (true) {
    if (const auto body = reader_.next(unread_))
      return client::decode_server_message(*body, views_, joiner_);
    if (reader_.failed() != ErrorCode::None) return Error{reader_.failed(), "broken frames"};
    if (const Error error = receive(); error.code != ErrorCode::None) return error;
  }
}

}  // namespace vicinity::cases
