// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Certificate and private key of the server, and how it speaks TLS: 1.2 or newer, with forward
// secrecy, without compression, renegotiation and stored sessions. Net room; any thread.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/error.h"
#include "base/result.h"

struct ssl_st;
struct ssl_ctx_st;

namespace vicinity::net {

struct FreeTls {
  void operator()(ssl_st* session) const;
};
using TlsSession = std::unique_ptr<ssl_st, FreeTls>;

class TlsContext {
 public:
  /// Files in PEM: the certificate with those that lead to its issuer behind it, and its private
  /// key, without a password. The error names the file and the reason.
  static Result<std::shared_ptr<TlsContext>, Error> load(const std::string& certificate_file,
                                                         const std::string& private_key_file);

  /// Reads both files anew, for connections from now on; those that are open go on as they are.
  /// None, or why the files cannot be used: then nothing changes.
  Error reload();

  /// The server's end of a connection over this socket, which must not block and stays the
  /// caller's. Null when there is no memory.
  TlsSession make_session(int socket) const;
  /// Sessions that were made. Any thread.
  std::uint64_t session_count() const { return session_count_; }

 private:
  TlsContext(std::string certificate_file, std::string private_key_file);

  const std::string certificate_file_;
  const std::string private_key_file_;
  mutable std::mutex mutex_;  ///< guards context_
  std::shared_ptr<ssl_ctx_st> context_;
  mutable std::atomic<std::uint64_t> session_count_{0};
};

}  // namespace vicinity::net
