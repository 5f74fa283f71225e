// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What every observer must see and hear, by every rule of areas, worked out the slow way: each
// observer against each entity, with geometry of its own. Lengths are whole multiples of 1/16 m, so
// that spheres, boxes and cylinders are decided exactly; other solids by alternating projections,
// which leave open what is all but touching.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "interest/interest.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity::oracle {

enum class Answer { No, Yes, Open };

/// An area as commands left it, and where it is.
struct ModelArea {
  AreaSpec spec;
  EntityId anchor;
  std::optional<Vec3> place;
  Quat rotation;

  void move(const Snapshot& snapshot);
  bool takes(const Snapshot& snapshot, std::uint32_t slot) const;
  /// By the solid or by the relevance of the entity.
  Answer inside(const Snapshot& snapshot, std::uint32_t slot, bool leave) const;
  /// Nothing where it is not known to the last bit.
  std::optional<double> distance(const Snapshot& snapshot, std::uint32_t slot) const;
};

struct Seen {
  Tick entered = 0;
  std::optional<bool> suspends;  ///< nothing: not known
};

struct ModelObserver {
  std::map<AreaId, ModelArea> areas;
  std::map<AreaId, ModelArea> before;  ///< at the end of the last tick
  std::set<AreaId> touched;
  std::map<EntityId, Seen> view;
  std::map<EntityId, Visibility> visibilities;
  std::set<EntityId> released;
};

struct ModelLeave {
  LeaveReason reason = LeaveReason::OutOfRange;
  std::optional<bool> suspended;
};

/// What one observer must hear.
struct ModelNews {
  bool is_open = false;  ///< something was all but touching: the view is taken from the server
  std::map<EntityId, ModelLeave> leaves;
  std::vector<EntityId> enters;
  std::map<EntityId, Seen> view;
};

class ViewsModel {
 public:
  using Name = std::pair<SessionId, ObserverId>;

  std::map<Name, ModelObserver> observers;
  std::set<SessionId> players;
  std::uint64_t visible_max = limits::visible_per_session_max;

  /// Moves the areas of an observer and says what it must hear. The view changes with settle().
  ModelNews look(const Name& name, const Snapshot& snapshot);
  void settle(const Name& name, std::map<EntityId, Seen> view);

 private:
  struct Look;
};

}  // namespace vicinity::oracle
