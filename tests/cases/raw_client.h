// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A client that decides about every single write. Blocking; every wait has a deadline.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/framing.h"
#include "base/limits.h"
#include "client/decode.h"

namespace vicinity::cases {

class RawClient {
 public:
  RawClient();
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  /// Connects and says hello as an authority. The error is empty when the welcome came.
  std::string connect(std::uint16_t port);
  /// One write call. False when the connection is gone.
  bool write(std::span<const std::uint8_t> bytes);
  /// The next message of the server; a tick in it is valid until the next call. The error says why
  /// none came.
  Result<client::ServerMessage, Error> read();

 private:
  Error receive();

  client::ViewDecoder views_;
  client::FrameJoiner joiner_{limits::outbox_bytes_max};
  int socket_ = -1;
  FrameReader reader_;
  std::vector<std::uint8_t> received_;
  std::span<const std::uint8_t> unread_;  ///< of received_
};

}  // namespace vicinity::cases
