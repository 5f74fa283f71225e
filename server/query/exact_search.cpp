// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/exact_search.h"

#include <algorithm>
#include <cmath>

#include "narrow/convex_tests.h"
#include "narrow/mesh_tests.h"
#include "narrow/ray_cast.h"
#include "narrow/shape_tests.h"
#include "narrow/time_of_impact.h"
#include "query/box_cast.h"
#include "query/cast_touch.h"
#include "query/placed_parts.h"

namespace vicinity {
namespace {

/// Calls found(part) for the parts until one is.
template <class Found>
bool any_part(const Snapshot& snapshot, std::uint32_t slot, const Found& found) {
  bool is_found = false;
  for_parts_until(snapshot, slot, [&](const PlacedPart& part) { return is_found = found(part); });
  return is_found;
}

/// Of a search box that may be as large as it likes, as much as a part can notice: all numbers that
/// the exact test sees are then about as large as the part.
Aabb clipped(const Aabb& search, const Aabb& part) {
  const double extent_m = largest_component(part.max - part.min);
  const double coordinate_m = std::max(largest_component(part.min), largest_component(part.max));
  const double by_m = (extent_m > 0 ? extent_m : 1) + coordinate_m * 0x1p-48;
  Aabb out;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = std::max(search.min[axis], part.min[axis] - by_m);
    out.max[axis] = std::min(search.max[axis], part.max[axis] + by_m);
  }
  return out;
}

// --- Casts -------------------------------------------------------------------------------------

/// A shape on its way, and the box around it at the start.
struct Cast {
  const Primitive& shape;
  const Pose& start;
  Aabb box;
  Vec3 delta;
  double max_t;
  bool is_box;  ///< the shape is exactly the box
  bool moves() const { return delta != Vec3{} && max_t > 0; }
};

ImpactPrecision precision_for(const Aabb& moving, const Aabb& target) {
  constexpr double part_of_smaller = 1e-6;
  constexpr double part_of_larger = 1e-12;
  constexpr double tolerance_max_m = 1e-4;
  constexpr double smallest_m = 1e-100;  // two points
  constexpr int iterations_max = 256;
  const double a_m = largest_component(moving.max - moving.min);
  const double b_m = largest_component(target.max - target.min);
  const double larger_m = std::max(a_m, b_m);
  const double smaller_m = std::min(a_m, b_m) > 0 ? std::min(a_m, b_m) : larger_m;
  const double tolerance_m = std::min(part_of_smaller * smaller_m, tolerance_max_m);
  return {std::max({tolerance_m, part_of_larger * larger_m, smallest_m}), iterations_max};
}

std::optional<Surface> overlap_at_start(const Cast& cast, const PlacedPart& part) {
  const auto deep = contact(cast.shape, cast.start, part.primitive, part.pose);
  if (!deep) return std::nullopt;
  return Surface{0, deep->point, against(cast.delta)};
}

/// Looks at the part of the path on which the boxes meet, as seen from the entity: the precision is
/// then that of the sizes, however far they come and wherever they are.
std::optional<Surface> cast_along(const Cast& cast, const PlacedPart& part, const Window& window) {
  const Vec3 along = cast.delta * (window.end - window.begin);
  const Pose from = {(cast.start.position - part.pose.position) + cast.delta * window.begin,
                     cast.start.rotation};
  const Path path = {from, {from.position + along, from.rotation}, {}};
  const Pose target = {{}, part.pose.rotation};
  const TimeOfImpact impact = time_of_impact(cast.shape, path, part.primitive, path_at_rest(target),
                                             precision_for(cast.box, part.box));
  if (!impact.hit) return std::nullopt;
  const Touch touch = cast_touch(cast.shape, impact.pose_a, cast.delta, part.primitive, target);
  const double fraction =
      impact.toi < 1 ? window.begin + impact.toi * (window.end - window.begin) : window.end;
  return Surface{std::min(fraction, window.end), part.pose.position + touch.point, touch.normal};
}

std::optional<Surface> cast_at_part(const Cast& cast, const PlacedPart& part) {
  if (cast.is_box && part.is_box) return cast_box(cast.box, cast.delta, cast.max_t, part.box);
  const auto window = touch_window(cast.box, cast.delta, cast.max_t, part.box);
  if (!window) return std::nullopt;
  if (window->begin == 0) {
    if (auto inside = overlap_at_start(cast, part)) return inside;
    if (!cast.moves()) return std::nullopt;
  }
  return cast_along(cast, part, *window);
}

std::optional<Surface> ray_at_part(Vec3 origin, Vec3 delta, double max_t, const PlacedPart& part) {
  const Aabb box{origin, origin};
  if (part.is_box) return cast_box(box, delta, max_t, part.box);
  if (!touch_window(box, delta, max_t, part.box)) return std::nullopt;
  const bool moves = max_t > 0 && delta != Vec3{};
  const std::optional<RayHit> hit = moves
                                        ? ray_cast(part.primitive, part.pose, origin, delta, max_t)
                                        : ray_cast(part.primitive, part.pose, origin, {});
  if (!hit) return std::nullopt;
  return Surface{hit->fraction, hit->point, moves ? hit->normal : against(delta)};
}

/// The first hit of any part. `cast_at` looks at one of them.
template <class CastAt>
std::optional<Surface> first_hit(const Snapshot& snapshot, std::uint32_t slot, const Aabb& box,
                                 Vec3 delta, double max_t, const CastAt& cast_at) {
  const auto window = touch_window(box, delta, max_t, snapshot.tight_box[slot]);
  if (!window) return std::nullopt;
  std::optional<Surface> first;
  for_parts_until(snapshot, slot, [&](const PlacedPart& part) {
    std::optional<Surface> hit = cast_at(part);
    if (hit && !(first && first->value <= hit->value)) first = hit;
    return first && first->value == 0;
  });
  // What is left is rounding: the bound must hold for those who stop by it.
  if (first) first->value = std::max(first->value, window->begin);
  return first;
}

std::optional<Surface> first_hit(const Snapshot& snapshot, std::uint32_t slot, const Cast& cast) {
  return first_hit(snapshot, slot, cast.box, cast.delta, cast.max_t,
                   [&cast](const PlacedPart& part) { return cast_at_part(cast, part); });
}

// --- Distance ----------------------------------------------------------------------------------

Surface closest_in(const Aabb& box, Vec3 point) {
  Surface out;
  out.value = std::sqrt(distance_squared(point, box));
  for (int axis = 0; axis < 3; ++axis)
    out.point[axis] = std::clamp(point[axis], box.min[axis], box.max[axis]);
  out.normal = unit_or(point - out.point, {});
  return out;
}

/// In a frame whose origin is the point.
Surface closest_in(const PlacedPart& part, Vec3 point) {
  if (part.is_box) return closest_in(part.box, point);
  const narrow::PlacedCore at_point = narrow::place(sphere_primitive(0), {}, {});
  const Vec3 way = part.pose.position - point;
  const Quat& rotation = part.pose.rotation;
  const narrow::SurfaceGap gap =
      part.primitive.kind == PrimitiveKind::Mesh
          ? narrow::gap_between(at_point, narrow::place_mesh(part.primitive, way, rotation))
          : narrow::gap_between(at_point, narrow::place(part.primitive, way, rotation));
  if (!(gap.distance_m > 0)) return {0, point, {}};
  return {gap.distance_m, point + gap.on_b, negated(gap.normal)};
}

}  // namespace

