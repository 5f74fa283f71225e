// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "wire/encode_explanation.h"

#include <vector>

#include "wire/finish_frame.h"

namespace vicinity::wire {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

/// Numbers are the same on both sides: the last ones say that none was forgotten.
template <class Wire, class Value>
constexpr bool same(Wire wire, Value value) {
  return static_cast<int>(wire) == static_cast<int>(value);
}
static_assert(same(proto::ExplainStage::MAX, ExplainStage::Policy));
static_assert(same(proto::ExplainStage::PairSearch, ExplainStage::PairSearch));
static_assert(same(proto::PolicyReason::MAX, PolicyReason::CoolingDown));
static_assert(same(proto::IndexPartition::MAX, IndexPartition::Static));
static_assert(same(proto::ViewStage::MAX, ViewStage::Budget));
static_assert(same(proto::ViewStage::Area, ViewStage::Area));
static_assert(same(proto::ViewHold::MAX, ViewHold::Dwell));

proto::Box to_proto(const Aabb& box) { return {wire::to_proto(box.min), wire::to_proto(box.max)}; }
proto::Box to_proto(const Aabb32& box) {
  const auto corner = [](const float(&values)[3]) {
    return proto::Vec3(static_cast<double>(values[0]), static_cast<double>(values[1]),
                       static_cast<double>(values[2]));
  };
  return {corner(box.min), corner(box.max)};
}
proto::IndexSpan to_proto(const IndexSpan& span) {
  return {span.cell_first,  span.cell_last,    span.row_first[0],
          span.row_last[0], span.row_first[1], span.row_last[1]};
}

Offset<proto::ExplainedEntity> encode(FlatBufferBuilder& builder, const ExplainedEntity& entity) {
  proto::ExplainedEntityBuilder out(builder);
  out.add_id(entity.id.raw());
  if (!entity.lives) return out.Finish();
  out.add_lives(true);
  const proto::Vec3 position = wire::to_proto(entity.position);
  const proto::Box tight = to_proto(entity.tight_box);
  const proto::Box bound = to_proto(entity.bound);
  const proto::Box registered = to_proto(entity.place.box);
  out.add_position(&position);
  out.add_tight_box(&tight);
  out.add_bound(&bound);
  const IndexPlace& place = entity.place;
  if (place.is_registered()) out.add_registered(&registered);
  out.add_partition(static_cast<proto::IndexPartition>(place.partition));
  out.add_run(place.run);
  out.add_level(place.level);
  out.add_level_count(place.level_count);
  out.add_transition_until(place.until);
  out.add_other_run(place.other_run);
  const Filter& filter = entity.filter;
  out.add_category(filter.category);
  out.add_mask(filter.mask);
  out.add_group(filter.group);
  out.add_instance(filter.instance);
  out.add_sensor(filter.sensor);
  out.add_is_static(filter.is_static);
  out.add_enabled(filter.enabled);
  out.add_continuous(filter.continuous);
  out.add_spawned(entity.spawned);
  out.add_moved(entity.moved);
  out.add_reshaped(entity.reshaped);
  out.add_filtered(entity.filtered);
  return out.Finish();
}

Offset<proto::ExplainedArea> encode(FlatBufferBuilder& builder, const ExplainedArea& area) {
  const proto::Vec3 position = wire::to_proto(area.position);
  return proto::CreateExplainedArea(builder, area.area.value, static_cast<std::uint8_t>(area.kind),
                                    area.reach == Reach::Centre, area.placed, area.category,
                                    area.instance, area.hides_anchor, area.inside_enter,
                                    area.inside_leave, area.distance_m, &position, area.dwell_until,
                                    area.nearest_max, area.nearer_count, area.suspends);
}

void add_grid(const PairExplanation& pair, proto::PairExplanationBuilder& out) {
  const IndexGrid& grid = pair.grid;
  const proto::Vec3 origin(grid.origin_m[0], grid.origin_m[1], grid.origin_m[2]);
  const proto::Vec3 per_m(grid.per_m[0], grid.per_m[1], grid.per_m[2]);
  const proto::IndexSpan span_a = to_proto(pair.span_a);
  const proto::IndexSpan span_b = to_proto(pair.span_b);
  out.add_along_axis(static_cast<std::uint8_t>(grid.along_axis));
  out.add_across_axis_0(static_cast<std::uint8_t>(grid.across_axis[0]));
  out.add_across_axis_1(static_cast<std::uint8_t>(grid.across_axis[1]));
  out.add_origin_m(&origin);
  out.add_per_m(&per_m);
  out.add_wrap_0(grid.wrap[0]);
  out.add_wrap_1(grid.wrap[1]);
  out.add_span_a(&span_a);
  out.add_span_b(&span_b);
}

}  // namespace

Offset<proto::PairExplanation> encode_explanation(
    FlatBufferBuilder& builder, const std::optional<PairExplanation>& explanation) {
  if (!explanation) return {};
  const PairExplanation& pair = *explanation;
  const auto a = encode(builder, pair.a);
  const auto b = encode(builder, pair.b);
  proto::PairExplanationBuilder out(builder);
  out.add_stage(static_cast<proto::ExplainStage>(pair.stage));
  out.add_candidate(pair.candidate);
  out.add_touches(pair.touches);
  out.add_passes_through(pair.passes_through);
  out.add_missed(pair.missed);
  out.add_filter_reasons(pair.filter_reasons);
  out.add_policy(static_cast<proto::PolicyReason>(pair.policy));
  out.add_cooling_until(pair.cooling_until);
  out.add_budget_cut(pair.budget_cut);
  if (pair.gap_m) out.add_gap_m(*pair.gap_m);
  out.add_in_contact(pair.in_contact);
  out.add_begin_tick(pair.begin_tick);
  out.add_sensor(pair.sensor);
  out.add_a(a);
  out.add_b(b);
  if (pair.a.place.is_registered() && pair.b.place.is_registered()) add_grid(pair, out);
  return out.Finish();
}

Offset<proto::ViewExplanation> encode_explanation(
    FlatBufferBuilder& builder, const std::optional<ViewExplanation>& explanation) {
  if (!explanation) return {};
  const ViewExplanation& view = *explanation;
  std::vector<Offset<proto::ExplainedArea>> tables;
  for (const ExplainedArea& area : view.areas) tables.push_back(encode(builder, area));
  const auto areas = builder.CreateVector(tables);
  proto::ViewExplanationBuilder out(builder);
  out.add_stage(static_cast<proto::ViewStage>(view.stage));
  out.add_hold(static_cast<proto::ViewHold>(view.hold));
  out.add_session(view.session.value);
  out.add_observer(view.observer.value);
  out.add_entity(view.entity.raw());
  out.add_in_view(view.in_view);
  out.add_entered(view.entered);
  out.add_suspends(view.suspends);
  out.add_visibility(static_cast<std::uint8_t>(view.visibility));
  out.add_parent(view.parent.raw());
  out.add_owned(view.owned);
  out.add_always_relevant(view.always_relevant);
  out.add_seen_from_enter_m(view.seen_from_enter_m);
  out.add_seen_from_leave_m(view.seen_from_leave_m);
  out.add_visible_count(view.visible_count);
  out.add_told(view.told.told);
  out.add_stale(view.told.stale);
  out.add_leave_waits(view.told.leave_waits);
  out.add_update_waits(view.told.update_waits);
  out.add_told_tick(view.told.told_tick);
  out.add_interval_ticks(view.told.interval_ticks);
  out.add_health(view.told.health);
  out.add_areas(areas);
  return out.Finish();
}

}  // namespace vicinity::wire
