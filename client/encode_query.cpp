// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include <variant>

#include "client/encode.h"
#include "client/encode_values.h"

namespace vicinity::client {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// What only some kinds ask with; tables must be made before the one that names them.
Offset<proto::Shape> shape_of(const Query& query, FlatBufferBuilder& builder) {
  if (const auto* overlap = std::get_if<OverlapQuery>(&query.body))
    return encode_primitive(overlap->shape, builder);
  if (const auto* cast = std::get_if<ShapeCastQuery>(&query.body))
    return encode_primitive(cast->shape, builder);
  return {};
}

struct QueryEncoder {
  proto::QueryBuilder& table;

  void operator()(const BoxQuery& query) const {
    table.add_kind(proto::QueryKind::Box);
    add_box(query.box);
  }
  void operator()(const SphereQuery& query) const {
    table.add_kind(proto::QueryKind::Sphere);
    add_point(query.centre);
    table.add_radius_m(query.radius_m);
  }
  void operator()(const CastQuery& query) const {
    if (query.box.min == query.box.max) {
      table.add_kind(proto::QueryKind::Ray);
      add_point(query.box.min);
    } else {
      table.add_kind(proto::QueryKind::BoxCast);
      add_box(query.box);
    }
    add_path(query.delta, query.max_t);
  }
  void operator()(const OverlapQuery& query) const {
    table.add_kind(proto::QueryKind::Overlap);
    add_pose(query.pose);
  }
  void operator()(const ShapeCastQuery& query) const {
    table.add_kind(proto::QueryKind::ShapeCast);
    add_pose(query.start);
    add_path(query.delta, query.max_t);
  }
  void operator()(const NearestQuery& query) const {
    table.add_kind(proto::QueryKind::Nearest);
    add_point(query.point);
    table.add_k(query.k);
    if (!(query.max_distance_m < 0)) table.add_max_distance_m(query.max_distance_m);
  }
  void operator()(const ContactsQuery& query) const {
    table.add_kind(proto::QueryKind::Contacts);
    table.add_entity(query.entity.raw());
  }
  void operator()(const ExplainPairQuery& query) const {
    table.add_kind(proto::QueryKind::ExplainPair);
    table.add_entity(query.a.raw());
    table.add_other(query.b.raw());
  }
  void operator()(const ExplainViewQuery& query) const {
    table.add_kind(proto::QueryKind::ExplainView);
    table.add_session(query.session.value);
    table.add_observer(query.observer.value);
    table.add_entity(query.entity.raw());
  }

 private:
  void add_point(Vec3 point) const {
    const proto::Vec3 value = to_proto(point);
    table.add_point(&value);
  }
  void add_pose(const Pose& pose) const {
    add_point(pose.position);
    const proto::Quat rotation = to_proto(pose.rotation);
    table.add_rotation(&rotation);
  }
  void add_path(Vec3 delta, double max_t) const {
    const proto::Vec3 value = to_proto(delta);
    table.add_delta(&value);
    table.add_max_t(max_t);
  }
  void add_box(const Aabb& box) const {
    const proto::Vec3 min = to_proto(box.min);
    const proto::Vec3 max = to_proto(box.max);
    table.add_min(&min);
    table.add_max(&max);
  }
};

}  // namespace

void encode_query(std::uint64_t request, const Query& query, std::vector<std::uint8_t>& out) {
  FlatBufferBuilder builder;
  const auto shape = shape_of(query, builder);
  proto::QueryBuilder table(builder);
  table.add_request(request);
  std::visit(QueryEncoder{table}, query.body);
  table.add_category_mask(query.filter.category_mask);
  table.add_instance(query.filter.instance);
  table.add_limit(query.limit);
  if (!shape.IsNull()) table.add_shape(shape);
  table.add_exact(query.exact);
  if (query.after) {
    table.add_after_value(query.after->value);
    table.add_after_id(query.after->id.raw());
  }
  finish(builder, proto::ClientBody::Query, table.Finish().Union(), out);
}

}  // namespace vicinity::client
