// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What FCL (in f64, as packaged) says about a pair of convex shapes.

#include <optional>

#include "oracle/shape_pairs.h"

namespace vicinity::oracle {

/// Nothing when FCL gives up with an exception. The pair is scaled to size 1 first.
std::optional<bool> fcl_overlaps(const ShapePair& pair);
std::optional<double> fcl_distance(const ShapePair& pair);

}  // namespace vicinity::oracle
