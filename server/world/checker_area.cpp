// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Interest areas, and what else decides who is seen.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "world/checker.h"

namespace vicinity {
namespace {

/// How far the axis of a rotation about y may be from it: rounding, but no mistake of a caller.
constexpr double upright_tolerance = 1e-9;
/// Outlines smaller than this are a point to all that is measured in metres.
constexpr double outline_extent_min_m = 1e-6;
/// How far inside of every edge all other corners must be, in extents of the outline.
constexpr double outline_depth_min = 1e-9;

/// Larger side of the box around an outline, metres.
double extent_of(const std::vector<OutlinePoint>& points) {
  const auto [min_x, max_x] = std::ranges::minmax(points, {}, &OutlinePoint::x);
  const auto [min_z, max_z] = std::ranges::minmax(points, {}, &OutlinePoint::z);
  return std::max(max_x.x - min_x.x, max_z.z - min_z.z);
}

/// How far `point` is to the left of the way from `a` to `b`, metres, seen from above: x points to
/// the right and z down, since y points at the one who looks. NaN when `a` is `b`.
double depth_inside(const OutlinePoint& a, const OutlinePoint& b, const OutlinePoint& point) {
  const double x = b.x - a.x;
  const double z = b.z - a.z;
  return (z * (point.x - a.x) - x * (point.z - a.z)) / std::hypot(x, z);
}

/// Whether every corner is strictly to the left of every edge that it is no end of.
bool is_convex_counter_clockwise(const std::vector<OutlinePoint>& points, double depth_min_m) {
  const std::size_t count = points.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = (i + 1) % count;
    for (std::size_t other = 0; other < count; ++other) {
      if (other == i || other == next) continue;
      if (!(depth_inside(points[i], points[next], points[other]) > depth_min_m)) return false;
    }
  }
  return true;
}

}  // namespace

bool Checker::area(const AreaSpec& spec) {
  return area_place(spec) &&
         count("spec.min_dwell_ticks", spec.min_dwell_ticks, 0, limits::min_dwell_ticks_max) &&
         count("spec.nearest_max", spec.nearest_max, 0, limits::visible_per_session_max) &&
         area_size(spec) && rings(spec.rings);
}

bool Checker::area_place(const AreaSpec& spec) {
  if (!kind("spec.reach", static_cast<int>(spec.reach), 1, ErrorCode::InvalidArea,
            "0 (shape), 1 (centre)") ||
      !kind("spec.follow", static_cast<int>(spec.follow), 1, ErrorCode::InvalidArea,
            "0 (position), 1 (position and heading)"))
    return false;
  if (spec.anchor.present()) return vector("spec.centre", spec.centre, search_coordinate);
  if (spec.follow != AreaFollow::Position) {
    return refuse(ErrorCode::InvalidArea,
                  "spec.follow is 1 without spec.anchor; allowed: 0 for a fixed area");
  }
  return vector("spec.centre", spec.centre, world_);
}

bool Checker::area_size(const AreaSpec& spec) {
  switch (spec.kind) {
    case AreaKind::Sphere:
      return scalar("spec.enter_radius_m", spec.enter_radius_m, search_size) &&
             scalar("spec.leave_radius_m", spec.leave_radius_m, search_size) &&
             (spec.leave_radius_m >= spec.enter_radius_m || leave_below_enter());
    case AreaKind::Box:
      if (!vector("spec.enter_half_extent_m", spec.enter_half_extent_m, search_size) ||
          !vector("spec.leave_half_extent_m", spec.leave_half_extent_m, search_size))
        return false;
      for (int axis = 0; axis < 3; ++axis) {
        if (spec.leave_half_extent_m[axis] < spec.enter_half_extent_m[axis])
          return leave_below_enter();
      }
      return true;
    case AreaKind::Cylinder:
    case AreaKind::OrientedBox:
    case AreaKind::Cone:
    case AreaKind::Frustum:
    case AreaKind::Prism:
      return solid_size(spec) && scalar("spec.leave_margin_m", spec.leave_margin_m, search_size);
  }
  return kind("spec.kind", static_cast<int>(spec.kind), 6, ErrorCode::InvalidArea,
              "0 (sphere), 1 (box), 2 (cylinder), 3 (oriented box), 4 (cone), 5 (frustum), "
              "6 (prism)");
}

