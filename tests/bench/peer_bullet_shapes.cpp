// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Bullet's tests of two shapes, in f32 as packaged, in two ways; transforms and shapes are made
// beforehand, and nothing but its answer is kept:
//
//   bullet        what its dispatcher chooses for such a pair (spheres: their distance; boxes:
//                 btBoxBoxDetector; meshes: btConvexConcaveCollisionAlgorithm; all others:
//                 btConvexConvexAlgorithm), the algorithm found once for all pairs, with the
//                 default margins: fastest where margins meet but cores do not
//   bullet_gjk    btGjkEpaSolver2::Distance of the cores without margins: GJK alone, no depth

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btTriangleMesh.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

#include <map>

#include "base/check.h"
#include "bench/overlap_tester.h"

namespace vicinity::bench {
namespace {

btVector3 to_bullet(Vec3 v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
btTransform to_bullet(const Pose& pose) {
  const Quat& q = pose.rotation;
  return btTransform(btQuaternion(static_cast<float>(q.x), static_cast<float>(q.y),
                                  static_cast<float>(q.z), static_cast<float>(q.w)),
                     to_bullet(pose.position));
}

/// Shapes as Bullet has them; hulls and meshes are shared as ours are.
class Shapes {
 public:
  btCollisionShape* get(const Primitive& primitive) {
    const void* key = primitive.kind == PrimitiveKind::Hull
                          ? static_cast<const void*>(primitive.hull.get())
                      : primitive.kind == PrimitiveKind::Mesh ? primitive.mesh.get()
                                                              : nullptr;
    if (key != nullptr && shared_.contains(key)) return shared_.at(key);
    shapes_.push_back(make(primitive));
    if (key != nullptr) shared_[key] = shapes_.back().get();
    return shapes_.back().get();
  }

 private:
  std::unique_ptr<btCollisionShape> make(const Primitive& primitive) {
    const auto radius = static_cast<float>(primitive.radius_m);
    switch (primitive.kind) {
      case PrimitiveKind::Sphere: return std::make_unique<btSphereShape>(radius);
      case PrimitiveKind::Capsule:
        return std::make_unique<btCapsuleShape>(radius,
                                                static_cast<float>(2 * primitive.half_height_m));
      case PrimitiveKind::Box:
        return std::make_unique<btBoxShape>(to_bullet(primitive.half_extent_m));
      case PrimitiveKind::Hull: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (const Vec3 vertex : primitive.hull->vertices())
          hull->addPoint(to_bullet(vertex), /*recalculateLocalAabb=*/false);
        hull->recalcLocalAabb();
        return hull;
      }
      case PrimitiveKind::Mesh: {
        triangles_.push_back(std::make_unique<btTriangleMesh>());
        for (std::uint32_t i = 0; i < primitive.mesh->triangle_count(); ++i) {
          const TriangleMesh::Corners corners = primitive.mesh->corners(i);
          triangles_.back()->addTriangle(to_bullet(corners[0]), to_bullet(corners[1]),
                                         to_bullet(corners[2]));
        }
        return std::make_unique<btBvhTriangleMeshShape>(triangles_.back().get(),
                                                        /*useQuantizedAabbCompression=*/true);
      }
    }
    CHECK(false);
  }

  std::vector<std::unique_ptr<btTriangleMesh>> triangles_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::map<const void*, btCollisionShape*> shared_;
};

struct Placed {
  btCollisionShape* shape;
  btTransform transform;
};
struct PlacedPair {
  Placed a, b;
};

std::vector<PlacedPair> place_all(std::span<const ShapePair> pairs, Shapes& shapes) {
  std::vector<PlacedPair> out;
  out.reserve(pairs.size());
  for (const ShapePair& pair : pairs)
    out.push_back({{shapes.get(pair.a), to_bullet(pair.pose_a)},
                   {shapes.get(pair.b), to_bullet(pair.pose_b)}});
  return out;
}

/// Keeps whether anything was deep, and no points.
class Answer : public btManifoldResult {
 public:
  Answer(const btCollisionObjectWrapper& a, const btCollisionObjectWrapper& b)
      : btManifoldResult(&a, &b) {}
  void addContactPoint(const btVector3&, const btVector3&, btScalar depth) override {
    overlaps_ = overlaps_ || depth < 0;
  }
  bool overlaps() const { return overlaps_; }

