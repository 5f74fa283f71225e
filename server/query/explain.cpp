// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "query/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "bounds/bounds.h"
#include "narrow/entity_tests.h"
#include "narrow/shape_tests.h"

namespace vicinity {
namespace {

std::uint32_t filter_reasons(const Filter& a, const Filter& b) {
  std::uint32_t reasons = 0;
  const auto add = [&reasons](bool applies, FilterReason reason) {
    if (applies) reasons |= reason;
  };
  add(!a.enabled, filter_disabled_a);
  add(!b.enabled, filter_disabled_b);
  add(a.mask == 0, filter_mask_zero_a);
  add(b.mask == 0, filter_mask_zero_b);
  add(a.instance != b.instance, filter_instance);
  add(a.is_static && b.is_static, filter_both_static);
  add(a.sensor && b.sensor, filter_both_sensor);
  if (a.group != 0 && a.group == b.group) {
    add(a.group < 0, filter_group);
    return reasons;
  }
  add((a.category & b.mask) == 0, filter_category_a);
  add((b.category & a.mask) == 0, filter_category_b);
  return reasons;
}

/// Between boxes that are not turned: distance, or minus the least overlap of an axis.
double gap_between(const Aabb& a, const Aabb& b) {
  double squares = 0;
  double deepest = -std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    const double gap = std::max(a.min[axis] - b.max[axis], b.min[axis] - a.max[axis]);
    if (gap > 0) squares += gap * gap;
    deepest = std::max(deepest, gap);
  }
  return deepest > 0 ? std::sqrt(squares) : deepest;
}

double gap_m(const Snapshot& snapshot, std::uint32_t a, std::uint32_t b) {
  if (snapshot.form[a] == Form::Box && snapshot.form[b] == Form::Box)
    return gap_between(snapshot.tight_box[a], snapshot.tight_box[b]);
  double least = std::numeric_limits<double>::infinity();
  for_each_part(snapshot.shape[a], [&](const Primitive& part_a) {
    for_each_part(snapshot.shape[b], [&](const Primitive& part_b) {
      const Pose pose_a = snapshot.pose(a);
      const Pose pose_b = snapshot.pose(b);
      const auto found = contact(part_a, pose_a, part_b, pose_b);
      least = std::min(least, found ? -found->penetration_m
                                    : distance(part_a, pose_a, part_b, pose_b).distance_m);
    });
  });
  return least;
}

bool contains(const Aabb32& outer, const Aabb32& inner) {
  for (int axis = 0; axis < 3; ++axis)
    if (outer.min[axis] > inner.min[axis] || outer.max[axis] < inner.max[axis]) return false;
  return true;
}

double extent(const Aabb32& box) {
  double most = 0;
  for (int axis = 0; axis < 3; ++axis)
    most = std::max(most, static_cast<double>(box.max[axis]) - static_cast<double>(box.min[axis]));
  return most;
}

class Explaining {
 public:
  Explaining(const PublishedFrame& frame, EntityId a, EntityId b)
      : frame_(frame), snapshot_(*frame.snapshot) {
    std::tie(out_.a.id, out_.b.id) = std::minmax(a, b);
  }

  PairExplanation run() {
    fill(out_.a);
    fill(out_.b);
    const bool same_slot = out_.a.id.index() == out_.b.id.index();
    const IndexPlaces places = frame_.index->places_of(out_.a.id.index(), out_.b.id.index());
    if (out_.a.lives) out_.a.place = places.a;
    if (out_.b.lives) out_.b.place = places.b;
    if (!out_.a.lives || !out_.b.lives || same_slot) {
      out_.stage = ExplainStage::Gone;
      return out_;
    }
    ask_index(places);
    out_.filter_reasons = filter_reasons(out_.a.filter, out_.b.filter);
    out_.stage = rejected_before_shapes();
    if (out_.stage == ExplainStage::None) out_.stage = rejected_by_shapes();
    return out_;
  }

 private:
  void fill(ExplainedEntity& entity) const {
    entity.lives = snapshot_.contains(entity.id);
    if (!entity.lives) return;
    const std::uint32_t slot = entity.id.index();
    entity.position = snapshot_.position[slot];
    entity.tight_box = snapshot_.tight_box[slot];
    entity.bound = round_outward(swept_box(snapshot_, slot));
    entity.filter = snapshot_.filter[slot];
    const EntityVersions& changed = snapshot_.changed[slot];
    entity.spawned = changed.spawned;
    entity.moved = changed.pose;
    entity.reshaped = changed.shape;
    entity.filtered = std::max(changed.filter, changed.enabled);
  }

