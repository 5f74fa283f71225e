// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One number for everything a tick decided, to compare runs with: the same commands must give the
// same hash for any number of workers, any index and any build. Tick room; pure.
//
// What goes in, in this order: tick, snapshot row by row, entities that ended, open contacts,
// contact events (ends, begins, passed) and observer events. What only describes how the answer was
// found (index version and statistics, candidate counts, buffers, timings) stays out.

#include <cstdint>
#include <vector>

#include "base/parallel.h"
#include "events/contact_events.h"
#include "interest/interest.h"
#include "world/snapshot.h"

namespace vicinity {

/// Field by field; -0 counts as +0. O(everything), parallel over rows in fixed blocks.
std::uint64_t result_hash(const Snapshot& snapshot, const std::vector<OpenContact>& open,
                          const ContactEvents& contacts,
                          const std::vector<ObserverEvents>& observers, Workers& workers);

}  // namespace vicinity
