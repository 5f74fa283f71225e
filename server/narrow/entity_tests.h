// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Whether, when and where two entities of a snapshot touch: all parts of the one against all parts
// of the other. Pure; tick room and queries. Everything here gives the same answer, bit for bit,
// with a and b exchanged; callers pass a < b all the same.
//
//      both Form::Box      corners compared, moments decided without rounding
//      else                boxes first, then the exact tests of the parts (narrow/shape_tests.h)

#include <optional>

#include "geometry/pose.h"
#include "world/snapshot.h"

namespace vicinity {

/// Precision of the advancement, see narrow/time_of_impact.h: an overlap that is never deeper may
/// be passed by unnoticed when neither end of the tick shows it.
inline constexpr double impact_tolerance_m = 1e-4;
inline constexpr int impact_iterations_max = 64;
/// Steps of all pairs of parts of two entities together that come near, but for at least
/// impact_iterations_min each: two compounds of 16 parts take half a millisecond at worst.
inline constexpr int impact_iterations_all = 256;
inline constexpr int impact_iterations_min = 2;

struct Impact {
  double toi = 1;       ///< fraction of the tick, [0, 1]
  bool capped = false;  ///< the steps of the advancement were used up: counts as touching
};

/// The touch rule at the end of the tick; false for a pair that is excluded. Filters are not looked
/// at.
bool touch_at_end(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);
/// The same whether they are excluded or not.
bool shapes_touch_at_end(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);
/// The same at the start of their paths.
bool touch_at_start(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);

/// First moment of two that touch at the end. 0 when they touched at the start; 1 when neither
/// moved along a path.
Impact impact(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);

/// When two that do not touch at the end pass through one another: they touch in between and not at
/// the start. Not of two that hang on the same root, which do not move against each other. Looked
/// for where the relative path, with what turning adds, is longer than the thinner of the two is
/// thick, or where one of them asks for it.
std::optional<Impact> passing(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b);

/// How two entities touch.
struct ImpactDetail {
  // At the end of the tick; of those that pass through, at toi:
  Vec3 point;   ///< world, metres
  Vec3 normal;  ///< unit, from a to b; zero when it could not be found
  double penetration_m = 0;
  Pose pose_a;  ///< at toi
  Pose pose_b;
};
/// Of a contact that begins in this tick with that impact. The deepest pair of parts. Costs up to
/// 0.1 ms for hulls; only made for those who ask for it.
ImpactDetail describe_impact(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b, double toi,
                             bool touching);

/// Memory that tests of the pair will read, to be fetched some pairs ahead.
void prefetch_entity(const Snapshot& snapshot, std::uint32_t slot);

}  // namespace vicinity
