// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// First stage of a tick: hands every command to what it concerns (entities, areas, subscriptions,
// the contact policy, sessions) and keeps the answer for its session. Tick thread only.

#include <cstdint>
#include <vector>

#include "events/contact_policy.h"
#include "events/contact_tracker.h"
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

/// Everything that commands change.
struct CommandTargets {
  EntityTable& table;
  Interest& interest;
  ContactPolicy& policy;
  SessionTable& sessions;
  ContactTracker& contacts;
};

/// Whether a table of the policy is one that a command may set.
bool are_within_limits(const std::vector<PolicyRule>& rules);

/// `commands` ordered by (session, sequence). The results go to Session::results, one for each
/// command of a client. A command of a session that is not open (any more) is refused with
/// WrongRole and answered to nobody. Opening an open session changes nothing.
///
/// SetPolicy: WrongRole unless the session is an authority; LimitExceeded with more rules or longer
/// times than limits say. The last one of a tick counts.
/// Subscribe: WrongRole when a player asks for anything but the contacts of an entity of its own;
/// the codes of resolve() for the kind Entity; LimitExceeded. Unsubscribe: UnknownSubscription.
/// SetVisibility: by any role, about an observer of its own; the codes of resolve(), then those of
/// Interest::set_visibility.
/// CloseSession: despawns the entities of a player; with keep_entities they live on and belong to
/// nobody.
/// Restart: see RestartCommand.
ApplyStats apply_commands(const std::vector<Command>& commands, Tick tick,
                          const PlayerLimits& player_limits, const CommandTargets& targets);

}  // namespace vicinity
