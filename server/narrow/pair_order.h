// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Which of two shapes is looked at first, whatever the order in which they were named, so that
// tests give the same bits for (a, b) and (b, a). Pure.

#include "geometry/primitive.h"

namespace vicinity::narrow {

/// By kind, sizes, offset and rotation, corners of hulls and meshes, and at last by the way from
/// one to the other. False both ways only if the two are the same shape in the same place.
bool comes_first(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b);

}  // namespace vicinity::narrow
