// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/wake_all.h"

namespace vicinity {

void wake_all(Tick tick, Bounds& bounds, std::vector<std::uint32_t>& moved) {
  // Those that went in this tick have their stamp already; nobody else is without an entity and
  // stamped.
  moved.clear();
  for (std::uint32_t slot = 0; slot < bounds.size(); ++slot) {
    Bound& bound = bounds[slot];
    if (bound.is_alive()) bound.stamp = stamp_of(tick);
    if (bound.stamp == stamp_of(tick)) moved.push_back(slot);
  }
}

}  // namespace vicinity
