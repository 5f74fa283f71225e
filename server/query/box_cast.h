// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A box, or a point, moved along a straight line against a box at rest. Pure; any room.

#include <optional>

#include "base/aabb.h"
#include "query/surface.h"

namespace vicinity {

/// The first fraction t of delta, 0 <= t < max_t, at which `box` begins to overlap `target`
/// strictly, or 0 when it does at the start. Corners are compared as they are, and distances
/// divided, so that equal fractions give equal results. `point` is in the middle of where the two
/// meet, `normal` that of the target's face; against the movement when they overlap at the start.
std::optional<Surface> cast_box(const Aabb& box, Vec3 delta, double max_t, const Aabb& target);

/// Fractions of delta; begin <= end.
struct Window {
  double begin = 0;
  double end = 0;
};
/// Holds all t in [0, max_t] at which something inside of the moved box can touch something inside
/// of the target: closed, and wider than that by a sixteenth of their size and all roundings.
/// Nothing when there is no such t.
std::optional<Window> touch_window(const Aabb& box, Vec3 delta, double max_t, const Aabb& target);

/// The unit vector against a movement; up when there is none.
Vec3 against(Vec3 delta);

}  // namespace vicinity
