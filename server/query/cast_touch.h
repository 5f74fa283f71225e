// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Where a moving shape and its target touch at the moment of a cast's hit. Pure; any room.

#include "geometry/primitive.h"

namespace vicinity {

struct Touch {
  Vec3 point;   ///< on the target, in the frame of the poses
  Vec3 normal;  ///< unit, from the target to the moving shape
};

/// `moving` is a solid that was moved along delta to `pose`, where it overlaps the target by next
/// to nothing, or all but does. Of a one-sided mesh only the triangles that it came to from their
/// front are looked at: those that it went through from behind are deeper by now, and are no hit.
/// Where there are none, all are.
Touch cast_touch(const Primitive& moving, const Pose& pose, Vec3 delta, const Primitive& target,
                 const Pose& target_pose);

}  // namespace vicinity
