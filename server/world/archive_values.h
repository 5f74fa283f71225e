// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// The values of the world as bytes (base/archive.h): vectors, shapes, filters, areas. What is read
// has enumerators that exist and shapes that can be built; numbers may be anything, NaN included,
// and are looked at by who reads (world/checker.h). Any thread.
//
// The bytes are kept on disks: fields are never reordered, a change of them is a new format.

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/aabb.h"
#include "base/archive.h"
#include "base/ids.h"
#include "base/limits.h"
#include "base/vec.h"
#include "geometry/pose.h"
#include "geometry/shape.h"
#include "world/command.h"
#include "world/filter.h"

namespace vicinity {

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Vec3>& v) {
  a(v.x), a(v.y), a(v.z);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Aabb>& box) {
  a(box.min), a(box.max);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Quat>& q) {
  a(q.x), a(q.y), a(q.z), a(q.w);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Pose>& pose) {
  a(pose.position), a(pose.rotation);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, EntityId>& id) {
  std::uint64_t raw = id.raw();
  a(raw);
  if constexpr (Archive::is_reader) id = EntityId::from_raw(raw);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SessionId>& id) {
  a(id.value);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, ObserverId>& id) {
  a(id.value);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, AreaId>& id) {
  a(id.value);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, EntityRef>& ref) {
  a(ref.id), a(ref.spawned_by);
}

// --- Filters -----------------------------------------------------------------------------------

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Filter>& f) {
  a(f.category), a(f.mask), a(f.group), a(f.instance);
  a(f.sensor), a(f.is_static), a(f.enabled), a(f.continuous);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, FilterPatch>& f) {
  a(f.category), a(f.mask), a(f.group), a(f.instance);
  a(f.sensor), a(f.is_static), a(f.enabled), a(f.continuous);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Relevance>& r) {
  a(r.always), a(r.boost), a(r.seen_from_enter_m), a(r.seen_from_leave_m);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SearchFilter>& f) {
  a(f.category_mask), a(f.instance);
}

// --- Shapes ------------------------------------------------------------------------------------

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, ConvexHull::Edge>& edge) {
  a(edge.from), a(edge.to), a(edge.faces[0]), a(edge.faces[1]);
}
inline void archive(ArchiveWriter& a, const ConvexHull& hull) {
  a(std::vector<Vec3>(hull.vertices().begin(), hull.vertices().end()));
  std::vector<Vec3> normals;
  for (const Plane& face : hull.faces()) normals.push_back(face.normal);
  a(normals);
  a(std::vector<ConvexHull::Edge>(hull.edges().begin(), hull.edges().end()));
}
inline std::shared_ptr<const ConvexHull> read_hull(ArchiveReader& a) {
  std::vector<Vec3> vertices;
  std::vector<Vec3> normals;
  std::vector<ConvexHull::Edge> edges;
  a(vertices), a(normals), a(edges);
  if (!a.ok()) return nullptr;
  auto hull = ConvexHull::restore(std::move(vertices), normals, std::move(edges));
  if (hull) return std::make_shared<const ConvexHull>(std::move(*hull));
  a.fail();
  return nullptr;
}

