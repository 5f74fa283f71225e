// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/area_solid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/primitive_bounds.h"
#include "interest/convex_reach.h"
#include "narrow/mesh_tests.h"
#include "narrow/mesh_walk.h"
#include "narrow/shape_tests.h"

namespace vicinity {
namespace {

// --- Making solids -----------------------------------------------------------------------------

void add_prism(const AreaSpec& spec, AreaSolid& solid) {
  std::vector<OutlinePoint> outline = spec.outline;
  double twice_area = 0;  // positive when counter-clockwise as seen from above, -z up on paper
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const OutlinePoint& a = outline[i];
    const OutlinePoint& b = outline[(i + 1) % outline.size()];
    twice_area += a.z * b.x - a.x * b.z;
  }
  if (twice_area < 0) std::reverse(outline.begin(), outline.end());
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const OutlinePoint& a = outline[i];
    const OutlinePoint& b = outline[(i + 1) % outline.size()];
    const double size_m = std::hypot(b.x - a.x, b.z - a.z);
    if (!(size_m > 0)) continue;
    const double normal_x = (a.z - b.z) / size_m;
    const double normal_z = (b.x - a.x) / size_m;
    const double offset_m = normal_x * a.x + normal_z * a.z + solid.margin_m;
    solid.sides.push_back({normal_x, normal_z, offset_m});
  }
  for (std::size_t i = 0; i < solid.sides.size(); ++i) {
    const AreaSolid::Side& a = solid.sides[i];
    const AreaSolid::Side& b = solid.sides[(i + 1) % solid.sides.size()];
    const double sine = a.normal_x * b.normal_z - a.normal_z * b.normal_x;
    const bool is_straight = std::abs(sine) < 1e-9;  // any point of the line will do
    const double x = is_straight ? a.normal_x * a.offset_m
                                 : (a.offset_m * b.normal_z - b.offset_m * a.normal_z) / sine;
    const double z = is_straight ? a.normal_z * a.offset_m
                                 : (a.normal_x * b.offset_m - b.normal_x * a.offset_m) / sine;
    if (is_straight) continue;
    for (const double y : {-solid.half_height_m, solid.half_height_m})
      solid.corners.push_back({x, y, z});
  }
}

/// Half width of a frustum at a depth, to the side or upwards.
double half_width(double depth_m, double sine, double cosine, double margin_m) {
  return std::max(0.0, (depth_m * sine + margin_m) / cosine);
}

void add_frustum(AreaSolid& solid) {
  for (const double depth_m : {solid.near_m, solid.range_m}) {
    const double x = half_width(depth_m, solid.sine, solid.cosine, solid.margin_m);
    const double y = half_width(depth_m, solid.sine_up, solid.cosine_up, solid.margin_m);
    for (const Vec3 corner : {Vec3{-x, -y, -depth_m}, Vec3{x, -y, -depth_m}, Vec3{-x, y, -depth_m},
                              Vec3{x, y, -depth_m}})
      solid.corners.push_back(corner);
  }
}

AreaSolid solid_with_margin(const AreaSpec& spec, double margin_m) {
  AreaSolid solid;
  solid.kind = spec.kind;
  solid.margin_m = margin_m;
  solid.radius_m = spec.radius_m + margin_m;
  solid.half_height_m = spec.half_height_m + margin_m;
  solid.half_extent_m = spec.half_extent_m + Vec3{margin_m, margin_m, margin_m};
  solid.near_m = spec.near_m - margin_m;
  solid.range_m = spec.range_m + margin_m;
  // Other kinds have no angles: nobody has checked what stands there.
  if (spec.kind == AreaKind::Cone || spec.kind == AreaKind::Frustum) {
    const SineCosine side = sine_cosine(spec.half_angle_rad);
    solid.sine = side.sine;
    solid.cosine = side.cosine;
  }
  if (spec.kind == AreaKind::Frustum) {
    const SineCosine up = sine_cosine(spec.half_angle_up_rad);
    solid.sine_up = up.sine;
    solid.cosine_up = up.cosine;
  }
  if (spec.kind == AreaKind::Prism) add_prism(spec, solid);
  if (spec.kind == AreaKind::Frustum) add_frustum(solid);
  return solid;
}

