// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/encode_values.h"

namespace vicinity::client {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// The sizes that the kind has.
void add_sizes(const AreaSpec& spec, proto::AreaBuilder& table) {
  const proto::Vec3 enter = to_proto(spec.enter_half_extent_m);
  const proto::Vec3 leave = to_proto(spec.leave_half_extent_m);
  const proto::Vec3 half = to_proto(spec.half_extent_m);
  const proto::Quat rotation = to_proto(spec.rotation);
  if (spec.kind == AreaKind::Sphere) {
    table.add_enter_radius_m(spec.enter_radius_m);
    table.add_leave_radius_m(spec.leave_radius_m);
    return;
  }
  if (spec.kind == AreaKind::Box) {
    table.add_enter_half_extent_m(&enter);
    table.add_leave_half_extent_m(&leave);
    return;
  }
  table.add_leave_margin_m(spec.leave_margin_m);
  if (spec.kind != AreaKind::Cylinder) table.add_rotation(&rotation);
  if (spec.kind == AreaKind::Cylinder) table.add_radius_m(spec.radius_m);
  if (spec.kind == AreaKind::Cylinder || spec.kind == AreaKind::Prism)
    table.add_half_height_m(spec.half_height_m);
  if (spec.kind == AreaKind::OrientedBox) table.add_half_extent_m(&half);
  if (spec.kind == AreaKind::Cone || spec.kind == AreaKind::Frustum) {
    table.add_range_m(spec.range_m);
    table.add_half_angle_rad(spec.half_angle_rad);
  }
  if (spec.kind == AreaKind::Frustum) {
    table.add_near_m(spec.near_m);
    table.add_half_angle_up_rad(spec.half_angle_up_rad);
  }
}

}  // namespace

Offset<proto::Area> encode_area(const AreaSpec& spec, FlatBufferBuilder& builder) {
  std::vector<proto::OutlinePoint> points;
  for (const OutlinePoint& point : spec.outline) points.emplace_back(point.x, point.z);
  std::vector<proto::Ring> ring_values;
  for (const Ring& ring : spec.rings)
    ring_values.emplace_back(ring.distance_m, ring.interval_ticks);
  Offset<flatbuffers::Vector<const proto::OutlinePoint*>> outline;
  Offset<flatbuffers::Vector<const proto::Ring*>> rings;
  if (spec.kind == AreaKind::Prism) outline = builder.CreateVectorOfStructs(points);
  if (!ring_values.empty()) rings = builder.CreateVectorOfStructs(ring_values);
  const proto::Vec3 centre = to_proto(spec.centre);
  proto::AreaBuilder table(builder);
  table.add_kind(static_cast<proto::AreaKind>(spec.kind));
  table.add_reach(static_cast<proto::Reach>(spec.reach));
  table.add_anchor(spec.anchor.id.raw());
  table.add_anchor_spawned_by(spec.anchor.spawned_by);
  table.add_include_anchor(spec.include_anchor);
  table.add_centre(&centre);
  add_sizes(spec, table);
  table.add_category_mask(spec.filter.category_mask);
  table.add_instance(spec.filter.instance);
  table.add_min_dwell_ticks(spec.min_dwell_ticks);
  table.add_follow(static_cast<proto::AreaFollow>(spec.follow));
  if (!outline.IsNull()) table.add_outline(outline);
  if (!rings.IsNull()) table.add_rings(rings);
  table.add_nearest_max(spec.nearest_max);
  table.add_suspend(spec.suspend);
  return table.Finish();
}

Offset<proto::Relevance> encode_relevance(const Relevance& relevance, FlatBufferBuilder& builder) {
  return proto::CreateRelevance(builder, relevance.always, relevance.boost,
                                relevance.seen_from_enter_m, relevance.seen_from_leave_m);
}

}  // namespace vicinity::client
