// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One number for everything a tick decided, to compare runs with: the same commands must give the
// same hash for any number of workers, any kind of index and any build. One exception: while the
// pair budget bites (TickReport::pairs_truncated), and for the contacts that go on from such a
// tick, kinds of index differ, since each keeps another subset of the pairs.
//
// What goes in, in this order: tick and length of a tick, snapshot row by row, entities that ended,
// open contacts, contact events (ends, begins, passed), observer events and the outcomes of the
// commands of open sessions. What only describes how the answer was found (index version and
// statistics, candidate counts, buffers, timings) stays out.

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "events/contact_events.h"
#include "interest/interest.h"
#include "tick/session_table.h"
#include "world/snapshot.h"

namespace vicinity {

/// Field by field; -0 counts as +0. `sessions` still holds the results of the tick. O(everything),
/// parallel over rows in fixed blocks.
std::uint64_t result_hash(const Snapshot& snapshot, const std::vector<OpenContact>& open,
                          const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers,
                          const SessionTable& sessions, Workers& workers);

}  // namespace vicinity
