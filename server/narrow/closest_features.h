// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Closest points of points, segments and boxes in closed form. Pure.

#include "geometry/vec_math.h"

namespace vicinity::narrow {

/// A segment by its centre, its unit direction and half its length.
struct Segment {
  Vec3 centre;
  Vec3 direction;
  double half_length_m = 0;
  Vec3 at(double along_m) const { return centre + direction * along_m; }
};

/// Places along both segments, metres from their centres. The middle of what lies side by side when
/// they are parallel. The error of the distance between the two places stays a few units in
/// the last place of the sizes involved, nearly parallel segments included.
struct SegmentPlaces {
  double on_a_m = 0;
  double on_b_m = 0;
};
SegmentPlaces closest_on_segments(const Segment& a, const Segment& b);

double closest_on_segment(const Segment& segment, Vec3 point);

/// Closest point of the box (centre at the origin, along the axes); the point itself when inside.
Vec3 closest_in_box(Vec3 half_extent_m, Vec3 point);

/// Place along the segment that is closest to that box. Where there is more than one, the middle of
/// them: of the part inside of the box, or beside a face.
double closest_to_box(const Segment& segment, Vec3 half_extent_m);

}  // namespace vicinity::narrow
