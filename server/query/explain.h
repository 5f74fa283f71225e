// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Why two entities are in contact, or which stage keeps them from it. Read from one published
// frame, by any thread, without waiting for the tick: all that decides about a pair is in the
// frame, the policy and what cools down included.
//
// The index is not trusted. Bounds are computed again from the snapshot; where they overlap, the
// index must find both, and where shapes touch and nothing withholds them, a contact must be open.
// What it says otherwise is reported as `missed`.

#include "query/explain_types.h"
#include "query/query.h"

namespace vicinity {

/// Any thread; in any order, two different ids (else `stage` is Gone). Unknown and stale ids give
/// `lives` = false. Cost: a look at all registrations of what moves (IndexView::places_of), one
/// search with the smaller bound of the two, and the exact test of the pair.
PairExplanation explain_pair(const PublishedFrame& frame, EntityId a, EntityId b);

}  // namespace vicinity
