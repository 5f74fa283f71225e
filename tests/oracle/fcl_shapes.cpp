// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "oracle/fcl_shapes.h"

#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <exception>

namespace vicinity::oracle {
namespace {

using Object = fcl::CollisionObject<double>;
using Matrix = fcl::Matrix3<double>;
using Vector = fcl::Vector3<double>;

Vector to_fcl(Vec3 v) { return {v.x, v.y, v.z}; }

/// Corners of each face, around its normal.
std::shared_ptr<const std::vector<int>> face_list(const ConvexHull& hull) {
  auto list = std::make_shared<std::vector<int>>();
  for (const Plane& face : hull.faces()) {
    std::vector<int> corners;
    Vec3 middle;
    for (std::size_t i = 0; i < hull.vertices().size(); ++i) {
      const double below = face.offset_m - dot(face.normal, hull.vertices()[i]);
      if (below > 1e-8 * length(hull.box().max - hull.box().min)) continue;
      corners.push_back(static_cast<int>(i));
      middle = middle + hull.vertices()[i];
    }
    middle = middle * (1.0 / static_cast<double>(corners.size()));
    const Vec3 right = any_perpendicular(face.normal);
    const Vec3 up = cross(face.normal, right);
    std::ranges::sort(corners, {}, [&](int i) {
      const Vec3 way = hull.vertices()[static_cast<std::size_t>(i)] - middle;
      return std::atan2(dot(way, up), dot(way, right));
    });
    list->push_back(static_cast<int>(corners.size()));
    list->insert(list->end(), corners.begin(), corners.end());
  }
  return list;
}

Object to_fcl(const Primitive& p, const Pose& pose, Vec3 origin, double scale) {
  const Mat3 turn = matrix_of(pose.rotation) * matrix_of(p.offset.rotation);
  const Vec3 place = (pose.position - origin + rotate(pose.rotation, p.offset.position)) * scale;
  Matrix rotation;
  rotation.col(0) = to_fcl(turn.x);
  rotation.col(1) = to_fcl(turn.y);
  rotation.col(2) = to_fcl(turn.z);
  std::shared_ptr<fcl::CollisionGeometry<double>> shape;
  switch (p.kind) {
    case PrimitiveKind::Sphere:
      shape = std::make_shared<fcl::Sphere<double>>(p.radius_m * scale);
      break;
    case PrimitiveKind::Capsule: {
      shape =
          std::make_shared<fcl::Capsule<double>>(p.radius_m * scale, 2 * p.half_height_m * scale);
      // Along z there, along y here.
      const Matrix own = rotation;
      rotation.col(0) = own.col(2);
      rotation.col(1) = own.col(0);
      rotation.col(2) = own.col(1);
      break;
    }
    case PrimitiveKind::Box:
      shape = std::make_shared<fcl::Box<double>>(to_fcl(p.half_extent_m * (2 * scale)));
      break;
    default: {
      auto corners = std::make_shared<std::vector<Vector>>();
      for (const Vec3 vertex : p.hull->vertices()) corners->push_back(to_fcl(vertex * scale));
      shape = std::make_shared<fcl::Convex<double>>(
          corners, static_cast<int>(p.hull->faces().size()), face_list(*p.hull));
    }
  }
  return Object(shape, rotation, to_fcl(place));
}

}  // namespace

std::optional<bool> fcl_overlaps(const ShapePair& pair) {
  const double scale = 1 / pair.size_m;
  const Object a = to_fcl(pair.a, pair.pose_a, pair.pose_a.position, scale);
  const Object b = to_fcl(pair.b, pair.pose_b, pair.pose_a.position, scale);
  const fcl::CollisionRequest<double> request(1, false);
  fcl::CollisionResult<double> result;
  try {
    return fcl::collide(&a, &b, request, result) > 0;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<double> fcl_distance(const ShapePair& pair) {
  const double scale = 1 / pair.size_m;
  const Object a = to_fcl(pair.a, pair.pose_a, pair.pose_a.position, scale);
  const Object b = to_fcl(pair.b, pair.pose_b, pair.pose_a.position, scale);
  fcl::DistanceRequest<double> request;
  request.enable_nearest_points = true;
  request.distance_tolerance = 1e-12;
  fcl::DistanceResult<double> result;
  try {
    return fcl::distance(&a, &b, request, result) * pair.size_m;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace vicinity::oracle
