// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/view.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace vicinity {
namespace {

Visibility visibility_of(const Observer& observer, EntityId id) {
  const auto found =
      std::lower_bound(observer.visibilities.begin(), observer.visibilities.end(), id,
                       [](const VisibilityEntry& entry, EntityId key) { return entry.id < key; });
  const bool is_there = found != observer.visibilities.end() && found->id == id;
  return is_there ? found->visibility : Visibility::Default;
}

/// Inside of the area, or held in it by leave solid or dwell time; null: it was not in view.
bool reached(const InterestArea& area, const Snapshot& snapshot, std::uint32_t slot,
             const Visible* was) {
  if (was == nullptr) return inside_enter(area, snapshot, slot);
  return snapshot.tick - was->entered < area.spec.min_dwell_ticks ||
         inside_enter(area, snapshot, slot) || inside_leave(area, snapshot, slot);
}

/// One observer in one tick.
class ViewUpdate {
 public:
  ViewUpdate(const ViewInput& input, Observer& observer, ViewBuffers& buffers)
      : input_(input), snapshot_(input.snapshot), observer_(observer), buffers_(buffers) {}

  bool run(ObserverEvents& out) {
    gather_candidates();
    choose_nearest();
    const bool all_enter = decide();
    tell(out);
    return all_enter;
  }

  Leave leave(const Visible& visible) const;

 private:
  void gather_candidates();
  void choose_nearest();
  void choose_nearest_of(std::size_t area);
  bool decide();
  void show(std::uint32_t slot);
  void tell(ObserverEvents& out);

  const Visible* visible_in(std::uint32_t slot) const;
  bool is_owned(EntityId id) const;
  bool is_forced(std::uint32_t slot) const;
  bool belongs_to(const InterestArea& area, std::uint32_t slot) const {
    return accepts(area, snapshot_.id[slot], snapshot_.filter[slot]);
  }
  bool any_reached(std::span<const InterestArea> areas, const Visible& visible) const;
  bool is_held(std::size_t area, std::uint32_t slot, const Visible* was) const;
  bool is_in_view(std::uint32_t slot, const Visible* was) const;
  LeaveReason leave_reason(const Visible& visible) const;
  void note_suspension(Visible& visible) const;

  const ViewInput& input_;
  const Snapshot& snapshot_;
  Observer& observer_;
  ViewBuffers& buffers_;
};

const Visible* ViewUpdate::visible_in(std::uint32_t slot) const {
  const auto found =
      std::lower_bound(observer_.visible.begin(), observer_.visible.end(), snapshot_.id[slot],
                       [](const Visible& v, EntityId key) { return v.id < key; });
  const bool is_there = found != observer_.visible.end() && found->id == snapshot_.id[slot];
  return is_there ? &*found : nullptr;
}

bool ViewUpdate::is_owned(EntityId id) const {
  return std::binary_search(input_.owned.begin(), input_.owned.end(), id) &&
         shows_owned(observer_, id);
}

/// In view whatever the areas say, if it is enabled.
bool ViewUpdate::is_forced(std::uint32_t slot) const {
  const Visibility visibility = visibility_of(observer_, snapshot_.id[slot]);
  if (visibility != Visibility::Default) return visibility == Visibility::Always;
  return is_owned(snapshot_.id[slot]);
}

/// Everything that may come in.
void ViewUpdate::gather_candidates() {
  auto& candidates = buffers_.candidates;
  candidates = input_.inside;
  for (const EntityId id : input_.owned)
    if (shows_owned(observer_, id)) candidates.push_back(id.index());
  for (const VisibilityEntry& entry : observer_.visibilities)
    if (snapshot_.contains(entry.id)) candidates.push_back(entry.id.index());
  if (candidates.size() == input_.inside.size()) return;
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
}

// --- Nearest -----------------------------------------------------------------------------------

void ViewUpdate::choose_nearest() {
  buffers_.nearest.resize(observer_.areas.size());
  for (std::size_t i = 0; i < observer_.areas.size(); ++i)
    if (observer_.areas[i].spec.nearest_max > 0) choose_nearest_of(i);
}

void ViewUpdate::choose_nearest_of(std::size_t index) {
  const InterestArea& area = observer_.areas[index];
  auto& ranked = buffers_.ranked;
  ranked.clear();
  const auto rank = [&](std::uint32_t slot, const Visible* was) {
    if (input_.world.is_follower(slot) || !belongs_to(area, slot)) return;
    if (visibility_of(observer_, snapshot_.id[slot]) != Visibility::Default) return;
    if (relevance_of(snapshot_, slot).always || is_owned(snapshot_.id[slot])) return;
    if (reached(area, snapshot_, slot, was))
      ranked.push_back({distance_m(area, snapshot_, slot), snapshot_.id[slot]});
  };
  for (const Visible& visible : observer_.visible)
    if (snapshot_.contains(visible.id)) rank(visible.id.index(), &visible);
  for (const std::uint32_t slot : buffers_.candidates)
    if (visible_in(slot) == nullptr) rank(slot, nullptr);
  const std::size_t kept = std::min<std::size_t>(area.spec.nearest_max, ranked.size());
  std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(kept), ranked.end(),
                   [](const ViewBuffers::Ranked& a, const ViewBuffers::Ranked& b) {
                     return std::pair(a.distance_m, a.id) < std::pair(b.distance_m, b.id);
                   });
  auto& nearest = buffers_.nearest[index];
  nearest.clear();
  for (std::size_t i = 0; i < kept; ++i) nearest.push_back(ranked[i].id.index());
  std::sort(nearest.begin(), nearest.end());
}

