// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tls_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace vicinity::net {

TlsStep TlsStream::step(int result, std::size_t size_bytes) {
  using Outcome = TlsStep::Outcome;
  if (result == 1) return {Outcome::Done, size_bytes};
  const int error_number = errno;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {Outcome::WantsRead};
    case SSL_ERROR_WANT_WRITE: return {Outcome::WantsWrite};
    case SSL_ERROR_ZERO_RETURN: return {Outcome::Ended};
    case SSL_ERROR_SYSCALL:
      fault_ =
          error_number == 0 ? "the peer is gone" : std::generic_category().message(error_number);
      break;
    default: {
      const char* reason = ERR_reason_error_string(ERR_peek_error());
      fault_ = std::string("TLS: ") + (reason != nullptr ? reason : "broken protocol");
      break;
    }
  }
  failed_ = true;
  return {Outcome::Failed};
}

TlsStep TlsStream::handshake() {
  if (failed_) return {};
  if (!session_) session_ = context_->make_session(socket_);
  if (!session_) return {};
  ERR_clear_error();
  errno = 0;
  const TlsStep taken = step(SSL_do_handshake(session_.get()), 1);
  established_ = taken.outcome == TlsStep::Outcome::Done;
  return taken;
}

TlsStep TlsStream::read(std::span<std::uint8_t> into) {
  CHECK(established_ && !into.empty());
  if (failed_) return {};
  ERR_clear_error();
  errno = 0;
  std::size_t size = 0;
  const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &size);
  return step(result, size);
}

TlsStep TlsStream::write(std::span<const std::uint8_t> from) {
  CHECK(established_ && !from.empty());
  if (failed_) return {};
  ERR_clear_error();
  errno = 0;
  std::size_t size = 0;
  const int result = SSL_write_ex(session_.get(), from.data(), from.size(), &size);
  return step(result, size);
}

void TlsStream::shut() {
  if (!established_ || failed_) return;
  ERR_clear_error();
  (void)SSL_shutdown(session_.get());
}

}  // namespace vicinity::net
