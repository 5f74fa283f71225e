// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Values -> frames for clients. Every function appends one or more complete frames (prefix and
// body) to `out`. No frame body is larger than limits::server_frame_bytes_max: what is longer is
// cut into parts. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "query/query_types.h"
#include "stream/frame_selection.h"
#include "tick/load_governor.h"
#include "tick/simulation.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity::wire {

enum class TickMode : std::uint8_t { Timer = 0, Manual = 1 };

struct WelcomeInfo {
  SessionId session;
  Role role = Role::Observer;
  TickMode tick_mode = TickMode::Timer;
  std::uint32_t tick_rate_hz = 20;
  Tick tick = 0;
  std::string_view server_version;
  std::uint64_t server_time_us = 0;
  std::uint32_t entities_per_player_max = 0;
  double world_half_size_m = 0;
  std::string_view resume_token = {};
  bool resumed = false;
  bool view_reset = false;
  std::uint64_t last_sequence = 0;
  std::uint32_t grace_ms = 0;
  double position_resolution_m = 0;
  std::uint32_t budget_bytes_per_s = 0;
};

struct RefusedCommand {
  std::uint64_t sequence = 0;
  Error error;
};

void encode_welcome(const WelcomeInfo& welcome, std::vector<std::uint8_t>& out);
void encode_reject(const Error& error, std::vector<std::uint8_t>& out);
void encode_closing(const Error& error, std::uint32_t retry_after_ms,
                    std::vector<std::uint8_t>& out);
/// Refusals that never reached the tick (tick 0).
void encode_refusals(std::span<const RefusedCommand> refused, std::vector<std::uint8_t>& out);
void encode_step_done(std::uint64_t sequence, Tick tick, std::uint64_t result_hash,
                      const Error& error, std::vector<std::uint8_t>& out);
void encode_query_answer(std::uint64_t request, const QueryAnswer& answer,
                         std::vector<std::uint8_t>& out);
/// `tick` and `index_version` of the newest published frame.
void encode_query_error(std::uint64_t request, Tick tick, IndexVersion index_version,
                        const Error& error, std::vector<std::uint8_t>& out);
void encode_pong(std::uint64_t nonce, std::uint64_t client_time_us, std::uint64_t server_time_us,
                 Tick tick, std::vector<std::uint8_t>& out);

/// One frame of one session. Everything outlives the call.
struct FrameContent {
  Tick tick = 0;
  IndexVersion index_version = 0;
  std::uint64_t server_time_us = 0;
  std::uint64_t result_hash = 0;
  const SessionOutput* events = nullptr;      ///< results, contacts and losses; null = none
  const FrameSelection* selection = nullptr;  ///< of the views; null = they are not told of
  const Snapshot* snapshot = nullptr;         ///< of this tick; needed with a selection
  Shedding shedding = Shedding::None;
};

/// CommandResults (when there are any), then one Frame in one or more parts; always at least one
/// part, also when nothing happened. False when that takes more than `bytes_max` bytes: then
/// encoding stopped early and what was appended, at most one frame more than `bytes_max`, is of no
/// use.
[[nodiscard]] bool encode_frame(const FrameContent& content, std::size_t bytes_max,
                                std::vector<std::uint8_t>& out);

/// Text for refusals that the tick decided (it knows codes only).
std::string_view describe(ErrorCode code);

}  // namespace vicinity::wire
