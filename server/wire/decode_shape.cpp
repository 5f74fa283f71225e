// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors

// Shapes. What is not plain is checked here already, part by part, and before anything is built of
// it: bounds, hulls and meshes are made of good numbers only.
#include <string>
#include <utility>

#include "client_generated.h"
#include "wire/decode_values.h"
#include "world/checker.h"

namespace vicinity::wire {
namespace {

bool failed(const Error& error) { return error.code != ErrorCode::None; }

Error missing(const std::string& field, const char* kind) {
  return {ErrorCode::MissingField, field + " is missing; " + kind + " needs it"};
}

/// Takes from what is left of the frame's budget.
Error take(std::size_t& left, std::size_t count, std::size_t max, const char* what) {
  if (count > left) {
    return {ErrorCode::LimitExceeded, "the shapes of one frame have too many " + std::string(what) +
                                          "; allowed: 0 to " + std::to_string(max) +
                                          " in all, so split the batch"};
  }
  left -= count;
  return {};
}

/// The verifier does not look at the address of the elements of a vector of structs.
template <class Struct>
bool is_aligned(const flatbuffers::Vector<const Struct*>& vector) {
  return reinterpret_cast<std::uintptr_t>(vector.Data()) % alignof(Struct) == 0;
}

Error read_points(const proto::Shape& in, const std::string& prefix, const char* kind,
                  std::size_t count_max, FrameBudget& budget, std::vector<Vec3>& out) {
  const std::string field = prefix + "points";
  const auto* points = in.points();
  if (!points) return missing(field, kind);
  if (points->size() > count_max) {
    return {ErrorCode::LimitExceeded, field + " has " + std::to_string(points->size()) +
                                          " elements; allowed: 0 to " + std::to_string(count_max)};
  }
  if (!is_aligned(*points))
    return {ErrorCode::InvalidShape, field + " is not aligned; allowed: a multiple of 8 bytes"};
  if (Error error =
          take(budget.points, points->size(), limits::shape_points_per_frame_max, "points");
      failed(error))
    return error;
  out.reserve(points->size());
  for (const proto::Vec3* point : *points) out.push_back(to_vec3(*point));
  return {};
}

/// None, or why hulls and meshes are not built now.
Error refusal_to_build(const FrameBudget& budget) {
  switch (budget.refuse_built_shapes) {
    case ErrorCode::None: return {};
    case ErrorCode::RateLimited:
      return {ErrorCode::RateLimited, "more hulls than the session may have built in this time"};
    default: return {budget.refuse_built_shapes, "hulls and meshes are not for this role"};
  }
}

Error read_hull(const proto::Shape& in, const std::string& prefix, FrameBudget& budget,
                Primitive& out) {
  if (Error error = refusal_to_build(budget); failed(error)) return error;
  if (Error error = take(budget.hulls, 1, limits::hulls_per_frame_max, "hulls"); failed(error))
    return error;
  std::vector<Vec3> points;
  if (Error error = read_points(in, prefix, "a hull", ConvexHull::points_max, budget, points);
      failed(error))
    return error;
  if (Error error = take(budget.hull_points, points.size(), limits::hull_points_per_frame_max,
                         "points of hulls");
      failed(error))
    return error;
  auto hull = ConvexHull::build(points, (prefix + "points").c_str());
  if (!hull) return hull.error();
  out.hull = std::make_shared<const ConvexHull>(std::move(hull.value()));
  return {};
}

Error read_mesh(const proto::Shape& in, const std::string& prefix, FrameBudget& budget,
                Primitive& out) {
  if (Error error = refusal_to_build(budget); failed(error)) return error;
  std::vector<Vec3> points;
  if (Error error = read_points(in, prefix, "a mesh", TriangleMesh::vertices_max, budget, points);
      failed(error))
    return error;
  const std::string field = prefix + "triangles";
  const auto* corners = in.triangles();
  if (!corners) return missing(field, "a mesh");
  if (corners->size() % 3 != 0) {
    return {ErrorCode::InvalidShape, field + " has " + std::to_string(corners->size()) +
                                         " elements; allowed: three for each triangle"};
  }
  const std::size_t count = corners->size() / 3;
  if (Error error =
          take(budget.triangles, count, limits::mesh_triangles_per_frame_max, "triangles");
      failed(error))
    return error;
  std::vector<TriangleMesh::Indices> triangles(count);
  for (flatbuffers::uoffset_t i = 0; i < corners->size(); ++i)
    triangles[i / 3][i % 3] = corners->Get(i);
  auto mesh =
      TriangleMesh::build(std::move(points), std::move(triangles), in.two_sided(), field.c_str());
  if (!mesh) return mesh.error();
  out.mesh = std::make_shared<const TriangleMesh>(std::move(mesh.value()));
  return {};
}

/// The corners count in the frame of the box, whose origin need not be its centre.
Error read_box(const proto::Shape& in, const std::string& prefix, Primitive& out) {
  if (!in.box_min()) return missing(prefix + "box_min", "a box");
  if (!in.box_max()) return missing(prefix + "box_max", "a box");
  const Aabb corners{to_vec3(*in.box_min()), to_vec3(*in.box_max())};
  Checker checker(limits::world_half_size_m);
  if (!checker.box((prefix + "box_min").c_str(), (prefix + "box_max").c_str(), corners,
                   shape_coordinate))
    return checker.take();
  out.half_extent_m = (corners.max - corners.min) * 0.5;
  out.offset.position = apply(out.offset, (corners.min + corners.max) * 0.5);
  return {};
}

Error check_primitive(const std::string& prefix, const Primitive& part) {
  Checker checker(limits::world_half_size_m);
  checker.primitive(prefix, part);
  return checker.take();
}

Error read_compound(const proto::Shape& in, FrameBudget& budget, Shape& out) {
  if (!in.parts()) return missing("shape.parts", "a compound");
  const auto& parts = *in.parts();
  if (parts.size() < 1 || parts.size() > limits::shape_parts_max) {
    return {ErrorCode::LimitExceeded, "shape.parts has " + std::to_string(parts.size()) +
                                          " elements; allowed: 1 to " +
                                          std::to_string(limits::shape_parts_max)};
  }
  std::vector<Primitive> primitives(parts.size());
  for (flatbuffers::uoffset_t i = 0; i < parts.size(); ++i) {
    const std::string prefix = "shape.parts[" + std::to_string(i) + "].";
    if (Error error = read_primitive(*parts.Get(i), prefix, budget, primitives[i]); failed(error))
      return error;
  }
  out = Shape::of_parts(std::move(primitives));
  return {};
}

/// Sizes and corners just as they came, for validate() to check.
Error read_plain(const proto::Shape& in, Shape& out) {
  const Vec3 offset = in.offset() ? to_vec3(*in.offset()) : Vec3{};
  switch (in.kind()) {
    case proto::ShapeKind::Sphere: out = Shape::sphere(in.radius_m(), offset); return {};
    case proto::ShapeKind::Capsule:
      out = Shape::capsule(in.radius_m(), in.half_height_m(), offset);
      return {};
    default: break;
  }
  if (!in.box_min()) return missing("shape.box_min", "a box");
  if (!in.box_max()) return missing("shape.box_max", "a box");
  out = Shape::box_corners(to_vec3(*in.box_min()) + offset, to_vec3(*in.box_max()) + offset);
  return {};
}

}  // namespace

Quat read_rotation(const proto::Quat* rotation) {
  if (!rotation) return {};
  const Quat raw{rotation->x(), rotation->y(), rotation->z(), rotation->w()};
  const bool is_good = is_finite(raw) && !(is_identity(raw) && raw.w == 0);
  return is_good ? normalized(raw) : raw;
}

Error read_primitive(const proto::Shape& in, const std::string& prefix, FrameBudget& budget,
                     Primitive& out) {
  if (in.kind() >= proto::ShapeKind::Compound) {
    return {ErrorCode::InvalidShape, prefix + "kind is " +
                                         std::to_string(static_cast<int>(in.kind())) +
                                         "; allowed: 0 to 4 (sphere to mesh)"};
  }
  if (Error error = take(budget.parts, 1, limits::shape_parts_per_frame_max, "parts");
      failed(error))
    return error;
  out = sphere_primitive(0, in.offset() ? to_vec3(*in.offset()) : Vec3{});
  out.offset.rotation = read_rotation(in.rotation());
  if (Error error = check_primitive(prefix, out); failed(error)) return error;
  out.kind = static_cast<PrimitiveKind>(in.kind());
  Error error;
  switch (out.kind) {
    case PrimitiveKind::Sphere: out.radius_m = in.radius_m(); break;
    case PrimitiveKind::Capsule:
      out.radius_m = in.radius_m();
      out.half_height_m = in.half_height_m();
      break;
    case PrimitiveKind::Box: error = read_box(in, prefix, out); break;
    case PrimitiveKind::Hull: error = read_hull(in, prefix, budget, out); break;
    case PrimitiveKind::Mesh: error = read_mesh(in, prefix, budget, out); break;
  }
  return failed(error) ? error : check_primitive(prefix, out);
}

Error read_shape(const proto::Shape& in, FrameBudget& budget, Shape& out) {
  if (in.kind() > proto::ShapeKind::MAX) {
    out.kind = static_cast<ShapeKind>(in.kind());  // for validate() to refuse
    return {};
  }
  if (in.kind() == proto::ShapeKind::Compound) return read_compound(in, budget, out);
  const bool is_turned = read_rotation(in.rotation()) != Quat{};
  if (in.kind() < proto::ShapeKind::Hull && !is_turned) return read_plain(in, out);
  std::vector<Primitive> part(1);
  if (Error error = read_primitive(in, "shape.", budget, part[0]); failed(error)) return error;
  out = Shape::of_parts(std::move(part));
  return {};
}

}  // namespace vicinity::wire
