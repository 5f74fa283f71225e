// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Frames of the server (proto/server.fbs) -> values. Private to the client library. A hostile or
// broken server gets an Error (BadFrame), never a crash, and makes the client allocate no more than
// a small multiple of what it sent.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/frame.h"
#include "client/view_decoder.h"

namespace vicinity::client {

/// Answer to a hello that was not accepted.
struct RejectMessage {
  Error error;
};
/// Last message before the server closes.
struct ClosingMessage {
  Error error;
  std::uint32_t retry_after_ms = 0;
};
/// By ascending sequence.
struct CommandResultsMessage {
  std::vector<CommandOutcome> outcomes;
};
/// One part of a tick; `frame` holds the records of this part only.
struct FramePart {
  std::uint32_t part = 0;
  bool last = true;
  TickFrame frame;
};
struct PongMessage {
  std::uint64_t nonce = 0;
  std::uint64_t client_time_us = 0;
  std::uint64_t server_time_us = 0;
  Tick tick = 0;
};

using ServerMessage = std::variant<Welcome, RejectMessage, ClosingMessage, CommandResultsMessage,
                                   FramePart, StepOutcome, QueryOutcome, PongMessage>;

/// `body` is one frame body, at any address (misaligned input is copied). Error codes that this
/// version does not know are kept as numbers; any other unknown enumerator is a BadFrame.
/// What a part says of aliases goes into `views` and comes from there; after an error `views` must
/// not be used.
Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body,
                                                   ViewDecoder& views);
/// The same for a message by itself: moves may name what entered in the same part only.
Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body);

/// Joins the parts of a tick. Parts of a tick come in order and not mixed with other ticks.
class FrameJoiner {
 public:
  /// `bytes_max` bounds the frame bodies of one tick together.
  explicit FrameJoiner(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// The whole tick once its last part is here, else nothing. BadFrame when the order is broken or
  /// the tick grows beyond the bound; the joiner must not be used afterwards.
  Result<std::optional<TickFrame>, Error> add(FramePart part, std::size_t body_bytes);

 private:
  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  std::uint32_t parts_ = 0;  ///< received of the present tick; 0 = between two ticks
  TickFrame frame_;
};

}  // namespace vicinity::client
