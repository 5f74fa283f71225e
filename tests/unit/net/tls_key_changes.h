// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Clients over TLS that change their keys (KeyUpdate of TLS 1.3), and a handler that remembers why
// connections ended.

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>

#include <mutex>
#include <string>

#include "recording_handler.h"
#include "support/tls_layer.h"

namespace vicinity::net {

/// The client's end that shook hands last. Valid while its socket lives.
inline SSL*& last_tls_client() {
  static SSL* client = nullptr;
  return client;
}

/// From now on clients of `carrier` are found in last_tls_client().
inline void watch_clients(test::TlsCarrier& carrier) {
  SSL_CTX_set_info_callback(carrier.context(), [](const SSL* client, int where, int) {
    if ((where & SSL_CB_HANDSHAKE_START) != 0) last_tls_client() = const_cast<SSL*>(client);
  });
}

/// Sends one change of keys; `kind` asks the server to change its own as well, or not. False when
/// the server is gone.
inline bool change_keys(SSL* client, int kind = SSL_KEY_UPDATE_NOT_REQUESTED) {
  ERR_clear_error();
  if (SSL_key_update(client, kind) != 1) return false;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_do_handshake(client);
    if (result == 1) return true;
    if (SSL_get_error(client, result) != SSL_ERROR_WANT_WRITE) return false;
    pollfd entry{SSL_get_fd(client), POLLOUT, 0};
    if (::poll(&entry, 1, static_cast<int>(test::patience.count())) <= 0) return false;
  }
}

/// Changes keys without end, or until the server is gone.
inline void change_keys_without_end(SSL* client) {
  for (int count = 0; count < 200'000 && change_keys(client); ++count) {
  }
}

class CauseHandler final : public RecordingHandler {
 public:
  using RecordingHandler::RecordingHandler;

  void on_close(const Link& connection, const CloseCause& cause) override {
    {
      const std::lock_guard lock(text_mutex_);
      text_ = cause.text;
    }
    RecordingHandler::on_close(connection, cause);
  }
  /// Of the connection that ended last.
  std::string text() const {
    const std::lock_guard lock(text_mutex_);
    return text_;
  }

 private:
  mutable std::mutex text_mutex_;
  std::string text_;
};

}  // namespace vicinity::net
