// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Two convex polytopes have a common inner point exactly if no plane separates them, and the only
// planes to look at are those of faces and those along one edge of each (the separating axis
// theorem). Decides what is deep or all but touching; the distance of what is apart is GJK's. Pure.

#include "narrow/polytope.h"

namespace vicinity::narrow {

struct SeparatingAxis {
  Vec3 normal;  ///< unit, from a to b
  /// Along the normal: positive when apart (then no more than the distance), otherwise -depth:
  /// moving one of the two by that much along the normal just parts them.
  double gap_m = 0;
  /// Largest along any axis. More than gap_m by no more than 1e-9 of the size: the normal is that
  /// of a face unless one of two edges is better by that much.
  double largest_gap_m = 0;
};

/// Edge pairs that make no face of the Minkowski difference are left out (Gregorius, "The
/// separating axis test between convex polyhedra", GDC 2013): 64 points each take some 0.1 ms.
/// The gap is good to some units in the last place of the sizes and of the distance from the frame.
SeparatingAxis find_separating_axis(const Polytope& a, const Polytope& b);

/// Whether two box cores overlap: the 15 axes, with the first that separates ending the search.
/// Good to some units in the last place of the sizes, nearly parallel edges included (see
/// cross_of_units). Boxes without extent along some axes may cross like other ones.
bool boxes_overlap(const PlacedCore& a, const PlacedCore& b);

}  // namespace vicinity::narrow
