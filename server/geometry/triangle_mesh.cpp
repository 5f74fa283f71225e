// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/triangle_mesh.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace vicinity {
namespace {

constexpr std::uint32_t leaf_triangles_max = 4;

Error refuse(ErrorCode code, const char* field, const std::string& text) {
  return {code, std::string(field) + ": " + text};
}

Aabb box_of(const TriangleMesh::Corners& corners) {
  const Aabb first{corners[0], corners[0]};
  return merge(merge(first, {corners[1], corners[1]}), {corners[2], corners[2]});
}

bool is_flat(const TriangleMesh::Corners& c) {
  const double longest = std::max({length(c[1] - c[0]), length(c[2] - c[0]), length(c[2] - c[1])});
  return !(length(cross(c[1] - c[0], c[2] - c[0])) > TriangleMesh::height_min * longest * longest);
}

}  // namespace

Result<TriangleMesh, Error> TriangleMesh::build(std::vector<Vec3> vertices,
                                                std::vector<Indices> triangles, bool two_sided,
                                                const char* field) {
  if (vertices.size() > vertices_max)
    return refuse(ErrorCode::LimitExceeded, field, "at most 65536 vertices are allowed");
  if (triangles.size() > triangles_max)
    return refuse(ErrorCode::LimitExceeded, field, "at most 65536 triangles are allowed");
  if (triangles.empty())
    return refuse(ErrorCode::InvalidShape, field, "at least one triangle is needed");
  for (const Vec3 vertex : vertices) {
    if (!is_finite(vertex))
      return refuse(ErrorCode::InvalidNumber, field, "every coordinate must be finite");
    if (largest_component(vertex) > coordinate_max_m)
      return refuse(ErrorCode::InvalidShape, field, "a coordinate is out of range");
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (const std::uint32_t index : triangles[i])
      if (index >= vertices.size())
        return refuse(ErrorCode::InvalidShape, field,
                      "triangle " + std::to_string(i) + " names a vertex that is not there");
    const Indices& at = triangles[i];
    if (is_flat({vertices[at[0]], vertices[at[1]], vertices[at[2]]}))
      return refuse(ErrorCode::InvalidShape, field,
                    "triangle " + std::to_string(i) + " has no area");
  }
  TriangleMesh mesh;
  mesh.vertices_ = std::move(vertices);
  mesh.triangles_ = std::move(triangles);
  mesh.two_sided_ = two_sided;
  mesh.build_tree();
  return mesh;
}

/// Halves at the median of the centres along the longest side of their box; equal centres by
/// number. What is left to do lies on a stack, the first half on top.
void TriangleMesh::build_tree() {
  const auto count = static_cast<std::uint32_t>(triangles_.size());
  std::vector<Aabb> boxes(count);
  for (std::uint32_t i = 0; i < count; ++i) boxes[i] = box_of(corners(i));
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);

  struct Part {
    std::uint32_t begin, end;
    std::uint32_t parent;  ///< whose second child this is, or none
  };
  constexpr std::uint32_t none = ~0u;
  std::vector<Part> stack = {{0, count, none}};
  while (!stack.empty()) {
    const Part part = stack.back();
    stack.pop_back();
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    if (part.parent != none) nodes_[part.parent].first = node;
    Aabb box = boxes[order_[part.begin]];
    const Vec3 first_centre = centre(box);
    Aabb centres{first_centre, first_centre};
    for (std::uint32_t i = part.begin; i < part.end; ++i) {
      box = merge(box, boxes[order_[i]]);
      const Vec3 middle = centre(boxes[order_[i]]);
      centres = merge(centres, {middle, middle});
    }
    nodes_.push_back({box, part.begin, part.end - part.begin});
    if (part.end - part.begin <= leaf_triangles_max) {
      std::sort(order_.begin() + part.begin, order_.begin() + part.end);
      continue;
    }
    nodes_[node].count = 0;
    const Vec3 extent = centres.max - centres.min;
    const int axis = extent.x >= extent.y && extent.x >= extent.z ? 0
                     : extent.y >= extent.z                       ? 1
                                                                  : 2;
    const std::uint32_t half = part.begin + (part.end - part.begin) / 2;
    std::nth_element(order_.begin() + part.begin, order_.begin() + half, order_.begin() + part.end,
                     [&boxes, axis](std::uint32_t a, std::uint32_t b) {
                       const double at_a = centre(boxes[a])[axis];
                       const double at_b = centre(boxes[b])[axis];
                       return at_a != at_b ? at_a < at_b : a < b;
                     });
    stack.push_back({half, part.end, node});
    stack.push_back({part.begin, half, none});
  }
}

}  // namespace vicinity
