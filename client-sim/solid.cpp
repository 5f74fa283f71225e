// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client-sim/solid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace vicinity::sim {
namespace {

constexpr int steps_max = 400;
/// Distances below this prove nothing: roundings of the two computations may differ by as much.
constexpr double rounding_m = 1e-9;
/// The proof of an overlap of solids without radius: their hulls are drawn in by this part, and the
/// part taken off is the radius.
constexpr double drawn_in = 1e-3;

Vec3 mean_of(const std::vector<Vec3>& points) {
  Vec3 sum;
  for (const Vec3 point : points) sum = sum + point;
  return sum * (1.0 / static_cast<double>(points.size()));
}

/// The corner that is farthest along the direction.
Vec3 farthest(const std::vector<Vec3>& corners, Vec3 direction) {
  return *std::max_element(corners.begin(), corners.end(), [direction](Vec3 a, Vec3 b) {
    return dot(a, direction) < dot(b, direction);
  });
}

/// The distance of two hulls lies between these, both >= 0.
struct Gap {
  double lower_m = 0;
  double upper_m = 0;
};

/// Walks through the differences of their points towards the one nearest to 0, each step along the
/// line to the difference that lies farthest that way (Gilbert, "An iterative procedure for
/// computing the minimum of a quadratic form on a convex set", SIAM J. Control 4, 1966).
Gap gap_between(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double enough_below_m,
                double enough_above_m) {
  Vec3 nearest = mean_of(a) - mean_of(b);
  Gap gap{0, length(nearest)};
  for (int step = 0; step < steps_max; ++step) {
    gap.upper_m = length(nearest);
    if (gap.upper_m < enough_below_m) break;
    const Vec3 other = farthest(a, nearest * -1.0) - farthest(b, nearest);
    gap.lower_m = std::max(gap.lower_m, dot(nearest, other) / gap.upper_m);
    if (gap.lower_m > enough_above_m) break;
    const Vec3 way = other - nearest;
    const double size_squared = length_squared(way);
    if (size_squared == 0) break;
    nearest = nearest + way * std::clamp(-dot(nearest, way) / size_squared, 0.0, 1.0);
  }
  return gap;
}

/// A solid inside of this one whose radius is not 0, if there is room for one.
Solid inside_of(const Solid& solid) {
  if (solid.radius_m > 0 || solid.corners.size() == 1) return solid;
  Solid out;
  const Vec3 middle = mean_of(solid.corners);
  for (const Vec3 corner : solid.corners)
    out.corners.push_back(middle + (corner - middle) * (1 - drawn_in));
  out.radius_m = solid.inner_radius_m * drawn_in;
  return out;
}

std::vector<Vec3> corners_of_box(const Aabb& box) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back({(i & 1) != 0 ? box.max.x : box.min.x, (i & 2) != 0 ? box.max.y : box.min.y,
                       (i & 4) != 0 ? box.max.z : box.min.z});
  }
  return corners;
}

Solid box_solid(const Aabb& box) {
  const Vec3 half = (box.max - box.min) * 0.5;
  return {corners_of_box(box), 0, std::min({half.x, half.y, half.z})};
}

/// In the frame of the entity.
Solid local_solid(const Primitive& part) {
  Solid out;
  switch (part.kind) {
    case PrimitiveKind::Sphere: out = {{{}}, part.radius_m, 0}; break;
    case PrimitiveKind::Capsule:
      out = {{{0, -part.half_height_m, 0}, {0, part.half_height_m, 0}}, part.radius_m, 0};
      break;
    case PrimitiveKind::Box:
      out = box_solid({part.half_extent_m * -1.0, part.half_extent_m});
      break;
    case PrimitiveKind::Hull: {
      const auto vertices = part.hull->vertices();
      out.corners.assign(vertices.begin(), vertices.end());
      out.inner_radius_m = std::numeric_limits<double>::infinity();
      for (const Plane& face : part.hull->faces()) {
        const double depth_m = face.offset_m - dot(face.normal, mean_of(out.corners));
        out.inner_radius_m = std::min(out.inner_radius_m, depth_m);
      }
      break;
    }
    case PrimitiveKind::Mesh: CHECK(part.kind != PrimitiveKind::Mesh); break;
  }
  for (Vec3& corner : out.corners) corner = apply(part.offset, corner);
  return out;
}

Solid local_solid(const client::EntityView& entity) {
  const Vec3 middle = (entity.local_box.min + entity.local_box.max) * 0.5;
  const Vec3 half = (entity.local_box.max - entity.local_box.min) * 0.5;
  switch (entity.shape_kind) {
    case ShapeKind::Sphere: return {{middle}, half.x, 0};
    case ShapeKind::Capsule: {
      const Vec3 up{0, half.y - half.x, 0};
      return {{middle - up, middle + up}, half.x, 0};
    }
    default: return box_solid(entity.local_box);
  }
}

}  // namespace

Solid solid_of(const client::EntityView& entity, const Shape* shape) {
  Solid out;
  if (shape == nullptr) {
    out = local_solid(entity);
  } else {
    for_each_part(*shape, [&out](const Primitive& part) { out = local_solid(part); });
  }
  const Pose pose{entity.position, entity.rotation};
  for (Vec3& corner : out.corners) corner = apply(pose, corner);
  return out;
}

Aabb box_around(const Solid& solid) {
  Aabb out{solid.corners.front(), solid.corners.front()};
  for (const Vec3 corner : solid.corners) out = merge(out, {corner, corner});
  const Vec3 radius{solid.radius_m, solid.radius_m, solid.radius_m};
  return {out.min - radius, out.max + radius};
}

Meeting meeting_of(const Solid& a, const Solid& b) {
  const double radii_m = a.radius_m + b.radius_m;
  const double together_m = radii_m - rounding_m;
  const double apart_m = radii_m + rounding_m;
  const Gap gap = gap_between(a.corners, b.corners, together_m, apart_m);
  if (gap.lower_m > apart_m) return Meeting::Apart;
  if (gap.upper_m < together_m) return Meeting::Together;
  const Solid inner_a = inside_of(a);
  const Solid inner_b = inside_of(b);
  const double inner_m = inner_a.radius_m + inner_b.radius_m - rounding_m;
  const Gap inner = gap_between(inner_a.corners, inner_b.corners, inner_m,
                                std::numeric_limits<double>::infinity());
  return inner.upper_m < inner_m ? Meeting::Together : Meeting::Unsure;
}

}  // namespace vicinity::sim
