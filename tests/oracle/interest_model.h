// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// What interest must say, worked out the slow way: every observer against every entity in exact
// integers (units of 1/16 m), with none of the server's geometry. It reads the frozen snapshot,
// which other tests check.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "interest/interest.h"
#include "tick/simulation.h"
#include "world/command.h"
#include "world/snapshot.h"

namespace vicinity::oracle {

/// The events of one observer by id, as a client would keep them.
struct ExpectedEvents {
  std::map<EntityId, LeaveReason> leaves;
  std::vector<EntityId> enters;
  std::uint32_t visible_count = 0;
};

using ObserverName = std::pair<SessionId, ObserverId>;

class InterestModel {
 public:
  /// One tick: what the commands did to the areas (`output` tells which anchors were refused and
  /// which ids were made; all other outcomes are checked here) and what every observer must hear.
  std::map<ObserverName, ExpectedEvents> run_tick(const std::vector<Command>& commands,
                                                  const TickOutput& output);
  /// Observers of open sessions whose last area was removed in the last tick.
  const std::set<ObserverName>& dropped() const { return dropped_; }

 private:
  using Point = std::array<std::int64_t, 3>;
  struct Box {
    Point min{};
    Point max{};
  };
  /// An entity as areas look at it: its tight box, and the box of the points that are its radius
  /// away from the surface (a plain sphere or capsule) or the same box again.
  struct Body {
    Box tight;
    Box core;
    std::int64_t radius = 0;
  };
  struct Area {
    AreaSpec spec;
    EntityId anchor;
    std::optional<Point> place;
    bool takes(EntityId id, const Filter& filter) const;
    bool reaches(const Body& body, double radius_m, Vec3 half_extent_m) const;
    bool enters(const Body& body) const;
    bool keeps(const Body& body) const;
    /// Keeps in view what came in at `since`, by distance or by dwell.
    bool holds(const Snapshot& snapshot, std::uint32_t slot, Tick since) const;
  };
  struct Observer {
    std::map<AreaId, Area> areas;
    std::map<AreaId, Area> areas_before;  ///< at the end of the last tick
    std::set<AreaId> touched;             ///< changed or removed by commands of this tick
    std::map<EntityId, Tick> view;        ///< with the tick of the enter
  };

  static std::int64_t units(double metres);
  static Box box_of(const Snapshot& snapshot, std::uint32_t slot);
  static Body body_of(const Snapshot& snapshot, std::uint32_t slot);

  void apply(const Command& command, const TickOutput& output);
  std::optional<EntityId> anchor_of(const Command& command, const AreaSpec& spec,
                                    const TickOutput& output) const;
  Observer* find(SessionId session, AreaId area);
  ErrorCode apply_area(const Command& command, const TickOutput& output);
  static void place(std::map<AreaId, Area>& areas, const Snapshot& snapshot);
  ExpectedEvents look(SessionId session, Observer& observer, const Snapshot& snapshot) const;
  /// In view for being a player's own, whatever the areas see.
  bool is_shown_to_owner(SessionId session, const Observer& observer, const Snapshot& snapshot,
                         std::uint32_t slot) const;
  static LeaveReason blame(const Observer& observer, const Snapshot& snapshot, EntityId id);

  std::map<ObserverName, Observer> observers_;
  std::set<SessionId> open_;
  std::set<SessionId> players_;
  std::set<ObserverName> dropped_;
  std::set<EntityId> alive_before_;  ///< at the end of the last tick
};

}  // namespace vicinity::oracle
