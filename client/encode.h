// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Values -> frames for the server (proto/client.fbs). Private to the client library. Every function
// appends complete frames (prefix and body) to `out`. Pure; any thread. Values are not checked
// here: the server is the judge, and its refusals name the field.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "client/connection.h"
#include "query/query_types.h"
#include "world/command.h"

namespace vicinity::client {

/// Version of the protocol that this library speaks.
inline constexpr std::uint16_t protocol_version = 3;

/// The server's limits for one command frame, from its welcome.
struct BatchLimits {
  std::size_t frame_bytes_max = 0;
  std::size_t commands_max = 0;
};

void encode_hello(const ConnectOptions& options, std::vector<std::uint8_t>& out);

/// As many frames as the limits ask for, in order, with consecutive sequences from first_sequence.
/// A spawn and the commands right behind it that name it by `spawned_by` are never cut apart, nor
/// several spawns and what attaches or excludes them to one another a few commands behind, for
/// such names hold within one frame only. A frame holds at least one such group, whatever the
/// limits say: the server then refuses it with a reason.
/// `ack_tick`: the last tick of which a frame was received whole; 0 = none. Every frame repeats it.
/// OpenSession and CloseSession are the server's own and a programmer's mistake here.
void encode_commands(std::uint64_t first_sequence, std::span<const CommandBody> commands,
                     const BatchLimits& limits, std::vector<std::uint8_t>& out, Tick ack_tick = 0);

void encode_step(std::uint64_t sequence, std::uint32_t count, std::vector<std::uint8_t>& out);
void encode_query(std::uint64_t request, const Query& query, std::vector<std::uint8_t>& out);
/// `ack_tick`: as of encode_commands.
void encode_ping(std::uint64_t nonce, std::uint64_t client_time_us, std::vector<std::uint8_t>& out,
                 Tick ack_tick = 0);
void encode_goodbye(std::vector<std::uint8_t>& out);

}  // namespace vicinity::client