  void ask_index(const IndexPlaces& places) {
    out_.grid = places.grid;
    out_.span_a = places.span_a;
    out_.span_b = places.span_b;
    shares_cell_ = places.share_cell;
    const ExplainedEntity& smaller = extent(out_.a.bound) <= extent(out_.b.bound) ? out_.a : out_.b;
    std::vector<std::uint32_t> slots;
    frame_.index->find_in_box(smaller.bound, slots);
    const auto is_found = [&slots](const ExplainedEntity& entity) {
      return std::binary_search(slots.begin(), slots.end(), entity.id.index());
    };
    are_found_ = is_found(out_.a) && is_found(out_.b);
    const bool overlap = are_registered() && overlaps(out_.a.place.box, out_.b.place.box);
    const bool accepted = accepts(out_.a.filter, out_.b.filter);
    out_.candidate = are_found_ && overlap && accepted;
    out_.missed = !out_.candidate && accepted && overlaps(out_.a.bound, out_.b.bound);
  }

  bool are_registered() const {
    return out_.a.place.is_registered() && out_.b.place.is_registered();
  }
  bool is_bound_wrong(const ExplainedEntity& entity) const {
    return !contains(entity.place.box, entity.bound);
  }

  ExplainStage rejected_before_shapes() const {
    if (are_registered()) {
      if (!shares_cell_) return ExplainStage::CellArithmetic;
      if (!overlaps(out_.a.place.box, out_.b.place.box)) return ExplainStage::SweptBound;
    } else if (!overlaps(out_.a.bound, out_.b.bound)) {
      return ExplainStage::SweptBound;
    }
    if (out_.filter_reasons != 0) return ExplainStage::Filter;
    if (are_found_) return ExplainStage::None;
    // The bounds overlap, and the view does not say so.
    const bool in_transition = out_.a.place.is_in_transition() || out_.b.place.is_in_transition();
    if (!are_registered() || in_transition) return ExplainStage::Transition;
    if (is_bound_wrong(out_.a) || is_bound_wrong(out_.b)) return ExplainStage::SweptBound;
    return ExplainStage::CellArithmetic;
  }

  ExplainStage rejected_by_shapes() {
    const std::uint32_t a = out_.a.id.index();
    const std::uint32_t b = out_.b.id.index();
    out_.gap_m = gap_m(snapshot_, a, b);
    out_.touches = shapes_touch_at_end(snapshot_, a, b);
    out_.passes_through = !out_.touches && passing(snapshot_, a, b).has_value();
    out_.budget_cut = frame_.pairs_truncated;
    const auto contact = frame_.contacts.find(out_.a.id, out_.b.id);
    out_.in_contact = contact.has_value();
    if (contact) {
      out_.begin_tick = contact->begin_tick;
      out_.sensor = contact->sensor;
    }
    if (!out_.touches && !out_.passes_through) return ExplainStage::NarrowPhase;
    find_policy(a, b);
    if (!out_.in_contact && out_.policy != PolicyReason::None) return ExplainStage::Policy;
    if (out_.in_contact || !out_.touches) return ExplainStage::None;
    out_.missed = !out_.budget_cut;
    return ExplainStage::PairSearch;
  }

  void find_policy(std::uint32_t a, std::uint32_t b) {
    if (snapshot_.ignore_one_another(a, b)) {
      out_.policy = PolicyReason::Excluded;
    } else if (frame_.policy != nullptr &&
               frame_.policy->rule_of(out_.a.filter, out_.b.filter).action ==
                   PolicyAction::Ignore) {
      out_.policy = PolicyReason::Ignored;
    } else if (const auto cooldown = frame_.cooldowns.find({out_.a.id, out_.b.id});
               cooldown && (out_.touches || cooldown->since < frame_.tick)) {
      out_.policy = PolicyReason::CoolingDown;
      out_.cooling_until = cooldown->until;
    }
  }

  const PublishedFrame& frame_;
  const Snapshot& snapshot_;
  PairExplanation out_;
  bool shares_cell_ = false;
  bool are_found_ = false;
};

}  // namespace

PairExplanation explain_pair(const PublishedFrame& frame, EntityId a, EntityId b) {
  CHECK(frame.snapshot != nullptr && frame.index != nullptr);
  return Explaining(frame, a, b).run();
}

}  // namespace vicinity
