// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where two polytopes touch that sit in one another along a known normal. Pure.

#include "narrow/polytope.h"

namespace vicinity::narrow {

/// The corners of a that are farthest along the normal (a corner, an edge or a face) and those of b
/// that are farthest against it, laid into one plane: the middle of what they share there, halfway
/// between the two surfaces. `size_m` of both sets how nearly equal heights are told apart.
Vec3 contact_point(const Polytope& a, const Polytope& b, Vec3 normal, double size_m);

}  // namespace vicinity::narrow
