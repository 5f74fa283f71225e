// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Last stage of a tick: hands to each session what it asked to hear. Tick thread only; pure.

#include <vector>

#include "tick/session_table.h"
#include "tick/simulation.h"

namespace vicinity {

/// One entry per open session, ascending. Takes the command results out of the table and the events
/// out of `observers`. Contact lists are in the order of events; begins that are told again stand
/// among the others by their pair. O(events * log(sessions) + events * sessions with
/// ContactScope::All + events * subscriptions of the other sessions), and O(open) for a session
/// that is new or has a new subscription.
std::vector<SessionOutput> make_session_outputs(const Snapshot& snapshot, const OpenContacts& open,
                                                const ContactEvents& contacts,
                                                std::vector<ObserverEvents>&& observers,
                                                SessionTable& sessions);

}  // namespace vicinity
