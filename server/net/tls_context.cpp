// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace vicinity::net {
namespace {

using Context = std::shared_ptr<ssl_ctx_st>;

/// `what` is wrong, in our words; behind it those of OpenSSL.
Error fault_of(const std::string& file, const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  std::string text = file + ": " + what;
  if (reason != nullptr) text += std::string(" (") + reason + ")";
  ERR_clear_error();
  return {ErrorCode::Internal, std::move(text)};
}

/// None, or why the system does not let us read it: OpenSSL would only say "system lib".
Error read_fault(const std::string& setting, const std::string& path) {
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  const bool readable = file && (std::fgetc(file.get()) != EOF || std::ferror(file.get()) == 0);
  if (readable) return {};
  return {ErrorCode::Internal,
          setting + " " + path + ": " + std::generic_category().message(errno)};
}

/// Instead of asking on the terminal.
int no_password(char*, int, int, void*) { return -1; }

Context new_context() {
  Context context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return nullptr;
  SSL_CTX* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(raw, "ECDHE+AESGCM:ECDHE+CHACHA20");
  // Frames say where they end, and Goodbye where a session does: who closes without a word of TLS
  // hides nothing by it.
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 0);
  // A silent connection holds no buffers, and the outbox may move what waits to be written.
  SSL_CTX_set_mode(raw, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                            SSL_MODE_RELEASE_BUFFERS);
  // A read returns behind each record without data: a peer that sends nothing else must not keep
  // the thread within one call.
  SSL_CTX_clear_mode(raw, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_default_passwd_cb(raw, no_password);
  return context;
}

Result<Context, Error> read_context(const std::string& certificate_file,
                                    const std::string& private_key_file) {
  ERR_clear_error();
  Context context = new_context();
  if (!context) return fault_of("TLS", "cannot be had");
  Error error = read_fault("tls_certificate", certificate_file);
  if (error.code == ErrorCode::None) error = read_fault("tls_private_key", private_key_file);
  if (error.code != ErrorCode::None) return error;
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1)
    return fault_of("tls_certificate " + certificate_file, "no certificate in PEM");
  if (SSL_CTX_use_PrivateKey_file(context.get(), private_key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return fault_of("tls_private_key " + private_key_file,
                    "no private key in PEM that belongs to tls_certificate");
  return context;
}

}  // namespace

void FreeTls::operator()(ssl_st* session) const { SSL_free(session); }

TlsContext::TlsContext(std::string certificate_file, std::string private_key_file)
    : certificate_file_(std::move(certificate_file)),
      private_key_file_(std::move(private_key_file)) {}

Result<std::shared_ptr<TlsContext>, Error> TlsContext::load(const std::string& certificate_file,
                                                            const std::string& private_key_file) {
  std::shared_ptr<TlsContext> context(new TlsContext(certificate_file, private_key_file));
  Error error = context->reload();
  if (error.code != ErrorCode::None) return error;
  return context;
}

Error TlsContext::reload() {
  auto read = read_context(certificate_file_, private_key_file_);
  if (!read.ok()) return read.error();
  const std::lock_guard lock(mutex_);
  context_ = std::move(read.value());
  return {};
}

TlsSession TlsContext::make_session(int socket) const {
  ++session_count_;
  const std::lock_guard lock(mutex_);
  TlsSession session(SSL_new(context_.get()));  // keeps the context
  if (session && SSL_set_fd(session.get(), socket) != 1) session.reset();
  if (session) SSL_set_accept_state(session.get());
  return session;
}

}  // namespace vicinity::net
