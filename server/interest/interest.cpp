// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/interest.h"

#include <algorithm>

#include "base/check.h"
#include "base/limits.h"
#include "index/search_box.h"

namespace vicinity {
namespace {

/// Observers per block. An observer costs microseconds, a task about one.
constexpr std::size_t observers_per_block = 16;

Aabb cube(Vec3 centre, Vec3 half_extent) { return {centre - half_extent, centre + half_extent}; }

bool inside(const AreaSpec& area, Vec3 position, double radius_m, Vec3 half_extent_m,
            const Aabb& tight_box) {
  const Vec3 middle = centre(tight_box);
  const Aabb reached = area.reach == Reach::Centre ? Aabb{middle, middle} : tight_box;
  if (area.kind == AreaKind::Box) return touches(cube(position, half_extent_m), reached);
  return distance_squared(position, reached) <= radius_m * radius_m;
}

/// Why an entity that is in no snapshot row any more is gone.
LeaveReason reason_of_despawn(const Snapshot& snapshot, EntityId id) {
  const auto found = std::lower_bound(snapshot.despawned.begin(), snapshot.despawned.end(), id,
                                      [](const Despawn& d, EntityId key) { return d.id < key; });
  const bool left_world = found != snapshot.despawned.end() && found->id == id &&
                          found->reason == DespawnReason::LeftWorld;
  return left_world ? LeaveReason::OutOfWorld : LeaveReason::Despawned;
}

/// Sorts what a still visible entity has to tell into `changed` or `moved`.
void note_change(const Snapshot& snapshot, std::uint32_t row, ObserverEvents& out) {
  const EntityVersions& versions = snapshot.changed[row];
  const Tick now = snapshot.tick;
  if (versions.shape == now || versions.filter == now || versions.enabled == now ||
      versions.user_data == now) {
    out.changed.push_back(row);
  } else if (versions.pose == now) {
    out.moved.push_back(row);
  }
}

}  // namespace

bool inside_enter(const AreaSpec& area, Vec3 position, const Aabb& tight_box) {
  return inside(area, position, area.enter_radius_m, area.enter_half_extent_m, tight_box);
}

bool inside_leave(const AreaSpec& area, Vec3 position, const Aabb& tight_box) {
  return inside(area, position, area.leave_radius_m, area.leave_half_extent_m, tight_box);
}

// --- Commands ----------------------------------------------------------------------------------

ErrorCode Interest::add_area(SessionId session, const AddAreaCommand& command, EntityId anchor) {
  Session& entry = sessions_[session];
  if (entry.observer_of_area.contains(command.area)) return ErrorCode::DuplicateArea;
  if (entry.observer_of_area.size() >= limits::areas_per_session_max)
    return ErrorCode::LimitExceeded;
  entry.observer_of_area.emplace(command.area, command.observer);
  Observer& observer = entry.observers[command.observer];
  const auto place =
      std::find_if(observer.areas.begin(), observer.areas.end(),
                   [&](const Area& area) { return area.id.value > command.area.value; });
  observer.areas.insert(place, Area{command.area, command.spec, anchor, {}, false});
  observer.areas_changed = true;
  return ErrorCode::None;
}

ErrorCode Interest::change_area(SessionId session, const ChangeAreaCommand& command,
                                EntityId anchor) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return ErrorCode::UnknownArea;
  const auto owner = entry->second.observer_of_area.find(command.area);
  if (owner == entry->second.observer_of_area.end()) return ErrorCode::UnknownArea;
  Observer& observer = entry->second.observers.at(owner->second);
  const auto area = std::find_if(observer.areas.begin(), observer.areas.end(),
                                 [&](const Area& a) { return a.id == command.area; });
  CHECK(area != observer.areas.end());
  area->spec = command.spec;
  area->anchor = anchor;
  observer.areas_changed = true;
  return ErrorCode::None;
}

ErrorCode Interest::remove_area(SessionId session, const RemoveAreaCommand& command) {
  const auto entry = sessions_.find(session);
  if (entry == sessions_.end()) return ErrorCode::UnknownArea;
  const auto owner = entry->second.observer_of_area.find(command.area);
  if (owner == entry->second.observer_of_area.end()) return ErrorCode::UnknownArea;
  const ObserverId observer_id = owner->second;
  entry->second.observer_of_area.erase(owner);
  Observer& observer = entry->second.observers.at(observer_id);
  std::erase_if(observer.areas, [&](const Area& area) { return area.id == command.area; });
  observer.areas_changed = true;
  if (observer.areas.empty()) entry->second.observers.erase(observer_id);
  return ErrorCode::None;
}

void Interest::close_session(SessionId session) { sessions_.erase(session); }

// --- Update ------------------------------------------------------------------------------------

bool Interest::accepts(const Area& area, EntityId id, const Filter& filter) {
  if (!area.placed || !finds(area.spec.filter, filter)) return false;
  return area.spec.include_anchor || !area.anchor || area.anchor != id;
}

void Interest::place_areas(const Snapshot& snapshot, Observer& observer) {
  for (Area& area : observer.areas) {
    if (!area.anchor) {
      area.position = area.spec.centre;
      area.placed = true;
    } else if (const auto row = snapshot.find(area.anchor)) {
      area.position = centre(snapshot.tight_box[*row]) + area.spec.centre;
      area.placed = true;
    }
  }
}

