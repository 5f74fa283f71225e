// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/ray_cast.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/primitive_bounds.h"
#include "narrow/closest_features.h"
#include "narrow/mesh_tests.h"
#include "narrow/mesh_walk.h"

namespace vicinity {
namespace narrow {
namespace {

Vec3 against(Vec3 delta) { return unit_or(negated(delta), {0, 1, 0}); }

/// The part of a ray that lies inside of half spaces, as an open interval.
class Clip {
 public:
  Clip(Vec3 delta, double fraction_max) : exit_(fraction_max), normal_(against(delta)) {}

  /// `above_m`: of the origin over the plane; `rate_m`: of that along delta.
  void cut(double above_m, double rate_m, Vec3 normal) {
    if (rate_m < 0) {
      const double at = -above_m / rate_m;
      if (above_m >= 0 && at >= enter_) {
        enter_ = at;
        normal_ = normal;
      }
    } else if (above_m >= 0) {
      empty_ = true;
    } else if (rate_m > 0) {
      exit_ = std::min(exit_, -above_m / rate_m);
    }
  }
  std::optional<CoreRayHit> hit() const {
    if (empty_ || !(enter_ < exit_)) return std::nullopt;
    return CoreRayHit{enter_, normal_};
  }

 private:
  double enter_ = 0;
  double exit_;
  Vec3 normal_;
  bool empty_ = false;
};

/// Fraction at which the ray comes from outside into a circle or ball around 0 (in two or three
/// dimensions, after what the arguments are), or nothing. `miss_squared` is |origin x delta|^2:
/// the discriminant from it does not cancel.
std::optional<double> enter_round(double origin_squared, double along, double delta_squared,
                                  double miss_squared, double radius_m) {
  const double under_root = delta_squared * radius_m * radius_m - miss_squared;
  const double outside = origin_squared - radius_m * radius_m;
  if (!(under_root > 0) || !(along < 0) || outside < 0) return std::nullopt;
  return outside / (std::sqrt(under_root) - along);
}

std::optional<CoreRayHit> cast_at_ball(Vec3 origin, Vec3 delta, double radius_m) {
  const std::optional<double> at =
      enter_round(length_squared(origin), dot(origin, delta), length_squared(delta),
                  length_squared(cross(origin, delta)), radius_m);
  if (!at) return std::nullopt;
  return CoreRayHit{*at, unit_or(origin + delta * *at, against(delta))};
}

/// Local frame, the segment along y. The first of both balls and the side of the cylinder: its flat
/// ends lie inside of the balls.
std::optional<CoreRayHit> cast_at_capsule(Vec3 origin, Vec3 delta, double radius_m,
                                          double half_height_m) {
  std::optional<CoreRayHit> first;
  const auto offer = [&first](const std::optional<CoreRayHit>& hit) {
    if (hit && (!first || hit->fraction < first->fraction)) first = hit;
  };
  offer(cast_at_ball(origin - Vec3{0, half_height_m, 0}, delta, radius_m));
  offer(cast_at_ball(origin + Vec3{0, half_height_m, 0}, delta, radius_m));
  const double miss = origin.x * delta.z - origin.z * delta.x;
  const std::optional<double> at = enter_round(
      origin.x * origin.x + origin.z * origin.z, origin.x * delta.x + origin.z * delta.z,
      delta.x * delta.x + delta.z * delta.z, miss * miss, radius_m);
  if (at) {
    const Vec3 point = origin + delta * *at;
    if (std::abs(point.y) <= half_height_m)
      offer(CoreRayHit{*at, unit_or({point.x, 0, point.z}, against(delta))});
  }
  return first;
}

std::optional<CoreRayHit> cast_at_round(const PlacedCore& placed, Vec3 origin, Vec3 delta,
                                        double fraction_max) {
  const bool is_segment = placed.core == Core::Segment;
  const double half_height_m = is_segment ? placed.half_extent_m.y : 0;
  const double height_m = std::clamp(origin.y, -half_height_m, half_height_m);
  const double radius_m = placed.radius_m;
  if (length_squared(origin - Vec3{0, height_m, 0}) < radius_m * radius_m)
    return CoreRayHit{0, against(delta)};
  std::optional<CoreRayHit> hit = is_segment
                                      ? cast_at_capsule(origin, delta, radius_m, half_height_m)
                                      : cast_at_ball(origin, delta, radius_m);
  if (hit && !(hit->fraction < fraction_max)) return std::nullopt;
  return hit;
}

/// A ray in the frame of a mesh, ready for many triangles: sheared so that it runs along z (Woop,
/// Benthin and Wald, "Watertight ray/triangle intersection", JCGT 2013). Two triangles with an edge
/// in common compute the same number for it, so that no ray passes between them.
class MeshRay {
 public:
  MeshRay(Vec3 origin, Vec3 delta) : origin_(origin), delta_(delta) {
    const Vec3 size = absolute(delta);
    z_ = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    x_ = (z_ + 1) % 3;
    y_ = (z_ + 2) % 3;
    shear_x_ = delta[x_] / delta[z_];
    shear_y_ = delta[y_] / delta[z_];
  }

