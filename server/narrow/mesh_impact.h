// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The first impact with a moving mesh: the advancement against each triangle that the shape may
// reach during the tick. Pure.

#include <optional>

#include "narrow/advancement.h"
#include "narrow/time_of_impact.h"

namespace vicinity::narrow {

/// `shape` may be a mesh as well. Neither overlaps at the start.
std::optional<Advance> mesh_impact(const Primitive& shape, const Path& path, const Primitive& mesh,
                                   const Path& mesh_path, const ImpactPrecision& precision);

}  // namespace vicinity::narrow
