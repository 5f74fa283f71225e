// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What kinds of clients a run is made of, and in which parts. Pure; any thread.
//
//   behaviours = part *("," part)
//   part       = name [":" weight]          weight: a number >= 0, 1 where it is absent

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace vicinity::sim {

enum class Behaviour : std::uint8_t {
  Normal,          ///< moves as the scenario says, reads at once
  SlowReader,      ///< reads at a fixed rate that is below what there is to tell
  StalledReader,   ///< reads nothing more once it is in the world
  ReconnectStorm,  ///< cuts its connection and comes back, again and again
  BorderHugger,    ///< walks to and fro across the edge of another bot's area
  Spectator,       ///< has a very large area
  Malformed,       ///< sends broken frames, before and after the hello
  Flood,           ///< sends commands and queries far above its rate
};
inline constexpr std::size_t behaviour_count = 8;

std::string_view to_string(Behaviour behaviour);
std::optional<Behaviour> parse_behaviour(std::string_view name);
/// "normal, slow-reader, ...", for messages.
std::string behaviour_names();

/// Does what a server must defend itself against: its own views are not judged, and its sessions
/// may end at any time. It comes back then.
bool is_hostile(Behaviour behaviour);

struct BehaviourMix {
  std::array<double, behaviour_count> weights = {1, 0, 0, 0, 0, 0, 0, 0};  ///< by Behaviour
};
/// The error is a sentence for the user.
Result<BehaviourMix, std::string> parse_behaviours(std::string_view text);

/// The behaviour of every bot. The numbers follow the weights as closely as whole bots can (largest
/// remainder; any weight above 0 gets at least one bot while there are enough), and who is what is
/// shuffled by the seed.
std::vector<Behaviour> assign_behaviours(const BehaviourMix& mix, std::uint32_t bots,
                                         std::uint64_t seed);

}  // namespace vicinity::sim