/// Rows inside the enter size of any area, ascending, each once, into scratch.inside. Leaving needs
/// no search: what is in view is known and tested directly.
void Interest::find_inside(const Snapshot& snapshot, const Index& index, const Observer& observer,
                           Scratch& scratch) {
  scratch.inside.clear();
  for (const Area& area : observer.areas) {
    if (!area.placed) continue;
    const AreaSpec& spec = area.spec;
    const double r = spec.enter_radius_m;
    const Vec3 half = spec.kind == AreaKind::Box ? spec.enter_half_extent_m : Vec3{r, r, r};
    scratch.candidates.clear();
    index.find_in_box(search_box(cube(area.position, half)), scratch.candidates);
    for (const std::uint32_t row : scratch.candidates) {
      if (accepts(area, snapshot.id[row], snapshot.filter[row]) &&
          inside_enter(spec, area.position, snapshot.tight_box[row]))
        scratch.inside.push_back(row);
    }
  }
  if (observer.areas.size() < 2) return;  // one area: the index has sorted them already
  std::sort(scratch.inside.begin(), scratch.inside.end());
  scratch.inside.erase(std::unique(scratch.inside.begin(), scratch.inside.end()),
                       scratch.inside.end());
}

bool Interest::stays(const Snapshot& snapshot, const Observer& observer, const Visible& visible,
                     std::uint32_t row) {
  bool accepted = false;
  Tick dwell_ticks = 0;
  for (const Area& area : observer.areas) {
    dwell_ticks = std::max<Tick>(dwell_ticks, area.spec.min_dwell_ticks);
    if (!accepts(area, visible.id, snapshot.filter[row])) continue;
    if (inside_leave(area.spec, area.position, snapshot.tight_box[row])) return true;
    accepted = true;
  }
  return accepted && snapshot.tick - visible.entered < dwell_ticks;
}

/// Of an entity that exists but does not stay. FilterChanged: its own filter is to blame, because
/// no area takes it any more or because an area it still reaches refuses it now.
LeaveReason Interest::leave_reason(const Snapshot& snapshot, const Observer& observer,
                                   std::uint32_t row) {
  if (!snapshot.filter[row].enabled) return LeaveReason::Disabled;
  if (snapshot.changed[row].filter == snapshot.tick) {
    bool accepted = false;
    bool reached = false;
    for (const Area& area : observer.areas) {
      accepted |= accepts(area, snapshot.id[row], snapshot.filter[row]);
      reached |= area.placed && inside_leave(area.spec, area.position, snapshot.tight_box[row]);
    }
    if (!accepted || reached) return LeaveReason::FilterChanged;
  }
  return observer.areas_changed ? LeaveReason::AreaChanged : LeaveReason::OutOfRange;
}

/// Merges the old view with what is inside now; both ascend by slot:
///
///     old view   (2,g1) (5,g1)        (9,g3)
///     inside            (5,g2) (7,g1)  row of (9,g3)
///     result     leave   leave
///                        enter  enter  update
///
/// In one slot the older generation sorts first, so that a reused slot leaves and enters.
void Interest::update_observer(const Snapshot& snapshot, const Index& index, Observer& observer,
                               Scratch& scratch, ObserverEvents& out) {
  place_areas(snapshot, observer);
  find_inside(snapshot, index, observer, scratch);
  scratch.visible.clear();
  auto next = scratch.inside.begin();
  const auto end = scratch.inside.end();
  const auto enter_next = [&] {
    out.enters.push_back(*next);
    scratch.visible.push_back({snapshot.id[*next], snapshot.tick});
    ++next;
  };
  for (const Visible& visible : observer.visible) {
    while (next != end && snapshot.id[*next] < visible.id) enter_next();
    const auto row = snapshot.find(visible.id);
    if (!row) {
      out.leaves.push_back({visible.id, reason_of_despawn(snapshot, visible.id)});
      continue;
    }
    const bool is_inside = next != end && *next == *row;
    if (is_inside) ++next;
    if (is_inside || stays(snapshot, observer, visible, *row)) {
      scratch.visible.push_back(visible);
      note_change(snapshot, *row, out);
    } else {
      out.leaves.push_back({visible.id, leave_reason(snapshot, observer, *row)});
    }
  }
  while (next != end) enter_next();
  // Copied, not swapped: swapping would hand the buffer of a large view on to small observers.
  observer.visible.assign(scratch.visible.begin(), scratch.visible.end());
  observer.areas_changed = false;
  out.visible_count = static_cast<std::uint32_t>(observer.visible.size());
}

void Interest::update(const Snapshot& snapshot, const Index& index, Workers& workers,
                      std::vector<ObserverEvents>& out) {
  std::vector<Observer*> observers;
  out.clear();
  for (auto& [session_id, session] : sessions_) {
    for (auto& [observer_id, observer] : session.observers) {
      observers.push_back(&observer);
      out.push_back({session_id, observer_id, {}, {}, {}, {}, 0});
    }
  }
  workers.parallel_blocks(observers.size(), observers_per_block,
                          [&](std::size_t, std::size_t begin, std::size_t end) {
                            Scratch scratch;
                            for (std::size_t i = begin; i < end; ++i)
                              update_observer(snapshot, index, *observers[i], scratch, out[i]);
                          });
  visible_count_ = 0;
  for (const ObserverEvents& events : out) visible_count_ += events.visible_count;
  std::erase_if(out, [](const ObserverEvents& events) {
    return events.leaves.empty() && events.enters.empty() && events.changed.empty() &&
           events.moved.empty();
  });
}

std::size_t Interest::observer_count() const {
  std::size_t sum = 0;
  for (const auto& [id, session] : sessions_) sum += session.observers.size();
  return sum;
}

std::size_t Interest::area_count() const {
  std::size_t sum = 0;
  for (const auto& [id, session] : sessions_) sum += session.observer_of_area.size();
  return sum;
}

std::uint64_t Interest::visible_count() const { return visible_count_; }

}  // namespace vicinity