bool overlaps_box(const Snapshot& snapshot, std::uint32_t slot, const Aabb& box) {
  return any_part(snapshot, slot, [&box](const PlacedPart& part) {
    if (!overlaps(box, part.box)) return false;
    if (part.is_box) return true;
    const PlacedBox search = box_of_corners(clipped(box, part.box));
    return overlaps(search.primitive, search.pose, part.primitive, part.pose);
  });
}

bool overlaps_sphere(const Snapshot& snapshot, std::uint32_t slot, Vec3 centre, double radius_m) {
  if (!(radius_m > 0)) return false;
  const Primitive sphere = sphere_primitive(radius_m);
  return any_part(snapshot, slot, [&](const PlacedPart& part) {
    if (!(distance_squared(centre, part.box) < radius_m * radius_m)) return false;
    return part.is_box || overlaps(sphere, {centre, {}}, part.primitive, part.pose);
  });
}

bool overlaps_shape(const Snapshot& snapshot, std::uint32_t slot, const Primitive& shape,
                    const Pose& pose) {
  const Aabb box = box_around(shape, pose);
  const bool is_box = is_upright_box(shape, pose);
  return any_part(snapshot, slot, [&](const PlacedPart& part) {
    if (!overlaps(box, part.box)) return false;
    return (is_box && part.is_box) || overlaps(shape, pose, part.primitive, part.pose);
  });
}

std::optional<Surface> cast_ray_at(const Snapshot& snapshot, std::uint32_t slot, Vec3 origin,
                                   Vec3 delta, double max_t) {
  return first_hit(snapshot, slot, {origin, origin}, delta, max_t,
                   [&](const PlacedPart& part) { return ray_at_part(origin, delta, max_t, part); });
}

std::optional<Surface> cast_shape_at(const Snapshot& snapshot, std::uint32_t slot,
                                     const Primitive& shape, const Pose& start, Vec3 delta,
                                     double max_t) {
  if (shape.kind == PrimitiveKind::Sphere && shape.radius_m == 0)
    return cast_ray_at(snapshot, slot, apply(start, shape.offset.position), delta, max_t);
  return first_hit(
      snapshot, slot,
      Cast{shape, start, box_around(shape, start), delta, max_t, is_upright_box(shape, start)});
}

std::optional<Surface> cast_box_at(const Snapshot& snapshot, std::uint32_t slot, const Aabb& box,
                                   Vec3 delta, double max_t) {
  if (box.min == box.max) return cast_ray_at(snapshot, slot, box.min, delta, max_t);
  const PlacedBox placed = box_of_corners(box);
  return first_hit(snapshot, slot, Cast{placed.primitive, placed.pose, box, delta, max_t, true});
}

Surface closest_to(const Snapshot& snapshot, std::uint32_t slot, Vec3 point) {
  std::optional<Surface> closest;
  for_parts_until(snapshot, slot, [&](const PlacedPart& part) {
    const double bound_m = std::sqrt(distance_squared(point, part.box));
    if (closest && closest->value <= bound_m) return closest->value == 0;
    Surface found = closest_in(part, point);
    found.value = std::max(found.value, bound_m);
    if (!closest || found.value < closest->value) closest = found;
    return closest->value == 0;
  });
  const double bound_m = std::sqrt(distance_squared(point, snapshot.tight_box[slot]));
  closest->value = std::max(closest->value, bound_m);
  return *closest;
}

}  // namespace vicinity