  bool may_enter(const Aabb& box, double fraction_max) const {
    double enter = 0;
    double exit = fraction_max;
    for (int axis = 0; axis < 3; ++axis) {
      const double low = box.min[axis] - origin_[axis];
      const double high = box.max[axis] - origin_[axis];
      if (delta_[axis] == 0) {
        if (low > 0 || high < 0) return false;
        continue;
      }
      const double a = low / delta_[axis];
      const double b = high / delta_[axis];
      enter = std::max(enter, std::min(a, b) * (1 - 0x1p-50));
      exit = std::min(exit, std::max(a, b) * (1 + 0x1p-50));
    }
    return enter <= exit;
  }

  std::optional<double> through(const TriangleMesh::Corners& corners) const {
    const Vec3 a = sheared(corners[0]);
    const Vec3 b = sheared(corners[1]);
    const Vec3 c = sheared(corners[2]);
    const double over_a = c.x * b.y - c.y * b.x;
    const double over_b = a.x * c.y - a.y * c.x;
    const double over_c = b.x * a.y - b.y * a.x;
    if ((over_a < 0 || over_b < 0 || over_c < 0) && (over_a > 0 || over_b > 0 || over_c > 0))
      return std::nullopt;
    const double sum = over_a + over_b + over_c;
    if (sum == 0) return std::nullopt;  // along the triangle
    return (over_a * a.z + over_b * b.z + over_c * c.z) / (sum * delta_[z_]);
  }

 private:
  Vec3 sheared(Vec3 corner) const {
    const Vec3 way = corner - origin_;
    return {way[x_] - shear_x_ * way[z_], way[y_] - shear_y_ * way[z_], way[z_]};
  }

  Vec3 origin_, delta_;
  int x_ = 0, y_ = 0, z_ = 0;
  double shear_x_ = 0, shear_y_ = 0;
};

std::optional<CoreRayHit> cast_at_mesh(const TriangleMesh& mesh, Vec3 origin, Vec3 delta,
                                       double fraction_max) {
  if (delta == Vec3{}) return std::nullopt;
  const MeshRay ray(origin, delta);
  std::optional<CoreRayHit> first;
  std::uint32_t first_triangle = 0;
  any_triangle(
      mesh,
      [&](const Aabb& box) { return ray.may_enter(box, first ? first->fraction : fraction_max); },
      [&](std::uint32_t triangle) {
        const TriangleMesh::Corners corners = mesh.corners(triangle);
        const std::optional<double> at = ray.through(corners);
        if (!at || !(*at >= 0 && *at < fraction_max)) return false;
        const Vec3 normal = unit_or(cross(corners[1] - corners[0], corners[2] - corners[0]), {});
        const bool from_front = dot(normal, delta) < 0;
        if (!mesh.two_sided() ? !from_front : *at == 0) return false;
        if (first &&
            (first->fraction < *at || (first->fraction == *at && first_triangle < triangle)))
          return false;
        first = CoreRayHit{*at, from_front ? normal : negated(normal)};
        first_triangle = triangle;
        return false;
      });
  return first;
}

}  // namespace

std::optional<CoreRayHit> ray_cast(const PlacedCore& placed, Vec3 origin, Vec3 delta,
                                   double fraction_max) {
  CHECK(placed.core != Core::Triangle);
  if (!(fraction_max > 0)) return std::nullopt;
  const Vec3 local_origin = transposed_times(placed.axes, origin - placed.centre);
  const Vec3 local_delta = transposed_times(placed.axes, delta);
  std::optional<CoreRayHit> hit;
  if (placed.core == Core::Box || placed.core == Core::Hull) {
    Clip clip(local_delta, fraction_max);
    const Vec3 half = placed.half_extent_m;
    for (int axis = 0; placed.core == Core::Box && axis < 3; ++axis) {
      Vec3 normal;
      normal[axis] = 1;
      clip.cut(local_origin[axis] - half[axis], local_delta[axis], normal);
      clip.cut(-local_origin[axis] - half[axis], -local_delta[axis], negated(normal));
    }
    if (placed.core == Core::Hull)
      for (const Plane& face : placed.hull->faces())
        clip.cut(dot(face.normal, local_origin) - face.offset_m, dot(face.normal, local_delta),
                 face.normal);
    hit = clip.hit();
  } else {
    hit = cast_at_round(placed, local_origin, local_delta, fraction_max);
  }
  if (hit) hit->normal = placed.axes * hit->normal;
  return hit;
}

}  // namespace narrow

std::optional<RayHit> ray_cast(const Primitive& primitive, const Pose& pose, Vec3 origin,
                               Vec3 delta, double fraction_max) {
  const Vec3 way = origin - pose.position;
  std::optional<narrow::CoreRayHit> hit;
  if (primitive.kind == PrimitiveKind::Mesh) {
    const narrow::PlacedMesh mesh = narrow::place_mesh(primitive, {}, pose.rotation);
    hit = narrow::cast_at_mesh(mesh.mesh, transposed_times(mesh.axes, way - mesh.centre),
                               transposed_times(mesh.axes, delta), fraction_max);
    if (hit) hit->normal = mesh.axes * hit->normal;
  } else {
    hit = narrow::ray_cast(narrow::place(primitive, {}, pose.rotation), way, delta, fraction_max);
  }
  if (!hit) return std::nullopt;
  return RayHit{hit->fraction, origin + delta * hit->fraction, hit->normal};
}

}  // namespace vicinity
