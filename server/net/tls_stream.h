// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The server's end of one TLS connection over a socket that does not block. Steps do what they can
// at once and say what they wait for. A silent connection holds no buffers. Net room; the thread of
// the connection only. OpenSSL writes as write() does: the process must ignore SIGPIPE.
//
// A record may bring no data: a part of the handshake, a change of keys (KeyUpdate) or a warning. A
// peer could send any number of them. Behind a change of keys a step ends and wants to read,
// although the socket may be readable already; too many such records in a row are a fault:
//
//      handshake, record ... record ──► established ──► record ... record ──► data ──► record ...
//                └ silent_records_max ┘                └ silent_records_max ┘       └ from 0 again

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "net/tls_context.h"

namespace vicinity::net {

struct TlsStep {
  enum class Outcome : std::uint8_t {
    Done = 0,
    WantsRead = 1,   ///< again once the socket is readable, which it may be already
    WantsWrite = 2,  ///< again once it is writable
    Ended = 3,       ///< the peer sends no more
    Failed = 4,      ///< TlsStream::fault() says why; nothing works any more
  };
  Outcome outcome = Outcome::Failed;
  std::size_t size_bytes = 0;  ///< of Done: read or written, > 0
};

class TlsStream {
 public:
  /// Records in a row that bring no data, and those of the handshake. A handshake has four of the
  /// client, or some more when they are cut into pieces; afterwards an honest client changes its
  /// keys once in millions of records.
  static constexpr int silent_records_max = 32;

  /// Makes its session when the handshake begins: who is turned away before it costs none of the
  /// memory of OpenSSL. `context` and `socket` outlive it.
  TlsStream(const TlsContext& context, int socket) : context_(&context), socket_(socket) {}
  TlsStream(const TlsStream&) = delete;  // OpenSSL knows where silent_records_ is
  TlsStream& operator=(const TlsStream&) = delete;

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
  bool begin();
  TlsStep step(int result, std::size_t size_bytes);
  TlsStep fail(std::string fault);

  const TlsContext* context_;
  int socket_;
  int silent_records_ = 0;  ///< since the last data; written by OpenSSL while it reads
  TlsSession session_;
  bool established_ = false;
  bool failed_ = false;
  std::string fault_ = "no memory for TLS";
};

}  // namespace vicinity::net
