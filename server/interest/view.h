// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One observer: its areas, what it sees, and how that goes from one tick to the next. Tick room;
// different observers may be updated at the same time.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interest/interest_area.h"
#include "interest/observer_events.h"
#include "world/snapshot.h"

namespace vicinity {

struct Visible {
  EntityId id;
  Tick entered = 0;
};

struct Observer {
  std::vector<InterestArea> areas;  ///< ascending id; never empty between commands
  /// Areas as they were before commands changed or removed them since the last update. They go on
  /// following their anchors, to tell what the commands are to blame for.
  std::vector<InterestArea> former;
  std::vector<Visible> visible;  ///< ascending id
};

/// Buffers of one block of observers.
struct ViewBuffers {
  std::vector<Visible> stayers;
  std::vector<std::uint32_t> newcomers;
};

/// Puts all areas, former ones too, where they are in this tick.
void place_areas(const Snapshot& snapshot, Observer& observer);

/// Brings the view to this tick and says what is new. `inside`: slots inside the enter size of any
/// area, ascending. A view grows to `visible_max` entities at most; newcomers with the smallest
/// slots go first and the rest waits. False when somebody waits. Areas must be placed.
bool update_view(const Snapshot& snapshot, const std::vector<std::uint32_t>& inside,
                 std::size_t visible_max, Observer& observer, ViewBuffers& buffers,
                 ObserverEvents& out);

}  // namespace vicinity