// --- Who is in view ----------------------------------------------------------------------------

bool ViewUpdate::is_held(std::size_t index, std::uint32_t slot, const Visible* was) const {
  const InterestArea& area = observer_.areas[index];
  if (!belongs_to(area, slot)) return false;
  if (area.spec.nearest_max == 0 || relevance_of(snapshot_, slot).always)
    return reached(area, snapshot_, slot, was);
  const auto& nearest = buffers_.nearest[index];
  return std::binary_search(nearest.begin(), nearest.end(), slot);
}

/// Not for followers.
bool ViewUpdate::is_in_view(std::uint32_t slot, const Visible* was) const {
  if (!snapshot_.filter[slot].enabled) return false;
  if (visibility_of(observer_, snapshot_.id[slot]) == Visibility::Never) return false;
  if (is_forced(slot)) return true;
  for (std::size_t i = 0; i < observer_.areas.size(); ++i)
    if (is_held(i, slot, was)) return true;
  return false;
}

/// Adds an entity and all that follow it, directly or not.
void ViewUpdate::show(std::uint32_t slot) {
  auto& now = buffers_.now;
  const std::size_t first = now.size();
  now.push_back(slot);
  for (std::size_t i = first; i < now.size(); ++i)
    for (const Follower& follower : input_.world.followers_of(now[i]))
      if (snapshot_.filter[follower.slot].enabled) now.push_back(follower.slot);
}

/// Fills buffers_.now, ascending.
bool ViewUpdate::decide() {
  auto& now = buffers_.now;
  now.clear();
  for (const Visible& visible : observer_.visible) {
    const std::uint32_t slot = visible.id.index();
    if (!snapshot_.contains(visible.id) || input_.world.is_follower(slot)) continue;
    if (is_in_view(slot, &visible)) show(slot);
  }
  bool all_enter = true;
  for (const std::uint32_t slot : buffers_.candidates) {
    if (input_.world.is_follower(slot) || visible_in(slot) != nullptr) continue;
    if (!is_in_view(slot, nullptr)) continue;
    if (now.size() < input_.visible_max) {
      show(slot);
    } else {
      all_enter = false;
      break;
    }
  }
  std::sort(now.begin(), now.end());
  return all_enter;
}

// --- Telling -----------------------------------------------------------------------------------

bool ViewUpdate::any_reached(std::span<const InterestArea> areas, const Visible& visible) const {
  const std::uint32_t slot = visible.id.index();
  return std::any_of(areas.begin(), areas.end(), [&](const InterestArea& area) {
    return belongs_to(area, slot) && reached(area, snapshot_, slot, &visible);
  });
}

/// Of an entity that exists but does not stay. AreaChanged: without the commands it would have
/// stayed. FilterChanged: its own filter is to blame, because no area takes it any more or because
/// an area it still reaches refuses it now.
LeaveReason ViewUpdate::leave_reason(const Visible& visible) const {
  const std::uint32_t slot = visible.id.index();
  if (!snapshot_.filter[slot].enabled) return LeaveReason::Disabled;
  const bool is_follower = input_.world.is_follower(slot);
  const bool is_hidden = visibility_of(observer_, visible.id) == Visibility::Never;
  if (!is_follower && is_hidden) return LeaveReason::Hidden;
  if (any_reached(observer_.areas, visible) || (is_follower && is_forced(slot)))
    return is_follower ? LeaveReason::Hidden : LeaveReason::Crowded;
  const auto& released = observer_.released;
  if (std::find(released.begin(), released.end(), visible.id) != released.end())
    return LeaveReason::Hidden;
  if (any_reached(observer_.former, visible)) return LeaveReason::AreaChanged;
  if (snapshot_.changed[slot].filter != snapshot_.tick) return LeaveReason::OutOfRange;
  bool accepted = false;
  bool is_reached = false;
  for (const InterestArea& area : observer_.areas) {
    accepted |= belongs_to(area, slot);
    is_reached |= area.placed && inside_leave(area, snapshot_, slot);
  }
  return !accepted || is_reached ? LeaveReason::FilterChanged : LeaveReason::OutOfRange;
}

