// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "tick/explain_view.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "narrow/mesh_walk.h"

namespace vicinity {
namespace {

/// What a follower hangs on; none for all others.
EntityId parent_of(const Snapshot& snapshot, std::uint32_t slot) {
  const auto found = std::lower_bound(
      snapshot.followers.begin(), snapshot.followers.end(), slot,
      [](const Follower& follower, std::uint32_t key) { return follower.slot < key; });
  if (found == snapshot.followers.end() || found->slot != slot) return {};
  return snapshot.id[found->parent];
}

const Visible* visible_of(const Observer& observer, EntityId id) {
  const auto found = std::lower_bound(observer.visible.begin(), observer.visible.end(), id,
                                      [](const Visible& v, EntityId key) { return v.id < key; });
  return found != observer.visible.end() && found->id == id ? &*found : nullptr;
}

Visibility visibility_of(const Observer& observer, EntityId id) {
  const auto found =
      std::lower_bound(observer.visibilities.begin(), observer.visibilities.end(), id,
                       [](const VisibilityEntry& entry, EntityId key) { return entry.id < key; });
  const bool is_there = found != observer.visibilities.end() && found->id == id;
  return is_there ? found->visibility : Visibility::Default;
}

class ViewExplaining {
 public:
  ViewExplaining(const Observer& observer, std::span<const EntityId> owned,
                 const Snapshot& snapshot, ViewExplanation& out)
      : observer_(observer), owned_(owned), snapshot_(snapshot), out_(out) {}

  std::size_t looks() const {
    return parts_ + static_cast<std::size_t>(narrow::triangles_walked - triangles_before_);
  }
  bool ran_out() const { return ran_out_; }

  void run() {
    out_.visible_count = static_cast<std::uint32_t>(observer_.visible.size());
    const Visible* visible = visible_of(observer_, out_.entity);
    out_.in_view = visible != nullptr;
    if (visible != nullptr) {
      out_.entered = visible->entered;
      out_.suspends = visible->suspends;
    }
    if (!snapshot_.contains(out_.entity)) {
      out_.stage = ViewStage::Gone;
      return;
    }
    fill_rules();
    for (const InterestArea& area : observer_.areas) {
      if (!may_look_at(slot())) break;
      out_.areas.push_back(explain(area));
    }
    if (!out_.in_view) count_nearer();
    out_.stage = out_.in_view ? ViewStage::None : rejected();
    if (out_.in_view) out_.hold = held();
  }

 private:
  std::uint32_t slot() const { return out_.entity.index(); }
  bool is_owned(EntityId id) const {
    return std::binary_search(owned_.begin(), owned_.end(), id) && shows_owned(observer_, id);
  }

  /// Before an entity is held against an area. The last one may have more parts than are left.
  bool may_look_at(std::uint32_t at) {
    ran_out_ = ran_out_ || looks() >= limits::explain_nearest_looks_max;
    const bool is_one = snapshot_.form[at] != Form::Other || snapshot_.shape[at].is_plain();
    if (!ran_out_) parts_ += is_one ? 1 : snapshot_.shape[at].compound->parts.size();
    return !ran_out_;
  }

  void fill_rules() {
    out_.visibility = visibility_of(observer_, out_.entity);
    out_.parent = parent_of(snapshot_, slot());
    out_.owned = is_owned(out_.entity);
    const Relevance relevance = relevance_of(snapshot_, slot());
    out_.always_relevant = relevance.always;
    out_.seen_from_enter_m = relevance.seen_from_enter_m;
    out_.seen_from_leave_m = relevance.seen_from_leave_m;
  }

  ExplainedArea explain(const InterestArea& area) const {
    const Filter& filter = snapshot_.filter[slot()];
    ExplainedArea out;
    out.area = area.id;
    out.kind = area.spec.kind;
    out.reach = area.spec.reach;
    out.placed = area.placed;
    out.category = (filter.category & area.spec.filter.category_mask) != 0;
    out.instance = filter.instance == area.spec.filter.instance;
    out.hides_anchor = !area.spec.include_anchor && area.anchor && area.anchor == out_.entity;
    out.nearest_max = area.spec.nearest_max;
    out.suspends = area.spec.suspend;
    if (out_.in_view && area.spec.min_dwell_ticks > 0)
      out.dwell_until = out_.entered + area.spec.min_dwell_ticks;
    if (!area.placed) return out;
    out.position = area.position;
    out.inside_enter = inside_enter(area, snapshot_, slot());
    out.inside_leave = inside_leave(area, snapshot_, slot());
    out.distance_m = distance_m(area, snapshot_, slot());
    return out;
  }

