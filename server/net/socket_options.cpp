// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <thread>

namespace vicinity::net {
namespace {

using boost::asio::ip::tcp;

/// Between two attempts to get a port that is taken.
constexpr std::chrono::milliseconds port_retry_time(20);

boost::system::error_code bind_and_listen(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
  boost::system::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(boost::asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(boost::asio::socket_base::max_listen_connections, error);
  boost::system::error_code ignored;
  if (error) acceptor.close(ignored);
  return error;
}

void set_option(int socket, int level, int name, std::uint32_t value) {
  (void)::setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

Error listen_on(tcp::acceptor& acceptor, const SocketSettings& settings) {
  const std::string name = settings.address + " port " + std::to_string(settings.port);
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(settings.address, error);
  const auto failure = [&] {
    return Error{ErrorCode::Internal, "cannot listen on " + name + ": " + error.message()};
  };
  if (error) return failure();
  using Clock = std::chrono::steady_clock;
  const auto patience_ends = Clock::now() + std::chrono::milliseconds(settings.port_patience_ms);
  const tcp::endpoint endpoint(address, settings.port);
  for (bool waits = false;; waits = true) {
    error = bind_and_listen(acceptor, endpoint);
    if (!error) return {};
    if (error != boost::asio::error::address_in_use || Clock::now() >= patience_ends)
      return failure();
    if (!waits && settings.on_port_wait) settings.on_port_wait(failure());
    std::this_thread::sleep_for(port_retry_time);
  }
}

void set_options(int socket, const SocketSettings& settings) {
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (settings.notsent_lowat_bytes > 0)
    set_option(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, settings.notsent_lowat_bytes);
  if (settings.user_timeout_ms > 0)
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, settings.user_timeout_ms);
  if (settings.send_buffer_bytes > 0)
    set_option(socket, SOL_SOCKET, SO_SNDBUF, settings.send_buffer_bytes);
}

std::string peer_name(int socket) {
  tcp::endpoint endpoint;
  auto size = static_cast<socklen_t>(endpoint.capacity());
  if (::getpeername(socket, endpoint.data(), &size) != 0) return "unknown";
  endpoint.resize(size);
  const std::string address = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + address + "]:" + port : address + ":" + port;
}

}  // namespace vicinity::net
