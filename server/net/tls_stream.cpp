// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "net/tls_stream.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace vicinity::net {
namespace {

/// OpenSSL calls it for the header of every record, and for what records hold.
void count_record(int is_sent, int, int content_type, const void*, std::size_t, SSL*, void* count) {
  if (is_sent == 0 && content_type == SSL3_RT_HEADER) ++*static_cast<int*>(count);
}

/// OpenSSL calls it before each use of the socket, and behind it. Whatever makes OpenSSL read on
/// within one step, at a record too many it finds the socket empty.
long admit_read(BIO* socket, int operation, const char*, std::size_t, int, long, int result,
                std::size_t*) {
  if (operation != BIO_CB_READ) return result;
  const void* count = BIO_get_callback_arg(socket);
  if (*static_cast<const int*>(count) <= TlsStream::silent_records_max) return result;
  BIO_set_retry_read(socket);
  return -1;
}

}  // namespace

bool TlsStream::begin() {
  session_ = context_->make_session(socket_);
  if (!session_) return false;
  SSL_set_msg_callback(session_.get(), count_record);
  SSL_set_msg_callback_arg(session_.get(), &silent_records_);
  BIO* socket = SSL_get_rbio(session_.get());
  BIO_set_callback_arg(socket, reinterpret_cast<char*>(&silent_records_));
  BIO_set_callback_ex(socket, admit_read);
  return true;
}

TlsStep TlsStream::fail(std::string fault) {
  fault_ = std::move(fault);
  failed_ = true;
  return {TlsStep::Outcome::Failed};
}

TlsStep TlsStream::step(int result, std::size_t size_bytes) {
  using Outcome = TlsStep::Outcome;
  if (result == 1) return {Outcome::Done, size_bytes};
  const int error_number = errno;
  if (silent_records_ > silent_records_max) {
    return fail("TLS: more than " + std::to_string(silent_records_max) +
                " records in a row without data");
  }
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {Outcome::WantsRead};
    case SSL_ERROR_WANT_WRITE: return {Outcome::WantsWrite};
    case SSL_ERROR_ZERO_RETURN: return {Outcome::Ended};
    case SSL_ERROR_SYSCALL:
      return fail(error_number == 0 ? "the peer is gone"
                                    : std::generic_category().message(error_number));
    default: {
      const char* reason = ERR_reason_error_string(ERR_peek_error());
      return fail(std::string("TLS: ") + (reason != nullptr ? reason : "broken protocol"));
    }
  }
}

TlsStep TlsStream::handshake() {
  if (failed_) return {};
  if (!session_ && !begin()) return {};
  ERR_clear_error();
  errno = 0;
  const TlsStep taken = step(SSL_do_handshake(session_.get()), 1);
  established_ = taken.outcome == TlsStep::Outcome::Done;
  if (established_) silent_records_ = 0;
  return taken;
}

TlsStep TlsStream::read(std::span<std::uint8_t> into) {
  CHECK(established_ && !into.empty());
  if (failed_) return {};
  ERR_clear_error();
  errno = 0;
  std::size_t size = 0;
  const int result = SSL_read_ex(session_.get(), into.data(), into.size(), &size);
  if (result == 1) silent_records_ = 0;
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
