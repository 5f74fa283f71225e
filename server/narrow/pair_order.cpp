// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "narrow/pair_order.h"

#include <algorithm>
#include <array>

namespace vicinity::narrow {
namespace {

int compare(double a, double b) { return a < b ? -1 : a > b ? 1 : 0; }
int compare(Vec3 a, Vec3 b) {
  if (const int x = compare(a.x, b.x)) return x;
  if (const int y = compare(a.y, b.y)) return y;
  return compare(a.z, b.z);
}
int compare(const Quat& a, const Quat& b) {
  if (const int vector = compare(a.vector(), b.vector())) return vector;
  return compare(a.w, b.w);
}
int compare(std::span<const Vec3> a, std::span<const Vec3> b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const int corner = compare(a[i], b[i])) return corner;
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

/// Corners decide little and are many: last, and not at all where both share them.
int compare_corners(const Primitive& a, const Primitive& b) {
  if (a.kind == PrimitiveKind::Hull && a.hull != b.hull)
    return compare(a.hull->vertices(), b.hull->vertices());
  if (a.kind != PrimitiveKind::Mesh || a.mesh == b.mesh) return 0;
  if (const int vertices = compare(a.mesh->vertices(), b.mesh->vertices())) return vertices;
  const std::span<const TriangleMesh::Indices> of_a = a.mesh->triangles();
  const std::span<const TriangleMesh::Indices> of_b = b.mesh->triangles();
  if (std::ranges::equal(of_a, of_b)) return 0;
  return std::ranges::lexicographical_compare(of_a, of_b) ? -1 : 1;
}

}  // namespace

bool comes_first(const Primitive& a, const Pose& pose_a, const Primitive& b, const Pose& pose_b) {
  if (a.kind != b.kind) return a.kind < b.kind;
  if (a.radius_m != b.radius_m) return a.radius_m < b.radius_m;
  if (a.half_height_m != b.half_height_m) return a.half_height_m < b.half_height_m;
  if (const int size = compare(a.half_extent_m, b.half_extent_m)) return size < 0;
  if (const int rotation = compare(pose_a.rotation, pose_b.rotation)) return rotation < 0;
  if (const int place = compare(a.offset.position, b.offset.position)) return place < 0;
  if (const int turn = compare(a.offset.rotation, b.offset.rotation)) return turn < 0;
  if (const int corners = compare_corners(a, b)) return corners < 0;
  return compare(pose_a.position, pose_b.position) < 0;
}

}  // namespace vicinity::narrow
