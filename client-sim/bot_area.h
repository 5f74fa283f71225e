// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The area that bots put around themselves, and what the truth says of an entity and such an area,
// by formulas of its own. Pure; any thread.
//
//   rings     = ring *("," ring)
//   ring      = distance ":" ticks          "20:1,50:2,100:5": ascending distances in metres

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/aabb.h"
#include "base/result.h"
#include "world/command.h"

namespace vicinity::sim {

struct Solid;

/// The errors are sentences for the user.
Result<std::vector<Ring>, std::string> parse_rings(std::string_view text);
Result<AreaKind, std::string> parse_area_kind(std::string_view text);
/// "sphere, box, ...", for messages.
std::string area_kind_names();

/// An area of the kind that reaches `enter_m` from its position: as radius, half extent, half
/// height or range. It leaves `leave_m` - `enter_m` farther out. Not anchored yet.
AreaSpec make_area(AreaKind kind, double enter_m, double leave_m, const std::vector<Ring>& rings);

/// Where a box is against an area whose position is `centre`, when both are only known within
/// `tolerance_m`: surely and possibly inside for entering, and for leaving. Of spheres, boxes and
/// cylinders exact but for the tolerance; what has corners in between is only bounded by a ball, so
/// it is never surely inside.
struct Standing {
  bool surely_enters = false;
  bool may_enter = false;
  bool surely_stays = false;
  bool may_stay = false;
};
Standing standing_of(const AreaSpec& area, Vec3 centre, const Aabb& box, double tolerance_m);
/// Whether the box alone tells that it, and so whatever is in it, is surely inside.
bool is_surely_within(const AreaSpec& area, Vec3 centre, const Aabb& box, double tolerance_m);
/// The same of the solid that is in the box, for an area with reach = shape.
Standing standing_of(const AreaSpec& area, Vec3 centre, const Aabb& box, const Solid& solid,
                     double tolerance_m);

/// A distance from `centre` beyond which no entity can be in the area, not even to stay, metres.
double reach_m(const AreaSpec& area);

/// The longest interval of a ring that an entity in this box may be in, ticks. `tolerance_m` as
/// above.
std::uint32_t interval_ticks(const AreaSpec& area, Vec3 centre, const Aabb& box,
                             double tolerance_m);
/// Which ring that is, from 0; as many as there are rings: beyond the last.
std::size_t ring_of(const AreaSpec& area, double distance_m);

}  // namespace vicinity::sim
