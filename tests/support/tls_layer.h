// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// TLS under a RawSocket: the client's end, which trusts everybody. While a TlsCarrier lives, every
// RawSocket that connects shakes hands first.

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <csignal>
#include <memory>

#include "support/raw_socket.h"

namespace vicinity::test {

class TlsLayer final : public SocketLayer {
 public:
  TlsLayer(int fd, SSL_CTX* context) : fd_(fd), ssl_(SSL_new(context), SSL_free) {
    SSL_set_fd(ssl_.get(), fd);
    SSL_set_connect_state(ssl_.get());
  }
  bool shake_hands() {
    for (;;) {
      ERR_clear_error();
      const int result = SSL_do_handshake(ssl_.get());
      if (result == 1) return true;
      const int error = SSL_get_error(ssl_.get(), result);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
      const auto events = static_cast<short>(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
      pollfd entry{fd_, events, 0};
      if (::poll(&entry, 1, static_cast<int>(patience.count())) <= 0) return false;
    }
  }

  ssize_t send(const std::uint8_t* data, std::size_t size) override {
    return outcome(SSL_write(ssl_.get(), data, static_cast<int>(size)));
  }
  ssize_t receive(std::uint8_t* data, std::size_t size) override {
    return outcome(SSL_read(ssl_.get(), data, static_cast<int>(size)));
  }
  bool has_pending() const override { return SSL_pending(ssl_.get()) > 0; }
  void shutdown_write() override {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
  }

 private:
  ssize_t outcome(int result) {
    if (result > 0) return result;
    const int error = SSL_get_error(ssl_.get(), result);
    ERR_clear_error();
    if (error == SSL_ERROR_ZERO_RETURN) return 0;
    errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : EPROTO;
    return -1;
  }

  int fd_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
};

class TlsCarrier {
 public:
  TlsCarrier() : context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes as write() does
    SSL_CTX_set_mode(context_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                         SSL_MODE_RELEASE_BUFFERS);
    new_socket_layer() = [this](int fd) -> std::unique_ptr<SocketLayer> {
      auto layer = std::make_unique<TlsLayer>(fd, context_.get());
      if (!layer->shake_hands()) return nullptr;
      return layer;
    };
  }
  ~TlsCarrier() { new_socket_layer() = nullptr; }
  TlsCarrier(const TlsCarrier&) = delete;
  TlsCarrier& operator=(const TlsCarrier&) = delete;

  SSL_CTX* context() { return context_.get(); }

 private:
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
};

}  // namespace vicinity::test