Leave ViewUpdate::leave(const Visible& visible) const {
  if (!snapshot_.contains(visible.id)) return leave_of_ended(snapshot_, visible.id);
  const LeaveReason reason = leave_reason(visible);
  const bool suspended = reason == LeaveReason::OutOfRange && visible.suspends;
  return {visible.id, reason, snapshot_.user_data[visible.id.index()], suspended};
}

void ViewUpdate::note_suspension(Visible& visible) const {
  const std::uint32_t slot = visible.id.index();
  const Visible* was = visible.entered == snapshot_.tick ? nullptr : &visible;
  bool is_any = false;
  bool do_all_suspend = true;
  for (std::size_t i = 0; i < observer_.areas.size(); ++i) {
    if (!is_held(i, slot, was)) continue;
    is_any = true;
    do_all_suspend = do_all_suspend && observer_.areas[i].spec.suspend;
  }
  if (is_any) visible.suspends = do_all_suspend;
}

/// Compares the old view with what is in view now; both ascend by slot:
///
///     old view   (2,g1) (5,g1)        (9,g3)
///     now               (5,g2) (7,g1) (9,g3)
///     result     leave   leave         stays
///                        new    new
///
/// In one slot the older generation sorts first, so that a reused slot leaves and enters.
void ViewUpdate::tell(ObserverEvents& out) {
  auto& visible = buffers_.visible;
  visible.clear();
  auto old = observer_.visible.begin();
  const auto end = observer_.visible.end();
  for (const std::uint32_t slot : buffers_.now) {
    const EntityId id = snapshot_.id[slot];
    while (old != end && old->id < id) out.leaves.push_back(leave(*old++));
    if (old != end && old->id == id) {
      visible.push_back(*old++);
    } else {
      visible.push_back({id, snapshot_.tick, false});
      out.enters.push_back(slot);
    }
  }
  while (old != end) out.leaves.push_back(leave(*old++));
  const bool suspends = std::any_of(observer_.areas.begin(), observer_.areas.end(),
                                    [](const InterestArea& area) { return area.spec.suspend; });
  for (Visible& entry : visible)
    if (suspends || entry.suspends) note_suspension(entry);
  // Copied, not swapped: swapping would hand the buffer of a large view to small observers.
  observer_.visible.assign(visible.begin(), visible.end());
  out.visible_count = static_cast<std::uint32_t>(visible.size());
}

}  // namespace

Leave leave_of_ended(const Snapshot& snapshot, EntityId id) {
  const auto found = std::lower_bound(snapshot.despawned.begin(), snapshot.despawned.end(), id,
                                      [](const Despawn& d, EntityId key) { return d.id < key; });
  CHECK(found != snapshot.despawned.end() && found->id == id);
  const bool left_world = found->reason == DespawnReason::LeftWorld;
  return {id, left_world ? LeaveReason::OutOfWorld : LeaveReason::Despawned, found->user_data};
}

void place_areas(const Snapshot& snapshot, Observer& observer) {
  for (InterestArea& area : observer.areas) place(snapshot, area);
  for (InterestArea& area : observer.former) place(snapshot, area);
}

bool shows_owned(const Observer& observer, EntityId id) {
  return std::none_of(observer.areas.begin(), observer.areas.end(), [id](const InterestArea& area) {
    return area.anchor == id && !area.spec.include_anchor;
  });
}

bool update_view(const ViewInput& input, Observer& observer, ViewBuffers& buffers,
                 ObserverEvents& out) {
  std::erase_if(observer.visibilities,
                [&](const VisibilityEntry& entry) { return !input.snapshot.contains(entry.id); });
  observer.masks.is_valid = false;
  const bool all_enter = ViewUpdate(input, observer, buffers).run(out);
  for (InterestArea& area : observer.areas) area.in_effect = true;
  observer.former.clear();
  observer.released.clear();
  return all_enter;
}

Leave leave_of(const ViewInput& input, Observer& observer, ViewBuffers& buffers,
               const Visible& visible) {
  return ViewUpdate(input, observer, buffers).leave(visible);
}

}  // namespace vicinity
