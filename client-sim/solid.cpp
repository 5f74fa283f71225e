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
  Vec3 best = corners.front();
  double best_m = dot(best, direction);
  for (const Vec3 corner : corners) {
    const double along_m = dot(corner, direction);
    if (along_m <= best_m) continue;
    best = corner;
    best_m = along_m;
  }
  return best;
}

/// The distance of two hulls lies between these, both >= 0.
struct Gap {
  double lower_m = 0;
  double upper_m = 0;
};

/// A point of the difference of two hulls as a mean of differences of their corners.
struct Mean {
  struct Term {
    Vec3 point;
    double weight = 1;
  };
  std::vector<Term> terms;
  Vec3 point;

  /// Moves weight from the term that is farthest along the point to `other`, as far as that brings
  /// the point closer to 0. False when it does not.
  bool improve(Vec3 other) {
    std::size_t worst = 0;
    for (std::size_t i = 1; i < terms.size(); ++i)
      if (dot(terms[i].point, point) > dot(terms[worst].point, point)) worst = i;
    const Vec3 way = other - terms[worst].point;
    const double size_squared = length_squared(way);
    if (size_squared == 0) return false;
    const double moved = std::clamp(-dot(point, way) / size_squared, 0.0, terms[worst].weight);
    if (moved == 0) return false;
    point = point + way * moved;
    terms[worst].weight -= moved;
    if (terms[worst].weight == 0) terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(worst));
    const auto known = std::find_if(terms.begin(), terms.end(),
                                    [other](const Term& term) { return term.point == other; });
    if (known != terms.end()) {
      known->weight += moved;
    } else {
      terms.push_back({other, moved});
    }
    return true;
  }
};

/// Walks through the differences of their points towards the one nearest to 0: in each step weight
/// goes from the worst corner in use to the best of all (pairwise Frank-Wolfe; Lacoste-Julien and
/// Jaggi, "On the global linear convergence of Frank-Wolfe optimization variants", NIPS 2015).
Gap gap_between(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double enough_below_m,
                double enough_above_m) {
  Mean nearest;
  nearest.point = a.front() - b.front();
  nearest.terms.push_back({nearest.point, 1});
  Gap gap;
  for (int step = 0; step < steps_max; ++step) {
    gap.upper_m = length(nearest.point);
    if (gap.upper_m < enough_below_m || gap.upper_m == 0) break;
    const Vec3 other = farthest(a, nearest.point * -1.0) - farthest(b, nearest.point);
    gap.lower_m = std::max(gap.lower_m, dot(nearest.point, other) / gap.upper_m);
    if (gap.lower_m > enough_above_m || !nearest.improve(other)) break;
  }
  return gap;
}

/// A solid inside of this one whose radius is not 0, if there is room for one: at least `radius_m`,
/// if possible.
Solid inside_of(const Solid& solid, double radius_m) {
  if (solid.radius_m > 0 || solid.corners.size() == 1) return solid;
  Solid out;
  const double wanted = solid.inner_radius_m > 0 ? radius_m / solid.inner_radius_m : 0;
  const double part = std::clamp(wanted, drawn_in, 0.5);
  const Vec3 middle = mean_of(solid.corners);
  for (const Vec3 corner : solid.corners)
    out.corners.push_back(middle + (corner - middle) * (1 - part));
  out.radius_m = solid.inner_radius_m * part;
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

}  // namespace

Solid box_solid(const Aabb& box) {
  const Vec3 half = (box.max - box.min) * 0.5;
  return {corners_of_box(box), 0, std::min({half.x, half.y, half.z})};
}

namespace {

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

Meeting meeting_of(const Solid& a, const Solid& b, double tolerance_m) {
  const double unsure_m = rounding_m + tolerance_m;
  const double radii_m = a.radius_m + b.radius_m;
  const double together_m = radii_m - unsure_m;
  const double apart_m = radii_m + unsure_m;
  const Gap gap = gap_between(a.corners, b.corners, together_m, apart_m);
  if (gap.lower_m > apart_m) return Meeting::Apart;
  if (gap.upper_m < together_m) return Meeting::Together;
  const Solid inner_a = inside_of(a, unsure_m);
  const Solid inner_b = inside_of(b, unsure_m);
  const double inner_m = inner_a.radius_m + inner_b.radius_m - unsure_m;
  const Gap inner = gap_between(inner_a.corners, inner_b.corners, inner_m,
                                std::numeric_limits<double>::infinity());
  return inner.upper_m < inner_m ? Meeting::Together : Meeting::Unsure;
}

}  // namespace vicinity::sim
