// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// For what decides anew about every pair: tells the index that everything moved. Tick thread.

#include <cstdint>
#include <vector>

#include "bounds/bounds.h"

namespace vicinity {

/// After compute_bounds() for `tick`: adds every living entity to `moved` and stamps its bound, so
/// that the index reports all pairs in this tick. Nothing else changes: snapshot, versions, views
/// and hash know nothing of it. O(slots).
void wake_all(Tick tick, Bounds& bounds, std::vector<std::uint32_t>& moved);

}  // namespace vicinity
