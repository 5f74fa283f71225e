// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/web_socket_stream.h"

namespace vicinity::net {

void WebSocketStream::write_now(const std::string& text) {
  if (!tls_) {
    ErrorOfAsio ignored;
    socket_.write_some(boost::asio::buffer(text), ignored);
  } else if (tls_->established()) {
    (void)tls_->write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  }
}

void WebSocketStream::shut_sending() {
  if (tls_) tls_->shut();
  ErrorOfAsio ignored;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, ignored);
}

WebSocketStream::ErrorOfAsio WebSocketStream::error_of(const TlsStep& step) const {
  if (step.outcome == TlsStep::Outcome::Done) return {};
  if (step.outcome == TlsStep::Outcome::Ended) return boost::asio::error::eof;
  return boost::asio::error::connection_aborted;
}

std::string WebSocketStream::reason_of(const ErrorOfAsio& error) const {
  const bool is_fault = tls_ && error == boost::asio::error::connection_aborted;
  return is_fault ? tls_->fault() : error.message();
}

}  // namespace vicinity::net
