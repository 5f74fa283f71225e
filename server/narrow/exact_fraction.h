// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Moments at which a gap that changes linearly is zero, compared without rounding. Pure; any room.

namespace vicinity {

/// A gap between two faces: near - far, at the start and at the end of a tick. Kept as the four
/// coordinates, since already the differences would be rounded.
struct Gap {
  double near_start = 0;
  double far_start = 0;
  double near_end = 0;
  double far_end = 0;
  // The sign of a difference of two doubles is never lost to rounding.
  double start() const { return near_start - far_start; }
  double end() const { return near_end - far_end; }
  /// Moment of zero as a fraction of the tick, rounded. Start and end must differ in sign, or one
  /// of them be zero.
  double root() const { return start() / (start() - end()); }
};

/// Whether the root of `opening` (start <= 0 < end) comes before that of `closing` (end <= 0 <
/// start). Exact for coordinates of at least 2^-400 m or zero: smaller products could underflow.
bool opens_before(const Gap& opening, const Gap& closing);

}  // namespace vicinity
