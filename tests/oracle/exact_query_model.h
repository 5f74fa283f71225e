// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What exact queries must answer, worked out from the definitions of the shapes alone: every shape
// is the hull of a few points and a radius around it, a mesh one such shape for each triangle.
// Distances come with a proof from both sides, moments as the time between touching and overlapping
// by more than the promised tolerance. No index, no boxes, and none of the code under test but the
// description of the world.

#include <cstdint>
#include <vector>

#include "geometry/primitive.h"
#include "world/snapshot.h"

namespace vicinity::oracle {

/// All positions of the model are relative to some place near by, so that the model itself does not
/// lose to rounding what it is there to find.
struct Piece {
  std::vector<Vec3> core;
  double radius_m = 0;
  double reach_m = 0;  ///< of all of it around `core.front()`
  /// Solids: for the question whether a point lies inside.
  Primitive solid;
  Pose pose;
  bool is_triangle = false;
  bool one_sided = false;
  Vec3 normal;  ///< of a triangle, unit
};
Piece piece_of(const Primitive& solid, const Pose& pose, Vec3 base);
/// A box that is not turned is its tight box.
std::vector<Piece> pieces_of(const Snapshot& snapshot, std::uint32_t slot, Vec3 base);

enum class Answer { No, Either, Yes };

struct Bracket {
  double low = 0;
  double high = 0;
};
/// Distance of two convex hulls of points, proven from both sides; `low` may be negative when they
/// meet.
Bracket hull_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b, Vec3 shift_b);
/// Of the surfaces; 0 when they overlap.
Bracket distance_from(Vec3 point, const Piece& piece);

/// `moved`: added to a. Yes: they overlap, and by more than depth_m. No: they are more than slack_m
/// apart.
Answer overlap_of(const Piece& a, Vec3 moved, const Piece& b, double depth_m, double slack_m);

struct CastTruth {
  Answer hit = Answer::No;
  double earliest_t = 0;  ///< of touching, within the slack
  double latest_t = 0;    ///< if Yes: overlaps by more than the tolerance
};
CastTruth cast_of(const Piece& moving, Vec3 delta, double max_t, const Piece& target,
                  double depth_m, double slack_m);
CastTruth ray_of(Vec3 origin, Vec3 delta, double max_t, const Piece& target, double slack_m);

}  // namespace vicinity::oracle
