// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Random worlds of all kinds of shapes, turned or not, near the origin or far away, after some
// ticks of motion.

#include <memory>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "oracle/shape_pairs.h"
#include "query/query.h"
#include "support/test_world.h"

namespace vicinity::oracle {

class ExactWorld {
 public:
  static constexpr std::uint64_t entity_count = 32;
  static constexpr double half_size_m = 2;

  explicit ExactWorld(std::uint64_t seed)
      : prng_(seed), is_far_(seed % 3 == 0), world_(settings(seed)) {
    if (is_far_) base_ = {1e9, 5e8 + 0.1, -1e9};
    for (std::uint64_t i = 0; i < entity_count; ++i) spawn();
    for (int tick = 0; tick < 3; ++tick) {
      world_.step();
      move_some();
    }
    world_.step();
    frame_.tick = world_.tick();
    frame_.index_version = world_.index()->version();
    frame_.snapshot = world_.snapshot();
    frame_.index = world_.index();
  }

  const PublishedFrame& frame() const { return frame_; }
  Vec3 base() const { return base_; }
  bool is_far() const { return is_far_; }
  Prng& prng() { return prng_; }
  Vec3 any_place() { return base_ + any_vector(prng_, half_size_m); }
  Quat any_rotation() {
    return prng_.chance(0.4) ? Quat{} : from_rotation_vector(any_vector(prng_, 3));
  }
  double any_size() { return prng_.between(0.2, 1); }

 private:
  static IndexSettings settings(std::uint64_t seed) {
    constexpr IndexKind kinds[] = {IndexKind::Auto, IndexKind::Rows, IndexKind::Sweep,
                                   IndexKind::BruteForce};
    IndexSettings out;
    out.kind = kinds[seed % 4];
    out.rest_after_ticks = static_cast<std::uint32_t>(1 + seed % 2);
    out.rest_eagerly = seed % 5 != 0;
    return out;
  }

  Primitive any_mesh() {
    while (true) {
      std::vector<Vec3> vertices(5);
      for (Vec3& vertex : vertices) vertex = any_vector(prng_, 1);
      const auto mesh = TriangleMesh::build(vertices, {{0, 1, 2}, {2, 1, 3}, {3, 4, 0}, {4, 1, 0}},
                                            prng_.chance(0.5), "mesh");
      if (mesh.ok())
        return mesh_primitive(std::make_shared<const TriangleMesh>(mesh.value()),
                              {any_vector(prng_, 1), any_rotation()});
    }
  }
  Primitive any_part() {
    const auto kind = static_cast<PrimitiveKind>(prng_.below(primitive_kind_count));
    if (kind == PrimitiveKind::Mesh) return any_mesh();
    return any_convex(prng_, kind, any_size(), Extremes::Some);
  }
  Shape any_shape() {
    switch (prng_.below(6)) {
      case 0: return Shape::sphere(any_size(), any_vector(prng_, 0.5));
      case 1: return Shape::capsule(any_size(), any_size(), any_vector(prng_, 0.5));
      case 2: return Shape::box({any_size(), any_size(), any_size()}, any_vector(prng_, 0.5));
      default: break;
    }
    std::vector<Primitive> parts(1 + prng_.below(3));
    for (Primitive& part : parts) part = any_part();
    return Shape::of_parts(std::move(parts));
  }
  void spawn() {
    SpawnCommand command{any_place(), {}, any_shape(), {}, prng_.next(), any_rotation(), {}};
    command.filter.category = static_cast<std::uint32_t>(1 + prng_.below(3));
    command.filter.instance = prng_.chance(0.1) ? 1 : 0;
    command.filter.enabled = !prng_.chance(0.1);
    const auto id = world_.table().spawn(SessionId{1}, command);
    CHECK(id.ok());
    ids_.push_back(id.value());
  }
  void move_some() {
    for (const EntityId id : ids_) {
      if (!prng_.chance(0.3)) continue;
      if (prng_.chance(0.5))
        (void)world_.table().teleport(id, any_place(), any_rotation());
      else
        (void)world_.table().move_to(id, any_place(), false, any_rotation());
    }
  }

  Prng prng_;
  bool is_far_;
  Vec3 base_;
  test::TestWorld world_;
  std::vector<EntityId> ids_;
  PublishedFrame frame_;
};

}  // namespace vicinity::oracle