  /// For areas that reach the entity and take the nearest only.
  void count_nearer() {
    for (std::size_t i = 0; i < out_.areas.size(); ++i) {
      ExplainedArea& explained = out_.areas[i];
      if (explained.nearest_max == 0 || !explained.accepts() || !explained.inside_enter) continue;
      for (const Visible& visible : observer_.visible) {
        if (explained.nearer_count >= explained.nearest_max) break;
        if (!snapshot_.contains(visible.id)) continue;
        if (!may_look_at(visible.id.index())) return;
        explained.nearer_count += is_nearer(observer_.areas[i], visible, explained.distance_m);
      }
    }
  }

  /// Whether what lives is in view by the area, and goes before the entity.
  bool is_nearer(const InterestArea& area, const Visible& visible, double than_m) const {
    const std::uint32_t other = visible.id.index();
    if (!accepts(area, visible.id, snapshot_.filter[other]) || parent_of(snapshot_, other))
      return false;
    if (visibility_of(observer_, visible.id) != Visibility::Default) return false;
    if (relevance_of(snapshot_, other).always || is_owned(visible.id)) return false;
    const bool stays = visible.entered < snapshot_.tick &&
                       (snapshot_.tick - visible.entered < area.spec.min_dwell_ticks ||
                        inside_leave(area, snapshot_, other));
    if (!stays && !inside_enter(area, snapshot_, other)) return false;
    const double distance = distance_m(area, snapshot_, other);
    return std::pair(distance, visible.id) < std::pair(than_m, out_.entity);
  }

  ViewStage rejected() const {
    if (!snapshot_.filter[slot()].enabled) return ViewStage::Disabled;
    if (out_.parent) {
      return visible_of(observer_, out_.parent) == nullptr ? ViewStage::Follower : ViewStage::Limit;
    }
    if (out_.visibility == Visibility::Never) return ViewStage::Visibility;
    if (out_.visibility == Visibility::Always || out_.owned) return ViewStage::Limit;
    bool is_any_accepting = false;
    bool is_any_reaching = false;
    bool is_any_open = false;
    for (const ExplainedArea& area : out_.areas) {
      const bool accepting = area.accepts();
      const bool reaching = accepting && area.inside_enter;
      is_any_accepting |= accepting;
      is_any_reaching |= reaching;
      const bool is_taken =
          area.nearest_max > 0 && !out_.always_relevant && area.nearer_count >= area.nearest_max;
      is_any_open |= reaching && !is_taken;
    }
    if (!is_any_accepting) return ViewStage::Filter;
    if (!is_any_reaching) return ViewStage::Area;
    return is_any_open ? ViewStage::Limit : ViewStage::Nearest;
  }

  ViewHold held() const {
    if (out_.parent) return ViewHold::Parent;
    if (out_.visibility == Visibility::Always) return ViewHold::Visibility;
    if (out_.owned) return ViewHold::Owner;
    ViewHold best = ViewHold::None;
    for (const ExplainedArea& area : out_.areas) {
      if (!area.accepts()) continue;
      ViewHold hold = ViewHold::None;
      if (out_.always_relevant) {
        hold = ViewHold::Relevance;
      } else if (area.inside_enter) {
        hold = ViewHold::Area;
      } else if (area.inside_leave) {
        hold = ViewHold::Hysteresis;
      } else if (snapshot_.tick < area.dwell_until) {
        hold = ViewHold::Dwell;
      }
      if (hold != ViewHold::None && (best == ViewHold::None || hold < best)) best = hold;
    }
    return best;
  }

  const Observer& observer_;
  std::span<const EntityId> owned_;
  const Snapshot& snapshot_;
  ViewExplanation& out_;
  const std::uint64_t triangles_before_ = narrow::triangles_walked;
  std::size_t parts_ = 0;
  bool ran_out_ = false;
};

}  // namespace

ViewExplanation explain_view(const Interest& interest, const Snapshot& snapshot,
                             const ExplainViewQuery& query, ViewLooks* looks) {
  ViewExplanation out;
  out.session = query.session;
  out.observer = query.observer;
  out.entity = query.entity;
  if (looks != nullptr) looks->ran_out = false;
  const Observer* observer = interest.find(query.session, query.observer);
  if (observer == nullptr) return out;
  ViewExplaining explaining(*observer, interest.owned_by(query.session), snapshot, out);
  explaining.run();
  if (looks != nullptr) *looks = {looks->count + explaining.looks(), explaining.ran_out()};
  return out;
}

}  // namespace vicinity
