// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where and how contacts begin, for the sessions that asked for it. Tick thread; pure.

#include <vector>

#include "base/parallel.h"
#include "events/contact_events.h"
#include "tick/session_table.h"
#include "tick/simulation.h"
#include "world/snapshot.h"

namespace vicinity {

/// Fills SessionOutput::begin_details of the sessions with contact_details. `outputs`: one for each
/// session, ascending, their begins sorted by pair. A begin is described once, however many
/// sessions hear of it; of contacts that are told again, as they touch now. Parallel, and no work
/// at all while no such session hears of a begin.
void add_begin_details(const Snapshot& snapshot, const ContactEvents& events,
                       const SessionTable& sessions, Workers& workers,
                       std::vector<SessionOutput>& outputs);

}  // namespace vicinity