AreaSolid plain_solid(AreaKind kind, double radius_m, Vec3 half_extent_m) {
  AreaSolid solid;
  solid.kind = kind;
  solid.radius_m = radius_m;
  solid.half_extent_m = half_extent_m;
  return solid;
}

// --- Support points ----------------------------------------------------------------------------

Vec3 on_circle(Vec3 direction, double radius_m, double y) {
  const double size = std::hypot(direction.x, direction.z);
  if (!(size > 0)) return {radius_m, y, 0};
  return {direction.x / size * radius_m, y, direction.z / size * radius_m};
}

/// Where the side of a cone meets the ball, as distance from the axis and along it:
/// r cosine - t sine = margin and r^2 + t^2 = range^2.
struct Rim {
  double r;
  double t;
};
Rim rim_of(const AreaSolid& cone, double sign) {
  const double m = cone.margin_m;
  const double s = sign * std::sqrt(std::max(0.0, cone.range_m * cone.range_m - m * m));
  return {m * cone.cosine + s * cone.sine, s * cone.cosine - m * cone.sine};
}

Vec3 support_of_cone(const AreaSolid& cone, Vec3 direction) {
  const Vec3 unit = unit_or(direction, {0, 0, -1});
  const double across = std::hypot(unit.x, unit.y);
  const double along = -unit.z;
  if (cone.range_m * (across * cone.cosine - along * cone.sine) <= cone.margin_m)
    return unit * cone.range_m;
  const Rim front = rim_of(cone, 1);
  const Rim behind = rim_of(cone, -1);
  // The apex, moved back by the margin; outside of the ball there is a second rim instead.
  const Rim back = behind.r > 0 ? behind : Rim{0, -cone.margin_m / cone.sine};
  const bool is_front = across * front.r + along * front.t >= across * back.r + along * back.t;
  const Rim best = is_front ? front : back;
  const double x = across > 0 ? unit.x / across : 1;
  const double y = across > 0 ? unit.y / across : 0;
  return {x * best.r, y * best.r, -best.t};
}

/// In the solid's own frame.
Vec3 support(const AreaSolid& solid, Vec3 direction) {
  const auto signed_half = [](double half, double d) { return d < 0 ? -half : half; };
  switch (solid.kind) {
    case AreaKind::Sphere: return unit_or(direction, {1, 0, 0}) * solid.radius_m;
    case AreaKind::Cylinder:
      return on_circle(direction, solid.radius_m, signed_half(solid.half_height_m, direction.y));
    case AreaKind::Cone: return support_of_cone(solid, direction);
    case AreaKind::Box:
    case AreaKind::OrientedBox:
      return {signed_half(solid.half_extent_m.x, direction.x),
              signed_half(solid.half_extent_m.y, direction.y),
              signed_half(solid.half_extent_m.z, direction.z)};
    case AreaKind::Frustum:
    case AreaKind::Prism: break;
  }
  if (solid.corners.empty()) return {};
  return *std::max_element(solid.corners.begin(), solid.corners.end(), [direction](Vec3 a, Vec3 b) {
    return dot(a, direction) < dot(b, direction);
  });
}

// --- Parts of entities -------------------------------------------------------------------------

/// A sphere or upright capsule: a vertical segment, as a box without width, and a radius.
struct RoundCore {
  Aabb segment;
  double radius_m;
};
RoundCore round_core(const Snapshot& snapshot, std::uint32_t slot) {
  const Shape& shape = snapshot.shape[slot];
  const double half_m = shape.kind == ShapeKind::Capsule ? shape.half_height_m : 0;
  const Vec3 middle = snapshot.position[slot] + shape.offset;
  return {{middle - Vec3{0, half_m, 0}, middle + Vec3{0, half_m, 0}}, shape.radius_m};
}

bool is_upright_box(const Primitive& part, const Pose& pose) {
  return part.kind == PrimitiveKind::Box && is_identity(pose.rotation) &&
         is_identity(part.offset.rotation);
}

double gap_between(double low_a, double high_a, double low_b, double high_b) {
  return std::max({0.0, low_a - high_b, low_b - high_a});
}