 private:
  bool overlaps_ = false;
};

class BulletDispatched : public OverlapTester {
 public:
  explicit BulletDispatched(std::span<const ShapePair> pairs)
      : dispatcher_(&configuration_), placed_(place_all(pairs, shapes_)) {
    const PlacedPair& first = placed_.front();
    object_a_.setCollisionShape(first.a.shape);
    object_b_.setCollisionShape(first.b.shape);
    const btCollisionObjectWrapper a = wrapped(first.a, object_a_);
    const btCollisionObjectWrapper b = wrapped(first.b, object_b_);
    manifold_ = dispatcher_.getNewManifold(&object_a_, &object_b_);
    algorithm_ = dispatcher_.findAlgorithm(&a, &b, manifold_, BT_CONTACT_POINT_ALGORITHMS);
  }
  ~BulletDispatched() override {
    algorithm_->~btCollisionAlgorithm();
    dispatcher_.freeCollisionAlgorithm(algorithm_);
    dispatcher_.releaseManifold(manifold_);
  }
  BulletDispatched(const BulletDispatched&) = delete;
  BulletDispatched& operator=(const BulletDispatched&) = delete;

  void test(std::span<std::uint8_t> answers) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const btCollisionObjectWrapper a = wrapped(placed_[i].a, object_a_);
      const btCollisionObjectWrapper b = wrapped(placed_[i].b, object_b_);
      Answer answer(a, b);
      algorithm_->processCollision(&a, &b, dispatch_, &answer);
      answers[i] = answer.overlaps() ? 1 : 0;
    }
  }

 private:
  static btCollisionObjectWrapper wrapped(const Placed& placed, const btCollisionObject& object) {
    return {nullptr, placed.shape, &object, placed.transform, -1, -1};
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDispatcherInfo dispatch_;
  Shapes shapes_;
  std::vector<PlacedPair> placed_;
  btCollisionObject object_a_, object_b_;  ///< whose, it asks; the wrappers say where they are
  btPersistentManifold* manifold_ = nullptr;
  btCollisionAlgorithm* algorithm_ = nullptr;
};

class BulletGjk : public OverlapTester {
 public:
  explicit BulletGjk(std::span<const ShapePair> pairs) : placed_(place_all(pairs, shapes_)) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (!is_round(pairs[i].a.kind)) placed_[i].a.shape->setMargin(0);
      if (!is_round(pairs[i].b.kind)) placed_[i].b.shape->setMargin(0);
    }
  }
  void test(std::span<std::uint8_t> answers) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const auto& [a, b] = placed_[i];
      const auto* convex_a = static_cast<const btConvexShape*>(a.shape);
      const auto* convex_b = static_cast<const btConvexShape*>(b.shape);
      const btVector3 guess = b.transform.getOrigin() - a.transform.getOrigin();
      btGjkEpaSolver2::sResults results;
      const bool apart =
          btGjkEpaSolver2::Distance(convex_a, a.transform, convex_b, b.transform, guess, results);
      const btScalar radii = convex_a->getMarginNonVirtual() + convex_b->getMarginNonVirtual();
      answers[i] = !apart || results.distance < radii ? 1 : 0;
    }
  }

 private:
  Shapes shapes_;
  std::vector<PlacedPair> placed_;
};

template <class Tester>
std::unique_ptr<OverlapTester> make_tester(std::span<const ShapePair> pairs) {
  return std::make_unique<Tester>(pairs);
}

/// The precision of f32 and of where its GJK ends.
constexpr double solver_band_m = 2e-3;

/// Margins of 4 cm round off the corners of boxes and grow hulls and triangles.
std::optional<double> band_with_margins_m(PairKinds kinds) {
  if (kinds.a == PrimitiveKind::Mesh) return std::nullopt;  // knows no such pairs
  return solver_band_m + (is_round(kinds.a) ? 0 : 0.04) + (is_round(kinds.b) ? 0 : 0.04);
}
std::optional<double> band_of_cores_m(PairKinds kinds) {
  if (kinds.b == PrimitiveKind::Mesh) return std::nullopt;
  return solver_band_m;
}

}  // namespace

std::vector<OverlapTesterInfo> bullet_overlap_testers() {
  return {{.name = "bullet", .band_m = band_with_margins_m, .make = make_tester<BulletDispatched>},
          {.name = "bullet_gjk",
           .band_m = band_of_cores_m,
           .faults_part_max = 0.004,
           .faults_reason = "f32 GJK: one in a thousand that sit centimetres deep come out apart",
           .make = make_tester<BulletGjk>}};
}

}  // namespace vicinity::bench
