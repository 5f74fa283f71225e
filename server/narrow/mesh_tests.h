// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Overlap, distance and contact with meshes: with each triangle that the tree leaves over, in the
// frame of the mesh. Pure. A segment or a point that goes exactly through the edge between two
// triangles overlaps neither; nothing else can slip through.

#include <optional>

#include "narrow/convex_tests.h"

namespace vicinity::narrow {

/// A mesh in the frame of a pair.
struct PlacedMesh {
  const TriangleMesh& mesh;
  Mat3 axes;
  Vec3 centre;
};
PlacedMesh place_mesh(const Primitive& primitive, Vec3 position, const Quat& rotation);
/// One of its triangles in the frame of the pair.
PlacedCore place_triangle(const PlacedMesh& mesh, std::uint32_t triangle);

bool overlap(const PlacedCore& a, const PlacedMesh& b);
bool overlap(const PlacedMesh& a, const PlacedMesh& b);

/// Of the closest triangle, the one of the smallest number among equals.
SurfaceGap gap_between(const PlacedCore& a, const PlacedMesh& b);
SurfaceGap gap_between(const PlacedMesh& a, const PlacedMesh& b);

/// Of the triangle that sits deepest, the one of the smallest number among equals. Nothing when
/// none overlaps.
std::optional<Penetration> penetration_of(const PlacedCore& a, const PlacedMesh& b);
std::optional<Penetration> penetration_of(const PlacedMesh& a, const PlacedMesh& b);

}  // namespace vicinity::narrow