bool Checker::solid_size(const AreaSpec& spec) {
  switch (spec.kind) {
    case AreaKind::Cylinder:
      return scalar("spec.radius_m", spec.radius_m, search_size) &&
             scalar("spec.half_height_m", spec.half_height_m, search_size);
    case AreaKind::OrientedBox:
      return vector("spec.half_extent_m", spec.half_extent_m, search_size) &&
             rotation("spec.rotation", spec.rotation);
    case AreaKind::Cone:
      return range(0, spec.range_m) && angle("spec.half_angle_rad", spec.half_angle_rad) &&
             rotation("spec.rotation", spec.rotation);
    case AreaKind::Frustum:
      return scalar("spec.near_m", spec.near_m, search_size) && range(spec.near_m, spec.range_m) &&
             angle("spec.half_angle_rad", spec.half_angle_rad) &&
             angle("spec.half_angle_up_rad", spec.half_angle_up_rad) &&
             rotation("spec.rotation", spec.rotation);
    default: break;  // a prism
  }
  if (!scalar("spec.half_height_m", spec.half_height_m, search_size) || !outline(spec.outline) ||
      !rotation("spec.rotation", spec.rotation))
    return false;
  const bool is_upright = std::abs(spec.rotation.x) <= upright_tolerance &&
                          std::abs(spec.rotation.z) <= upright_tolerance;
  return is_upright || refuse(ErrorCode::InvalidArea,
                              "spec.rotation of a prism is not about the y axis alone; allowed: "
                              "x = 0 and z = 0");
}

bool Checker::angle(const char* field, double value_rad) {
  if (value_rad > 0 && value_rad < std::numbers::pi / 2) return true;
  return refuse(
      std::isfinite(value_rad) ? ErrorCode::InvalidArea : ErrorCode::InvalidNumber,
      std::string(field) + " is " + number_text(value_rad) + "; allowed: above 0, below pi/2 rad");
}

bool Checker::range(double near_m, double range_m) {
  if (!scalar("spec.range_m", range_m, search_size)) return false;
  return range_m > near_m ||
         refuse(ErrorCode::InvalidArea, "spec.range_m is " + number_text(range_m) +
                                            "; allowed: above spec.near_m, " + number_text(near_m) +
                                            " m");
}

bool Checker::outline(const std::vector<OutlinePoint>& points) {
  if (!count("the number of points of spec.outline", points.size(), 3, limits::outline_points_max))
    return false;
  for (const OutlinePoint& point : points) {
    if (!scalar("x of a point of spec.outline", point.x, search_coordinate) ||
        !scalar("z of a point of spec.outline", point.z, search_coordinate))
      return false;
  }
  const double extent_m = extent_of(points);
  return (extent_m >= outline_extent_min_m &&
          is_convex_counter_clockwise(points, outline_depth_min * extent_m)) ||
         refuse(ErrorCode::InvalidArea,
                "spec.outline is flat, not convex, or clockwise; allowed: corners of a convex "
                "outline, counter-clockwise as seen from above, no three in a line");
}

bool Checker::rings(const std::vector<Ring>& rings) {
  if (!count("the number of spec.rings", rings.size(), 0, limits::rings_per_area_max)) return false;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (!scalar("distance_m of a ring", rings[i].distance_m, search_size) ||
        !count("interval_ticks of a ring", rings[i].interval_ticks, 1,
               limits::ring_interval_ticks_max))
      return false;
    if (i > 0 && !(rings[i].distance_m > rings[i - 1].distance_m)) {
      return refuse(ErrorCode::InvalidArea, "distance_m of a ring is " +
                                                number_text(rings[i].distance_m) + " behind " +
                                                number_text(rings[i - 1].distance_m) +
                                                "; allowed: ascending from ring to ring");
    }
  }
  return true;
}

bool Checker::relevance(const Relevance& relevance) {
  if (!scalar("relevance.seen_from_enter_m", relevance.seen_from_enter_m, search_size) ||
      !scalar("relevance.seen_from_leave_m", relevance.seen_from_leave_m, search_size))
    return false;
  return relevance.seen_from_leave_m >= relevance.seen_from_enter_m ||
         refuse(ErrorCode::InvalidNumber, "relevance.seen_from_leave_m is " +
                                              number_text(relevance.seen_from_leave_m) +
                                              "; allowed: at least seen_from_enter_m, " +
                                              number_text(relevance.seen_from_enter_m) + " m");
}

bool Checker::leave_below_enter() {
  return refuse(ErrorCode::InvalidArea,
                "the leave size of spec is below its enter size; allowed: leave >= enter");
}

}  // namespace vicinity
