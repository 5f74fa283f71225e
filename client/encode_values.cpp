// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/encode_values.h"

#include "base/framing.h"

namespace vicinity::client {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Upper bound of a Shape table without its vectors: fields of less than 170 bytes, a field list of
/// less than 30, its place in a vector, and alignment.
constexpr std::size_t shape_table_bytes_max = 224;
/// Length and alignment of a vector.
constexpr std::size_t vector_overhead_bytes = 16;

template <class Points>
Offset<flatbuffers::Vector<const proto::Vec3*>> encode_points(const Points& points,
                                                              FlatBufferBuilder& builder) {
  std::vector<proto::Vec3> values;
  values.reserve(points.size());
  for (const Vec3& point : points) values.push_back(to_proto(point));
  return builder.CreateVectorOfStructs(values);
}

Offset<flatbuffers::Vector<std::uint32_t>> encode_triangles(const TriangleMesh& mesh,
                                                            FlatBufferBuilder& builder) {
  std::vector<std::uint32_t> corners;
  corners.reserve(3 * mesh.triangle_count());
  for (const TriangleMesh::Indices& triangle : mesh.triangles())
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  return builder.CreateVector(corners);
}

Offset<proto::Shape> encode_plain(const Shape& shape, FlatBufferBuilder& builder) {
  const proto::Vec3 offset = to_proto(shape.offset);
  const proto::Vec3 min = to_proto(shape.box_min);
  const proto::Vec3 max = to_proto(shape.box_max);
  proto::ShapeBuilder table(builder);
  table.add_kind(static_cast<proto::ShapeKind>(shape.kind));
  if (shape.kind == ShapeKind::Box) {
    table.add_box_min(&min);
    table.add_box_max(&max);
    return table.Finish();
  }
  table.add_radius_m(shape.radius_m);
  if (shape.kind == ShapeKind::Capsule) table.add_half_height_m(shape.half_height_m);
  table.add_offset(&offset);
  return table.Finish();
}

}  // namespace

void finish(FlatBufferBuilder& builder, proto::ClientBody type, Offset<void> body,
            std::vector<std::uint8_t>& out) {
  proto::FinishClientMessageBuffer(builder, proto::CreateClientMessage(builder, type, body));
  append_frame({builder.GetBufferPointer(), builder.GetSize()}, out);
}

Offset<proto::Shape> encode_primitive(const Primitive& part, FlatBufferBuilder& builder) {
  Offset<flatbuffers::Vector<const proto::Vec3*>> points;
  Offset<flatbuffers::Vector<std::uint32_t>> triangles;
  if (part.hull) points = encode_points(part.hull->vertices(), builder);
  if (part.mesh) {
    points = encode_points(part.mesh->vertices(), builder);
    triangles = encode_triangles(*part.mesh, builder);
  }
  const proto::Vec3 offset = to_proto(part.offset.position);
  const proto::Quat rotation = to_proto(part.offset.rotation);
  const proto::Vec3 min = to_proto(negated(part.half_extent_m));
  const proto::Vec3 max = to_proto(part.half_extent_m);
  proto::ShapeBuilder table(builder);
  table.add_kind(static_cast<proto::ShapeKind>(part.kind));
  if (part.kind == PrimitiveKind::Box) {
    table.add_box_min(&min);
    table.add_box_max(&max);
  }
  table.add_radius_m(part.radius_m);
  table.add_half_height_m(part.half_height_m);
  table.add_offset(&offset);
  if (part.offset.rotation != Quat{}) table.add_rotation(&rotation);
  if (!points.IsNull()) table.add_points(points);
  if (!triangles.IsNull()) table.add_triangles(triangles);
  if (part.mesh) table.add_two_sided(part.mesh->two_sided());
  return table.Finish();
}

Offset<proto::Shape> encode_shape(const Shape& shape, FlatBufferBuilder& builder) {
  if (shape.is_plain()) return encode_plain(shape, builder);
  const std::vector<Primitive>& parts = shape.compound->parts;
  if (parts.size() == 1) return encode_primitive(parts.front(), builder);
  std::vector<Offset<proto::Shape>> tables;
  for (const Primitive& part : parts) tables.push_back(encode_primitive(part, builder));
  const auto vector = builder.CreateVector(tables);
  proto::ShapeBuilder table(builder);
  table.add_kind(proto::ShapeKind::Compound);
  table.add_parts(vector);
  return table.Finish();
}

ShapeCost cost_of(const Shape& shape) {
  ShapeCost cost;
  cost.bytes = shape_table_bytes_max;
  if (shape.is_plain()) return cost;
  for (const Primitive& part : shape.compound->parts) {
    ++cost.parts;
    if (part.hull) {
      ++cost.hulls;
      cost.hull_points += part.hull->vertices().size();
      cost.points += part.hull->vertices().size();
    }
    if (part.mesh) {
      cost.points += part.mesh->vertices().size();
      cost.triangles += part.mesh->triangle_count();
    }
  }
  cost.bytes += cost.parts * (shape_table_bytes_max + 2 * vector_overhead_bytes) +
                cost.points * sizeof(proto::Vec3) + cost.triangles * sizeof(TriangleMesh::Indices);
  return cost;
}

}  // namespace vicinity::client
