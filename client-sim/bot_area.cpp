// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/bot_area.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/limits.h"
#include "client-sim/solid.h"
#include "client-sim/text.h"

namespace vicinity::sim {
namespace {

constexpr double half_angle_rad = 0.7;

struct Named {
  AreaKind kind;
  std::string_view name;
};
constexpr std::array named_kinds = {
    Named{AreaKind::Sphere, "sphere"},     Named{AreaKind::Box, "box"},
    Named{AreaKind::Cylinder, "cylinder"}, Named{AreaKind::OrientedBox, "oriented-box"},
    Named{AreaKind::Cone, "cone"},         Named{AreaKind::Frustum, "frustum"},
    Named{AreaKind::Prism, "prism"}};

/// From a point to a box, along each axis; 0 within.
Vec3 gaps(Vec3 point, const Aabb& box) {
  return {std::abs(point.x - std::clamp(point.x, box.min.x, box.max.x)),
          std::abs(point.y - std::clamp(point.y, box.min.y, box.max.y)),
          std::abs(point.z - std::clamp(point.z, box.min.z, box.max.z))};
}

bool within_ball(Vec3 gap, double radius_m) {
  return radius_m >= 0 && length_squared(gap) <= radius_m * radius_m;
}

bool within_box(Vec3 gap, Vec3 half, double grown_m) {
  return gap.x <= half.x + grown_m && gap.y <= half.y + grown_m && gap.z <= half.z + grown_m;
}

/// Of a cylinder moved outwards by grown_m, with edges.
bool within_cylinder(const AreaSpec& area, Vec3 gap, double grown_m) {
  return within_ball({gap.x, 0, gap.z}, area.radius_m + grown_m) &&
         gap.y <= area.half_height_m + grown_m;
}

/// The same with round edges.
bool within_round_cylinder(const AreaSpec& area, Vec3 gap, double grown_m) {
  const double outward_m = std::max(0.0, std::hypot(gap.x, gap.z) - area.radius_m);
  const double upward_m = std::max(0.0, gap.y - area.half_height_m);
  return std::hypot(outward_m, upward_m) <= grown_m;
}

/// Whether a box with these gaps is inside the area, the sizes of which are grown by grown_m.
bool enters(const AreaSpec& area, Vec3 gap, double grown_m) {
  switch (area.kind) {
    case AreaKind::Sphere: return within_ball(gap, area.enter_radius_m + grown_m);
    case AreaKind::Box: return within_box(gap, area.enter_half_extent_m, grown_m);
    case AreaKind::Cylinder: return within_cylinder(area, gap, grown_m);
    default: return within_ball(gap, reach_m(area) + grown_m);
  }
}

/// The same for leaving. Whether edges stay edges when the surface moves outwards is left open:
/// `round` says which.
bool stays(const AreaSpec& area, Vec3 gap, double grown_m, bool round) {
  switch (area.kind) {
    case AreaKind::Sphere: return within_ball(gap, area.leave_radius_m + grown_m);
    case AreaKind::Box: return within_box(gap, area.leave_half_extent_m, grown_m);
    case AreaKind::Cylinder: {
      const double moved_m = area.leave_margin_m + grown_m;
      return round ? within_round_cylinder(area, gap, moved_m)
                   : within_cylinder(area, gap, moved_m);
    }
    default: return within_ball(gap, reach_m(area) + grown_m);
  }
}

bool is_exact(AreaKind kind) {
  return kind == AreaKind::Sphere || kind == AreaKind::Box || kind == AreaKind::Cylinder;
}

}  // namespace

Result<std::vector<Ring>, std::string> parse_rings(std::string_view text) {
  std::vector<Ring> rings;
  for (const std::string_view part : split(text, ',')) {
    const auto colon = part.find(':');
    if (colon == std::string_view::npos)
      return fmt::format("ring '{}' must be DISTANCE:TICKS, such as 50:2", part);
    const auto distance_m = parse_number(part.substr(0, colon));
    if (!distance_m || *distance_m < 0)
      return fmt::format("the distance of ring '{}' must be a number >= 0, in metres", part);
    if (!rings.empty() && *distance_m <= rings.back().distance_m)
      return std::string("distances must ascend from ring to ring");
    const auto ticks = parse_whole(part.substr(colon + 1));
    if (!ticks || *ticks < 1 || *ticks > limits::ring_interval_ticks_max)
      return fmt::format("the interval of ring '{}' must be 1 to {} ticks", part,
                         limits::ring_interval_ticks_max);
    rings.push_back({*distance_m, static_cast<std::uint32_t>(*ticks)});
  }
  if (rings.size() > limits::rings_per_area_max)
    return fmt::format("at most {} rings", limits::rings_per_area_max);
  return rings;
}

Result<AreaKind, std::string> parse_area_kind(std::string_view text) {
  for (const Named& named : named_kinds)
    if (named.name == text) return named.kind;
  return fmt::format("unknown kind of area '{}'; known are {}", text, area_kind_names());
}

std::string area_kind_names() {
  std::string names;
  for (const Named& named : named_kinds) {
    if (!names.empty()) names += ", ";
    names += named.name;
  }
  return names;
}

AreaSpec make_area(AreaKind kind, double enter_m, double leave_m, const std::vector<Ring>& rings) {
  CHECK(leave_m >= enter_m);
  AreaSpec spec;
  spec.kind = kind;
  spec.rings = rings;
  spec.leave_margin_m = kind == AreaKind::Sphere || kind == AreaKind::Box ? 0 : leave_m - enter_m;
  switch (kind) {
    case AreaKind::Sphere:
      spec.enter_radius_m = enter_m;
      spec.leave_radius_m = leave_m;
      break;
    case AreaKind::Box:
      spec.enter_half_extent_m = {enter_m, enter_m, enter_m};
      spec.leave_half_extent_m = {leave_m, leave_m, leave_m};
      break;
    case AreaKind::Cylinder:
      spec.radius_m = enter_m;
      spec.half_height_m = enter_m;
      break;
    case AreaKind::OrientedBox: spec.half_extent_m = {enter_m, enter_m, enter_m}; break;
    case AreaKind::Cone:
      spec.range_m = enter_m;
      spec.half_angle_rad = half_angle_rad;
      break;
    case AreaKind::Frustum:
      spec.range_m = enter_m;
      spec.half_angle_rad = half_angle_rad;
      spec.half_angle_up_rad = half_angle_rad;
      break;
    case AreaKind::Prism:
      spec.half_height_m = enter_m;
      spec.outline = {
          {-enter_m, -enter_m}, {-enter_m, enter_m}, {enter_m, enter_m}, {enter_m, -enter_m}};
      break;
  }
  return spec;
}

Standing standing_of(const AreaSpec& area, Vec3 centre, const Aabb& box, double tolerance_m) {
  const Vec3 gap = gaps(centre, box);
  const bool exact = is_exact(area.kind);
  Standing out;
  out.may_enter = enters(area, gap, tolerance_m);
  out.may_stay = out.may_enter || stays(area, gap, tolerance_m, false);
  out.surely_enters = exact && enters(area, gap, -tolerance_m);
  out.surely_stays = exact && (out.surely_enters || stays(area, gap, -tolerance_m, true));
  return out;
}

bool is_surely_within(const AreaSpec& area, Vec3 centre, const Aabb& box, double tolerance_m) {
  if (area.kind != AreaKind::Sphere) return false;
  const Vec3 far{std::max(std::abs(box.min.x - centre.x), std::abs(box.max.x - centre.x)),
                 std::max(std::abs(box.min.y - centre.y), std::abs(box.max.y - centre.y)),
                 std::max(std::abs(box.min.z - centre.z), std::abs(box.max.z - centre.z))};
  return length(far) + tolerance_m < area.enter_radius_m;
}

Standing standing_of(const AreaSpec& area, Vec3 centre, const Aabb& box, const Solid& solid,
                     double tolerance_m) {
  Standing out = standing_of(area, centre, box, tolerance_m);
  if (area.reach == Reach::Centre || !out.may_stay) return out;
  const bool is_sphere = area.kind == AreaKind::Sphere;
  if (!is_sphere && area.kind != AreaKind::Box) {
    // Between the box and what is in it: neither surely in nor surely out.
    out.surely_enters = out.surely_stays = false;
    return out;
  }
  const auto meeting = [&](double radius_m, Vec3 half_extent_m) {
    const Solid reached = is_sphere ? Solid{{centre}, radius_m, 0}
                                    : box_solid({centre - half_extent_m, centre + half_extent_m});
    return meeting_of(reached, solid, tolerance_m);
  };
  const Meeting enter = meeting(area.enter_radius_m, area.enter_half_extent_m);
  const Meeting leave = meeting(area.leave_radius_m, area.leave_half_extent_m);
  out.surely_enters = enter == Meeting::Together;
  out.may_enter = out.may_enter && enter != Meeting::Apart;
  out.surely_stays = out.surely_enters || leave == Meeting::Together;
  out.may_stay = out.may_enter || leave != Meeting::Apart;
  return out;
}

double reach_m(const AreaSpec& area) {
  switch (area.kind) {
    case AreaKind::Sphere: return area.leave_radius_m;
    case AreaKind::Box: return length(area.leave_half_extent_m);
    case AreaKind::Cylinder:
      return std::hypot(area.radius_m + area.leave_margin_m,
                        area.half_height_m + area.leave_margin_m);
    case AreaKind::OrientedBox: {
      const double margin_m = area.leave_margin_m;
      return length(area.half_extent_m + Vec3{margin_m, margin_m, margin_m});
    }
    case AreaKind::Cone: return area.range_m + 2 * area.leave_margin_m;
    case AreaKind::Frustum: {
      // The far corners; moved outwards, their sides go on for a bit.
      const double side = std::tan(area.half_angle_rad);
      const double up = std::tan(area.half_angle_up_rad);
      return (area.range_m + 2 * area.leave_margin_m) * std::sqrt(1 + side * side + up * up);
    }
    case AreaKind::Prism: {
      double outline_m = 0;
      for (const OutlinePoint& point : area.outline)
        outline_m = std::max(outline_m, std::hypot(point.x, point.z));
      // Moved outwards, the corner of a right angle goes sqrt 2 times as far.
      return std::hypot(outline_m + 2 * area.leave_margin_m,
                        area.half_height_m + area.leave_margin_m);
    }
  }
  CHECK(false);
}

std::size_t ring_of(const AreaSpec& area, double distance_m) {
  std::size_t ring = 0;
  while (ring < area.rings.size() && distance_m > area.rings[ring].distance_m) ++ring;
  return ring;
}

std::uint32_t interval_ticks(const AreaSpec& area, Vec3 centre, const Aabb& box,
                             double tolerance_m) {
  if (area.rings.empty()) return 1;
  // The distance may be meant to any point of the entity: to its farthest.
  const Vec3 far{std::max(std::abs(box.min.x - centre.x), std::abs(box.max.x - centre.x)),
                 std::max(std::abs(box.min.y - centre.y), std::abs(box.max.y - centre.y)),
                 std::max(std::abs(box.min.z - centre.z), std::abs(box.max.z - centre.z))};
  const std::size_t ring = ring_of(area, length(far) + tolerance_m);
  std::uint32_t longest = 1;
  // Beyond the last one its interval holds.
  const std::size_t last = std::min(ring, area.rings.size() - 1);
  for (std::size_t i = 0; i <= last; ++i) longest = std::max(longest, area.rings[i].interval_ticks);
  return longest;
}

}  // namespace vicinity::sim
