// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Frames of the server (proto/server.fbs) -> values. Private to the client library. A hostile or
// broken server gets an Error (BadFrame), never a crash, and makes the client allocate no more than
// a small multiple of what it sent.

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "client/connection.h"
#include "client/frame.h"
#include "client/frame_joiner.h"
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
/// A part of a tick was read.
struct FramePart {
  /// The tick, once all of it is here; null before. Belongs to the FrameJoiner and is valid until
  /// it gets the next part.
  const TickFrame* whole = nullptr;
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
/// Parts of ticks go into `joiner`, and what they say of aliases into `views` and comes from there;
/// after an error `views` is as at the end of the last whole tick, and `joiner` must not be used.
Result<ServerMessage, Error> decode_server_message(std::span<const std::uint8_t> body,
                                                   ViewDecoder& views, FrameJoiner& joiner);

}  // namespace vicinity::client