inline void archive(ArchiveWriter& a, const TriangleMesh& mesh) {
  a(mesh.two_sided());
  a(std::vector<Vec3>(mesh.vertices().begin(), mesh.vertices().end()));
  a(static_cast<std::uint64_t>(mesh.triangle_count()));
  for (const TriangleMesh::Indices& corners : mesh.triangles())
    for (const std::uint32_t corner : corners) a(corner);
}
inline std::shared_ptr<const TriangleMesh> read_mesh(ArchiveReader& a) {
  bool two_sided = false;
  std::vector<Vec3> vertices;
  a(two_sided), a(vertices);
  std::vector<TriangleMesh::Indices> triangles(a.count(sizeof(TriangleMesh::Indices)));
  for (TriangleMesh::Indices& corners : triangles)
    for (std::uint32_t& corner : corners) a(corner);
  if (!a.ok()) return nullptr;
  auto mesh = TriangleMesh::build(std::move(vertices), std::move(triangles), two_sided, "mesh");
  if (mesh) return std::make_shared<const TriangleMesh>(std::move(mesh.value()));
  a.fail();
  return nullptr;
}

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Primitive>& part) {
  archive_enum(a, part.kind, PrimitiveKind::Mesh);
  a(part.radius_m), a(part.half_height_m), a(part.half_extent_m), a(part.offset);
  if constexpr (Archive::is_reader) {
    if (!a.ok()) return;
    if (part.kind == PrimitiveKind::Hull) part.hull = read_hull(a);
    if (part.kind == PrimitiveKind::Mesh) part.mesh = read_mesh(a);
  } else {
    if (part.kind == PrimitiveKind::Hull) archive(a, *part.hull);
    if (part.kind == PrimitiveKind::Mesh) archive(a, *part.mesh);
  }
}

/// The numbers of a plain shape.
template <class Archive>
void archive_plain(Archive& a, FieldsOf<Archive, Shape>& shape) {
  archive_enum(a, shape.kind, ShapeKind::Box);
  if (shape.kind == ShapeKind::Box) {
    a(shape.box_min), a(shape.box_max);
  } else {
    a(shape.radius_m), a(shape.half_height_m), a(shape.offset);
  }
}
/// The parts of a shape that is not plain.
template <class Archive>
void archive_parts(Archive& a, FieldsOf<Archive, Shape>& shape) {
  if constexpr (Archive::is_reader) {
    std::vector<Primitive> parts;
    a(parts);
    a.require(!parts.empty() && parts.size() <= limits::shape_parts_max);
    if (a.ok()) shape = Shape::of_parts(std::move(parts));
    a.require(!shape.is_plain());
  } else {
    a(shape.compound->parts);
  }
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Shape>& shape) {
  bool is_plain = shape.is_plain();
  a(is_plain);
  if (is_plain) {
    archive_plain(a, shape);
  } else {
    archive_parts(a, shape);
  }
}

// --- Policy, areas, subscriptions --------------------------------------------------------------

template <class Archive>
void archive(Archive& a, FieldsOf<Archive, PolicyRule>& rule) {
  a(rule.categories_a), a(rule.categories_b);
  archive_enum(a, rule.action, PolicyAction::Ignore);
  a(rule.stay_interval_ticks), a(rule.cooldown_ticks);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, Ring>& ring) {
  a(ring.distance_m), a(ring.interval_ticks);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, OutlinePoint>& point) {
  a(point.x), a(point.z);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, AreaSpec>& spec) {
  archive_enum(a, spec.kind, AreaKind::Prism);
  archive_enum(a, spec.reach, Reach::Centre);
  a(spec.anchor), a(spec.include_anchor), a(spec.centre);
  a(spec.enter_radius_m), a(spec.leave_radius_m);
  a(spec.enter_half_extent_m), a(spec.leave_half_extent_m);
  a(spec.filter), a(spec.min_dwell_ticks);
  archive_enum(a, spec.follow, AreaFollow::PositionAndHeading);
  a(spec.rotation), a(spec.leave_margin_m), a(spec.radius_m), a(spec.half_height_m);
  a(spec.half_extent_m), a(spec.near_m), a(spec.range_m);
  a(spec.half_angle_rad), a(spec.half_angle_up_rad);
  a(spec.outline), a(spec.rings), a(spec.nearest_max), a(spec.suspend);
}
template <class Archive>
void archive(Archive& a, FieldsOf<Archive, SubscribeCommand>& command) {
  a(command.subscription);
  archive_enum(a, command.kind, SubscriptionKind::Area);
  a(command.entity), a(command.categories_a), a(command.categories_b), a(command.box);
}

}  // namespace vicinity
