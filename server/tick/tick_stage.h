// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The stages of a tick by name, for those who measure them. Stages know no clock: whoever runs the
// ticks may be told when one begins.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace vicinity {

/// In the order of a tick. Each lasts until the next begins.
enum class TickStage : std::uint8_t {
  ApplyCommands = 0,  ///< apply_commands
  Advance,            ///< positions move
  Freeze,             ///< Snapshot N
  ComputeBounds,      ///< boxes of what moved, and the hash of it
  UpdateIndex,        ///< update of the index
  FindPairs,          ///< candidate pairs
  TrackPairs,         ///< sorted; what began and ended among them
  FindContacts,       ///< exact tests
  MergeEvents,        ///< policy; begins and ends of contacts
  UpdateInterest,     ///< visible sets
  AuditSample,        ///< the sample that is searched once more
  HashResults,        ///< of the results
  MakeOutputs,        ///< what each session is told of the tick
  PublishFrame,   ///< the frame goes to the queries         these three after Simulation::run_tick,
  UpdateStreams,  ///< what each session is owed             by whoever runs the ticks
  SendFrames,     ///< frames are chosen, encoded and handed to the net room
};
inline constexpr std::size_t tick_stage_count = 16;

inline constexpr std::array<const char*, tick_stage_count> tick_stage_names = {
    "commands", "advance",  "freeze", "bounds", "index",   "search",  "pairs",   "narrow",
    "events",   "interest", "audit",  "hash",   "outputs", "publish", "streams", "send"};

/// "commands", "advance", ...
constexpr std::string_view to_string(TickStage stage) {
  return tick_stage_names[static_cast<std::size_t>(stage)];
}

/// Called by the tick thread when a stage begins; must neither block nor throw. Empty: nobody
/// measures. Results never depend on it.
using StageProbe = std::function<void(TickStage)>;

}  // namespace vicinity
