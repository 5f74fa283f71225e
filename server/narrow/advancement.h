// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The first overlap of two convex shapes on their paths by conservative advancement (Mirtich 1996;
// bound of the motion as in Tang, Kim and Manocha, "C2A", 2009). Pure.
//
// The normal n between the closest points separates the two now. How fast anything can come nearer
// along n in the rest of the tick has a bound that does not change: the difference of the
// velocities along n, and for each rotation w at most |w x n| times the distance of the core from
// the axis. So for gap / bound nothing can meet, and if the bound is not positive, never:
//
//       a   |<- gap ->|   b          t += max(gap, tolerance) / bound
//          n ->
//
// The radius of a sphere or capsule does not count: turning a ball around its centre moves nothing.

#include <optional>

#include "narrow/placed_core.h"

namespace vicinity::narrow {

/// A convex shape on its path: a solid, or one triangle of a mesh. Refers to what it was made from.
class Mover {
 public:
  Mover(const Primitive& solid, const Path& path);
  Mover(const Primitive& mesh, std::uint32_t triangle, const Path& path);

  const Path& path() const { return *path_; }
  /// Not for triangles.
  const Primitive* solid() const { return solid_; }
  PlacedCore placed(const Pose& pose, Vec3 origin) const;
  /// Metres per tick at most along a unit normal.
  double speed_along(Vec3 normal) const;
  /// Of the point of the shape that is at `point` (relative to the entity's origin), per tick.
  Vec3 velocity_at(Vec3 point) const;
  /// Corners of a triangle from the entity's origin, entity's axes.
  const std::array<Vec3, 3>& corners() const { return corners_; }

 private:
  const Primitive* solid_ = nullptr;
  const Path* path_;
  std::array<Vec3, 3> corners_;
  Vec3 velocity_;       ///< metres per tick
  double swing_m_ = 0;  ///< distance of the core from the axis of rotation, at most
};

struct Advance {
  double toi = 0;
  bool capped = false;  ///< the steps were used up before it was clear
};

/// First moment up to `until` at which they are found to overlap: an overlap that never gets deeper
/// than the tolerance may go unnoticed, except at the end of the tick. Nothing when there is none.
std::optional<Advance> advance(const Mover& a, const Mover& b, double tolerance_m,
                               int iterations_max, double until = 1);

}  // namespace vicinity::narrow
