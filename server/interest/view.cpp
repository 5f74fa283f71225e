// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#include "interest/view.h"

#include <algorithm>

#include "base/check.h"

namespace vicinity {
namespace {

/// Leave of an entity that is not in the snapshot any more.
Leave leave_of_ended(const Snapshot& snapshot, EntityId id) {
  const auto found = std::lower_bound(snapshot.despawned.begin(), snapshot.despawned.end(), id,
                                      [](const Despawn& d, EntityId key) { return d.id < key; });
  CHECK(found != snapshot.despawned.end() && found->id == id);
  const bool left_world = found->reason == DespawnReason::LeftWorld;
  return {id, left_world ? LeaveReason::OutOfWorld : LeaveReason::Despawned, found->user_data};
}

/// Whether one of the areas keeps the entity in view: it accepts it, and the entity is inside its
/// leave size or has not been in view for its dwell time yet.
bool hold(const std::vector<InterestArea>& areas, const Snapshot& snapshot, const Visible& visible,
          std::uint32_t slot) {
  const Tick age = snapshot.tick - visible.entered;
  return std::any_of(areas.begin(), areas.end(), [&](const InterestArea& area) {
    return accepts(area, visible.id, snapshot.filter[slot]) &&
           (age < area.spec.min_dwell_ticks || inside_leave(area, snapshot.tight_box[slot]));
  });
}

/// Of an entity that exists but does not stay. AreaChanged: without the commands it would have
/// stayed. FilterChanged: its own filter is to blame, because no area takes it any more or because
/// an area it still reaches refuses it now.
LeaveReason leave_reason(const Snapshot& snapshot, const Observer& observer, const Visible& visible,
                         std::uint32_t slot) {
  if (!snapshot.filter[slot].enabled) return LeaveReason::Disabled;
  if (hold(observer.former, snapshot, visible, slot)) return LeaveReason::AreaChanged;
  if (snapshot.changed[slot].filter != snapshot.tick) return LeaveReason::OutOfRange;
  bool accepted = false;
  bool reached = false;
  for (const InterestArea& area : observer.areas) {
    accepted |= accepts(area, visible.id, snapshot.filter[slot]);
    reached |= area.placed && inside_leave(area, snapshot.tight_box[slot]);
  }
  return !accepted || reached ? LeaveReason::FilterChanged : LeaveReason::OutOfRange;
}

/// Sorts what a still visible entity has to tell into `changed` or `moved`.
void note_change(const Snapshot& snapshot, std::uint32_t slot, ObserverEvents& out) {
  const EntityVersions& versions = snapshot.changed[slot];
  const Tick now = snapshot.tick;
  if (versions.shape == now || versions.filter == now || versions.enabled == now ||
      versions.user_data == now) {
    out.changed.push_back(slot);
  } else if (versions.pose == now) {
    out.moved.push_back(slot);
  }
}

/// Compares the old view with what is inside now; both ascend by slot:
///
///     old view   (2,g1) (5,g1)        (9,g3)
///     inside            (5,g2) (7,g1) (9,g3)
///     result     leave   leave         stays
///                        new    new
///
/// In one slot the older generation sorts first, so that a reused slot leaves and enters.
void sort_out(const Snapshot& snapshot, const std::vector<std::uint32_t>& inside,
              const Observer& observer, ViewBuffers& buffers, ObserverEvents& out) {
  buffers.stayers.clear();
  buffers.newcomers.clear();
  auto next = inside.begin();
  for (const Visible& visible : observer.visible) {
    while (next != inside.end() && snapshot.id[*next] < visible.id)
      buffers.newcomers.push_back(*next++);
    if (!snapshot.contains(visible.id)) {
      out.leaves.push_back(leave_of_ended(snapshot, visible.id));
      continue;
    }
    const std::uint32_t slot = visible.id.index();
    const bool is_inside = next != inside.end() && *next == slot;
    if (is_inside) ++next;
    if (is_inside || hold(observer.areas, snapshot, visible, slot)) {
      buffers.stayers.push_back(visible);
      note_change(snapshot, slot, out);
    } else {
      out.leaves.push_back(
          {visible.id, leave_reason(snapshot, observer, visible, slot), snapshot.user_data[slot]});
    }
  }
  buffers.newcomers.insert(buffers.newcomers.end(), next, inside.end());
}

}  // namespace

void place_areas(const Snapshot& snapshot, Observer& observer) {
  for (InterestArea& area : observer.areas) place(snapshot, area);
  for (InterestArea& area : observer.former) place(snapshot, area);
}

bool update_view(const Snapshot& snapshot, const std::vector<std::uint32_t>& inside,
                 std::size_t visible_max, Observer& observer, ViewBuffers& buffers,
                 ObserverEvents& out) {
  sort_out(snapshot, inside, observer, buffers, out);
  const auto& [stayers, newcomers] = buffers;
  const std::size_t room = visible_max - std::min(visible_max, stayers.size());
  const bool all_enter = newcomers.size() <= room;
  const auto last =
      all_enter ? newcomers.end() : newcomers.begin() + static_cast<std::ptrdiff_t>(room);
  out.enters.assign(newcomers.begin(), last);

  // Built in place, not swapped: swapping would hand the buffer of a large view to small observers.
  observer.visible.clear();
  observer.visible.reserve(stayers.size() + out.enters.size());
  auto stayer = stayers.begin();
  for (const std::uint32_t slot : out.enters) {
    while (stayer != stayers.end() && stayer->id < snapshot.id[slot])
      observer.visible.push_back(*stayer++);
    observer.visible.push_back({snapshot.id[slot], snapshot.tick});
  }
  observer.visible.insert(observer.visible.end(), stayer, stayers.end());
  out.visible_count = static_cast<std::uint32_t>(observer.visible.size());

  for (InterestArea& area : observer.areas) area.in_effect = true;
  observer.former.clear();
  return all_enter;
}

}  // namespace vicinity