/// Distance of a box, and a radius around it, from the solid; closed forms.
bool closed_form_reaches(const AreaSolid& solid, Vec3 position, const Aabb& box, double radius_m) {
  if (solid.kind == AreaKind::Sphere) {
    const double reach_m = solid.radius_m + radius_m;
    return distance_squared(position, box) <= reach_m * reach_m;
  }
  if (solid.kind == AreaKind::Box) {
    const Aabb area{position - solid.half_extent_m, position + solid.half_extent_m};
    return narrow::distance_squared(area, box) <= radius_m * radius_m;
  }
  const double x = gap_between(box.min.x, box.max.x, position.x, position.x);
  const double z = gap_between(box.min.z, box.max.z, position.z, position.z);
  const double y = gap_between(box.min.y, box.max.y, position.y - solid.half_height_m,
                               position.y + solid.half_height_m);
  if (radius_m == 0) return y == 0 && x * x + z * z <= solid.radius_m * solid.radius_m;
  const double across = std::max(0.0, std::sqrt(x * x + z * z) - solid.radius_m);
  return across * across + y * y <= radius_m * radius_m;
}
bool has_closed_form(AreaKind kind) {
  return kind == AreaKind::Sphere || kind == AreaKind::Box || kind == AreaKind::Cylinder;
}

/// `core` is placed relative to the position of the solid.
bool core_reaches(const AreaSolid& solid, const Quat& rotation, const narrow::PlacedCore& core) {
  const Quat back = conjugate(rotation);
  const auto difference = [&](Vec3 direction) {
    const Vec3 of_solid = rotate(rotation, support(solid, rotate(back, direction)));
    return of_solid - narrow::support(core, negated(direction));
  };
  const double size_m = core.size_m + core.radius_m + length(core.centre);
  return convex_touch(difference, size_m, core.radius_m);
}

bool mesh_reaches(const AreaSolid& solid, const Pose& pose, const Primitive& part,
                  const Pose& of_entity) {
  const Vec3 way = of_entity.position - pose.position;
  const narrow::PlacedMesh mesh = narrow::place_mesh(part, way, of_entity.rotation);
  const auto enter = [&](const Aabb& box) {
    const Primitive around =
        box_primitive((box.max - box.min) * 0.5, compose(part.offset, {centre(box), {}}));
    return core_reaches(solid, pose.rotation, narrow::place(around, way, of_entity.rotation));
  };
  return narrow::any_triangle(*part.mesh, enter, [&](std::uint32_t triangle) {
    return core_reaches(solid, pose.rotation, narrow::place_triangle(mesh, triangle));
  });
}

bool part_reaches(const AreaSolid& solid, const Pose& pose, const Primitive& part,
                  const Pose& of_entity) {
  if (has_closed_form(solid.kind) && is_upright_box(part, of_entity))
    return closed_form_reaches(solid, pose.position, box_around(part, of_entity), 0);
  if (solid.kind == AreaKind::Sphere)
    return distance_to_point(part, of_entity, pose.position) <= solid.radius_m;
  if (part.kind == PrimitiveKind::Mesh) return mesh_reaches(solid, pose, part, of_entity);
  const Vec3 way = of_entity.position - pose.position;
  return core_reaches(solid, pose.rotation, narrow::place(part, way, of_entity.rotation));
}

bool contains_box(const AreaSolid& solid, const Pose& pose, const Aabb& box) {
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 at = {(corner & 1) != 0 ? box.max.x : box.min.x,
                     (corner & 2) != 0 ? box.max.y : box.min.y,
                     (corner & 4) != 0 ? box.max.z : box.min.z};
    if (!contains(solid, pose, at)) return false;
  }
  return true;
}

bool prism_contains(const AreaSolid& solid, Vec3 at) {
  return std::abs(at.y) <= solid.half_height_m && !solid.sides.empty() &&
         std::all_of(solid.sides.begin(), solid.sides.end(), [at](const AreaSolid::Side& side) {
           return at.x * side.normal_x + at.z * side.normal_z <= side.offset_m;
         });
}

}  // namespace

AreaSolid enter_solid(const AreaSpec& spec) {
  if (spec.kind == AreaKind::Sphere || spec.kind == AreaKind::Box)
    return plain_solid(spec.kind, spec.enter_radius_m, spec.enter_half_extent_m);
  return solid_with_margin(spec, 0);
}

