// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Pairs of shapes for benchmarks of the exact tests: all of one combination of kinds, 0.2 to 2 m
// long, turned at random, about half of them overlapping and most of them close to touching, as the
// pairs are that boxes do not already decide. The same seed gives the same pairs.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "geometry/primitive.h"

namespace vicinity::bench {

/// What kinds a pair is made of, a <= b.
struct PairKinds {
  PrimitiveKind a = PrimitiveKind::Sphere;
  PrimitiveKind b = PrimitiveKind::Sphere;
};
/// All fifteen.
std::vector<PairKinds> all_pair_kinds();
/// "sphere-box".
std::string name_of(PairKinds kinds);
/// A sphere or a capsule: exact in libraries that put a margin around all others.
constexpr bool is_round(PrimitiveKind kind) { return kind <= PrimitiveKind::Capsule; }

struct ShapePair {
  Primitive a, b;
  Pose pose_a, pose_b;
};
/// Hulls have 8 to 32 corners, meshes are bumpy closed surfaces of 128 triangles; each is shared by
/// many pairs.
std::vector<ShapePair> make_shape_pairs(PairKinds kinds, std::uint32_t count, std::uint64_t seed);

/// Distance of the surfaces, or minus the depth of an overlap, metres; by our own tests.
double clearance_m(const ShapePair& pair);

}  // namespace vicinity::bench
