// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// FCL's collide(), in f64 as packaged, with its default solver, asked for yes or no alone. Objects
// and trees of meshes (OBBRSS) are built beforehand.

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "bench/overlap_tester.h"

namespace vicinity::bench {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometry<double>>;
using Object = fcl::CollisionObject<double>;

fcl::Vector3<double> to_fcl(Vec3 v) { return {v.x, v.y, v.z}; }

/// For each face of the hull how many corners it has, and which, around its normal.
std::shared_ptr<const std::vector<int>> corners_by_face(const ConvexHull& hull) {
  auto list = std::make_shared<std::vector<int>>();
  for (std::size_t face = 0; face < hull.faces().size(); ++face) {
    std::vector<int> corners;
    Vec3 sum;
    for (const ConvexHull::Edge& edge : hull.edges()) {
      if (edge.faces[0] != face && edge.faces[1] != face) continue;
      for (const std::uint8_t corner : {edge.from, edge.to}) {
        if (std::ranges::find(corners, corner) != corners.end()) continue;
        corners.push_back(corner);
        sum = sum + hull.vertices()[corner];
      }
    }
    const Vec3 middle = sum * (1.0 / static_cast<double>(corners.size()));
    const Vec3 right = any_perpendicular(hull.faces()[face].normal);
    const Vec3 up = cross(hull.faces()[face].normal, right);
    std::ranges::sort(corners, {}, [&](int corner) {
      const Vec3 way = hull.vertices()[static_cast<std::size_t>(corner)] - middle;
      return std::atan2(dot(way, up), dot(way, right));
    });
    list->push_back(static_cast<int>(corners.size()));
    list->insert(list->end(), corners.begin(), corners.end());
  }
  return list;
}

Geometry convex_of(const ConvexHull& hull) {
  auto vertices = std::make_shared<std::vector<fcl::Vector3<double>>>();
  for (const Vec3 vertex : hull.vertices()) vertices->push_back(to_fcl(vertex));
  return std::make_shared<fcl::Convex<double>>(vertices, static_cast<int>(hull.faces().size()),
                                               corners_by_face(hull));
}

Geometry model_of(const TriangleMesh& mesh) {
  auto model = std::make_shared<fcl::BVHModel<fcl::OBBRSS<double>>>();
  std::vector<fcl::Vector3<double>> vertices;
  for (const Vec3 vertex : mesh.vertices()) vertices.push_back(to_fcl(vertex));
  std::vector<fcl::Triangle> triangles;
  for (const TriangleMesh::Indices& at : mesh.triangles())
    triangles.emplace_back(at[0], at[1], at[2]);
  model->beginModel();
  model->addSubModel(vertices, triangles);
  model->endModel();
  return model;
}

class Fcl : public OverlapTester {
 public:
  explicit Fcl(std::span<const ShapePair> pairs) {
    objects_.reserve(2 * pairs.size());
    for (const ShapePair& pair : pairs) {
      add(pair.a, pair.pose_a);
      add(pair.b, pair.pose_b);
    }
  }

  void test(std::span<std::uint8_t> answers) override {
    const fcl::CollisionRequest<double> request(/*num_max_contacts_=*/1, /*enable_contact_=*/false);
    fcl::CollisionResult<double> result;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      result.clear();
      answers[i] =
          fcl::collide(&objects_[2 * i], &objects_[2 * i + 1], request, result) > 0 ? 1 : 0;
    }
  }

 private:
  void add(const Primitive& primitive, const Pose& pose) {
    const Mat3 turn = matrix_of(pose.rotation);
    fcl::Matrix3<double> rotation;
    // Its capsules lie along z.
    const bool is_capsule = primitive.kind == PrimitiveKind::Capsule;
    rotation.col(0) = to_fcl(is_capsule ? turn.z : turn.x);
    rotation.col(1) = to_fcl(is_capsule ? turn.x : turn.y);
    rotation.col(2) = to_fcl(is_capsule ? turn.y : turn.z);
    objects_.emplace_back(geometry_of(primitive), rotation, to_fcl(pose.position));
  }

  Geometry geometry_of(const Primitive& primitive) {
    switch (primitive.kind) {
      case PrimitiveKind::Sphere: return std::make_shared<fcl::Sphere<double>>(primitive.radius_m);
      case PrimitiveKind::Capsule:
        return std::make_shared<fcl::Capsule<double>>(primitive.radius_m,
                                                      2 * primitive.half_height_m);
      case PrimitiveKind::Box:
        return std::make_shared<fcl::Box<double>>(to_fcl(primitive.half_extent_m * 2));
      case PrimitiveKind::Hull: {
        Geometry& hull = shared_[primitive.hull.get()];
        if (hull == nullptr) hull = convex_of(*primitive.hull);
        return hull;
      }
      case PrimitiveKind::Mesh: {
        Geometry& mesh = shared_[primitive.mesh.get()];
        if (mesh == nullptr) mesh = model_of(*primitive.mesh);
        return mesh;
      }
    }
    CHECK(false);
  }

  std::vector<Object> objects_;  ///< two for each pair
  std::map<const void*, Geometry> shared_;
};

}  // namespace

std::vector<OverlapTesterInfo> fcl_overlap_testers() {
  // Its solver ends where it has come within about a thousandth of the sizes.
  return {{.name = "fcl",
           .band_m = [](PairKinds) { return 2e-3; },
           .make = [](std::span<const ShapePair> pairs) { return std::make_unique<Fcl>(pairs); }}};
}

}  // namespace vicinity::bench
