// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// One observer: its areas, what it sees, and how that goes from one tick to the next. Tick room;
// different observers may be updated at the same time.
//
// In view is, in this order of precedence:
//   a follower            exactly when its parent is, if it is enabled
//   a disabled entity     never
//   Visibility            Never or Always, as the session said
//   an owned entity       of a player's session, but for anchors that their area leaves out
//   by the areas          inside the enter solid of one that accepts it, or in view already and
//                         inside the leave solid or younger than the dwell time of one; of an area
//                         with a nearest_max only the nearest of these, what is always relevant
//                         neither counted nor left out

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "interest/interest_area.h"
#include "interest/observer_events.h"
#include "interest/view_world.h"
#include "world/snapshot.h"

namespace vicinity {

struct Visible {
  EntityId id;
  Tick entered = 0;
  bool suspends = false;  ///< all areas that held it last suspend
};

struct VisibilityEntry {
  EntityId id;
  Visibility visibility = Visibility::Default;
};

/// What mask_view.h keeps about an observer; made from the rest whenever it is not valid.
struct MaskView {
  /// What is looked at in every tick, of an area.
  struct Sphere {
    EntityId anchor;
    SearchFilter filter;
    double enter_m = 0;
    double leave_m = 0;
    Vec3 centre;
    Vec3 position;                  ///< in the last tick
    Vec3 listed_at;                 ///< when the groups were listed
    double room_m = 0;              ///< that it may move from there
    std::uint32_t hidden_lane = 0;  ///< of the anchor that the area leaves out, or no_lane
    bool is_centre = false;
    bool sees_anchor = true;
    bool moved = true;  ///< since the last tick
  };
  struct Listed {
    std::uint32_t group = 0;
    std::uint16_t in_view = 0;
  };
  bool is_valid = false;
  // How many groups may hold what touches the box of a sphere, of all spheres together.
  std::uint32_t listed_count = 0;  ///< as long as they are not unruly
  std::uint32_t unruly_count = 0;  ///< in this tick
  std::uint64_t generation = 0;
  std::vector<Sphere> spheres;
  std::vector<Listed> groups;
  std::vector<EntityId> specials;  ///< in view and not among the bits (LaneHead), ascending
};

struct Observer {
  std::vector<InterestArea> areas;  ///< ascending id; never empty between commands
  /// Areas as they were before commands changed or removed them since the last update. They go on
  /// following their anchors, to tell what the commands are to blame for.
  std::vector<InterestArea> former;
  std::vector<Visible> visible;               ///< ascending id
  std::vector<VisibilityEntry> visibilities;  ///< ascending id; never Default
  std::vector<EntityId> released;             ///< were Always until a command since the last update
  MaskView masks;                             ///< not valid after any command
};

/// Buffers of one block of observers.
struct ViewBuffers {
  std::vector<std::uint32_t> candidates;
  std::vector<std::uint32_t> now;
  std::vector<Visible> visible;
  struct Ranked {
    double distance_m;
    EntityId id;
  };
  std::vector<Ranked> ranked;
  std::vector<std::vector<std::uint32_t>> nearest;  ///< by area; slots, ascending
};

struct ViewInput {
  const Snapshot& snapshot;
  const ViewWorld& world;
  /// Slots inside the enter solid of any area, ascending.
  const std::vector<std::uint32_t>& inside;
  /// Living entities of a player's session, ascending by id; empty for others.
  const std::vector<EntityId>& owned;
  /// A view grows to so many entities: newcomers with the smallest slots go first, each with what
  /// follows it (of the last one all, however many), and the rest waits.
  std::size_t visible_max;
};

/// Puts all areas, former ones too, where they are in this tick.
void place_areas(const Snapshot& snapshot, Observer& observer);

/// Whether an owned entity is in view for that alone: it is not the anchor of an area without
/// include_anchor.
bool shows_owned(const Observer& observer, EntityId id);

/// Brings the view to this tick and says what is new. False when somebody waits. Areas must be
/// placed. O((in view + inside) * areas).
bool update_view(const ViewInput& input, Observer& observer, ViewBuffers& buffers,
                 ObserverEvents& out);

/// Leave of an entity that is not in the snapshot any more.
Leave leave_of_ended(const Snapshot& snapshot, EntityId id);

/// Of an entity that is not in view any more; for observers whose areas have no nearest_max.
Leave leave_of(const ViewInput& input, Observer& observer, ViewBuffers& buffers,
               const Visible& visible);

}  // namespace vicinity
