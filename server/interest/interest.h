// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// Interest areas and visible sets. The state lives in the tick room and is changed by area commands
// and by update(); events are plain values, one block per observer.

#include <cstdint>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/parallel.h"
#include "index/index.h"
#include "world/command.h"
#include "world/reasons.h"
#include "world/snapshot.h"

namespace vicinity {

struct Leave {
  EntityId id;
  LeaveReason reason = LeaveReason::OutOfRange;
};

/// What one observer learns in one tick. Rows are of the snapshot of that tick, ascending.
struct ObserverEvents {
  SessionId session;
  ObserverId observer;
  std::vector<Leave> leaves;          ///< ascending by id; sent first
  std::vector<std::uint32_t> enters;  ///< full state is sent
  std::vector<std::uint32_t>
      changed;  ///< still visible; shape, filter or user data changed: full state
  std::vector<std::uint32_t> moved;  ///< still visible; only pose or velocity changed
  std::uint32_t visible_count = 0;   ///< after this tick
};

/// Exact membership tests, shared with nothing: oracles have their own.
/// `position` is the area's centre in the world; sizes are inclusive.
bool inside_enter(const AreaSpec& area, Vec3 position, const Aabb& tight_box);
bool inside_leave(const AreaSpec& area, Vec3 position, const Aabb& tight_box);

class Interest {
 public:
  /// Tick thread, while commands are applied, in command order. `anchor` is the resolved entity of
  /// spec.anchor (EntityId{} when fixed); its liveness was checked by the caller.
  ErrorCode add_area(SessionId session, const AddAreaCommand& command, EntityId anchor);
  ErrorCode change_area(SessionId session, const ChangeAreaCommand& command, EntityId anchor);
  ErrorCode remove_area(SessionId session, const RemoveAreaCommand& command);
  /// Drops all areas and observers of the session, without events.
  void close_session(SessionId session);

  /// Tick thread. Brings every visible set to the snapshot; `out` gets one entry per observer that
  /// has something to tell, ordered by (session, observer). Parallel over observers.
  void update(const Snapshot& snapshot, const Index& index, Workers& workers,
              std::vector<ObserverEvents>& out);

  std::size_t observer_count() const;
  std::size_t area_count() const;
  /// Sum of the sizes of all visible sets after the last update.
  std::uint64_t visible_count() const;

 private:
  struct Area {
    AreaId id;
    AreaSpec spec;
    EntityId anchor;  ///< EntityId{} = fixed
    Vec3 position;    ///< centre in the world
    /// False until the anchor was seen once: an area whose anchor ended before the first update has
    /// no place and sees nothing.
    bool placed = false;
  };
  struct Visible {
    EntityId id;
    Tick entered = 0;
  };
  struct Observer {
    std::vector<Area> areas;       ///< ascending area id; never empty
    std::vector<Visible> visible;  ///< ascending id
    bool areas_changed = false;    ///< by command since the last update
  };
  struct Session {
    std::map<ObserverId, Observer> observers;
    std::map<AreaId, ObserverId> observer_of_area;
  };
  /// Buffers of one block of observers.
  struct Scratch {
    std::vector<std::uint32_t> candidates;
    std::vector<std::uint32_t> inside;
    std::vector<Visible> visible;
  };

  static bool accepts(const Area& area, EntityId id, const Filter& filter);
  static void place_areas(const Snapshot& snapshot, Observer& observer);
  static void find_inside(const Snapshot& snapshot, const Index& index, const Observer& observer,
                          Scratch& scratch);
  static bool stays(const Snapshot& snapshot, const Observer& observer, const Visible& visible,
                    std::uint32_t row);
  static LeaveReason leave_reason(const Snapshot& snapshot, const Observer& observer,
                                  std::uint32_t row);
  static void update_observer(const Snapshot& snapshot, const Index& index, Observer& observer,
                              Scratch& scratch, ObserverEvents& out);

  std::map<SessionId, Session> sessions_;
  std::uint64_t visible_count_ = 0;
};

}  // namespace vicinity
