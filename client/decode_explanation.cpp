// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "client/decode_explanation.h"

#include <cstdint>

#include "base/limits.h"

namespace vicinity::client {
namespace {

// The structs are read in place.
static_assert(sizeof(proto::Box) == 48);
static_assert(sizeof(proto::IndexSpan) == 24);

/// More areas than any observer may have are not believed: a frame may name one table many times.
constexpr flatbuffers::uoffset_t areas_max = 16 * limits::areas_per_observer_max;

/// Takes an enumerator that counts from 0 to `last`.
template <class Enum, class Wire>
bool take(Wire in, Enum last, Enum& out) {
  if (static_cast<std::uint8_t>(in) > static_cast<std::uint8_t>(last)) return false;
  out = static_cast<Enum>(in);
  return true;
}

template <class Struct>
bool is_aligned(const Struct* at) {
  return reinterpret_cast<std::uintptr_t>(at) % alignof(Struct) == 0;
}

Vec3 to_vec3(const proto::Vec3& v) { return {v.x(), v.y(), v.z()}; }

bool take(const proto::Vec3* in, Vec3& out) {
  if (!is_aligned(in)) return false;
  if (in != nullptr) out = to_vec3(*in);
  return true;
}
bool take(const proto::Box* in, Aabb& out) {
  if (!is_aligned(in)) return false;
  if (in != nullptr) out = {to_vec3(in->min()), to_vec3(in->max())};
  return true;
}
/// The server widened an f32.
float narrowed(double value) {
  constexpr double most = 3.4028234663852886e38;
  if (!(value >= -most)) return static_cast<float>(-most);
  return static_cast<float>(value <= most ? value : most);
}
bool take(const proto::Box* in, Aabb32& out) {
  Aabb wide;
  if (!take(in, wide)) return false;
  for (int axis = 0; axis < 3; ++axis) {
    out.min[axis] = narrowed(wide.min[axis]);
    out.max[axis] = narrowed(wide.max[axis]);
  }
  return true;
}
bool take(const proto::IndexSpan* in, IndexSpan& out) {
  if (!is_aligned(in)) return false;
  if (in == nullptr) return true;
  out = {in->cell_first(),
         in->cell_last(),
         {in->row_first_0(), in->row_first_1()},
         {in->row_last_0(), in->row_last_1()}};
  return true;
}

bool take(const proto::ExplainedEntity* in, ExplainedEntity& out) {
  if (in == nullptr) return true;
  out.id = EntityId::from_raw(in->id());
  out.lives = in->lives();
  IndexPlace& place = out.place;
  place.run = in->run();
  place.level = in->level();
  place.level_count = in->level_count();
  place.until = in->transition_until();
  place.other_run = in->other_run();
  Filter& filter = out.filter;
  filter.category = in->category();
  filter.mask = in->mask();
  filter.group = in->group();
  filter.instance = in->instance();
  filter.sensor = in->sensor();
  filter.is_static = in->is_static();
  filter.enabled = in->enabled();
  filter.continuous = in->continuous();
  out.spawned = in->spawned();
  out.moved = in->moved();
  out.reshaped = in->reshaped();
  out.filtered = in->filtered();
  return take(in->partition(), IndexPartition::Static, place.partition) &&
         take(in->position(), out.position) && take(in->tight_box(), out.tight_box) &&
         take(in->bound(), out.bound) && take(in->registered(), place.box);
}

bool take(const proto::ExplainedArea& in, ExplainedArea& out) {
  out.area = {in.area()};
  out.reach = in.by_centre() ? Reach::Centre : Reach::Shape;
  out.placed = in.placed();
  out.category = in.category();
  out.instance = in.instance();
  out.hides_anchor = in.hides_anchor();
  out.inside_enter = in.inside_enter();
  out.inside_leave = in.inside_leave();
  out.distance_m = in.distance_m();
  out.dwell_until = in.dwell_until();
  out.nearest_max = in.nearest_max();
  out.nearer_count = in.nearer_count();
  out.suspends = in.suspends();
  return take(in.kind(), AreaKind::Prism, out.kind) && take(in.position(), out.position);
}

/// One of the three axes each.
bool take_grid(const proto::PairExplanation& in, IndexGrid& grid) {
  Vec3 origin;
  Vec3 per_m;
  if (in.along_axis() > 2 || in.across_axis_0() > 2 || in.across_axis_1() > 2) return false;
  if (!take(in.origin_m(), origin) || !take(in.per_m(), per_m)) return false;
  grid.along_axis = in.along_axis();
  grid.across_axis[0] = in.across_axis_0();
  grid.across_axis[1] = in.across_axis_1();
  for (int i = 0; i < 3; ++i) {
    grid.origin_m[i] = origin[i];
    grid.per_m[i] = per_m[i];
  }
  grid.wrap[0] = in.wrap_0();
  grid.wrap[1] = in.wrap_1();
  return true;
}

}  // namespace

bool convert(const proto::PairExplanation& in, PairExplanation& out) {
  out.candidate = in.candidate();
  out.touches = in.touches();
  out.passes_through = in.passes_through();
  out.missed = in.missed();
  out.filter_reasons = in.filter_reasons();
  out.cooling_until = in.cooling_until();
  out.budget_cut = in.budget_cut();
  if (in.gap_m().has_value()) out.gap_m = in.gap_m().value();
  out.in_contact = in.in_contact();
  out.begin_tick = in.begin_tick();
  out.sensor = in.sensor();
  return take(in.stage(), ExplainStage::Policy, out.stage) &&
         take(in.policy(), PolicyReason::CoolingDown, out.policy) && take(in.a(), out.a) &&
         take(in.b(), out.b) && take_grid(in, out.grid) && take(in.span_a(), out.span_a) &&
         take(in.span_b(), out.span_b);
}

bool convert(const proto::ViewExplanation& in, ViewExplanation& out) {
  out.session = {in.session()};
  out.observer = {in.observer()};
  out.entity = EntityId::from_raw(in.entity());
  out.in_view = in.in_view();
  out.entered = in.entered();
  out.suspends = in.suspends();
  out.parent = EntityId::from_raw(in.parent());
  out.owned = in.owned();
  out.always_relevant = in.always_relevant();
  out.seen_from_enter_m = in.seen_from_enter_m();
  out.seen_from_leave_m = in.seen_from_leave_m();
  out.visible_count = in.visible_count();
  out.told = {in.told(),      in.stale(),          in.leave_waits(), in.update_waits(),
              in.told_tick(), in.interval_ticks(), in.health()};
  if (in.areas() != nullptr) {
    if (in.areas()->size() > areas_max) return false;
    for (const proto::ExplainedArea* area : *in.areas())
      if (!take(*area, out.areas.emplace_back())) return false;
  }
  return take(in.stage(), ViewStage::Budget, out.stage) &&
         take(in.hold(), ViewHold::Dwell, out.hold) &&
         take(in.visibility(), Visibility::Never, out.visibility);
}

}  // namespace vicinity::client
