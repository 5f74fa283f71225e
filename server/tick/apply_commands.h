// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// First stage of a tick: hands every command to what it concerns (entities, areas, sessions) and
// keeps the answer for its session. Tick thread only.

#include <cstdint>
#include <vector>

#include "interest/interest.h"
#include "tick/session_table.h"
#include "world/apply.h"
#include "world/command.h"
#include "world/entity_table.h"

namespace vicinity {

/// Commands of clients; opening and closing of sessions is not counted.
struct ApplyStats {
  std::uint64_t commands = 0;
  std::uint64_t refused = 0;
};

/// `commands` ordered by (session, sequence). The results go to Session::results, one for each
/// command of a client. A command of a session that is not open (any more) is refused with
/// WrongRole and answered to nobody. Opening an open session changes nothing.
ApplyStats apply_commands(const std::vector<Command>& commands, Tick tick,
                          const PlayerLimits& player_limits, EntityTable& table, Interest& interest,
                          SessionTable& sessions);

}  // namespace vicinity
