// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What an exact search says of one shape. A value; any room.

#include "base/vec.h"

namespace vicinity {

struct Surface {
  double value = 0;  ///< fraction or distance, see QueryHit
  Vec3 point;        ///< world
  Vec3 normal;       ///< unit, or zero where there is none
};

}  // namespace vicinity