AreaSolid leave_solid(const AreaSpec& spec) {
  if (spec.kind == AreaKind::Sphere || spec.kind == AreaKind::Box)
    return plain_solid(spec.kind, spec.leave_radius_m, spec.leave_half_extent_m);
  return solid_with_margin(spec, spec.leave_margin_m);
}

bool contains(const AreaSolid& solid, const Pose& pose, Vec3 point) {
  if (has_closed_form(solid.kind))
    return closed_form_reaches(solid, pose.position, {point, point}, 0);
  const Vec3 at = apply_inverse(pose, point);
  switch (solid.kind) {
    case AreaKind::OrientedBox:
      return std::abs(at.x) <= solid.half_extent_m.x && std::abs(at.y) <= solid.half_extent_m.y &&
             std::abs(at.z) <= solid.half_extent_m.z;
    case AreaKind::Cone:
      return length_squared(at) <= solid.range_m * solid.range_m &&
             std::hypot(at.x, at.y) * solid.cosine + at.z * solid.sine <= solid.margin_m;
    case AreaKind::Frustum: {
      const double depth_m = -at.z;
      return depth_m >= solid.near_m && depth_m <= solid.range_m &&
             std::abs(at.x) * solid.cosine - depth_m * solid.sine <= solid.margin_m &&
             std::abs(at.y) * solid.cosine_up - depth_m * solid.sine_up <= solid.margin_m;
    }
    default: return prism_contains(solid, at);
  }
}

Aabb box_around(const AreaSolid& solid, const Pose& pose) {
  const Quat back = conjugate(pose.rotation);
  Aabb out{pose.position, pose.position};
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 direction;
    direction[axis] = 1;
    const Vec3 own = rotate(back, direction);
    const double high = dot(own, support(solid, own));
    const double low = dot(own, support(solid, negated(own)));
    const bool is_exact = solid.kind == AreaKind::Sphere || solid.kind == AreaKind::Box;
    const double slack_m = is_exact ? 0 : (std::abs(high) + std::abs(low)) * 0x1p-26;
    out.min[axis] += low - slack_m;
    out.max[axis] += high + slack_m;
  }
  return out;
}

bool reaches(const AreaSolid& solid, const Pose& pose, const Snapshot& snapshot,
             std::uint32_t slot) {
  const Aabb& box = snapshot.tight_box[slot];
  const Form form = snapshot.form[slot];
  if (has_closed_form(solid.kind)) {
    if (form == Form::Box) return closed_form_reaches(solid, pose.position, box, 0);
    if (form == Form::Round) {
      const RoundCore core = round_core(snapshot, slot);
      return closed_form_reaches(solid, pose.position, core.segment, core.radius_m);
    }
  }
  if (!touches(box_around(solid, pose), box)) return false;
  if (contains_box(solid, pose, box)) return true;
  if (form == Form::Box) {
    const Vec3 middle = centre(box);
    const Primitive part = box_primitive((box.max - box.min) * 0.5);
    return part_reaches(solid, pose, part, {middle, {}});
  }
  bool is_in = false;
  const Pose of_entity = snapshot.pose(slot);
  for_each_part(snapshot.shape[slot], [&](const Primitive& part) {
    is_in = is_in || part_reaches(solid, pose, part, of_entity);
  });
  return is_in;
}

double distance_to_shape(const Snapshot& snapshot, std::uint32_t slot, Vec3 point) {
  const Form form = snapshot.form[slot];
  if (form == Form::Box) return std::sqrt(distance_squared(point, snapshot.tight_box[slot]));
  if (form == Form::Round) {
    const RoundCore core = round_core(snapshot, slot);
    return std::max(0.0, std::sqrt(distance_squared(point, core.segment)) - core.radius_m);
  }
  double least_m = std::numeric_limits<double>::infinity();
  const Pose pose = snapshot.pose(slot);
  for_each_part(snapshot.shape[slot], [&](const Primitive& part) {
    least_m = std::min(least_m, distance_to_point(part, pose, point));
  });
  return least_m;
}

}  // namespace vicinity
