// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/convex_tests.h"

#include <algorithm>

#include "narrow/closest_features.h"
#include "narrow/contact_point.h"
#include "narrow/separating_axis.h"

namespace vicinity::narrow {
namespace {

/// Points of two shapes that close, in parts of their size, are one.
constexpr double touching_part = 1e-9;

Segment segment_of(const PlacedCore& placed) {
  return {placed.centre, placed.axes.y, placed.half_extent_m.y};
}

ClosestCores between_points(Vec3 on_a, Vec3 on_b) {
  const Vec3 way = on_b - on_a;
  const double distance_m = length(way);
  return {distance_m > 0 ? Verdict::Separated : Verdict::Unsure, distance_m, on_a, on_b,
          unit_or(way, {0, 1, 0})};
}

ClosestCores point_point(const PlacedCore& a, const PlacedCore& b) {
  return between_points(a.centre, b.centre);
}
ClosestCores point_segment(const PlacedCore& a, const PlacedCore& b) {
  const Segment segment = segment_of(b);
  return between_points(a.centre, segment.at(closest_on_segment(segment, a.centre)));
}
ClosestCores segment_segment(const PlacedCore& a, const PlacedCore& b) {
  const Segment on_a = segment_of(a);
  const Segment on_b = segment_of(b);
  const SegmentPlaces places = closest_on_segments(on_a, on_b);
  return between_points(on_a.at(places.on_a_m), on_b.at(places.on_b_m));
}

/// A point and the one closest to it in a box. Their difference is taken in the box's frame, where
/// a point inside gives exactly zero.
ClosestCores point_and_box(Vec3 point, Vec3 local, const PlacedCore& box) {
  const Vec3 way = box.axes * (closest_in_box(box.half_extent_m, local) - local);
  ClosestCores out = between_points({}, way);
  out.on_a = point;
  out.on_b = point + way;
  return out;
}
ClosestCores point_box(const PlacedCore& a, const PlacedCore& b) {
  return point_and_box(a.centre, transposed_times(b.axes, a.centre - b.centre), b);
}
ClosestCores segment_box(const PlacedCore& a, const PlacedCore& b) {
  const Segment local = {transposed_times(b.axes, a.centre - b.centre),
                         transposed_times(b.axes, a.axes.y), a.half_extent_m.y};
  const double place_m = closest_to_box(local, b.half_extent_m);
  return point_and_box(segment_of(a).at(place_m), local.at(place_m), b);
}
ClosestCores by_gjk(const PlacedCore& a, const PlacedCore& b) { return closest_by_gjk(a, b); }

using ClosestFunction = ClosestCores (*)(const PlacedCore&, const PlacedCore&);

ClosestCores turned_around(const ClosestCores& closest) {
  ClosestCores out = closest;
  std::swap(out.on_a, out.on_b);
  out.normal = negated(out.normal);
  return out;
}
template <ClosestFunction function>
ClosestCores swapped(const PlacedCore& a, const PlacedCore& b) {
  return turned_around(function(b, a));
}

// Rows and columns: point, segment, box, hull, triangle.
constexpr ClosestFunction closest_table[core_count][core_count] = {
    {point_point, point_segment, point_box, by_gjk, by_gjk},
    {swapped<point_segment>, segment_segment, segment_box, by_gjk, by_gjk},
    {swapped<point_box>, swapped<segment_box>, by_gjk, by_gjk, by_gjk},
    {by_gjk, by_gjk, by_gjk, by_gjk, by_gjk},
    {by_gjk, by_gjk, by_gjk, by_gjk, by_gjk}};

bool in_closed_form(const PlacedCore& a, const PlacedCore& b) {
  return a.core <= Core::Box && b.core <= Core::Box &&
         !(a.core == Core::Box && b.core == Core::Box);
}

/// No radius on either side: the cores must share inner points.
bool bare_cores_overlap(const PlacedCore& a, const PlacedCore& b) {
  if (a.core <= Core::Segment && b.core <= Core::Segment) return false;
  if (a.core == Core::Box && b.core == Core::Box) return boxes_overlap(a, b);
  if (!in_closed_form(a, b)) {
    const ClosestCores closest = closest_by_gjk(a, b, 0);
    if (closest.verdict != Verdict::Unsure) return closest.verdict == Verdict::Inside;
  }
  return find_separating_axis(Polytope(a), Polytope(b)).largest_gap_m < 0;
}

}  // namespace

ClosestCores closest_cores(const PlacedCore& a, const PlacedCore& b) {
  return closest_table[static_cast<std::size_t>(a.core)][static_cast<std::size_t>(b.core)](a, b);
}

bool overlap(const PlacedCore& a, const PlacedCore& b) {
  const double radius_m = a.radius_m + b.radius_m;
  if (radius_m == 0) return bare_cores_overlap(a, b);
  if (in_closed_form(a, b)) return closest_cores(a, b).distance_m < radius_m;
  return closest_by_gjk(a, b, radius_m).distance_m < radius_m;
}

SurfaceGap gap_between(const PlacedCore& a, const PlacedCore& b) {
  const double radius_m = a.radius_m + b.radius_m;
  const ClosestCores closest = closest_cores(a, b);
  if (closest.verdict == Verdict::Separated && closest.distance_m > radius_m)
    return {closest.distance_m - radius_m, closest.on_a + closest.normal * a.radius_m,
            closest.on_b - closest.normal * b.radius_m, closest.normal};
  const Penetration deep = penetration_of(a, b);
  const double distance_m = std::max(0.0, -deep.depth_m);
  const Vec3 half_way = deep.normal * (distance_m / 2);
  // Bare cores that all but touch: the points of GJK are of the cores, whatever their shape; those
  // of a contact lie where faces would be if the cores were not so thin.
  const bool bare = radius_m == 0 && closest.verdict == Verdict::Unsure;
  const bool close = length(closest.on_b - closest.on_a) <= touching_part * (a.size_m + b.size_m);
  const Vec3 point =
      bare && close ? closest.on_a + (closest.on_b - closest.on_a) * 0.5 : deep.point;
  return {distance_m, point - half_way, point + half_way, deep.normal};
}

Penetration penetration_of(const PlacedCore& a, const PlacedCore& b) {
  const double radius_m = a.radius_m + b.radius_m;
  const ClosestCores closest = closest_cores(a, b);
  const double size_m = a.size_m + b.size_m;
  if (closest.verdict == Verdict::Separated && closest.distance_m > unsure_part * size_m) {
    const double depth_m = radius_m - closest.distance_m;
    return {closest.on_a + closest.normal * (a.radius_m - depth_m / 2), closest.normal, depth_m};
  }
  const Polytope on_a(a);
  const Polytope on_b(b);
  const SeparatingAxis axis = find_separating_axis(on_a, on_b);
  const Vec3 point = contact_point(on_a, on_b, axis.normal, size_m);
  const double depth_m = radius_m - axis.gap_m;
  // From the middle between the two surfaces of the cores to that between the true ones.
  return {point + axis.normal * ((a.radius_m - b.radius_m) / 2), axis.normal, depth_m};
}

}  // namespace vicinity::narrow
