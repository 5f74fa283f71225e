// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "geometry/shape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/prng.h"
#include "geometry/primitive_bounds.h"

namespace vicinity {
namespace {

ShapeKind kind_of(const std::vector<Primitive>& parts) {
  return parts.size() > 1 ? ShapeKind::Compound : static_cast<ShapeKind>(parts.front().kind);
}

double width_along(const ConvexHull& hull, Vec3 direction) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Vec3 vertex : hull.vertices()) {
    low = std::min(low, dot(direction, vertex));
    high = std::max(high, dot(direction, vertex));
  }
  return high - low;
}

/// Smallest distance of two parallel planes with the hull between them: one of them holds a face,
/// or each holds an edge.
double thickness_of(const ConvexHull& hull) {
  double thickness = std::numeric_limits<double>::infinity();
  for (const Plane& face : hull.faces()) {
    thickness = std::min(thickness, width_along(hull, face.normal));
  }
  for (const ConvexHull::Edge& a : hull.edges()) {
    for (const ConvexHull::Edge& b : hull.edges()) {
      const Vec3 normal = cross(a.direction, b.direction);
      const double size = length(normal);
      if (size < 1e-6) continue;  // parallel: no plane of their own
      thickness = std::min(thickness, width_along(hull, normal * (1 / size)));
    }
  }
  return thickness;
}

/// A fingerprint of numbers in their order.
class Digest {
 public:
  void add(std::uint64_t word) { value_ = Prng(value_ ^ word).next(); }
  void add(double value) { add(hash_word(value)); }
  void add(Vec3 v) { add(v.x), add(v.y), add(v.z); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

std::uint64_t digest_of(const std::vector<Primitive>& parts) {
  Digest digest;
  for (const Primitive& part : parts) {
    digest.add(static_cast<std::uint64_t>(part.kind));
    digest.add(part.radius_m);
    digest.add(part.half_height_m);
    digest.add(part.half_extent_m);
    digest.add(part.offset.position);
    digest.add(part.offset.rotation.vector());
    digest.add(part.offset.rotation.w);
    if (part.hull) {
      for (const Vec3 vertex : part.hull->vertices()) digest.add(vertex);
    }
    if (!part.mesh) continue;
    digest.add(std::uint64_t{part.mesh->two_sided()});
    for (const Vec3 vertex : part.mesh->vertices()) digest.add(vertex);
    for (const TriangleMesh::Indices& triangle : part.mesh->triangles()) {
      for (const std::uint32_t corner : triangle) digest.add(std::uint64_t{corner});
    }
  }
  return digest.value();
}

double thickness_of(const Primitive& part) {
  switch (part.kind) {
    case PrimitiveKind::Sphere:
    case PrimitiveKind::Capsule: return 2 * part.radius_m;
    case PrimitiveKind::Box:
      return 2 * std::min({part.half_extent_m.x, part.half_extent_m.y, part.half_extent_m.z});
    case PrimitiveKind::Hull: return thickness_of(*part.hull);
    case PrimitiveKind::Mesh: break;
  }
  return 0;
}

/// The plain shape that these parts are, if they are one.
bool make_plain(const Primitive& part, Shape& out) {
  const bool is_turned = !is_identity(part.offset.rotation);
  if (part.kind == PrimitiveKind::Sphere) {
    out = Shape::sphere(part.radius_m, part.offset.position);
    return true;
  }
  if (is_turned) return false;
  if (part.kind == PrimitiveKind::Capsule) {
    out = Shape::capsule(part.radius_m, part.half_height_m, part.offset.position);
    return true;
  }
  if (part.kind != PrimitiveKind::Box) return false;
  out = Shape::box(part.half_extent_m, part.offset.position);
  return true;
}

}  // namespace

static_assert(static_cast<int>(ShapeKind::Sphere) == static_cast<int>(PrimitiveKind::Sphere));
static_assert(static_cast<int>(ShapeKind::Mesh) == static_cast<int>(PrimitiveKind::Mesh));

std::shared_ptr<const Compound> make_compound(std::vector<Primitive> parts) {
  CHECK(!parts.empty());
  auto out = std::make_shared<Compound>();
  out->local = box_around(parts.front(), {});
  out->thickness_m = std::numeric_limits<double>::infinity();
  for (const Primitive& part : parts) {
    out->local = merge(out->local, box_around(part, {}));
    out->thickness_m = std::min(out->thickness_m, thickness_of(part));
    out->reach_m = std::max(out->reach_m, vicinity::reach_m(part));
  }
  out->digest = digest_of(parts);
  out->parts = std::move(parts);
  return out;
}

Shape Shape::of_parts(std::vector<Primitive> parts) {
  Shape out;
  if (parts.empty()) {
    out.kind = ShapeKind::Compound;
    out.compound = std::make_shared<Compound>();
    return out;
  }
  if (parts.size() == 1 && make_plain(parts.front(), out)) return out;
  out.kind = kind_of(parts);
  out.compound = make_compound(std::move(parts));
  return out;
}

Primitive primitive_of(const Shape& shape) {
  DCHECK(shape.is_plain());
  switch (shape.kind) {
    case ShapeKind::Sphere: return sphere_primitive(shape.radius_m, shape.offset);
    case ShapeKind::Capsule:
      return capsule_primitive(shape.radius_m, shape.half_height_m, {shape.offset, {}});
    case ShapeKind::Box:
    case ShapeKind::Hull:
    case ShapeKind::Mesh:
    case ShapeKind::Compound: break;
  }
  return box_primitive((shape.box_max - shape.box_min) * 0.5,
                       {(shape.box_min + shape.box_max) * 0.5, {}});
}

Aabb turned_box(const Shape& shape, const Quat& rotation) {
  const Pose pose{{}, rotation};
  Aabb out;
  bool is_first = true;
  for_each_part(shape, [&](const Primitive& part) {
    const Aabb box = box_around(part, pose);
    out = is_first ? box : merge(out, box);
    is_first = false;
  });
  return out;
}

Aabb swept_box(const Shape& shape, const Path& path, const Pose& frame) {
  Aabb out;
  bool is_first = true;
  for_each_part(shape, [&](const Primitive& part) {
    const Aabb box = box_around_path(in_frame(part, frame), path);
    out = is_first ? box : merge(out, box);
    is_first = false;
  });
  return out;
}

Primitive in_frame(const Primitive& part, const Pose& frame) {
  Primitive out = part;
  out.offset = compose(frame, part.offset);
  return out;
}

double thickness_m(const Shape& shape) {
  return shape.is_plain() ? thickness_of(primitive_of(shape)) : shape.compound->thickness_m;
}

double reach_m(const Shape& shape) {
  return shape.is_plain() ? reach_m(primitive_of(shape)) : shape.compound->reach_m;
}

}  // namespace vicinity
