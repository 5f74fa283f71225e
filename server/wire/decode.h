// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Foreign bytes -> values. The only place of the server that parses what clients send. Net room.
// Never crashes, and allocates less than sixteen of the largest frames (16 * 64 KiB) in all,
// whatever a frame says, and where it has hulls, meshes or compounds less than 64; a test measures
// it.
//
// Two kinds of fault: a frame that cannot be trusted (verifier, union, identifier, too many
// commands) is an Error and the caller closes the connection; a single command or query that is
// wrong in its values is refused alone, and the rest of the batch counts.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/limits.h"
#include "base/result.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::wire {

inline constexpr std::uint16_t protocol_version = 3;

using limits::position_resolution_max_m;
using limits::position_resolution_min_m;
using limits::resume_token_bytes_max;
using limits::subject_bytes_max;

struct HelloMessage {
  std::uint16_t protocol_min = 0;
  std::uint16_t protocol_max = 0;
  std::string client_name;
  std::string token;
  Role role = Role::Observer;
  ContactScope contacts = ContactScope::None;
  bool contact_details = false;
  std::string subject;                   ///< "" = nobody in particular
  std::string resume_token;              ///< "" = a new session
  Tick resume_tick = 0;                  ///< last tick received whole; 0 = none
  std::uint64_t resume_event_seq = 0;    ///< highest one received; 0 = none
  double position_resolution_m = 0;      ///< a power of two; 0 = the server's default
  std::uint32_t budget_bytes_per_s = 0;  ///< 0 = the server's setting
};

/// One command of a batch: its value, or why it is refused.
struct DecodedCommand {
  std::uint64_t sequence = 0;
  std::variant<CommandBody, Error> outcome;
};
struct CommandsMessage {
  std::uint64_t first_sequence = 0;
  std::vector<DecodedCommand> commands;
  Tick ack_tick = 0;              ///< last tick received whole; 0 = none
  bool has_built_shapes = false;  ///< hulls or meshes: decoding it was work
};
struct StepMessage {
  std::uint64_t sequence = 0;
  std::uint32_t count = 1;
};
struct QueryMessage {
  std::uint64_t request = 0;
  std::variant<Query, Error> outcome;
};
struct PingMessage {
  std::uint64_t nonce = 0;
  std::uint64_t client_time_us = 0;
  Tick ack_tick = 0;  ///< last tick received whole; 0 = none
};
struct GoodbyeMessage {};

using ClientMessage = std::variant<HelloMessage, CommandsMessage, StepMessage, QueryMessage,
                                   PingMessage, GoodbyeMessage>;

struct DecodeLimits {
  double world_half_size_m;
  /// Before the hello of a connection: of anything else nothing but the kind is looked at.
  bool hello_only = false;
  /// Not None: commands whose shapes have to be built (hulls, meshes) are refused with this code,
  /// before anything is built.
  ErrorCode refuse_built_shapes = ErrorCode::None;
};

/// `body` is one frame body, at any address (misaligned input is copied). Errors: BadFrame
/// (verifier, identifier, unknown union, missing body, unknown role or contact scope, sequences
/// that start at 0 or overflow), HandshakeExpected (hello_only, and it is none), FrameTooLarge,
/// LimitExceeded (too many commands, text too long), InvalidNumber (a resolution of positions that
/// is no power of two, or out of range).
Result<ClientMessage, Error> decode_client_message(std::span<const std::uint8_t> body,
                                                   const DecodeLimits& limits);

/// Checks of single values, shared by decode and by in-process callers (tests, case runner), so
/// that every door refuses the same. None = good; the text names the field and the range.
Error validate(const CommandBody& command, const DecodeLimits& limits);
Error validate(const Query& query, const DecodeLimits& limits);

/// Whether a part of the shape is a mesh: not for everybody, and for static entities only.
bool has_mesh(const Shape& shape);

}  // namespace vicinity::wire
