// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The server's end of one TLS connection over a socket that does not block. Steps do what they can
// at once and say what they wait for. A silent connection holds no buffers. Net room; the thread of
// the connection only. OpenSSL writes as write() does: the process must ignore SIGPIPE.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "net/tls_context.h"

namespace vicinity::net {

struct TlsStep {
  enum class Outcome : std::uint8_t {
    Done = 0,
    WantsRead = 1,   ///< again once the socket is readable
    WantsWrite = 2,  ///< again once it is writable
    Ended = 3,       ///< the peer sends no more
    Failed = 4,      ///< TlsStream::fault() says why; nothing works any more
  };
  Outcome outcome = Outcome::Failed;
  std::size_t size_bytes = 0;  ///< of Done: read or written, > 0
};

class TlsStream {
 public:
  /// Makes its session when the handshake begins: who is turned away before it costs none of the
  /// memory of OpenSSL. `context` and `socket` outlive it.
  TlsStream(const TlsContext& context, int socket) : context_(&context), socket_(socket) {}

  bool established() const { return established_; }
  /// Until it is Done; then established().
  TlsStep handshake();
  /// What does not fit stays here, and the socket does not announce it again: a caller with less
  /// room than a record (16 KiB) reads on until WantsRead before it waits.
  TlsStep read(std::span<std::uint8_t> into);
  /// After WantsRead or WantsWrite the same bytes, perhaps with more behind them, come next.
  TlsStep write(std::span<const std::uint8_t> from);
  /// Tells the peer that no more is sent, if it can be told at once.
  void shut();

  const std::string& fault() const { return fault_; }

 private:
  TlsStep step(int result, std::size_t size_bytes);

  const TlsContext* context_;
  int socket_;
  TlsSession session_;
  bool established_ = false;
  bool failed_ = false;
  std::string fault_ = "no memory for TLS";
};

}  // namespace vicinity::net
